"""Hostile command lines: an exit status of ours, at most three lines of error, never a traceback."""

import os
import shutil
from pathlib import Path

import pytest
from fuzzing import fuzz
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.random import default_rng as seeded

import hushmap.audit as room
from hushmap.audit import OURS, AuditReport
from hushmap.cli.app import _run

LOG = "examples/hospital.csv"
OPTIONS = [
    "--max-risk", "--max-error", "--annotate", "--attacker", "--precision", "--max-risk-any", "--confidence",
    "--error-reading", "--min-occurrences", "--max-duration", "--range", "--resolution", "--scope", "--case",
    "--activity", "--timestamp", "--timestamp-format", "--lifecycle", "--delimiter", "--encoding",
    "--memory-limit", "--max-unpacked", "--table", "--query", "--json", "--quiet", "--out", "--compare",
    "--overwrite", "--no-picture", "--draws",
]  # fmt: skip
VALUES = [
    "0.2", "0", "1", "-1", "nan", "inf", "1e-13", "1e400", "1/0", "1/3", "", " ", "any", "empirical", "paper",
    "frequency", "mean", "max", "sum", "release", "annotation", "observed", "declared", "per-edge", "30min",
    "1us", "1000000d", "9" * 30, "1s", "0s", "case", "activity", "timestamp", "%Y", "%d.%m.%Y", "iso",
    "epoch-ns", "complete", ";", "\t", "ab", "utf-8", "utf-16", "no-such", "1GB", "1B", "x.csv", "🙂", "\x00",
    "--", "-", "\x1b[31m", "%s", "' OR 1=1", "../x", "out", LOG, "SELECT 1",
]  # fmt: skip
words = st.one_of(st.sampled_from(OPTIONS), st.sampled_from(VALUES), st.text(max_size=8))
lines = st.tuples(
    st.sampled_from(["inspect", "plan", "release", "show", "audit", "datasets"]),
    st.sampled_from([[LOG], [LOG], [LOG], [], ["out"], ["no-such-file.xes"]]),
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(OPTIONS), st.sampled_from(VALUES)).map(list),
            words.map(lambda word: [word]),
        ),
        max_size=4,
    ),
).map(lambda parts: [parts[0], *parts[1], *(word for pair in parts[2] for word in pair)])


def few_releases(*, draws, more):
    """An audit of the log's own edges alone; the built-in attacks take no options."""
    checks = [check for attack in more for check in attack(OURS, 20, seeded(1), 1e-9)]
    return AuditReport(tuple(checks), draws)


@pytest.fixture
def at_home(tmp_path, monkeypatch):
    shutil.copytree("examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(room, "audit", few_releases)
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield


@fuzz(150)
@given(lines)
@example(["plan", LOG, "--max-duration", "1000000d", "--annotate", "sum"])
@example(["audit", LOG])
@example(["audit", LOG, "--annotate", "mean", "--attacker", "paper", "--max-error", "1"])
@example([])
@example(["-h", "--version"])
def test_any_command_line_ends_with_a_status_of_ours(at_home, capsys, arguments):
    status = _run(arguments)
    said = capsys.readouterr()
    assert status in {0, 1, 2, 3}, arguments
    assert "should not have happened" not in said.err, (arguments, said.err)
    assert "Traceback" not in said.err + said.out
    if status:
        assert 1 <= len(said.err.strip().splitlines()) <= 3 or not arguments, (arguments, said.err)
    assert "\x1b" not in said.err
