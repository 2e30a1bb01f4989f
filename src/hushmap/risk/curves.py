"""From a risk limit to an e per edge and back, for a whole graph (method.md §2–§4)."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from hushmap.exceptions import UsageError
from hushmap.risk.bound import binds, bounds, epsilon_any, epsilon_bound_sorted, legal_risk
from hushmap.risk.exact import ExactPosterior
from hushmap.risk.prior import (
    as_fraction,
    guess_windows,
    histogram,
    integers,
    occurrence_windows,
    window_counts,
)
from hushmap.risk.running import padded_width
from hushmap.risk.search import RootSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hushmap.risk.prior import Exact, FloatArray, IntArray

Attacker = Literal["any", "empirical", "paper"]
_Part = TypeVar("_Part")
_Done = TypeVar("_Done")

_PLACES = 2**17  # durations worked on at once: what a core's cache holds of their sums
_SPARE = 2**15  # of them to no purpose: what takes as long as the calls of another batch
_LARGE = 2**17  # durations from which on several cores are worth their threads


class RiskCurves:
    """The risk of every edge's durations as a function of e, and its inverse.

    Built once per graph; every later call reuses what earlier ones computed, and answers the same
    whatever was asked before. It holds the owner's durations: nothing of it may be published.

    Args:
        offsets: Where the histogram of each edge begins in ``values``, and their end: one more
            than edges. An edge may have no histogram.
        values: The distinct durations of each edge in ticks, ascending within the edge.
        counts: How many occurrences took each.
        ranges: r of each edge in ticks; of no importance where there is no histogram.
        attacker: Whose prior counts (§2): ``any``, ``empirical`` (exact, §4) or ``paper`` (the
            paper's bound, §3).
        precision: p in [0, 1]: a guess wins within ``p·r``. Exclusive with ``tolerance``; neither
            is needed (or read) for ``any``.
        tolerance: The tolerance in ticks instead, for all edges or one for each.
        min_occurrences: Edges with fewer occurrences are calibrated as for ``any``.

    Attributes:
        uninformative: True where the empirical prior says nothing, so that the edge is calibrated
            as for ``any``: too few occurrences, all durations equal, or no histogram; everywhere
            if the attacker is ``any``.

    Raises:
        UsageError: An argument is outside its legal range, or two contradict each other.

    Example:
        >>> from fractions import Fraction
        >>> curves = RiskCurves([0, 3, 4], [1, 6, 15, 7], [1, 1, 1, 1], [15, 7],
        ...                     attacker="empirical", precision=Fraction(1, 10))
        >>> curves.uninformative
        array([False,  True])
        >>> (curves.epsilon(0.4) / [15, 7]).round(4)
        array([0.1546, 0.2421])
        >>> curves.risk(curves.epsilon(0.4)).round(9)
        array([0.4, 0.4])
    """

    uninformative: NDArray[np.bool_]

    def __init__(
        self,
        offsets: ArrayLike,
        values: ArrayLike,
        counts: ArrayLike,
        ranges: Sequence[int] | IntArray,
        *,
        attacker: Attacker,
        precision: Exact | None = None,
        tolerance: Exact | Sequence[Exact] | None = None,
        min_occurrences: int = 2,
    ) -> None:
        starts, ticks, number = integers(offsets), integers(values), integers(counts)
        if (
            starts.size == 0
            or starts[0] != 0
            or not starts[-1] == ticks.size == number.size
            or (np.diff(starts) < 0).any()
            or len(ranges) != starts.size - 1
        ):
            raise UsageError(
                "Offsets must ascend from 0 to the number of values, with one count per value "
                "and one range per edge."
            )
        if attacker not in {"any", "empirical", "paper"}:
            raise UsageError(f"The attacker is any, empirical or paper, not {attacker}.")
        self._attacker = attacker
        self._large = ticks.size > _LARGE
        self.uninformative = np.ones(starts.size - 1, dtype=bool)
        self._informed = np.zeros(0, np.int64)
        self._totals: list[int] = []
        self._least: list[int] = []
        if attacker != "any":
            informed = _informed(starts, number, min_occurrences)
            self.uninformative[informed] = False
            self._informed = informed
            wide = _tolerances(ranges, precision, tolerance)
            build = self._build_paper if attacker == "paper" else self._build_empirical
            build(starts, ticks, number, [int(r) for r in ranges], wide)

    def _build_paper(
        self,
        starts: IntArray,
        ticks: IntArray,
        number: IntArray,
        ranges: list[int],
        wide: list[Fraction],
    ) -> None:
        self._priors: list[IntArray] = []
        for edge in self._informed.tolist():
            own, many = _edge_histogram(starts, ticks, number, edge, ranges[edge])
            inside = np.unique(occurrence_windows(own, many, wide[edge])[2])
            self._priors.append(inside)
            self._totals.append(int(many.sum()))
            self._least.append(int(inside[0]))
        sizes = [inside.size for inside in self._priors]
        self._prior_edge = np.repeat(np.arange(len(sizes)), sizes)
        self._prior_start = np.cumsum([0, *sizes])[:-1]
        inside = np.concatenate([np.zeros(0, np.int64), *self._priors])
        totals = np.array(self._totals, np.int64)[self._prior_edge]
        self._inside = inside.astype(np.float64)
        self._outside = (totals - inside).astype(np.float64)

    def _build_empirical(
        self,
        starts: IntArray,
        ticks: IntArray,
        number: IntArray,
        ranges: list[int],
        wide: list[Fraction],
    ) -> None:
        informed = self._informed

        def build(batch: IntArray) -> tuple[RootSearch, list[int], list[int]]:
            histograms, windows, least = [], [], []
            for edge in informed[batch].tolist():
                own, many = _edge_histogram(starts, ticks, number, edge, ranges[edge])
                lo, hi = guess_windows(own, ranges[edge], wide[edge])
                histograms.append((own, many))
                windows.append((lo, hi))
                least.append(int(window_counts(many, lo, hi).min()))
            mine = [ranges[edge] for edge in informed[batch].tolist()]
            posterior = ExactPosterior(histograms, mine, windows)
            return RootSearch(posterior), least, [int(many.sum()) for _, many in histograms]

        self._batches = batches_of(np.diff(starts)[informed])
        least, totals = np.zeros(informed.size, np.int64), np.zeros(informed.size, np.int64)
        self._searches = []
        for batch, built in zip(self._batches, self._each(build, self._batches), strict=True):
            self._searches.append(built[0])
            least[batch], totals[batch] = built[1:]
        self._least, self._totals = least.tolist(), totals.tolist()

    def risk(self, e: ArrayLike) -> FloatArray:
        """The risk of every edge against the attacker.

        Args:
            e: ``ε·r``, not negative: one number for all edges or one for each.

        Returns:
            δ(e) of each edge: ``tanh(e/4)`` where the edge is uninformative.

        Raises:
            UsageError: An e is negative or not a number, or their number is not that of edges.
        """
        each = np.asarray(e, dtype=np.float64)
        if each.ndim > 1 or (each.ndim == 1 and each.size != self.uninformative.size):
            raise UsageError("One e is needed, or one for every edge.")
        if not (each >= 0).all():
            raise UsageError("e = ε·r must be a number of at least 0.")
        each = np.broadcast_to(each, self.uninformative.shape)
        risks: FloatArray = np.tanh(each / 4.0)
        mine = each[self._informed]
        if self._informed.size and self._attacker == "paper":
            of_guess = bounds(
                mine[self._prior_edge], self._inside, self._outside, self._inside + self._outside
            )
            risks[self._informed] = np.maximum.reduceat(of_guess, self._prior_start)
        elif self._informed.size:
            found = self._each(
                lambda place: self._searches[place].risk(mine[self._batches[place]]),
                range(len(self._batches)),
            )
            for batch, of_batch in zip(self._batches, found, strict=True):
                risks[self._informed[batch]] = of_batch
        return risks

    def epsilon(self, risk: Exact, *, cap: float | None = None) -> FloatArray:
        """The largest e of every edge that keeps its risk within a limit.

        The root is taken from the safe side of a grid with steps of 1e-11, so ``risk(e) ≤ δ``
        holds as `risk` computes it, or to its last digit where e is ``e*(δ)`` or the closed form
        of the paper's bound. No e falls when δ grows.

        Args:
            risk: δ, above 0 and below 1; a float is the decimal that it prints as.
            cap: No edge gets more. By default ``e*(max(δ, 0.9))``, as `--max-risk-any`.

        Returns:
            ``e = ε·r`` of each edge: finite, positive, and at least ``min(e*(δ), cap)``.

        Raises:
            UsageError: The risk or the cap is outside its legal range.
        """
        delta = legal_risk(risk)
        limit = epsilon_any(max(delta, Fraction(9, 10))) if cap is None else float(cap)
        if not 0 < limit < float("inf"):
            raise UsageError(f"The cap of e must be above 0 and finite, but is {cap}.")
        floor = min(epsilon_any(delta), limit)
        epsilons = np.full(self.uninformative.size, floor)
        if self._informed.size and floor < limit:
            found = np.full(self._informed.size, limit)
            bound = np.array(
                [binds(delta, c, n) for c, n in zip(self._least, self._totals, strict=True)]
            )
            edges = np.flatnonzero(bound)
            if self._attacker == "paper":
                for edge in edges.tolist():
                    found[edge] = epsilon_bound_sorted(
                        delta, self._priors[edge], self._totals[edge]
                    )
            elif edges.size:
                self._find(found, bound, float(delta), floor, limit)
            epsilons[self._informed] = np.clip(found, floor, limit)
        return epsilons

    def _find(
        self, found: FloatArray, bound: NDArray[np.bool_], risk: float, low: float, high: float
    ) -> None:
        """Fill in the roots of the informed edges that the risk binds."""

        def find(place: int) -> FloatArray:
            edges = np.flatnonzero(bound[self._batches[place]])
            return self._searches[place].epsilon(edges, risk, low, high)

        places = [place for place, batch in enumerate(self._batches) if bound[batch].any()]
        for place, roots in zip(places, self._each(find, places), strict=True):
            batch = self._batches[place]
            found[batch[bound[batch]]] = roots

    def _each(self, work: Callable[[_Part], _Done], parts: Sequence[_Part]) -> list[_Done]:
        """Work on parts of the graph, on all cores where it is large; the order changes nothing."""
        workers = min(len(parts), _cores())
        if not self._large or workers < 2:
            return [work(part) for part in parts]
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(work, parts))


def batches_of(sizes: IntArray) -> list[IntArray]:
    """Edges of similar size, so many as are best worked on at once.

    Args:
        sizes: How many distinct durations each edge has.

    Returns:
        The places of the edges of each batch, ascending; the largest edges first. An edge's risk
        is the same to the last digit in every batch.

    Example:
        >>> batches_of(np.array([3, 100_000, 5, 7]))
        [array([1]), array([0, 2, 3])]
    """
    widths = np.array([padded_width(size) for size in sizes.tolist()], dtype=np.int64)
    batches: list[list[int]] = []
    width = spare = 0
    for edge in np.argsort(-widths, kind="stable").tolist():
        spare += width - int(widths[edge])
        if not batches or (len(batches[-1]) + 1) * width > _PLACES or spare > _SPARE:
            batches.append([])
            width, spare = int(widths[edge]), 0
        batches[-1].append(edge)
    return [np.sort(np.array(batch, dtype=np.int64)) for batch in batches]


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def informed_edges(sizes: IntArray, occurrences: IntArray, min_occurrences: int) -> IntArray:
    """The edges whose own distribution says something about them (§2).

    Args:
        sizes: How many distinct durations each edge has.
        occurrences: How many it has in all.
        min_occurrences: Edges with fewer say nothing.

    Returns:
        Their places.

    Example:
        >>> informed_edges(np.array([3, 1, 2]), np.array([9, 9, 2]), 3)
        array([0])
    """
    return np.flatnonzero((sizes > 1) & (occurrences >= min_occurrences))


def _informed(starts: IntArray, number: IntArray, min_occurrences: int) -> IntArray:
    """The edges whose own distribution says something about them (§2)."""
    running = np.concatenate(([0], np.cumsum(number)))
    totals = running[starts[1:]] - running[starts[:-1]]
    return informed_edges(np.diff(starts), totals, min_occurrences)


def _edge_histogram(
    starts: IntArray, ticks: IntArray, number: IntArray, edge: int, range_: int
) -> tuple[IntArray, IntArray]:
    part = slice(int(starts[edge]), int(starts[edge + 1]))
    own, many = histogram(ticks[part], number[part])
    if range_ < max(1, int(own[-1])):
        raise UsageError(
            "A range must be at least one tick and at least the edge's longest duration.",
            hint="Clip the durations at the range first.",
        )
    return own, many


def _tolerances(
    ranges: Sequence[int] | IntArray,
    precision: Exact | None,
    tolerance: Exact | Sequence[Exact] | None,
) -> list[Fraction]:
    """How far a guess may be off on each edge, in ticks."""
    if (precision is None) == (tolerance is None):
        raise UsageError("Give either a precision (0 to 1) or a tolerance in ticks, not both.")
    if precision is not None:
        share = as_fraction(precision)
        if not 0 <= share <= 1:
            raise UsageError(f"The precision must be from 0 to 1, but is {precision}.")
        return [share * int(r) for r in ranges]
    if isinstance(tolerance, (Fraction, Decimal, int, float)):
        wide = [as_fraction(tolerance)] * len(ranges)
    else:
        wide = [as_fraction(one) for one in tolerance or ()]
    if len(wide) != len(ranges) or min(wide, default=0) < 0:
        raise UsageError("The tolerance must not be negative: one for all edges or one for each.")
    return wide
