"""The logs between which an attacker has to tell: graphs made from the durations of their edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushmap.discovery.assemble import EdgeTotals, Histogram, assemble
from hushmap.discovery.bounds import DeclaredBounds
from hushmap.graph import Durations, Edge
from hushmap.owner import OwnerOnly
from hushmap.timespan import MICROSECONDS_PER_SECOND

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hushmap.graph import ExactGraph

TARGET = Edge("A", "B")
"""The edge that is attacked in the built-in worlds."""


@dataclass(frozen=True, slots=True, repr=False)
class World(OwnerOnly):
    """A log as the attacker imagines it: how long every occurrence of every edge took.

    Attributes:
        edges: Per edge the durations of its occurrences in ticks; a number instead, where the
            edge has occurrences but no durations.
        bound: The declared bound in ticks, or None where the range is observed.
        resolution: Microseconds per tick.

    Example:
        >>> World({TARGET: (3, 9)}).having((60,)).graph().sums
        (72,)
    """

    edges: Mapping[Edge, tuple[int, ...] | int]
    bound: int | None = None
    resolution: int = MICROSECONDS_PER_SECOND

    def having(self, durations: Sequence[int], edge: Edge = TARGET) -> World:
        """The same with more occurrences of one edge."""
        others = self.edges.get(edge, ())
        assert not isinstance(others, int)
        more = {**self.edges, edge: (*others, *durations)}
        return World(more, self.bound, self.resolution)

    def counting(self, occurrences: int, edge: Edge = TARGET) -> World:
        """The same with another number of occurrences of an edge that has no durations."""
        return World({**self.edges, edge: occurrences}, self.bound, self.resolution)

    def graph(self) -> ExactGraph:
        """The exact graph, clipped and put in order by the program's own discovery."""
        timed = {edge: row for edge, row in self.edges.items() if not isinstance(row, int)}
        histogram = _histogram(list(timed.values()))
        declared, bounds = None, None
        if self.bound is not None:
            declared = DeclaredBounds(self.bound * self.resolution, {})
            bounds = declared.ticks(list(timed), [True] * len(timed), self.resolution)
        totals = EdgeTotals([], [], [], [], [], [], [], [])
        if timed:
            totals = histogram.totals(list(timed), bounds)
        for edge, row in self.edges.items():
            if isinstance(row, int):
                totals.add_untimed(edge, row)
        return assemble(
            totals,
            histogram,
            resolution=self.resolution,
            bounds=bounds,
            declared=declared,
            conserved=False,
        )


def _histogram(rows: Sequence[Sequence[int]]) -> Histogram:
    counted = [np.unique(np.array(row, np.int64), return_counts=True) for row in rows]
    nothing = np.zeros(0, np.int64)
    return Histogram(
        np.repeat(np.arange(len(rows)), [len(values) for values, _ in counted]),
        np.concatenate([nothing, *(values for values, _ in counted)]),
        np.concatenate([nothing, *(counts.astype(np.int64) for _, counts in counted)]),
    )


def world_of(graph: ExactGraph, place: int, *, timed: bool) -> World:
    """One edge of an exact graph by itself. Owner only.

    Args:
        graph: With histograms if times are attacked; clipped at the declared bound if there is one.
        place: Of the edge.
        timed: Whether times are attacked; for a frequency alone, how often is enough.
    """
    edge = graph.edges[place]
    bound = None
    if not (timed and graph.timed[place]):
        return World({edge: int(graph.counts[place])}, None, graph.resolution)
    if graph.bounds is not None:
        bound = int(graph.bounds[place])
    assert isinstance(graph.durations, Durations)
    values, counts = graph.durations.of(place)
    row = tuple(np.repeat(values, counts).tolist())
    return World({edge: row}, bound, graph.resolution)
