"""Reading: what is recognised is reported, what is dropped is counted, what is broken is said."""

import gzip
import io
import os
import re
import sqlite3

import polars as pl
import pytest
from logs import Event, as_dictionary, brute_force, write_csv

import hushmap as hm
from hushmap.exceptions import (
    ColumnError,
    EmptyLogError,
    HushmapError,
    LogError,
    LogTooLargeError,
    UsageError,
)

SECRET_CASE, SECRET_ACTIVITY = "case-4711-secret", "Chemotherapy-secret"
GOOD = f"case,activity,timestamp\n{SECRET_CASE},{SECRET_ACTIVITY},2026-01-05T10:00:00Z\n"


def assert_secret_kept(error):
    text = str(error) + repr(error)
    assert SECRET_CASE not in text
    assert SECRET_ACTIVITY not in text
    assert len(str(error).splitlines()) <= 3
    assert "Hint:" in str(error)


@pytest.mark.parametrize(
    ("name", "content", "kind", "part"),
    [
        ("empty.csv", "", LogError, "empty"),
        ("blank.csv", "\n\n", LogError, "empty"),
        ("header.csv", "case,activity,timestamp\n", EmptyLogError, "no rows"),
        ("headerless.csv", GOOD.split("\n")[1], LogError, "no"),
        ("one.csv", f"everything\n{SECRET_CASE}\n", LogError, "one column"),
        ("two.csv", f"case,activity;timestamp\n{SECRET_CASE},x,y\n", LogError, "several ways"),
        ("short.csv", GOOD + f"{SECRET_CASE},{SECRET_ACTIVITY}\n", LogError, "number of columns"),
        (
            "long.csv",
            GOOD + f"{SECRET_CASE},{SECRET_ACTIVITY},x,y\n",
            LogError,
            "number of columns",
        ),
        ("quote.csv", GOOD + f'"{SECRET_CASE},{SECRET_ACTIVITY},x\n', LogError, "not closed"),
        ("binary.csv", "\x00\x01\x02", LogError, "binary"),
        ("wrong.csv", GOOD.replace("activity", "colour"), ColumnError, "activity"),
        ("nothing.csv", "case,activity,timestamp\n,,\n", EmptyLogError, "dropped"),
        ("fake.parquet", GOOD, LogError, "Parquet"),
        ("fake.xes", GOOD, LogError, "XES"),
        ("unknown.dat", GOOD, UsageError, "format"),
        ("cut.csv.gz", None, LogError, "damaged"),
    ],
)
def test_a_broken_file_is_said_in_three_lines_without_its_content(
    tmp_path, name, content, kind, part
):
    path = tmp_path / name
    if content is None:
        path.write_bytes(gzip.compress(GOOD.encode() * 5000)[:-300])
    else:
        path.write_text(content)
    with pytest.raises(kind) as error:
        hm.discover(hm.read_log(path))
    assert_secret_kept(error.value)
    assert part in str(error.value)
    if name in {"short.csv", "long.csv", "quote.csv"}:
        assert re.search(r"row 3", str(error.value))


def test_the_first_row_of_a_file_without_header_is_not_shown(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(f"{SECRET_CASE},{SECRET_ACTIVITY},2026-01-05T10:00:00Z\n" * 3)
    with pytest.raises(LogError, match="looks like data") as error:
        hm.read_log(path)
    assert_secret_kept(error.value)


def test_several_files_must_be_of_one_log_and_one_format(tmp_path):
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "b.csv").write_text(GOOD.replace("timestamp", "time"))
    with pytest.raises(ColumnError, match="different columns"):
        hm.read_log(tmp_path / "*.csv")
    (tmp_path / "b.csv").unlink()
    (tmp_path / "b.xes").write_text("<log/>")
    with pytest.raises(UsageError, match="several formats"):
        hm.read_log(tmp_path / "*")
    with pytest.raises(LogError, match="No file matches"):
        hm.read_log(tmp_path / "*.parquet")
    with pytest.raises(LogError, match="folder"):
        hm.read_log(tmp_path)
    with pytest.raises(UsageError, match="https"):
        hm.read_log("https://example.org/log.csv")


def test_a_path_with_glob_characters_is_a_name(tmp_path):
    for name in ("[1] log*.csv", "it's.csv", "a;b?.csv"):
        path = tmp_path / name
        path.write_text(GOOD)
        assert hm.read_log(path).quality.events == 1
        pl.read_csv(io.StringIO(GOOD), try_parse_dates=True).write_parquet(
            path.with_suffix(".parquet")
        )
        assert hm.read_log(path.with_suffix(".parquet")).quality.events == 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_other_encodings_are_read_where_they_are_known(tmp_path, encoding):
    path = tmp_path / "log.csv"
    text = "case;activity;timestamp\n1;Ärzte;2026-01-05\n"
    path.write_bytes(text.encode(encoding))
    if encoding == "cp1252":
        with pytest.raises(LogError, match="--encoding"):
            hm.read_log(path)
        log = hm.read_log(path, encoding="cp1252")
    else:
        log = hm.read_log(path)
        assert encoding in " ".join(log.notes)
    assert hm.discover(log).activities == ("Ärzte",)
    assert "semicolon" in " ".join(log.notes)


def test_quoted_values_may_hold_delimiters_quotes_and_line_ends(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('case,activity,timestamp\r\n1,"a,""b""\nc",2026-01-05\r\n', newline="")
    assert hm.discover(hm.read_log(path)).activities == ('a,"b"\nc',)


def test_the_log_may_come_from_standard_input():
    log = hm.read_log("-", standard_input=io.BytesIO(GOOD.encode()))
    assert log.quality.events == 1
    packed = hm.read_log("-", standard_input=io.BytesIO(gzip.compress(GOOD.encode())))
    assert packed.quality.events == 1


def test_a_gzip_bomb_ends_in_an_error_that_names_the_option(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb") as stream:
        stream.write(GOOD.encode())
        for _ in range(40):
            stream.write(b"\n" * 1_000_000)
    with pytest.raises(LogTooLargeError, match="--max-unpacked"):
        hm.read_log(path, max_unpacked="20MB")
    bomb = tmp_path / "bomb.xes.gz"
    bomb.write_bytes(gzip.compress(b"<log>" + b" " * 30_000_000 + b"</log>"))
    with pytest.raises(LogTooLargeError, match="--max-unpacked"):
        hm.read_log(bomb, max_unpacked="20MB")


def test_every_dropped_row_has_a_reason():
    frame = pl.DataFrame(
        {
            "case": ["1", "1", None, "1", "1", "1"],
            "activity": ["a", "b", "c", "", "d", "e"],
            "time": ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-07", None, "x"],
            "lifecycle": ["complete", "start", "complete", "complete", "complete", "complete"],
        }
    )
    quality = hm.from_frame(frame).quality
    assert quality.rows_read == 6
    assert quality.dropped == {
        "no case": 1, "no activity": 1, "no timestamp": 1, "unreadable timestamp": 1,
        "lifecycle not complete": 1,
    }  # fmt: skip
    assert quality.events == 1 == quality.rows_read - sum(quality.dropped.values())
    assert "owner" in repr(quality)


@pytest.mark.parametrize(
    ("values", "wanted", "kept", "said"),
    [
        (["start", "COMPLETE", None], None, 1, "only completed"),
        (["start", "complete", None], "all", 3, "all events"),
        (["start", "schedule", None], None, 3, "no completed"),
        ([None, None, None], None, 3, "has none"),
    ],
)
def test_the_lifecycle_filter_is_chosen_and_reported(values, wanted, kept, said):
    frame = pl.DataFrame(
        {"case": [1, 1, 1], "activity": list("abc"), "time": ["2026-01-05"] * 3,
         "lifecycle:transition": values},
        schema_overrides={"lifecycle:transition": pl.String},
    )  # fmt: skip
    log = hm.from_frame(frame, lifecycle=wanted)
    assert log.quality.events == kept
    assert said in " ".join(log.notes)


def test_asking_for_completes_of_a_log_without_lifecycle_is_an_error():
    with pytest.raises(ColumnError, match="no lifecycle"):
        hm.read_log("examples/hospital.csv", lifecycle="complete")
    with pytest.raises(UsageError, match="--lifecycle"):
        hm.read_log("examples/hospital.csv", lifecycle="started")


def test_ties_and_rows_out_of_order_are_counted():
    hours = [3, 1, 1, 2, 2, 2]
    frame = pl.DataFrame(
        {"case": [1] * 6, "activity": list("abcdef"),
         "time": [f"2026-01-05 0{hour}:00" for hour in hours]}
    )  # fmt: skip
    quality = hm.from_frame(frame).quality
    assert (quality.ties, quality.out_of_order) == (3, 1)


def test_a_sqlite_table_or_query_is_read(tmp_path):
    path = tmp_path / "it's [a] db.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute('create table "event log" (case_id, activity, time, secret)')
        connection.execute(
            'insert into "event log" values (?, ?, ?, ?)',
            (SECRET_CASE, SECRET_ACTIVITY, "2026-01-05T10:00:00", "x"),
        )
    connection.close()
    url = f"sqlite:///{path}"
    assert hm.read_log(url, table="event log").quality.events == 1
    assert hm.read_log(url, query='select * from "event log" order by time').quality.events == 1
    for wrong in ({}, {"table": "nothing"}, {"query": "drop table x"}, {"table": 'x"; drop'}):
        with pytest.raises(HushmapError) as error:
            hm.read_log(url, **wrong)
        assert_secret_kept(error.value)
    with pytest.raises(LogError, match="no such database file"):
        hm.read_log("sqlite:////nowhere.db", table="log")
    with pytest.raises(UsageError, match="--table"):
        hm.read_log("examples/hospital.csv", table="log")


def test_a_postgresql_table_gives_the_same_graph(postgres, tmp_path):
    import adbc_driver_postgresql.dbapi as adbc

    events = [Event(str(n % 7), "ABC"[n % 3], (n * 37 % 11) * 1_000_000) for n in range(200)]
    with adbc.connect(postgres) as connection, connection.cursor() as cursor:
        cursor.execute(
            "create table log (case_id text, activity text, time timestamptz, row bigint)"
        )
        cursor.executemany(
            "insert into log values ($1, $2, $3, $4)",
            [(e.case, e.activity, e.time, row) for row, e in enumerate(events)],
        )
        connection.commit()
    expected = brute_force(events)
    log = hm.read_log(postgres, query="select case_id, activity, time from log order by row")
    assert as_dictionary(hm.discover(log)) == expected
    assert hm.read_log(postgres, table="log").quality.events == 200
    assert hm.read_log(postgres, table="public.log").quality.events == 200
    with pytest.raises(LogError) as error:
        hm.read_log(postgres.replace("owner@", "owner:geheim@"), table="nothing")
    assert "geheim" not in str(error.value)
    with pytest.raises(LogError, match="cannot be reached"):
        hm.read_log("postgresql://owner:geheim@127.0.0.1:1/x", table="log")


@pytest.mark.parametrize(
    "options",
    [
        {"memory_limit": "much"}, {"max_unpacked": "0GB"}, {"delimiter": ",,"},
        {"encoding": "klingon"}, {"table": "a", "query": "b"},
    ],
)  # fmt: skip
def test_an_option_outside_its_range_is_refused(options):
    with pytest.raises(UsageError):
        hm.read_log("examples/hospital.csv", **options)


def test_what_is_no_frame_is_refused():
    with pytest.raises(UsageError, match="no data frame"):
        hm.from_frame(object())


def test_the_frame_may_change_after_reading():
    frame = pl.DataFrame({"case": [1, 1], "activity": ["a", "b"], "time": ["2026-01-05"] * 2})
    import pandas as pd

    mutable = pd.DataFrame(frame.to_dict(as_series=False))
    log = hm.from_frame(mutable)
    mutable["activity"] = "z"
    assert hm.discover(log).activities == ("a", "b")


def test_the_workspace_is_private_and_vanishes_with_the_log(tmp_path):
    log = hm.read_log("-", standard_input=io.BytesIO(GOOD.encode()))
    folder = log.workspace.folder
    assert folder.stat().st_mode & 0o777 == 0o700
    del log
    import gc

    gc.collect()
    assert not folder.exists()


def test_a_log_shows_no_value(tmp_path):
    log = hm.read_log(write_csv([Event(SECRET_CASE, SECRET_ACTIVITY, 0)], tmp_path / "log.csv"))
    for thing in (log, log.quality, hm.inspect(log), hm.discover(log), log.columns, log.notes):
        assert SECRET_CASE not in repr(thing)
        assert SECRET_ACTIVITY not in repr(thing)


@pytest.mark.skipif(os.cpu_count() is None, reason="no idea of this machine")
def test_a_small_memory_limit_is_met_by_spilling_or_by_a_clear_error(tmp_path):
    import duckdb

    path = tmp_path / "big.parquet"
    duckdb.sql(
        "COPY (SELECT (i // 15)::VARCHAR AS case_id, 'a' || (i % 30)::VARCHAR AS activity, "
        "make_timestamp(1700000000000000 + i * 1000000) AS time FROM range(3000000) t(i)) "
        f"TO '{path}'"
    )
    log = hm.read_log(path, memory_limit="150MB")
    graph = hm.discover(log)
    assert graph.counts.sum() == 3_000_000 + 200_000
    found = hm.inspect(log)
    assert (found.cases, found.variants, found.edges) == (200_000, 2, 28)
    with pytest.raises(hm.exceptions.EngineMemoryError, match="--memory-limit"):
        hm.discover(hm.read_log(path, memory_limit="3MB"))
