"""Values that mean nothing, or not what they seem: none of them becomes a time or a case."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushmap as hm
from hushmap.log.event_log import engine_errors

GOOD_ROWS = "".join(f"9,z,2026-01-{day:02d}\n" for day in range(1, 29))


def times_read(log) -> list[int | None]:
    rows = log.workspace.rows(f"SELECT t FROM {log.relation} WHERE case_id = '1' ORDER BY seq")
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    "word", ["epoch", "infinity", "-infinity", "now", "NaT", "2026-01-05 (BC)", "292278-01-01"]
)
def test_no_word_and_no_impossible_year_becomes_a_time(tmp_path, word):
    path = tmp_path / "log.csv"
    path.write_text(f"case,activity,timestamp\n1,a,{word}\n{GOOD_ROWS}")
    log = hm.read_log(path)
    assert times_read(log) == [None]
    assert log.quality.dropped["unreadable timestamp"] == 1


def test_endless_times_of_a_parquet_file_are_unreadable_and_do_not_overflow(tmp_path):
    path = tmp_path / "log.parquet"
    times = pa.array([2**63 - 2, 0, -(2**62)], pa.timestamp("us"))
    pq.write_table(pa.table({"case": ["1"] * 3, "activity": list("abc"), "timestamp": times}), path)
    log = hm.read_log(path)
    assert times_read(log) == [None, 0, None]
    assert hm.inspect(log).events == 1


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Amsterdam"])
def test_nanoseconds_are_cut_towards_the_past_whatever_the_zone(tmp_path, zone):
    path = tmp_path / "log.parquet"
    times = pa.array([-1_500, -500, 1_999, 2_000], pa.timestamp("ns", tz=zone))
    pq.write_table(
        pa.table({"case": ["1"] * 4, "activity": list("abcd"), "timestamp": times}), path
    )
    assert times_read(hm.read_log(path)) == [-2, -1, 1, 2]


@pytest.mark.parametrize("repeated", [1.0, 2.0])
def test_a_number_that_is_missing_in_a_parquet_file_names_no_case_and_no_time(tmp_path, repeated):
    path = tmp_path / "log.parquet"
    missing = float("nan")
    table = {
        "case": [1.0, repeated, missing, 1.0],
        "activity": list("abcd"),
        "timestamp": [1.7e9, 1.7e9 + repeated, 1.7e9, missing],
    }
    pq.write_table(pa.table(table), path)
    quality = hm.read_log(path).quality
    assert quality.cases == len({1.0, repeated})
    assert (quality.dropped["no case"], quality.dropped["no timestamp"]) == (1, 1)


INTERRUPTED = """
import os, signal, threading
from hushmap.log.event_log import Workspace
workspace = Workspace()
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    workspace.row("SELECT count(*) FROM range(1000000000000) t(i) WHERE i * 7 % 13 = 5")
except KeyboardInterrupt:
    print("as Python calls it")
"""


def test_ctrl_c_during_a_query_is_ctrl_c_to_the_caller():
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout == "as Python calls it\n", ended.stderr


def test_an_error_of_another_kind_passes_the_engine_unchanged():
    with pytest.raises(RuntimeError, match="another"), engine_errors():
        raise RuntimeError("another")


def test_a_frame_without_any_row_or_type_is_an_empty_log():
    with pytest.raises(hm.exceptions.EmptyLogError, match="no rows"):
        hm.from_frame(pa.table({"case": [], "activity": [], "time": []}))


def test_a_time_that_no_calendar_holds_is_unreadable():
    times = pa.array([10**16, 1_767_225_600], pa.timestamp("s"))
    log = hm.from_frame(pa.table({"case": ["1", "1"], "activity": ["a", "b"], "time": times}))
    assert log.quality.dropped["unreadable timestamp"] == 1
    assert log.quality.events == 1
