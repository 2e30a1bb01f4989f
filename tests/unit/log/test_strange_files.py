"""Files and databases that are written in unusual ways: read right, or refused with the reason."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushmap as hm
from hushmap.exceptions import ColumnError, LogError, UsageError
from hushmap.log.databases import without_password

ROWS = "1,a,2026-01-05 10:00\n1,b,2026-01-05 11:00\n"
SECRET = "geheim123"


def edge_counts(log) -> dict:
    graph = hm.discover(log)
    return {tuple(edge): int(count) for edge, count in zip(graph.edges, graph.counts, strict=True)}


@pytest.mark.parametrize("before", ["\n\n", " \n", "sep=,\n"])
def test_lines_before_the_header_are_no_events(tmp_path, before):
    path = tmp_path / "log.csv"
    path.write_bytes(f"{before}case,activity,timestamp\n{ROWS}".encode())
    log = hm.read_log(path)
    assert edge_counts(log) == {(None, "a"): 1, ("a", "b"): 1, ("b", None): 1}
    assert log.quality.rows_read == 2


def test_a_separator_that_the_file_declares_is_taken(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('sep=;\ncase;"activity, in words";timestamp\n1;a;2026-01-05\n')
    assert hm.read_log(path, activity="activity, in words").quality.events == 1


def test_a_delimiter_may_be_a_quote(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("case'activity'timestamp\n1'a'2026-01-05\n")
    assert hm.read_log(path, delimiter="'").quality.events == 1


@pytest.mark.parametrize(
    "row",
    ["c17,Register,Mon Jan 5 10:00:00 2026", "c17,Register,05-Jan-2026", "c17,Register,05.01.26"],
)
def test_a_first_row_of_values_is_never_shown_as_a_list_of_columns(tmp_path, row):
    path = tmp_path / "log.csv"
    path.write_text(f"{row}\n{row}\n")
    with pytest.raises(LogError) as caught:
        hm.read_log(path)
    assert "looks like data" in str(caught.value)
    assert "Register" not in str(caught.value)
    assert "c17" not in str(caught.value)


def test_xes_on_standard_input_is_not_shown_in_the_error():
    document = '<log><trace a="1, 2"><event name="Register"/></trace></log>'
    with pytest.raises(LogError) as caught:
        hm.read_log("-", standard_input=io.BytesIO(document.encode()))
    assert "Register" not in str(caught.value)
    assert caught.value.where.startswith("standard input")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"<?xml version='1.0'?><log/>", "XML, as XES is"),
        (b"\xef\xbb\xbf<!-- exported --><log/>", "XML, as XES is"),
        ("<log><trace/></log>".encode("utf-16"), "XML, as XES is"),
        (gzip.compress(b"<log/>"), "XML, as XES is"),
        (b"PAR1" + b"\xff" * 20, "a Parquet file"),
        (b"PK\x03\x04" + b"\xff" * 20, "a ZIP archive"),
    ],
    ids=["XES", "with a mark", "UTF-16", "gzip", "Parquet", "ZIP"],
)
def test_another_format_on_standard_input_is_named_and_the_hint_says_what_to_do(content, kind):
    with pytest.raises(LogError, match=f"The file is {kind}, not CSV") as caught:
        hm.read_log("-", standard_input=io.BytesIO(content))
    assert caught.value.where == "standard input"
    assert "Standard input (-) takes CSV alone" in caught.value.hint


def test_a_pipe_or_a_device_is_there_and_refused_with_the_way_to_pipe(tmp_path):
    os.mkfifo(tmp_path / "log.csv")
    reading, writing = os.pipe()  # what a shell makes of <(zcat log.csv.gz)
    for source in (tmp_path / "log.csv", f"/dev/fd/{reading}", "/dev/null"):
        with pytest.raises(LogError, match="no regular file") as caught:
            hm.read_log(source)
        assert "Pipe CSV into -" in caught.value.hint
    os.close(reading)
    os.close(writing)
    with pytest.raises(LogError, match="There is no such file"):
        hm.read_log(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("ending", ["csv", "parquet", "xes"])
def test_a_file_that_may_not_be_read_is_not_called_damaged(ending, tmp_path, monkeypatch):
    from pathlib import Path

    path = tmp_path / f"log.{ending}"
    path.write_bytes(b"PAR1")

    def refuse(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)  # who tests as root may read everything
    with pytest.raises(LogError, match="cannot be opened: Permission denied") as caught:
        hm.read_log(path)
    assert caught.value.where == str(path)
    assert "permissions" in caught.value.hint


@pytest.mark.parametrize("delimiter", ["\t", r"\t", "tab"])
def test_a_tab_may_be_named_as_a_shell_can_write_it(delimiter, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("case\tactivity, in words\ttimestamp\n1\ta\t2026-01-05\n")
    log = hm.read_log(path, activity="activity, in words", delimiter=delimiter)
    assert "separated by tab" in " ".join(log.notes)
    with pytest.raises(UsageError, match="or tab"):
        hm.read_log(path, delimiter="tabs")


def test_an_error_names_the_file_and_not_a_copy_of_it(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes("Fall;Vorgang\n".encode("utf-16"))
    with pytest.raises(LogError) as caught:
        hm.read_log(path)
    assert caught.value.where == str(path)


def test_a_gzip_file_with_a_wrong_checksum_is_refused(tmp_path):
    packed = gzip.compress(f"case,activity,timestamp\n{ROWS}".encode())
    path = tmp_path / "log.csv.gz"
    path.write_bytes(packed[:-8] + b"\0\0\0\0" + packed[-4:])
    with pytest.raises(LogError, match="damaged or cut short"):
        hm.read_log(path)


@pytest.fixture
def sqlite_url(tmp_path):
    path = tmp_path / "log.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            'CREATE TABLE "log.2026"(case_id integer, activity text, timestamp real)'
        )
        rows = [(1, "a", 1.7e9 + 0.25), (1, "b", 1.7e9 + 1.375001)]
        rows += [(number, "a", 1.7e9) for number in range(2, 3_000)]
        rows += [("c17", "a", 1.7e9)]
        connection.executemany('INSERT INTO "log.2026" VALUES (?, ?, ?)', rows)
    return f"sqlite:///{path}"


def test_a_table_with_a_dot_in_its_name_stands_in_quotes(sqlite_url):
    assert hm.read_log(sqlite_url, table='"log.2026"').quality.events == 3_001


def test_a_column_of_sqlite_may_change_its_type_from_row_to_row(sqlite_url):
    log = hm.read_log(sqlite_url, table='"log.2026"')
    assert log.quality.cases == 3_000
    graph = hm.discover(log, resolution="1us")
    assert graph.sums[graph.edge("a", "b")] == 1_125_001


@pytest.mark.parametrize("ending", [";", " ; \n", " -- and a comment"])
def test_a_query_may_end_as_people_end_it(sqlite_url, ending):
    query = f'SELECT * FROM "log.2026"{ending}'
    assert hm.read_log(sqlite_url, query=query).quality.events == 3_001


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"table": "nosuch"}, "There is no table 'nosuch'."),
        ({"table": 'main."no.such"'}, "There is no table 'main.\"no.such\"'."),
        ({"table": "broken"}, "did not give the rows"),  # it is there; what it rests on is not
        ({"query": "SELECT * FROM nosuch"}, "names a table that is not there"),
        ({"query": "SELEKT 1"}, "error in its SQL"),
        ({"query": "SELECT nosuch FROM kept"}, "error in its SQL"),
    ],
)
def test_what_a_sqlite_database_lacks_is_said_without_its_words(asked, said, tmp_path):
    path = tmp_path / "log.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE kept({SECRET})")
        connection.execute(f"CREATE VIEW broken AS SELECT * FROM {SECRET}")
    connection.close()
    with pytest.raises(LogError) as caught:
        hm.read_log(f"sqlite:///{path}", **asked)
    assert said in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"table": "public.nosuch"}, "There is no table 'public.nosuch'."),
        ({"query": "SELECT * FROM nosuch"}, "names a table that is not there"),
        ({"query": "SELEKT 1"}, "error in its SQL"),
        ({"query": f"SELECT 1/0 AS case, 'a' AS activity, now() AS time, '{SECRET}'"}, "the rows"),
    ],
)
def test_what_a_postgresql_database_lacks_is_said_without_its_words(asked, said, postgres):
    with pytest.raises(LogError) as caught:
        hm.read_log(postgres, **asked)
    assert said in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_file_that_is_no_sqlite_database_is_called_so(tmp_path, monkeypatch):
    path = tmp_path / "log.db"
    path.write_text(f"case,activity,timestamp\n{ROWS}" * 20)
    with pytest.raises(LogError, match="This is no SQLite database"):
        hm.read_log(f"sqlite:///{path}", table="log")

    def refuse(_):
        raise OSError

    monkeypatch.setattr("adbc_driver_sqlite.dbapi.connect", refuse)
    with pytest.raises(LogError, match="file cannot be opened"):
        hm.read_log(f"sqlite:///{path}", table="log")


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}/x@127.0.0.1:1/db",
        f"postgresql://me:a#{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:a?{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:a[{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:a@{SECRET}@127.0.0.1:1/db",
        f"postgresql://127.0.0.1:1/db?user=me&password={SECRET}",
    ],
)
def test_a_password_is_in_no_message_however_badly_the_url_is_written(url):
    assert SECRET not in without_password(url)
    with pytest.raises(LogError) as caught:
        hm.read_log(url, table="log")
    assert SECRET not in f"{caught.value}{caught.value.owner_details}"


def test_a_database_of_another_kind_is_not_taken_for_a_file():
    with pytest.raises(UsageError, match="not fetched from mysql"):
        hm.read_log("mysql://host/db", table="log")


def test_parquet_files_of_different_logs_are_refused_by_name(tmp_path):
    one = {"case": ["1"], "activity": ["a"], "timestamp": ["2026-01-05"]}
    pq.write_table(pa.table(one), tmp_path / "1.parquet")
    pq.write_table(pa.table({"when": ["x"], **one}).drop(["timestamp"]), tmp_path / "2.parquet")
    with pytest.raises(ColumnError, match="different columns") as caught:
        hm.read_log(tmp_path / "*.parquet")
    assert "2.parquet" in caught.value.where


def test_a_parquet_file_with_broken_pages_is_named(tmp_path):
    path = tmp_path / "log.parquet"
    rows = {"case": ["1"] * 9, "activity": ["a"] * 9, "timestamp": ["2026-01-05"] * 9}
    pq.write_table(pa.table(rows), path, use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    with pytest.raises(LogError, match="damaged") as caught:
        hm.read_log(path)
    assert caught.value.where == str(path)


def test_two_columns_of_one_name_in_a_frame_are_not_guessed_between():
    columns = [pa.array(["1"]), pa.array(["2"]), pa.array(["a"]), pa.array(["2026-01-05"])]
    table = pa.Table.from_arrays(columns, names=["case", "case", "activity", "timestamp"])
    for frame in (table, table.to_pandas()):
        with pytest.raises(ColumnError, match="Several columns may be the case"):
            hm.from_frame(frame)


def test_a_case_in_the_index_of_a_frame_is_explained():
    import pandas as pd

    frame = pd.DataFrame({"case": [1], "activity": ["a"], "timestamp": ["2026-01-05"]})
    with pytest.raises(ColumnError, match="reset_index"):
        hm.from_frame(frame.set_index("case"))


def test_anything_that_streams_arrow_is_a_frame_and_a_generator_is_not():
    import duckdb

    relation = duckdb.connect().sql(
        "SELECT '1' AS case, 'a' AS activity, DATE '2026-01-05' AS time"
    )
    assert hm.from_frame(relation).quality.events == 1
    for other in (iter([1]), [1], None):
        with pytest.raises(UsageError, match="no data frame"):
            hm.from_frame(other)
