"""A released map in other libraries' shapes: same names, same weights, nothing imported unasked."""

from __future__ import annotations

import io
import subprocess
import sys

import networkx as nx
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hushmap as hm
from hushmap.bundle.map_csv import map_csv
from hushmap.exceptions import UsageError
from hushmap.graph import Annotation, Edge, ReleasedGraph
from hushmap.interop import to_frame, to_networkx, to_pm4py

EDGES = (Edge(None, "A"), Edge("A", "A"), Edge("A", "B"), Edge("B", None))
FREQUENCY = (11, 3, 5, 9)
MEAN = (None, 90, 28224, None)


@pytest.fixture
def graph():
    weights = {Annotation.FREQUENCY: FREQUENCY, Annotation.MEAN: MEAN}
    return ReleasedGraph(("A", "B"), EDGES, weights, 1_000_000)


@pytest.fixture
def times():
    return ReleasedGraph(("A", "B"), EDGES, {Annotation.MEAN: MEAN}, 60_000_000)


def test_pm4py_gets_frequencies_in_its_own_shape(graph):
    dfg, starts, ends = to_pm4py(graph)
    assert dfg == {("A", "A"): 3, ("A", "B"): 5}
    assert starts == {"A": 11}
    assert ends == {"B": 9}
    assert {type(value) for value in [*dfg.values(), *starts.values()]} == {int}
    assert type(dfg) is type(starts) is dict


def test_pm4py_gets_times_in_seconds(graph, times):
    assert to_pm4py(graph, annotation="mean") == (
        {("A", "A"): 90.0, ("A", "B"): 28224.0}, {"A": 11}, {"B": 9},
    )  # fmt: skip
    assert to_pm4py(times, Annotation.MEAN) == (
        {("A", "A"): 5400.0, ("A", "B"): 1693440.0}, {}, {},
    )  # fmt: skip


@pytest.mark.parametrize("annotation", ["frequency", "max", "median", Annotation.SUM])
def test_pm4py_is_refused_what_was_not_released(times, annotation):
    with pytest.raises(UsageError, match="It shows mean"):
        to_pm4py(times, annotation)


def test_pm4py_asked_for_nothing_of_a_map_of_times_is_told_what_to_write(times):
    with pytest.raises(UsageError, match=r'write for example to_pm4py\("mean"\)'):
        times.to_pm4py()


def test_pm4py_is_not_imported():
    program = (
        "import sys, hushmap.interop\n"
        "print(sorted({'pm4py', 'pandas', 'polars', 'networkx', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_networkx_gets_nodes_by_name_and_typed_attributes(graph):
    result = to_networkx(graph)
    assert isinstance(result, nx.DiGraph)
    assert dict(result.nodes(data="kind")) == {
        "▶": "start", "A": "activity", "B": "activity", "■": "end",
    }  # fmt: skip
    assert dict(result.edges) == {
        ("▶", "A"): {"frequency": 11},
        ("A", "A"): {"frequency": 3, "mean_seconds": 90.0},
        ("A", "B"): {"frequency": 5, "mean_seconds": 28224.0},
        ("B", "■"): {"frequency": 9},
    }
    nx.write_graphml(result, io.BytesIO())


def test_networkx_keeps_an_activity_apart_that_is_named_like_the_start():
    edges = (Edge(None, "▶"), Edge("■", None), Edge("▶", "■"))
    graph = ReleasedGraph(("■", "▶"), edges, {Annotation.FREQUENCY: (1, 2, 3)}, 1)
    result = to_networkx(graph)
    assert dict(result.nodes(data="kind")) == {
        "▶▶": "start", "■": "activity", "▶": "activity", "■■": "end",
    }  # fmt: skip
    assert result.edges["▶▶", "▶"] == {"frequency": 1}
    assert result.edges["■", "■■"] == {"frequency": 2}


def test_networkx_has_the_start_only_where_it_is_shown():
    graph = ReleasedGraph(("A",), (Edge("A", "A"),), {Annotation.FREQUENCY: (1,)}, 1)
    assert list(to_networkx(graph)) == ["A"]


COLUMNS = {
    "source": [None, "A", "A", "B"],
    "target": ["A", "A", "B", None],
    "frequency": [11, 3, 5, 9],
    "mean_seconds": [None, 90.0, 28224.0, None],
}


def test_a_frame_has_the_columns_of_the_csv(graph):
    assert to_frame(graph, backend="dict") == COLUMNS
    frame = to_frame(graph)
    assert isinstance(frame, pd.DataFrame)
    read = pd.read_csv(io.BytesIO(map_csv(graph)))
    pd.testing.assert_frame_equal(frame, read)


def test_frames_of_polars_and_arrow_are_typed(graph):
    frame = to_frame(graph, backend="polars")
    assert frame.to_dict(as_series=False) == COLUMNS
    assert frame.schema == {
        "source": pl.String, "target": pl.String, "frequency": pl.Int64, "mean_seconds": pl.Float64,
    }  # fmt: skip
    table = to_frame(graph, backend="arrow")
    assert isinstance(table, pa.Table)
    assert table.to_pydict() == COLUMNS
    assert table.schema.types == [pa.string(), pa.string(), pa.int64(), pa.float64()]


@pytest.mark.parametrize("backend", ["pandas", "polars", "arrow"])
def test_a_frame_of_no_durations_at_all_keeps_its_types(backend):
    edges = (Edge(None, "A"), Edge("A", None))
    graph = ReleasedGraph(("A",), edges, {Annotation.MEAN: (None, None)}, 1_000_000)
    frame = to_frame(graph, backend=backend)
    if backend == "pandas":
        assert frame["mean_seconds"].dtype == "float64"
    elif backend == "polars":
        assert frame.schema["mean_seconds"] == pl.Float64
    else:
        assert frame.schema.field("mean_seconds").type == pa.float64()


def test_an_unknown_backend_is_refused(graph):
    with pytest.raises(UsageError, match="pandas, polars, arrow, dict"):
        to_frame(graph, backend="excel")


@pytest.mark.parametrize(
    ("module", "convert"),
    [
        ("networkx", to_networkx),
        ("pandas", to_frame),
        ("polars", lambda graph: to_frame(graph, backend="polars")),
        ("pyarrow", lambda graph: to_frame(graph, backend="arrow")),
    ],
)
def test_a_missing_library_is_named(graph, monkeypatch, module, convert):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=f"pip install {module}"):
        convert(graph)


def test_a_plan_without_pandas_says_what_to_install(monkeypatch):
    plan = hm.plan(hm.discover(hm.read_log("examples/hospital.csv")), max_risk=0.4)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pandas"):
        plan.owner_frame()
