"""From what an engine returns to an `ExactGraph`: canonical order, clipping, exact sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from hushmap.graph import Durations, Edge, ExactGraph, canonical_order
from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hushmap.discovery.bounds import DeclaredBounds
    from hushmap.graph import DurationsElsewhere, IntArray

_SAFE = 2**62
_NO_SUCH_EDGE = (
    "Some rows of the table of --max-duration name no edge of the log, which may be as it should; "
    "check how the names are written."
)
_HALF = 2**31
_FEW = 8  # counts above 1 are few where they are less than one in so many


@dataclass(frozen=True, slots=True, repr=False)
class EdgeTotals:
    """What is known of every edge without its histogram, in any order of edges.

    The durations are in ticks, before clipping, but for ``clipped_sums``.
    """

    edges: list[Edge]
    counts: list[int]
    timed: list[bool]
    sums: list[int]
    minima: list[int]
    maxima: list[int]
    clipped_sums: list[int]
    clipped: list[int]

    def add_untimed(self, edge: Edge, count: int) -> None:
        """Add an edge that has no durations."""
        self.edges.append(edge)
        self.counts.append(count)
        self.timed.append(False)
        for column in (self.sums, self.minima, self.maxima, self.clipped_sums, self.clipped):
            column.append(0)

    def __repr__(self) -> str:
        return f"EdgeTotals({len(self.edges)} edges, owner only)"


class HistogramOfEdges(Protocol):
    """The durations of the timed edges, here or on a cluster."""

    def durations(
        self, places: Sequence[int], bounds: IntArray | None, size: int
    ) -> Durations | DurationsElsewhere:
        """The histogram in canonical order, clipped; ``places[i]`` is the new place of edge i."""


@dataclass(frozen=True, slots=True, repr=False)
class Histogram(OwnerOnly):
    """Durations of the timed edges as one sorted table: place of the edge, ticks, count."""

    edge: IntArray
    ticks: IntArray
    count: IntArray

    @staticmethod
    def of_rows(code: IntArray, ticks: IntArray, count: IntArray) -> tuple[IntArray, Histogram]:
        """From rows in any order, one per edge and duration; answers the codes of the edges, too.

        Sorting one number per row here is several times faster than an engine's ORDER BY.
        """
        width = int(ticks.max()).bit_length() if len(ticks) else 0
        if len(code) and int(code.max()).bit_length() + width > 62:
            order = np.lexsort((ticks, code))
            code, ticks, count = code[order], ticks[order], count[order]
        else:
            row = (code.astype(np.int64, copy=False) << width) | ticks
            row, count = _sorted_rows(row, count)
            code, ticks = row >> width, row & ((1 << width) - 1)
        first = np.diff(code, prepend=-1) != 0
        return code[first], Histogram(np.cumsum(first) - 1, ticks, count)

    def totals(self, edges: list[Edge], bounds: IntArray | None) -> EdgeTotals:
        """Sums, minima and maxima per edge; every edge has at least one row."""
        starts = np.flatnonzero(np.diff(self.edge, prepend=-1))
        ends = np.append(starts, len(self.edge))[1:] - 1
        over = np.zeros(len(edges), dtype=np.int64)
        sums = clipped_sums = _exact_sums(self.ticks, self.count, starts)
        if bounds is not None:
            limit = bounds[self.edge]
            clipped_sums = _exact_sums(np.minimum(self.ticks, limit), self.count, starts)
            over = np.add.reduceat(np.where(self.ticks > limit, self.count, 0), starts)
        return EdgeTotals(
            edges=list(edges),
            counts=np.add.reduceat(self.count, starts).tolist(),
            timed=[True] * len(edges),
            sums=sums,
            minima=self.ticks[starts].tolist(),
            maxima=self.ticks[ends].tolist(),
            clipped_sums=clipped_sums,
            clipped=over.tolist(),
        )

    def durations(self, places: Sequence[int], bounds: IntArray | None, size: int) -> Durations:
        """The histogram in canonical order, clipped; ``places[i]`` is the new place of edge i."""
        ticks = self.ticks if bounds is None else np.minimum(self.ticks, bounds[self.edge])
        edge, count = np.asarray(places, dtype=np.int64)[self.edge], self.count
        if np.any(np.diff(edge) < 0):
            order = np.argsort(edge, kind="stable")
            edge, ticks, count = edge[order], ticks[order], count[order]
        if bounds is not None and len(edge):
            # Clipping leaves runs of equal values at the end of an edge: they become one.
            first = np.flatnonzero(
                (np.diff(edge, prepend=-1) != 0) | (np.diff(ticks, prepend=-1) != 0)
            )
            edge, ticks, count = edge[first], ticks[first], np.add.reduceat(count, first)
        offsets = np.searchsorted(edge, np.arange(size + 1))
        for array in (offsets, ticks, count):
            array.flags.writeable = False
        return Durations(offsets.astype(np.int64), ticks, count)


def _sorted_rows(row: IntArray, count: IntArray) -> tuple[IntArray, IntArray]:
    """Distinct numbers in order, each with its count.

    To sort numbers alone is several times faster than to sort them with something beside, so where
    most counts are 1 the others are put in their places afterwards.
    """
    more = np.flatnonzero(count > 1)
    if _FEW * len(more) > len(row):
        order = np.argsort(row)
        return row[order], count[order]
    repeated = row[more]
    row.sort()
    sorted_count = np.ones_like(count)
    sorted_count[np.searchsorted(row, repeated)] = count[more]
    return row, sorted_count


def _exact_sums(ticks: IntArray, count: IntArray, starts: NDArray[np.intp]) -> list[int]:
    """Sums of ticks × count per edge, exact beyond 64 bits."""
    if not len(ticks):
        return []
    occurrences = int(count.sum())
    if int(ticks.max()) * occurrences < _SAFE:
        return [int(total) for total in np.add.reduceat(ticks * count, starts)]
    if occurrences < _HALF:
        # In halves, each of which stays within 64 bits.
        high = np.add.reduceat((ticks >> 32) * count, starts).tolist()
        low = np.add.reduceat((ticks & 0xFFFFFFFF) * count, starts).tolist()
        return [(above << 32) + below for above, below in zip(high, low, strict=True)]
    wide = ticks.astype(object) * count.astype(object)
    return [int(total) for total in np.add.reduceat(wide, starts)]


def assemble(
    totals: EdgeTotals,
    histogram: HistogramOfEdges | None,
    *,
    resolution: int,
    bounds: IntArray | None,
    declared: DeclaredBounds | None,
    conserved: bool,
) -> ExactGraph:
    """Put everything in canonical order and freeze it.

    Args:
        totals: Per edge; the first edges are those of the histogram, in its order.
        histogram: The durations, if they were asked for.
        resolution: Microseconds per tick.
        bounds: Declared bounds in ticks of the first edges.
        declared: The declaration itself, None where there was none.
        conserved: Whether inflow must equal outflow.
    """
    order = canonical_order(totals.edges)
    place_of = np.empty(len(order), dtype=np.int64)
    place_of[order] = np.arange(len(order))
    names = {name for edge in totals.edges for name in edge if name is not None}

    def ordered(column: Sequence[int]) -> list[int]:
        return [column[place] for place in order]

    def array(column: Sequence[int]) -> IntArray:
        return np.array(ordered(column), dtype=np.int64)

    durations = None
    if histogram is not None:
        durations = histogram.durations(place_of.tolist(), bounds, len(order))
    minima, maxima = array(totals.minima), array(totals.maxima)
    all_bounds = None
    warnings: tuple[str, ...] = ()
    if declared is not None:
        edges = [totals.edges[place] for place in order]
        if not declared.by_edge.keys() <= set(edges):
            warnings = (_NO_SUCH_EDGE,)
        all_bounds = declared.ticks(edges, ordered(totals.timed), resolution)  # type: ignore[arg-type]
    return ExactGraph(
        activities=tuple(sorted(names)),
        edges=tuple(totals.edges[place] for place in order),
        counts=array(totals.counts),
        timed=np.array(ordered(totals.timed), dtype=np.bool_),
        sums=tuple(ordered(totals.clipped_sums)),
        minima=minima if all_bounds is None else np.minimum(minima, all_bounds),
        maxima=maxima if all_bounds is None else np.minimum(maxima, all_bounds),
        resolution=resolution,
        durations=durations,
        bounds=all_bounds,
        declared=None if declared is None or declared.by_edge else declared.default,
        clipped=None if all_bounds is None else array(totals.clipped),
        unclipped_sums=tuple(ordered(totals.sums)),
        unclipped_minima=minima,
        unclipped_maxima=maxima,
        conserved=conserved,
        warnings=warnings,
    )
