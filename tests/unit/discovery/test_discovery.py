"""Discovery equals an independent brute force, on every reader and whatever the rows look like."""

import io
import sqlite3
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logs import (
    Event,
    as_dictionary,
    brute_force,
    columns,
    event_lists,
    rounded,
    write_csv,
    write_xes,
)

import hushmap as hm
from hushmap.exceptions import LogError, UsageError
from hushmap.graph import Edge
from hushmap.inspection import Spread

few = settings(max_examples=40, deadline=None, derandomize=True)
fewer = settings(max_examples=15, deadline=None, derandomize=True)


def frame_log(events):
    return hm.from_frame(pl.DataFrame(columns(events)))


@few
@given(event_lists, st.sampled_from(["1s", "1us", "1ms", "3s", "1min"]))
def test_the_graph_is_the_one_of_the_definition(events, resolution):
    graph = hm.discover(frame_log(events), resolution=resolution)
    assert as_dictionary(graph) == brute_force(events, graph.resolution)


@few
@given(event_lists, st.sampled_from(["1us", "1min"]), st.booleans(), st.sampled_from([None, "1s"]))
def test_the_longest_case_is_the_one_with_most_events(events, resolution, histograms, bound):
    graph = hm.discover(
        frame_log(events), resolution=resolution, histograms=histograms, max_duration=bound
    )
    assert graph.longest_case == max(Counter(event.case for event in events).values())


@few
@given(event_lists)
def test_aggregates_alone_equal_those_of_the_histogram(events):
    log = frame_log(events)
    full, lean = hm.discover(log), hm.discover(log, histograms=False)
    assert lean.durations is None
    assert (full.edges, full.sums, full.activities) == (lean.edges, lean.sums, lean.activities)
    for name in ("counts", "timed", "minima", "maxima"):
        assert np.array_equal(getattr(full, name), getattr(lean, name))


@fewer
@given(events=event_lists)
def test_every_format_gives_the_same_graph(events, tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    expected = brute_force(events)
    table = pa.table(columns(events))
    logs = {
        "csv": hm.read_log(write_csv(events, folder / "log.csv")),
        "csv.gz": hm.read_log(write_csv(events, folder / "log.csv.gz")),
        "tsv": hm.read_log(write_csv(events, folder / "log.tsv", delimiter="\t")),
        "xes": hm.read_log(write_xes(events, folder / "log.xes")),
        "xes.gz": hm.read_log(write_xes(events, folder / "log.xes.gz")),
        "parquet": hm.read_log(write_parquet(table, folder / "log.parquet")),
        "sqlite": hm.read_log(f"sqlite:///{write_sqlite(events, folder / 'log.db')}", table="log"),
        "pandas": hm.from_frame(pd.DataFrame(columns(events))),
        "polars": hm.from_frame(pl.DataFrame(columns(events))),
        "pyarrow": hm.from_frame(table),
    }
    for kind, log in logs.items():
        assert as_dictionary(hm.discover(log)) == expected, kind


def write_parquet(table, path):
    import pyarrow.parquet as pq

    pq.write_table(table, path, row_group_size=7)
    return path


def write_sqlite(events, path):
    with sqlite3.connect(path) as connection:
        connection.execute('create table log ("case" text, activity text, timestamp text)')
        connection.executemany(
            "insert into log values (?, ?, ?)",
            [(event.case, event.activity, event.time.isoformat()) for event in events],
        )
    connection.close()
    return path


@fewer
@given(events=event_lists)
def test_a_database_server_and_standard_input_give_the_same_graph(events, postgres):
    import adbc_driver_postgresql.dbapi as adbc

    rows = pa.table(columns(events) | {"place": list(range(len(events)))})
    with adbc.connect(postgres) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("everything", rows, mode="replace")
        connection.commit()
    query = 'select "case", activity, timestamp from everything order by place'
    text = io.StringIO()
    rows.select(["case", "activity", "timestamp"]).to_pandas().to_csv(text, index=False, sep=";")
    logs = {
        "postgresql": hm.read_log(postgres, query=query),
        "standard input": hm.read_log("-", standard_input=io.BytesIO(text.getvalue().encode())),
        "arrow stream": hm.from_frame(rows.to_reader()),
    }
    for kind, log in logs.items():
        assert as_dictionary(hm.discover(log)) == brute_force(events), kind


@fewer
@given(events=event_lists)
def test_the_descriptive_table_is_the_one_of_the_definition(events):
    cases = {}
    for event in sorted(events, key=lambda event: event.microseconds):
        cases.setdefault(event.case, []).append(event)
    variants = Counter(tuple(event.activity for event in case) for case in cases.values())
    lasting = [(case[-1].microseconds - case[0].microseconds) / 1e6 for case in cases.values()]
    found = hm.inspect(frame_log(events))
    assert found.variants == len(variants)
    alone = list(variants.values()).count(1)
    assert found.uniqueness.cases_with_a_variant_of_their_own == alone
    lengths = [len(case) for case in cases.values()]
    assert found.trace_length == Spread(min(lengths), max(lengths), len(events) / len(cases))
    spread = found.case_duration_seconds
    assert (spread.min, spread.max) == (min(lasting), max(lasting))
    assert spread.mean == pytest.approx(sum(lasting) / len(lasting))
    edges = brute_force(events)
    assert found.edges_with_start_end == len(edges)
    assert found.uniqueness.edges_walked_once == sum(len(edge) == 1 for edge in edges.values())


@fewer
@given(events=event_lists, cuts=st.lists(st.integers(0, 40), max_size=3))
def test_several_files_are_one_log_in_the_order_of_their_names(events, cuts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    places = [0, *sorted(min(cut, len(events)) for cut in cuts), len(events)]
    parts = [events[a:b] for a, b in pairwise(places) if a < b]
    for number, part in enumerate(parts):
        write_csv(part, folder / f"{number}.csv")
        write_xes(part, folder / f"{number}.xes")
        write_parquet(pa.table(columns(part)), folder / f"{number}.parquet")
    for kind in ("csv", "xes", "parquet"):
        graph = hm.discover(hm.read_log(f"{folder}/*.{kind}"))
        assert as_dictionary(graph) == brute_force(events), kind


@pytest.mark.parametrize("threads", [1, 2])
def test_equal_timestamps_keep_the_order_of_the_rows(threads, tmp_path):
    """Many ties and enough rows for several row groups and threads."""
    rng = np.random.default_rng(1)
    events = [
        Event(str(case), "ABCDE"[int(letter)], int(second) * 1_000_000)
        for case, letter, second in zip(
            rng.integers(0, 50, 30_000), rng.integers(0, 5, 30_000), rng.integers(0, 20, 30_000),
            strict=True,
        )
    ]  # fmt: skip
    path = write_parquet(pa.table(columns(events)), tmp_path / "log.parquet")
    log = hm.read_log(path)
    log.workspace.run(f"SET threads = {threads}")
    assert as_dictionary(hm.discover(log)) == brute_force(events)


@few
@given(event_lists, st.integers(1, 10**7))
def test_longer_durations_are_clipped_at_the_declared_bound_and_counted(events, seconds):
    log = frame_log(events)
    bound = max(1, seconds)
    plain = hm.discover(log)
    for histograms in (True, False):
        graph = hm.discover(log, max_duration=f"{bound}s", histograms=histograms)
        for place in np.flatnonzero(graph.timed):
            values, counts = plain.durations.of(place)
            assert graph.sums[place] == int(np.minimum(values, bound) @ counts)
            assert graph.unclipped_sums[place] == plain.sums[place]
            assert graph.clipped[place] == int(counts[values > bound].sum())
            assert graph.maxima[place] == min(values[-1], bound)
            assert graph.minima[place] == min(values[0], bound)
            assert graph.bounds[place] == bound
            if histograms:
                clipped, multiplicity = graph.durations.of(place)
                assert (np.diff(clipped) > 0).all()
                assert clipped @ multiplicity == graph.sums[place]
                assert multiplicity.sum() == graph.counts[place]


def test_each_edge_may_have_a_bound_of_its_own(tmp_path):
    table = tmp_path / "bounds.csv"
    table.write_text("source,target,seconds\nA,B,3600\n*,*,36000\n")
    log = hm.read_log("examples/hospital.csv")
    for histograms in (True, False):
        graph = hm.discover(log, max_duration=table, histograms=histograms)
        assert graph.bounds[graph.edge("A", "B")] == 3600
        assert graph.sums[graph.edge("A", "B")] == 720 + 4 * 3600
        assert graph.sums[graph.edge("A", "C")] == 3600 + 6 * 3600 + 10 * 3600
        assert graph.bounds[graph.edge("D", None)] == 0


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("source,target,seconds\nA,B,3600\n", "no bound for some edges"),
        ("source,target,seconds\nA,B,x\n", "row 2"),
        ("from,to\nA,B\n", "source, target, seconds"),
        ("source,target,seconds\nA,B,60\n*,*,90\nA,B,70\n", "row 4"),
        ("source,target,seconds\n*,*,90\nA,*,60\n", "one end of an edge alone"),
        ("source,target,seconds\n*,*,1e20\n", "row 2"),
    ],
)
def test_a_table_of_bounds_that_does_not_do_is_refused(tmp_path, text, part):
    table = tmp_path / "bounds.csv"
    table.write_text(text)
    with pytest.raises(UsageError) as error:
        hm.discover(hm.read_log("examples/hospital.csv"), max_duration=table)
    assert part in str(error.value)
    assert "A → C" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\x00", "not encoded as UTF-8"),
        ("source,target,seconds\nÄrzte,B,60\n".encode("cp1252"), "not encoded as UTF-8"),
        (b"source,target,seconds\nA,B," + b"6" * 200_000, "not written as a CSV"),
    ],
)
def test_a_table_of_bounds_that_is_no_text_is_refused_by_name(tmp_path, content, said):
    table = tmp_path / "bounds.csv"
    table.write_bytes(content)
    with pytest.raises(UsageError, match=said) as error:
        hm.discover(hm.read_log("examples/hospital.csv"), max_duration=table)
    assert error.value.where == str(table)


def test_a_bound_of_an_edge_that_is_not_in_the_log_is_noted():
    log = hm.read_log("examples/hospital.csv")
    every = {("*", "*"): "1d"}
    for bounds, noted in ((every, False), (every | {("Triage", "Ward"): "1h"}, True)):
        graph = hm.discover(log, max_duration=bounds)
        notes = hm.plan(graph, max_risk=0.2, annotate="mean").warnings
        assert any("name no edge of the log" in note for note in notes) is noted
        assert not any("Triage" in note for note in notes)


@pytest.mark.parametrize(
    "bad", [90, "90", timedelta(0), {("A", "B"): 90}, "99999999999999999999w", "10001y"]
)
def test_a_bound_without_a_unit_is_refused(bad):
    with pytest.raises(UsageError, match=r"max.duration is"):
        hm.discover(hm.read_log("examples/hospital.csv"), max_duration=bad)


@pytest.mark.parametrize("bad", ["", "3", "0s", "-1s", "1 fortnight", "0.1us"])
def test_a_resolution_that_is_no_span_is_refused(bad):
    with pytest.raises(UsageError):
        hm.discover(hm.read_log("examples/hospital.csv"), resolution=bad)


def test_sums_beyond_64_bits_are_exact():
    century = 100 * 365 * 86_400
    frame = pl.DataFrame(
        {
            "source": ["a", "a"],
            "target": ["b", "b"],
            "duration_seconds": [century, century - 1],
            "count": [10**9, 10**9],
        }
    )
    graph = hm.from_transitions(frame, resolution="1us")
    total = (2 * century - 1) * 10**6 * 10**9
    assert total > 2**63
    assert graph.sums == (total,)
    assert graph.means == (Fraction(total, 2 * 10**9),)


def test_the_example_is_the_one_of_the_paper():
    hours = {
        ("A", "B"): [0.2, 3, 8, 12, 16],
        ("A", "C"): [1, 6, 15],
        ("A", "D"): [7],
        ("B", "C"): [1, 5, 11, 15, 20],
        ("C", "D"): [0.2, 0.25, 0.4, 1.5, 2.6, 3.65, 4.7, 6],
    }
    ends = {(None, "A"): 11, ("D", None): 9, ("A", None): 2}
    graph = as_dictionary(hm.discover(hm.read_log("examples/hospital.csv")))
    expected = {edge: [round(3600 * hour) for hour in row] for edge, row in hours.items()}
    assert graph == expected | {edge: [None] * count for edge, count in ends.items()}
    with_ends = as_dictionary(hm.from_transitions("examples/hospital_transitions.csv"))
    starts = [1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 10]
    last = [0.5, 0.7, 0.9, 0.9, 0.9, 1.3, 1.3, 1.7, 4]
    assert with_ends == expected | {
        (None, "A"): [3600 * hour for hour in starts],
        ("D", None): [round(3600 * hour) for hour in last],
        ("A", None): [1800, 10800],
    }


def test_edges_stand_in_canonical_order_whatever_the_rows():
    events = [Event("1", name, second * 10**6) for second, name in enumerate("bÄaZ🙂z")]
    graph = hm.discover(frame_log(events))
    assert graph.activities == tuple(sorted("bÄaZ🙂z"))
    assert graph.edges[0] == Edge(None, "b")
    assert list(graph.edges[1:]) == sorted(
        graph.edges[1:], key=lambda edge: (edge[0], edge[1] or "\U0010ffff")
    )
    assert graph.cases == 1


def test_an_exact_graph_shows_its_shape_and_no_weight():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    assert repr(graph) == "ExactGraph(4 activities, 8 edges, resolution 1s, owner only)"
    assert repr(graph.durations) == "Durations(8 edges, owner only)"
    assert not hasattr(graph, "write")
    with pytest.raises(ValueError, match="read-only"):
        graph.counts[0] = 1


def test_an_exact_graph_can_be_sent_to_another_process():
    import pickle

    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    assert as_dictionary(pickle.loads(pickle.dumps(graph))) == as_dictionary(graph)


@given(st.integers(0, 10**15), st.integers(1, 10**9))
def test_ticks_are_rounded_half_up(microseconds, resolution):
    from hushmap.discovery.bounds import in_ticks

    assert in_ticks(microseconds, resolution) == rounded(microseconds, resolution)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("", "", "1", "1"), "neither"),
        (("a", "b", "x", "1"), "no number"),
        (("a", "b", "-1", "1"), "negative"),
        (("a", "b", "-1e18", "1"), "negative"),
        (("a", "b", "1e18", "1"), "longer than 10,000 years"),
        (("a", "b", "1e60", "1"), "longer than 10,000 years"),
        (("a", "b", "inf", "1"), "no number"),
        (("a", "b", "nan", "1"), "no number"),
        (("a", "b", "1", "0"), "count"),
        (("a", "b", "1", "1.5"), "no positive whole number"),
        (("a", "b", "1", "1e30"), "no positive whole number"),
        (("a", "c", "", "1"), "some of its rows"),
    ],
)
def test_a_row_of_transitions_that_cannot_be_read_is_named_by_its_number(tmp_path, row, message):
    path = tmp_path / "transitions.csv"
    path.write_text("source,target,duration_seconds,count\na,c,5,1\n" + ",".join(row) + "\n")
    with pytest.raises(hm.exceptions.LogError) as error:
        hm.from_transitions(path)
    assert message in str(error.value)
    assert "row" in str(error.value)


def transitions(**columns):
    rows = {"source": ["a"] * 2, "target": ["b"] * 2, "duration_seconds": [60.0] * 2}
    return hm.from_transitions(pa.table(rows | columns))


def test_transitions_come_from_one_file(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("source,target,duration_seconds\na,b,1\n")
    with pytest.raises(LogError, match="Several files match"):
        hm.from_transitions(tmp_path / "*.csv")


@pytest.mark.parametrize("count", [1.5, 1.0000001, float("nan"), Decimal("2.5")])
def test_a_count_that_is_not_whole_is_refused_and_not_rounded(count):
    with pytest.raises(LogError, match="A count is no positive whole number"):
        transitions(count=[type(count)(1), count])


def test_a_whole_count_may_be_written_with_decimals():
    for counts in ([2.0, 3.0], ["2.0", "3"], [Decimal("2.0"), Decimal("3.0")]):
        assert transitions(count=counts).counts.tolist() == [5]


def test_a_duration_may_be_as_long_as_any_that_times_can_make():
    assert transitions(duration_seconds=[316_224_000_000, 0]).sums == (316_224_000_000,)
    with pytest.raises(LogError, match="longer than 10,000 years") as error:
        transitions(duration_seconds=[0, 316_224_000_001])
    assert "316" not in str(error.value)


def test_counts_beyond_64_bits_are_refused_in_a_sentence():
    with pytest.raises(LogError, match="more than 64 bits hold"):
        transitions(count=[2**62, 2**62])


@pytest.mark.parametrize("histograms", [True, False])
def test_bounds_are_needed_of_the_edges_with_durations_alone(histograms):
    log = hm.read_log("examples/hospital.csv")
    between = {(s, t): "1d" for s, t in hm.discover(log).edges if None not in (s, t)}
    graph = hm.discover(log, max_duration=between, histograms=histograms)
    assert graph.bounds[graph.timed].tolist() == [86_400] * len(between)
    del between["A", "D"]
    with pytest.raises(UsageError, match="no bound for some edges"):
        hm.discover(log, max_duration=between, histograms=histograms)
