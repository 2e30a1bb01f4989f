"""The risk of every edge's times as a function of e, wherever the durations are.

The formulas are those of `hushmap.risk`. Durations in this process are answered for by one
`RiskCurves`; durations on a cluster by one for each edge, on the machine that holds the edge, so
that only one number per edge comes back. Both give the same numbers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from hushmap.graph import Durations
from hushmap.risk import RiskCurves, informed_edges

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from hushmap.graph import DurationsElsewhere, ExactGraph, IntArray
    from hushmap.planning.parameters import PlanParameters
    from hushmap.risk import Exact

    Floats = NDArray[np.float64]


class Curves(Protocol):
    """What a plan asks of the risk curves of a graph; see `RiskCurves`."""

    uninformative: NDArray[np.bool_]

    def risk(self, e: ArrayLike) -> Floats:
        """The risk of every edge against the attacker, one e for all edges or one for each."""

    def epsilon(self, risk: Exact, *, cap: float | None = None) -> Floats:
        """The largest e of every edge that keeps its risk within a limit, up to a cap."""


def plain_curves(graph: ExactGraph, ranges: IntArray) -> Curves:
    """The curves against `any`, who needs no durations."""
    nothing = np.zeros(0, np.int64)
    return RiskCurves(np.zeros(graph.size + 1, np.int64), nothing, nothing, ranges, attacker="any")


def curves_of(graph: ExactGraph, ranges: IntArray, parameters: PlanParameters) -> Curves:
    """The curves against an attacker who knows the distributions of durations.

    Args:
        graph: The exact graph; it has durations.
        ranges: r of every edge in ticks.
        parameters: What the owner asked for.
    """
    assert graph.durations is not None
    assert parameters.precision is not None
    tolerances = [parameters.precision.tolerance(int(r), graph.resolution) for r in ranges.tolist()]
    durations = graph.durations
    if isinstance(durations, Durations):
        return RiskCurves(
            durations.offsets,
            durations.values,
            durations.counts,
            ranges,
            attacker=parameters.attacker.value,
            tolerance=tolerances,
            min_occurrences=parameters.min_occurrences,
        )
    return CurvesElsewhere(graph, durations, ranges, tolerances, parameters)


class CurvesElsewhere:
    """The curves of a graph whose durations are on a cluster; every answer is kept.

    Args:
        graph: The exact graph.
        durations: Its durations.
        ranges: r of every edge in ticks.
        tolerances: How far a guess may be off, in ticks, for every edge.
        parameters: What the owner asked for.

    Attributes:
        uninformative: As of `RiskCurves`.
    """

    uninformative: NDArray[np.bool_]

    def __init__(
        self,
        graph: ExactGraph,
        durations: DurationsElsewhere,
        ranges: IntArray,
        tolerances: list[Fraction],
        parameters: PlanParameters,
    ) -> None:
        informed = informed_edges(durations.sizes, graph.counts, parameters.min_occurrences)
        self.uninformative = np.ones(graph.size, dtype=bool)
        self.uninformative[informed] = False
        self._plain = plain_curves(graph, ranges)
        self._durations = durations
        self._informed = informed
        self._edges = {edge: (int(ranges[edge]), tolerances[edge]) for edge in informed.tolist()}
        self._make = partial(
            RiskCurves,
            attacker=parameters.attacker.value,
            min_occurrences=parameters.min_occurrences,
        )
        self._known: dict[object, Floats] = {}

    def risk(self, e: ArrayLike) -> Floats:
        """As `RiskCurves.risk`."""
        plain = self._plain.risk(e)  # refuses what is no e
        each = np.broadcast_to(np.asarray(e, dtype=np.float64), plain.shape)
        mine = dict(zip(self._informed.tolist(), each[self._informed].tolist(), strict=True))

        def ask(curves: RiskCurves, edge: int) -> float:
            return float(curves.risk(mine[edge])[0])

        return self._answered(("risk", each[self._informed].tobytes()), plain, ask)

    def epsilon(self, risk: Exact, *, cap: float | None = None) -> Floats:
        """As `RiskCurves.epsilon`."""
        plain = self._plain.epsilon(risk, cap=cap)

        def ask(curves: RiskCurves, edge: int) -> float:
            del edge
            return float(curves.epsilon(risk, cap=cap)[0])

        return self._answered(("epsilon", risk, cap), plain, ask)

    def _answered(
        self, question: object, plain: Floats, ask: Callable[[RiskCurves, int], float]
    ) -> Floats:
        """The answers of the informed edges, among those that need no durations."""
        if question not in self._known:
            edges, make = self._edges, self._make

            def answer(edge: int, values: IntArray, counts: IntArray) -> float:
                range_, tolerance = edges[edge]
                curves = make([0, len(values)], values, counts, [range_], tolerance=[tolerance])
                return ask(curves, edge)

            found = self._durations.each(answer, list(edges)) if edges else {}
            answers = plain.copy()
            answers[list(found)] = list(found.values())
            self._known[question] = answers
        return self._known[question].copy()
