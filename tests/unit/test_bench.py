"""The benchmark's own promises: a log is always the same, and the page says what was measured."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import hushmap as hm

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def bench(monkeypatch):
    """Import a module of bench/ as its scripts do, and forget it."""
    monkeypatch.syspath_prepend(str(BENCH))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(BENCH) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def small_parts(bench, monkeypatch):
    make_log = bench("make_log")
    monkeypatch.setattr(make_log, "CASES_PER_PART", 40)
    return make_log


def test_a_smaller_log_is_the_beginning_of_a_larger_one(small_parts):
    def events(number):
        made = list(small_parts.parts(number, microseconds=True))
        return np.concatenate([part.time for part in made])

    longer, shorter = events(3_000), events(1_000)
    assert len(shorter) == 1_000
    assert np.array_equal(longer[:1_000], shorter)
    assert np.array_equal(events(1_000), shorter)


@pytest.mark.parametrize("fine", [False, True])
def test_a_log_is_the_same_in_every_format(small_parts, tmp_path, fine):
    graphs = []
    for ending in ("parquet", "csv", "xes"):
        path = tmp_path / f"log.{ending}"
        small_parts.write(2_000, path, microseconds=fine)
        log = hm.read_log(path)
        assert log.quality.events == 2_000
        graphs.append(hm.discover(log, resolution="1us"))
    assert not list(tmp_path.glob("*.part"))
    for graph in graphs:
        assert graph.counts.tolist() == graphs[0].counts.tolist()
        assert graph.durations.values.tolist() == graphs[0].durations.values.tolist()


def test_every_program_of_the_matrix_is_python(bench, tmp_path):
    matrix = bench("matrix")
    sizes = [1_000_000, 10_000_000, 200_000_000]
    groups = list(matrix.groups(sizes, lambda *named: tmp_path / f"{named[0]}-s.{named[2]}"))
    assert {group.events for group in groups} >= set(sizes)
    for group in groups:
        assert group.rows
        for row in group.rows:
            compile(row.program, row.name, "exec")


def row(name, seconds, peak=100.0):
    figures = {"seconds": seconds, "cpu_seconds": 2 * seconds, "peak_mb": peak}
    return {"name": name, "runs": 1, "steps": {}, "check": 5, **figures}


def group(key, *rows, events=None, missing=(), agree=True):
    return {"key": key, "title": key, "events": events, "rows": list(rows),
            "missing": list(missing), "agree": agree}  # fmt: skip


def found(*groups):
    machine = {"cores": 2, "model": "m", "memory_gb": 8, "system": "s", "python": "3",
               "load_before": 0.1}  # fmt: skip
    return {"machine": machine, "date": "2026-11-19", "versions": {"r4pm": {"r4pm": "0.6"}},
            "groups": list(groups)}  # fmt: skip


def test_the_page_says_which_aims_hold_and_what_could_not_be_run(bench):
    measured = found(
        group("xes", row("rustxes", 4.0), row("r4pm", 3.6), row("hushmap", 1.0),
              events=10**6, missing=["pm4py"]),
        group("graph", row("plain DuckDB query", 2.0), row("hushmap, counts and sums", 2.6),
              row("hushmap, with histograms", 3.0), events=10**7, agree=False),
    )  # fmt: skip
    page = bench("results").page(measured)
    assert "fastest of r4pm, rustxes, pm4py | ≥ 3.00 | 3.60 | holds |" in page
    assert "beside the plain query | ≤ 1.20 | 1.30 | **missed** |" in page
    assert "likewise | ≤ 2.00 | 1.50 | holds |" in page
    assert "| import hushmap | ≤ 0.30 s | not measured | |" in page
    assert "| pm4py | | could not be run | | |" in page
    assert "The answers of these programs differ" in page


LIMITED = "hushmap release, --memory-limit 2GB"


def test_growth_and_the_largest_log_are_in_the_table_even_where_they_were_not_measured(bench):
    results = bench("results")
    asked = "Parquet to a released map with --memory-limit 2GB"
    peak = "| Release of 200,000,000 events with --memory-limit 2GB: peak memory | ≤ 4,096 MB |"
    nothing = results.page(found())
    assert f"{peak} not measured |" in nothing
    for sizes, times in (
        ("1,000,000 to 10,000,000", 10),
        ("10,000,000 to 50,000,000", 5),
        ("50,000,000 to 200,000,000", 4),
    ):
        assert f"| {asked}, {sizes} events: times the time, at {times} times the events" in nothing
    page = results.page(
        found(
            group("release", row(LIMITED, 3.0), events=10**7),
            group("release-large", row(LIMITED, 17.0, peak=2_300.0), events=5 * 10**7),
            group("release-large", row(LIMITED, 60.0, peak=4_097.0), events=2 * 10**8),
        )
    )
    assert "at 5 times the events | ≤ 5.50 | 5.67 | **missed** |" in page
    assert "at 4 times the events | ≤ 4.40 | 3.53 | holds |" in page
    assert f"{peak} 4,097 MB | **missed** |" in page


def test_a_cluster_is_reckoned_from_one_core_and_said_to_be(bench):
    results = bench("results")
    assert "by arithmetic" not in results.page(found())
    one_core = group("spark", row("any, local[1]", 45.0), row("any, local[2]", 30.0), events=10**7)
    start = group("spark-start", row("any, local[1]", 15.0), events=33)
    page = results.page(found(start, one_core))
    assert "6.00 processor seconds per million events" in page  # (90 - 30) / 10
    assert "None of the times in these tables was measured" in page
    assert "| 1,000,000,000 | 100 min | 25 min | 6 min | 109 s |" in page


def test_what_a_program_leaves_behind_is_measured_with_it(bench):
    """Spark's Java machine is a child that Python does not wait for."""
    child = (
        "import time; held = b'1' * 300_000_000; print('held', flush=True); time.sleep(3); "
        "sum(range(10**7))"
    )
    program = (
        "import subprocess, sys, time; held = b'1' * 100_000_000; "
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}], stdout=-1); "
        "child.stdout.readline(); time.sleep(1.6)"
    )
    measure = [sys.executable, str(BENCH / "measure.py")]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([*measure, report, "60", sys.executable, "-c", program], check=True)
        took = json.loads(report.read_text())
        assert took["seconds"] > 1.6
        assert took["peak_mb"] > 400
        alone = [sys.executable, "-c", "pass"]
        subprocess.run([*measure, report, "60", *alone], check=True)
        assert json.loads(report.read_text())["cpu_seconds"] < took["cpu_seconds"]
        failed = subprocess.run([*measure, report, "60", sys.executable, "-c", "1 / 0"],
                                check=False, capture_output=True)  # fmt: skip
        assert failed.returncode == 1
        assert b"ZeroDivisionError" in failed.stderr
