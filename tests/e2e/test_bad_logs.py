"""A log that cannot be read ends in three lines and a status, and in nothing of what is in it."""

import gzip
import io
import sqlite3
import sys
from types import SimpleNamespace

import polars as pl
import pytest

from hushmap.cli import main

CASE, ACTIVITY, TIME = "case-4711-secret", "Chemotherapy-secret", "1987-06-05T04:03:02Z"
HEAD, ROW = "case,activity,timestamp\n", f"{CASE},{ACTIVITY},{TIME}\n"
EVENT = (
    f'<event><string key="concept:name" value="{ACTIVITY}"/>'
    f'<date key="time:timestamp" value="{TIME}"/></event>'
)
TRACE = f'<trace><string key="concept:name" value="{CASE}"/>{EVENT}</trace>'
LAUGHS = (
    f'<!DOCTYPE log [<!ENTITY a "{ACTIVITY}"><!ENTITY b "&a;&a;&a;&a;">]>'
    f"<log>{TRACE.replace(ACTIVITY, '&b;')}</log>"
)
# Per bad log its name, its content, the options, the exit status and a part of the message.
BAD = {
    "empty": ("log.csv", "", [], 1, "The file is empty."),
    "header alone": ("log.csv", HEAD, [], 1, "the log has no rows"),
    "no header": ("log.csv", ROW * 2, [], 1, "looks like data, not like a header"),
    "nothing left": ("log.csv", HEAD + f"{CASE},{ACTIVITY},\n", [], 1, "dropped (no timestamp)"),
    "no lifecycle": ("log.csv", HEAD + ROW, ["--lifecycle", "complete"], 1, "has no lifecycle"),
    "short row": ("log.csv", HEAD + ROW + f"{CASE},{ACTIVITY}\n", [], 1, "log.csv, row 3"),
    "open quote": ("log.csv", HEAD + f'"{CASE},{ACTIVITY}\n', [], 1, "quoted value is not closed"),
    "two delimiters": ("log.csv", f"a;case,activity\n{ROW}", [], 1, "split in several ways"),
    "not UTF-8": ("log.csv", (HEAD + ROW + "é").encode("cp1252"), [], 1, "--encoding"),
    "wrong encoding": ("log.csv", (HEAD + ROW).encode() + b"\x81", ["--encoding", "cp1252"], 1,
                       "not encoded as cp1252"),
    "unknown encoding": ("log.csv", HEAD + ROW, ["--encoding", "x"], 2, "which is not known"),
    "wrong column": ("log.csv", HEAD + ROW, ["--case", "csae"], 1, "Did you mean 'case'?"),
    "no column": ("log.csv", HEAD.replace("case", "who") + ROW, [], 1,
                  "The columns are 'who', 'activity', 'timestamp'."),
    "two columns": ("log.csv", f"case id,{HEAD}1,{ROW}", [], 1,
                    "Several columns may be the case: 'case id', 'case'."),
    "one column twice": ("log.csv", HEAD + ROW, ["--case", "activity"], 1, "taken for both"),
    "two readings": ("log.csv", HEAD + ROW.replace(TIME, "03/04/1987 04:03"), [], 1,
                     "day-first or --timestamp-format month-first"),
    "no reading": ("log.csv", HEAD + ROW.replace(TIME, ACTIVITY), [], 1, "--timestamp-format"),
    "no format": ("log.csv", HEAD + ROW, ["--timestamp-format", "%Q%"], 2, "which is no format"),
    "cut gzip": ("log.csv.gz", gzip.compress((HEAD + ROW * 99).encode())[:-9], [], 1, "damaged"),
    "gzip bomb": ("log.csv.gz", gzip.compress((HEAD + ROW * 999).encode()),
                  ["--max-unpacked", "1KB"], 1, "--max-unpacked"),
    "no Parquet": ("log.parquet", HEAD + ROW, [], 1, "no Parquet file"),
    "unknown format": ("log.dat", HEAD + ROW, [], 2, "does not say its format"),
    "no XES": ("log.xes", HEAD + ROW, [], 1, "XES"),
    "empty XES": ("log.xes", "", [], 1, "The file is empty."),
    "no event": ("log.xes", "<log/>", [], 1, "the log has no rows"),
    "cut XES": ("log.xes", f"<log>{TRACE}"[:-9], [], 1, "log.xes, "),
    "malformed XES": ("log.xes", f"<log>{TRACE}<{CASE}</log>", [], 1, "line 1"),
    "entity bomb": ("log.xes", LAUGHS, [], 1, "not expanded"),
    "XES bomb": ("log.xes.gz", gzip.compress(f"<log>{TRACE * 999}</log>".encode()),
                 ["--max-unpacked", "1KB"], 1, "--max-unpacked"),
    "no attribute": ("log.xes", f"<log>{TRACE}</log>", ["--activity", "concept:nam"], 1,
                     "Did you mean 'concept:name'?"),
    "other attributes": ("log.xes", f"<log>{TRACE}</log>".replace("time:", "my:"), [], 1,
                         "'NAME'. The attributes are 'concept:name', 'my:timestamp'."),
    "no attributes": ("log.xes", "<log><trace><event/></trace></log>", [], 1,
                      "There are no attributes at all."),
    "format of XES": ("log.xes", f"<log>{TRACE}</log>", ["--timestamp-format", "iso"], 1, "XES"),
}  # fmt: skip


@pytest.fixture
def inspect(capsys):
    """Runs `hushmap inspect`; answers its status and message, having looked for the log in it."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main(["inspect", *map(str, arguments)])
        out, err = capsys.readouterr()
        for secret in (CASE, ACTIVITY, TIME, "Chemo", "4711", "1987"):
            assert secret not in out + err
        assert 1 <= len(err.splitlines()) <= 3
        assert err.startswith("hushmap: ")
        assert out == ""
        return stopped.value.code, err

    return call


@pytest.mark.parametrize("name", BAD)
def test_a_bad_log_is_said_with_its_status_and_not_quoted(inspect, tmp_path, name):
    file, content, options, status, part = BAD[name]
    path = tmp_path / file
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, said = inspect(path, *options)
    assert part in said
    assert code == status


@pytest.mark.parametrize(
    ("text", "part"), [("", "empty"), (ROW, "like data"), (f"{HEAD}{CASE}\n", "row 2")]
)
def test_standard_input_is_said_to_be_bad_alike(inspect, monkeypatch, text, part):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    code, said = inspect("-")
    assert code == 1
    assert part in said
    assert "standard input" in said


def test_what_is_not_there_or_not_one_log_is_said(inspect, tmp_path):
    assert inspect(tmp_path / "nowhere.csv")[0] == 1
    assert inspect(tmp_path)[0] == 1
    assert inspect("ftp://example.org/log.csv")[0] == 2
    (tmp_path / "a.csv").write_text(HEAD + ROW)
    (tmp_path / "b.csv").write_text("x" + HEAD + ROW)
    assert inspect(tmp_path / "*.csv")[0] == 1
    (tmp_path / "b.xes").write_text(f"<log>{TRACE}</log>")
    assert inspect(tmp_path / "*")[0] == 2


def test_a_parquet_file_without_a_time_is_said(inspect, tmp_path):
    frame = pl.DataFrame({"case": [CASE], "activity": [ACTIVITY], "time": [True]})
    frame.write_parquet(tmp_path / "log.parquet")
    code, said = inspect(tmp_path / "log.parquet")
    assert code == 1
    assert "BOOLEAN, which holds no times" in said


def test_a_database_that_fails_is_said(inspect, tmp_path):
    with sqlite3.connect(tmp_path / "log.db") as connection:
        connection.execute('create table log ("case", activity, timestamp)')
        connection.execute("insert into log values (?, ?, ?)", (CASE, ACTIVITY, TIME))
    connection.close()
    url = f"sqlite:///{tmp_path}/log.db"
    assert inspect(url)[0] == 2
    assert inspect(url, "--table", "logs")[0] == 1
    assert inspect(f"{url}x", "--table", "log")[0] == 1
    assert "Did you mean 'activity'" in inspect(url, "--table", "log", "--activity", "activty")[1]
    broken = f"select \"case\", activity, json_extract('{{{ACTIVITY}', 1) as timestamp from log"
    assert inspect(url, "--query", broken)[0] == 1


def test_a_server_that_fails_while_rows_flow_is_said(inspect, postgres):
    query = f"select '{CASE}' as \"case\", '{ACTIVITY}' as activity, '{ACTIVITY}'::text as time"
    rows = f'select "case", activity, substr(time, n)::date as time from ({query}) as log, '
    code, said = inspect(postgres, "--query", f"{rows} generate_series(1, 3) as n")
    assert code == 1
    assert "The database did not give the rows." in said
