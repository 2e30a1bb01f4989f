"""Graphs for the tests: from transitions, at random, and the paper's worked example."""

from __future__ import annotations

import polars as pl
from hypothesis import strategies as st

import hushmap as hm

EXAMPLE_HOURS = {
    (None, "A"): [1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 10],
    ("A", "B"): [0.2, 3, 8, 12, 16],
    ("A", "C"): [1, 6, 15],
    ("A", "D"): [7],
    ("A", None): [0.5, 3],
    ("B", "C"): [1, 5, 11, 15, 20],
    ("C", "D"): [0.2, 0.25, 0.4, 1.5, 2.6, 3.65, 4.7, 6],
    ("D", None): [0.5, 0.7, 0.9, 0.9, 0.9, 1.3, 1.3, 1.7, 4],
}


def graph_of(edges, **options):
    """A graph from a dictionary of edges with their durations in seconds (None: no durations)."""
    rows = [
        (source, target, None if duration is None else float(duration))
        for (source, target), durations in edges.items()
        for duration in durations
    ]
    frame = pl.DataFrame(
        rows,
        schema={"source": pl.String, "target": pl.String, "duration_seconds": pl.Float64},
        orient="row",
    )
    return hm.from_transitions(frame, **options)


def paper_example(**options):
    """The worked example, with the durations that the paper gives to start and end edges."""
    return graph_of(
        {edge: [round(3600 * hour) for hour in row] for edge, row in EXAMPLE_HOURS.items()},
        **options,
    )


durations = st.lists(st.integers(0, 5_000), min_size=1, max_size=12)
random_edges = st.dictionaries(
    st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), durations, min_size=1, max_size=5
).map(lambda edges: {(None, "A"): [None] * 7, ("C", None): [None] * 7, **edges})
