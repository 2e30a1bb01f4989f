"""Ctrl-C while a log is read is Ctrl-C to the caller, whichever query is under way."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time

import duckdb
import polars as pl
import pytest

import hushmap as hm
from hushmap.cli import main
from hushmap.log.event_log import Workspace, engine_errors

FOR_EVER = "SELECT count(*) FROM range(1000000000000) AS t(i) WHERE i * 7 % 13 = 5"
ROWS = {
    "case": ["1"] * 4,
    "activity": list("abcd"),
    "timestamp": ["13.01.2026 10:00", "13.01.2026 10:01", "13.01.2026 10:02", "13.01.2026 10:03"],
}


@pytest.fixture
def ctrl_c():
    """Press Ctrl-C in a moment."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    yield timer.start
    timer.cancel()
    signal.signal(signal.SIGINT, before)


class Watched:
    """A connection that takes note of the threads in which its queries run."""

    def __init__(self, connection, threads):
        self._connection, self._threads = connection, threads

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def execute(self, *arguments):
        self._threads.append(threading.current_thread().name)
        return self._connection.execute(*arguments)


@pytest.fixture
def threads(monkeypatch):
    """The names of the threads in which queries ran."""
    found = []
    begin = Workspace.__init__

    def watched(workspace, *arguments):
        begin(workspace, *arguments)
        workspace.connection = Watched(workspace.connection, found)

    monkeypatch.setattr(Workspace, "__init__", watched)
    return found


def csv(folder):
    pl.DataFrame(ROWS).write_csv(folder / "log.csv")
    hm.read_log(folder / "log.csv")


def parquet(folder):
    pl.DataFrame(ROWS).write_parquet(folder / "log.parquet")
    hm.read_log(folder / "log.parquet")


def frame(_):
    hm.from_frame(pl.DataFrame(ROWS))


def numbers(_):
    hm.from_frame(pl.DataFrame(ROWS | {"timestamp": [1.7e9, 1.7e9, 1.8e9, 1.8e9]}))


def compact(_):
    hm.from_frame(pl.DataFrame(ROWS | {"timestamp": ["20260105"] * 4}))


def database(folder):
    with sqlite3.connect(folder / "log.db") as connection:
        connection.execute('CREATE TABLE log ("case" text, activity text, timestamp text)')
        connection.execute("INSERT INTO log VALUES ('1', 'a', '2026-01-05')")
    connection.close()
    hm.read_log(f"sqlite:///{folder / 'log.db'}", table="log")


def transitions(_):
    hm.from_transitions("examples/hospital_transitions.csv")


@pytest.mark.parametrize(
    "read", [csv, parquet, frame, numbers, compact, database, transitions], ids=lambda r: r.__name__
)
def test_no_query_keeps_the_thread_that_hears_ctrl_c_waiting(read, threads, tmp_path):
    read(tmp_path)
    assert threads
    assert all(name.startswith("hushmap-engine") for name in threads), threads


@pytest.mark.parametrize("error", [duckdb.InterruptException, RuntimeError])
def test_an_interrupted_query_is_ctrl_c_whatever_the_engine_calls_it(error):
    with pytest.raises(KeyboardInterrupt), engine_errors():
        raise error("Query interrupted")


def test_a_query_that_another_thread_interrupts_is_ctrl_c():
    workspace = Workspace()
    threading.Timer(0.3, workspace.connection.interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        workspace.row(FOR_EVER)


def test_ctrl_c_while_the_times_are_recognised_ends_the_program_with_130(
    monkeypatch, ctrl_c, capfd
):
    def read_timestamps(ask, *_, **__):
        ctrl_c()
        return ask(FOR_EVER)

    monkeypatch.setattr("hushmap.log.rows.read_timestamps", read_timestamps)
    with pytest.raises(SystemExit) as ended:
        main(["inspect", "examples/hospital.csv"])
    assert ended.value.code == 130
    assert capfd.readouterr().err == "hushmap: interrupted; nothing was written.\n"


@pytest.mark.parametrize("rows", [1, 10_000])
def test_ctrl_c_while_a_server_keeps_us_waiting_is_ctrl_c(rows, postgres, ctrl_c):
    """Whether it is before the first row or between two of them."""
    query = (
        "SELECT i AS \"case\", 'a' AS activity, now() AS timestamp, "
        f"pg_sleep({60 / rows})::text AS slept FROM generate_series(1, {rows}) AS g(i)"
    )
    began = time.monotonic()
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        hm.read_log(postgres, query=query, lifecycle_column="slept")
    assert time.monotonic() - began < 30
