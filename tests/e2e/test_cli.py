"""The program as its users meet it: what it prints, what it writes, how it exits."""

import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from forging import sealed

import hushmap as hm
from hushmap.bundle.schema import schema
from hushmap.log import engine
from hushmap.planning.frontier import frontier
from hushmap.planning.parameters import PlanParameters
from hushmap.planning.plan import plan_with

EXAMPLE = "examples/hospital.csv"


def test_inspect_prints_the_table_and_says_that_it_is_for_the_owner(run):
    status, out, err = run("inspect", EXAMPLE)
    assert (status, err) == (0, "")
    for part in ("Cases", "11", "Edges with start and end", "8", "owner of the log only"):
        assert part in out


def test_inspect_as_json_has_stable_keys(run):
    status, out, _ = run("inspect", EXAMPLE, "--json")
    found = json.loads(out)
    assert status == 0
    assert [found[key] for key in ("cases", "activities", "events", "edges", "edges_with_start_end",
                                   "variants")] == [11, 4, 33, 5, 8, 4]  # fmt: skip
    assert found["trace_length"] == {"min": 1, "max": 4, "mean": 3.0}
    assert set(found["case_duration_seconds"]) == {"min", "max", "mean"}
    assert found["quality"]["rows_read"] == 33
    assert set(found["quality"]["dropped"]) == {
        "no case", "no activity", "no timestamp", "unreadable timestamp", "lifecycle not complete"
    }  # fmt: skip


def test_what_a_plan_writes_is_closed_from_the_first_moment(tmp_path, monkeypatch, run):
    """A mode that is set after writing leaves a moment in which anyone may read."""
    written, real = [], Path.write_bytes

    def write_bytes(path, content):
        written.append(stat.S_IMODE(path.parent.stat().st_mode))
        return real(path, content)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    (tmp_path / "risks.csv").write_text("an older one, open to all")
    assert run("plan", EXAMPLE, "--out", tmp_path, "--json")[0] == 0
    assert written == [0o700] * 4 == [0o700] * len(list(tmp_path.iterdir()))
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_a_hostile_certificate_does_not_steer_the_terminal(run, tmp_path):
    assert (
        run("release", EXAMPLE, "--max-risk", "0.3", "--out", tmp_path / "out", "--no-picture")[0]
        == 0
    )
    public = tmp_path / "out/public"
    files = {path.name: path.read_bytes() for path in public.iterdir()}
    certificate = json.loads(files["certificate.json"])
    for nasty in ("[/red]", "[link=http://x.example]1.0[/link]", "1.0\u202egnp"):
        forged = json.dumps(certificate | {"version": nasty, "promised": [nasty]}).encode()
        for name, content in sealed(files | {"certificate.json": forged}).items():
            (public / name).write_bytes(content)
        status, out, err = run("show", tmp_path / "out")
        assert (status, err) == (0, "")
        assert nasty.replace("\u202e", "�") in out
        assert "\u202e" not in out


def test_plan_without_a_limit_is_the_frontier(run):
    status, out, _ = run("plan", EXAMPLE, "--json", "--compare", "--annotate", "mean")
    found = json.loads(out)
    assert status == 0
    assert found["format"] == "hushmap/frontier/1"
    assert {point["attacker"] for point in found["risks"]} == {"any", "empirical", "paper"}
    assert {point["reading"] for point in found["errors"]} == {"mean", "per-edge", "paper"}
    for key in ("annotation", "attacker", "risk", "expected_mape", "expected_smape", "median_ape",
                "worst_ape", "median_epsilon"):  # fmt: skip
        assert key in found["risks"][0]
    text = run("plan", EXAMPLE)[1]
    assert "what each risk costs" in text
    assert "the least risk for each error" in text
    side_by_side = run("plan", EXAMPLE, "--compare")[1]
    assert "all three" in side_by_side  # of counts, no attacker costs more than another
    assert "empirical" not in side_by_side.split("the least risk")[0]


def test_plan_with_a_limit_is_one_point_edge_by_edge(run, tmp_path):
    status, out, _ = run("plan", EXAMPLE, "--max-risk", "0.2", "--json", "--out", tmp_path / "plan")
    found = json.loads(out)
    assert status == 0
    assert found["format"] == "hushmap/plan/1"
    assert found["summary"]["release"]["risk"] == pytest.approx(0.2)
    assert len(found["edges"]) == 8
    assert "released" not in found["edges"][0]
    names = {file.name for file in (tmp_path / "plan").iterdir()}
    assert names == {"edges.csv", "frequency-expected_ape.svg", "frequency-epsilon_range.svg",
                     "frequency-risk.svg"}  # fmt: skip
    assert {stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "plan").iterdir()} == {0o600}
    assert run("plan", EXAMPLE, "--out", tmp_path / "frontier", "--json")[0] == 0
    names = {file.name for file in (tmp_path / "frontier").iterdir()}
    assert names == {"risks.csv", "errors.csv", "frontier.svg", "heat-map.svg"}
    status, out, _ = run("plan", EXAMPLE, "--max-error", "0.3", "--compare")
    assert status == 0
    assert "It is not a limit for a person" in out
    assert "not published" in out.replace("\n", " ")


def test_release_writes_a_bundle_that_show_reads_back(run, tmp_path):
    out = tmp_path / "out"
    status, printed, err = run("release", EXAMPLE, "--max-risk", "0.2", "--annotate", "frequency",
                               "--annotate", "mean", "--max-duration", "2d", "--out", out)  # fmt: skip
    assert (status, err) == (0, "")
    for part in ("To share:", "To keep:", "The promise:", "20 percentage points"):
        assert part in printed
    assert "Limit: risk 0.2. Reached: risk 0.200 for everything" in " ".join(printed.split())
    assert stat.S_IMODE((out / "owner").stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in (out / "owner").iterdir()} == {0o600}
    names = {file.name for file in (out / "public").iterdir()}
    assert names == {"map.json", "map.csv", "map.dfg", "map.graphml", "map.dot", "map.svg", "map.html",
                     "certificate.json", "certificate.html"}  # fmt: skip
    for kind, path in (("map", "public/map.json"), ("certificate", "public/certificate.json"),
                       ("report", "owner/report.json")):  # fmt: skip
        jsonschema.validate(json.loads((out / path).read_text()), schema(kind))
    status, printed, _ = run("show", out)
    assert status == 0
    assert "as they were released" in printed
    said = " ".join(printed.split())
    assert "and certificate.html rendered again and compared" in said
    unsigned = "somebody who rewrites every file and every hash goes unnoticed"
    assert said.count(unsigned) == " ".join(run("show", out, "-q")[1].split()).count(unsigned) == 1
    shown = json.loads(run("show", out / "public", "--json")[1])
    assert shown["map"]["edges"] == json.loads((out / "public/map.json").read_text())["edges"]
    assert shown["rendered_again"] is True
    (out / "public/map.csv").write_text("changed")
    status, _, err = run("show", out)
    assert status == 1
    assert "map.csv" in err


@pytest.mark.parametrize(
    ("genuine", "forged"),
    [
        ('"limit": 0.2,\n "risk": 0.2', '"limit": 0.1,\n "risk": 0.1'),
        ('"frequency": 0.81', '"frequency": 0.01'),
        ('"scope": "release"', '"scope": "annotation"'),
        ('"protects": "occurrence"', '"protects": "case"'),
        ('"whether"', '"how long"'),
        ('"event": 0.5', '"event": 0.1'),
        ("It is not a limit for a person", "It is a limit for a person"),
        ("at most 20 percentage points", "at most 2 percentage points"),
        ('"version": "', '"version": "9.'),
        ('"format"', ' "format"'),
    ],
)
def test_show_prints_no_forged_promise(run, tmp_path, genuine, forged):
    assert run("release", EXAMPLE, "--max-risk", "0.2", "--out", tmp_path / "o")[0] == 0
    path = tmp_path / "o/public/certificate.json"
    text = path.read_text()
    assert genuine in text
    path.write_text(text.replace(genuine, forged))
    status, out, err = run("show", tmp_path / "o")
    assert (status, out) == (1, "")
    assert "ertificate" in err


def test_show_says_that_pages_of_another_version_were_not_compared(run, tmp_path):
    graph = hm.discover(hm.read_log(EXAMPLE))
    made = hm.release(hm.plan(graph, max_risk=0.2))
    made.certificate = replace(made.certificate, version="0.0.1")
    made.write(tmp_path / "o", picture=False)
    status, out, err = run("show", tmp_path / "o")
    assert (status, err) == (0, "")
    said = " ".join(out.split())
    assert "with hushmap 0.0.1" in said
    assert "every hash was checked" in said
    assert "another version are not rendered again" in said
    assert json.loads(run("show", tmp_path / "o", "--json")[1])["rendered_again"] is False


def test_release_as_json_names_what_it_wrote(run, tmp_path):
    status, out, _ = run(
        "release", EXAMPLE, "--max-error", "0.5", "--json", "--out", tmp_path / "o"
    )
    found = json.loads(out)
    assert status == 0
    assert set(found) == {"out", "public", "owner", "summary"}
    assert sorted(found["public"]) == sorted(f.name for f in (tmp_path / "o/public").iterdir())
    assert found["summary"]["frequency"]["realised_mape"] >= 0
    certificate = json.loads((tmp_path / "o/public/certificate.json").read_text())
    assert certificate["problem"] == "max_error"
    assert "risk" not in certificate
    assert "epsilon" not in certificate


@pytest.mark.parametrize("verb", ["release", "plan"])
def test_an_out_that_an_unset_variable_of_the_shell_left_empty_is_refused(
    run, tmp_path, monkeypatch, verb
):
    example = Path(EXAMPLE).resolve()
    monkeypatch.chdir(tmp_path)
    status, _, err = run(verb, example, "--max-risk", "0.2", "--out", "")
    assert status == 2
    assert "--out is empty" in err
    assert list(tmp_path.iterdir()) == []


def test_release_leaves_what_stands_there_unless_told(run, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    status, _, err = run("release", EXAMPLE, "--max-risk", "0.2", "--out", tmp_path)
    assert status == 1
    assert "not empty" in err
    assert "--overwrite" in err
    assert run("release", EXAMPLE, "--max-risk", "0.2", "--out", tmp_path, "--overwrite")[0] == 0
    assert (tmp_path / "mine.txt").read_text() == "mine"
    (tmp_path / "public/mine.txt").write_text("mine")
    status, _, err = run("release", EXAMPLE, "--max-risk", "0.2", "--out", tmp_path, "--overwrite")
    assert status == 1
    assert "public/ and owner/ as a whole" in err
    assert (tmp_path / "public/mine.txt").read_text() == "mine"
    for _ in range(2):
        assert (
            run("release", EXAMPLE, "--max-risk", "0.2", "--out", tmp_path / "o", "--overwrite")[0]
            == 0
        )


@pytest.mark.parametrize(
    ("arguments", "status", "part"),
    [
        (["inspect", "nowhere.csv"], 1, "no such file"),
        (["inspect"], 2, "LOG"),
        (["inspect", EXAMPLE, "--colour"], 2, "--colour"),
        (["conjure"], 2, "conjure"),
        (["inspect", EXAMPLE, "--activity", "activty"], 1, "Did you mean 'activity'"),
        (["plan", EXAMPLE, "--max-risk", "0.1", "--max-error", "0.1"], 2, "Both"),
        (["plan", EXAMPLE, "--max-risk", "2"], 2, "--max-risk"),
        (["plan", EXAMPLE, "--annotate", "colour"], 2, "--annotate"),
        (["plan", EXAMPLE, "--max-duration", "2d", "--range", "observed"], 2, "--range"),
        (["plan", EXAMPLE, "--max-error", "0.000001", "--annotate", "min"], 3, "In the way"),
        (["plan", EXAMPLE, "--annotate", "sum", "--annotate", "mean"], 3, "number of occurrences"),
        (["release", EXAMPLE, "--out", "x"], 2, "No limit"),
        (["release", EXAMPLE, "--max-risk", "0.1"], 2, "--out"),
        (["release", EXAMPLE, "--max-risk", "0.1", "--annotate", "mean", "--out", "x"], 3, "--range observed"),
        (["show", "examples"], 1, "bundle"),
    ],
)  # fmt: skip
def test_errors_are_short_and_have_their_exit_status(run, arguments, status, part):
    code, out, err = run(*arguments)
    assert code == status
    assert part in err
    assert out == ""
    assert 1 <= len(err.strip().splitlines()) <= 3
    assert "Traceback" not in err
    assert not Path("x").exists()


def test_the_log_is_quoted_only_where_the_owner_asks(run, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("case,activity,timestamp\n1,a,2026-01-05\ngeheim,b\n")
    status, _, err = run("inspect", path)
    assert status == 1
    assert "row 3" in err
    assert "geheim" not in err
    assert "geheim" in run("inspect", path, "--owner-details")[2]


@pytest.mark.parametrize("options", [[], ["--max-risk", "0.2"]])
def test_a_file_in_the_way_of_the_tables_is_named(run, tmp_path, options):
    file = tmp_path / "file"
    file.touch()
    for place in (file, file / "below"):
        status, _, err = run("plan", EXAMPLE, *options, "--out", place)
        assert status == 1
        assert str(file) in err
        assert "Check the path" in err
        assert 1 <= len(err.strip().splitlines()) <= 3


def test_no_password_is_printed_with_the_statistics(run, tmp_path):
    import sqlite3

    path = tmp_path / "log.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE log(case_id, activity, timestamp)")
        connection.execute("INSERT INTO log VALUES (1, 'a', '2026-01-05')")
    shown = _inspected_source(run, f"sqlite:///{path}", "--table", "log")
    assert str(path) in shown
    from hushmap.cli import inspect as verb

    assert verb.shown_source("postgresql://me:geheim@host/db") == "postgresql://me:***@host/db"


def _inspected_source(run, *arguments):
    status, out, _ = run("inspect", *arguments)
    assert status == 0
    return "".join(out.splitlines()[:3])


def test_a_defect_is_no_traceback(run, monkeypatch):
    import hushmap

    monkeypatch.setattr(hushmap, "inspect", lambda _: 1 / 0)
    status, _, err = run("inspect", EXAMPLE)
    assert status == 1
    assert "Traceback" not in err
    assert "ZeroDivisionError" in err


def test_standard_input_is_read():
    done = subprocess.run(
        [sys.executable, "-m", "hushmap", "inspect", "-", "--json"],
        input=Path(EXAMPLE).read_bytes(), capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["cases"] == 11


def test_help_and_version(run):
    assert run("--help")[0] == 0
    assert run("--version")[1].startswith("hushmap ")
    status, out, _ = run()
    assert status == 2
    assert "inspect" in out
    for verb in ("inspect", "plan", "release", "show"):
        assert run(verb, "--help")[0] == 0


def test_bars_are_honest_shares_of_a_known_whole(monkeypatch):
    """What is done only grows to the whole, for events of a log and for points of a frontier."""
    log = hm.read_log(EXAMPLE)
    seen = []
    frontier(hm.discover(log), [PlanParameters.of()], on_progress=lambda *at: seen.append(at))
    assert seen == [(number, 33) for number in range(1, 34)]
    seen.clear()
    plan_with(hm.discover(log), PlanParameters.of(max_error=0.5), lambda *at: seen.append(at))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (11, 11)
    assert len({done for done, _ in seen}) > 5  # the search for the risk shows
    log.workspace.run(
        "CREATE TABLE many AS SELECT range % 10000 AS case_id, 'a' AS activity, "
        "hash(range)::HUGEINT % 1000000000 AS t, range AS seq FROM range(1000000)"
    )
    large = replace(log, relation="many", intake=replace(log.intake, rows_read=1_000_000))
    seen.clear()
    monkeypatch.setattr(engine, "_LOOKS_PER_SECOND", 100)
    hm.discover(large, on_progress=lambda *at: seen.append(at))
    done = [done for done, _ in seen]
    assert {whole for _, whole in seen} == {1_000_000}
    assert 0 <= min(done) <= max(done) <= 1_000_000
    assert done == sorted(done)


def test_importing_hushmap_imports_nothing_heavy():
    code = (
        "import sys, hushmap, hushmap.cli; "
        "print(sorted({'duckdb', 'opendp', 'pandas', 'polars', 'pyarrow', 'networkx', 'pm4py', "
        "'pygraphviz', 'rich.console', 'adbc_driver_manager', 'pyspark', 'py4j'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_one_event_is_a_log(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("case,activity,timestamp\n1,--,2026-01-05\n")
    assert run("inspect", path)[0] == 0
    assert run("plan", path)[0] == 0
    assert run("release", path, "--max-risk", "0.2", "--out", tmp_path / "o")[0] == 0
    status, _, err = run("plan", path, "--annotate", "mean")
    assert status == 2
    assert "--annotate frequency" in err


def test_names_cannot_steer_the_terminal(run, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(
        'case,activity,timestamp\n1,"a\x1b[31m\x07\u202eb[bold]",2026-01-05\n1,c,2026-01-06\n'
    )
    out = tmp_path / "o"
    printed = run("plan", path, "--max-risk", "0.2")[1]
    printed += run("release", path, "--max-risk", "0.2", "--out", out)[1]
    printed += run("show", out)[1]
    assert "[bold]" in printed
    for character in "\x1b\x07\u202e":
        assert character not in printed
    assert "\x1b" not in run("inspect", path, "--activity", "x\x1b[31m")[2]


def test_how_the_log_was_read_is_said_by_every_verb_and_kept_in_the_report(tmp_path, run):
    log = tmp_path / "log.csv"
    rows = ["case,activity,time,lifecycle"]
    rows += [f"{case},{name},2026-01-0{day},{step}" for case in range(9)
             for day, name in enumerate("AB", 1) for step in ("start", "complete")]  # fmt: skip
    log.write_text("\n".join([*rows, "10,A,,complete"]))
    said = ("only completed events are kept", "no timestamp", "column 'case'")
    for wish in (["--max-risk", "0.2"], []):
        status, out, _ = run("plan", log, *wish)
        assert status == 0
        assert all(part in " ".join(out.split()) for part in said)
        assert "completed" not in run("plan", log, *wish, "--quiet")[1]
    notes = " ".join(json.loads(run("plan", log, "--max-risk", "0.2", "--json")[1])["notes"])
    assert all(part in notes for part in said)
    run("release", log, "--max-risk", "0.2", "--out", tmp_path / "map", "--json")
    report = json.loads((tmp_path / "map/owner/report.json").read_text())
    assert all(part in " ".join(report["origin"]) for part in said)
    assert "only completed events are kept" in (tmp_path / "map/owner/report.html").read_text()


def test_compare_shows_every_reading_of_an_error(run):
    wish = ("plan", EXAMPLE, "--max-error", "0.3", "--error-reading", "per-edge", "--compare")
    status, out, _ = run(*wish)
    assert status == 0
    assert "every edge, continuous noise" in out
    document = json.loads(run(*wish, "--json")[1])
    risks = {point["reading"]: point["risk"] for point in document["errors"]
             if point["attacker"] == "any"}  # fmt: skip
    assert set(risks) == {"mean", "per-edge", "paper"}
    assert risks["mean"] == pytest.approx(0.179, abs=5e-4)
    assert risks["paper"] == pytest.approx(0.98652, abs=1e-5)  # method.md §10
    assert risks["per-edge"] == pytest.approx(document["summary"]["release"]["risk"], rel=1e-6)
    plain = json.loads(run("plan", EXAMPLE, "--max-risk", "0.3", "--compare", "--json")[1])
    assert "errors" not in plain


def test_a_range_that_is_declared_without_a_bound_is_wrong_usage(run):
    status, _, err = run("plan", EXAMPLE, "--annotate", "mean", "--range", "declared")
    assert status == 2
    assert "--max-duration" in err


def test_more_draws_than_the_memory_holds_are_refused(run):
    status, _, err = run("audit", "--draws", "100000000000")
    assert status == 2
    assert "5,000,000" in err
