"""`hushmap audit` as its users meet it."""

import json

import pytest

from hushmap.audit import AuditReport, Check
from hushmap.cli.app import _run


@pytest.fixture
def few_controls(monkeypatch):
    """The controls take their full number of draws; one of them is enough here."""
    from hushmap.audit import run as module

    monkeypatch.setattr(module.audit, "__kwdefaults__",
                        {**module.audit.__kwdefaults__, "controls": module.ZOO[1:2]})  # fmt: skip


def test_the_json_has_the_fixed_shape(few_controls, capsys):
    assert _run(["audit", "--json", "--draws", "500"]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert list(document) == ["holds", "checks"]
    assert document["holds"] is True
    assert len(document["checks"]) > 40
    for check in document["checks"]:
        assert list(check) == ["name", "claimed", "measured", "low", "high", "holds"]
        assert check["holds"] is True
        if check["high"] is not None:
            assert check["low"] <= check["measured"] <= check["high"]
    names = [check["name"] for check in document["checks"]]
    assert sum(name.startswith("control, ") for name in names) == 1
    assert sum(name.startswith("not promised: ") for name in names) == 7
    assert printed.err == ""


def test_the_table_names_a_verdict_for_every_check(few_controls, capsys):
    assert _run(["audit", "examples/hospital.csv", "--draws", "500", "--max-risk", "0.3",
                 "--annotate", "mean", "--attacker", "empirical", "--range", "observed"]) == 0  # fmt: skip
    printed = capsys.readouterr().out
    assert "mean of A → C" in printed
    assert printed.count("holds") >= 25
    assert "reached" in printed
    assert "caught" in printed
    assert "1 of 1 broken mechanisms were caught" in printed
    assert "for its owner only" in printed


def test_a_log_without_options_is_attacked_by_its_frequencies(few_controls, capsys):
    """The graph is discovered without histograms then: how often is all that is needed."""
    assert _run(["audit", "examples/hospital.csv", "--draws", "300", "--json"]) == 0
    names = [check["name"] for check in json.loads(capsys.readouterr().out)["checks"]]
    assert "frequency of A → B: was it there? (at worst)" in names
    assert "frequency of ▶ → A: was it there? (on average)" in names


def test_a_broken_promise_is_exit_status_one(monkeypatch, capsys):
    import hushmap.audit as room

    broken = Check(name="x", claimed=0.1, measured=0.5, low=0.4, high=0.6, holds=False)
    monkeypatch.setattr(room, "audit", lambda **_: AuditReport((broken,), 10))
    assert _run(["audit"]) == 1
    assert "BROKEN" in capsys.readouterr().out
    assert _run(["audit", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["holds"] is False


@pytest.mark.parametrize(("words", "status", "said"), [
    (["--max-risk", "0.2"], 2, "no LOG"),
    (["--case", "x"], 2, "no LOG"),
    (["--draws", "5"], 2, "--draws"),
    (["--draws", "many"], 2, "--draws"),
    (["no-such-file.csv"], 1, "no-such-file"),
    (["examples/hospital.csv", "--max-risk", "2"], 2, "--max-risk"),
])  # fmt: skip
def test_wrong_usage_is_said_in_a_few_lines(words, status, said, capsys):
    assert _run(["audit", *words]) == status
    message = capsys.readouterr().err
    assert said in message
    assert 1 <= len(message.strip().splitlines()) <= 3
