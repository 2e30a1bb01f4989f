"""From a risk to the e of every draw of every edge, and back (method.md §2, §7, §9)."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hushmap.exceptions import UsageError
from hushmap.planning.curves import curves_of, plain_curves
from hushmap.planning.draws import Draw, draws_of, how_long_loss, whether_loss
from hushmap.risk import epsilon_any, risk_any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from hushmap.graph import ExactGraph, IntArray
    from hushmap.planning.curves import Curves
    from hushmap.planning.parameters import PlanParameters

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class Calibration:
    """What one risk gives every edge. All e are without unit (e = ε·r); owner only.

    Attributes:
        risk: The risk δ.
        times: e of all that is released of the times of an edge together; zero where it has none.
        draws: Per draw the e of every edge; zero where the edge has no such draw.
    """

    risk: float
    times: Floats
    draws: Mapping[Draw, Floats]

    def __repr__(self) -> str:
        return f"Calibration({', '.join(self.draws)} of {self.times.size} edges, owner only)"


class Calibrator:
    """Answers for one graph and one wish: which e, at which risk, against whom.

    Built once per graph: the curve of every edge is computed once and used for all risks, for P2
    and for the frontier. Owner only.

    Args:
        graph: The exact graph.
        parameters: What the owner asked for.

    Raises:
        UsageError: The graph lacks what the attacker or the range needs.
    """

    def __init__(self, graph: ExactGraph, parameters: PlanParameters) -> None:
        self.graph = graph
        self.parameters = parameters
        self.draws = draws_of(parameters.annotations)
        self.ranges = ranges_of(graph)
        self._last_risk: tuple[bytes, Floats] | None = None
        self._check()

    def _check(self) -> None:
        parameters, graph = self.parameters, self.graph
        declared = graph.bounds is not None
        if parameters.range_kind is not None and declared != (parameters.range_kind == "declared"):
            raise UsageError(
                "The range asked for is not the one the graph was made with.",
                hint="A graph discovered with max_duration has the range declared, any other "
                "observed.",
            )
        if self.weak and graph.durations is None:
            raise UsageError(
                f"The attacker {parameters.attacker.value} needs the distribution of durations.",
                hint="Discover the graph with histograms=True.",
            )
        if parameters.times and not graph.timed.any():
            raise UsageError(
                "The log has no edge between activities, so there are no times to release.",
                hint="Use --annotate frequency.",
            )

    @property
    def beside_frequency(self) -> bool:
        """Whether times share the budget of a frequency, so that every attacker is `any` (§9)."""
        return self.parameters.has_frequency and self.parameters.scope == "release"

    @property
    def weak(self) -> bool:
        """Whether an edge's own distribution matters for its times."""
        return not self.parameters.against_any

    @cached_property
    def curves(self) -> Curves:
        """The risk of every edge's times as a function of e."""
        if not self.weak:
            return plain_curves(self.graph, self.ranges)
        return curves_of(self.graph, self.ranges, self.parameters)

    def with_error(self, error: Fraction) -> Calibrator:
        """The same with another error limit; shares the curves."""
        other = copy(self)
        other.parameters = replace(self.parameters, max_risk=None, max_error=error)
        return other

    def at(self, risk: float | Fraction) -> Calibration:
        """The e of every draw at one risk: the largest that the risk allows."""
        cap = self.parameters.cap(float(risk))
        limit = None if cap is None else epsilon_any(cap)
        # The worst-case prior alone; a cap below the risk holds here too (§2).
        plain = epsilon_any(risk) if limit is None else min(epsilon_any(risk), limit)
        every, timed = np.ones(self.graph.size), self.graph.timed.astype(np.float64)
        if self.beside_frequency:
            share = plain / max(whether_loss(self.draws), how_long_loss(self.draws))
            draws = {
                draw: share * (every if draw is Draw.FREQUENCY else timed) for draw in self.draws
            }
            return Calibration(float(risk), share * how_long_loss(self.draws) * timed, draws)
        draws = {}
        if Draw.FREQUENCY in self.draws:
            draws[Draw.FREQUENCY] = plain * every
        times = np.zeros(self.graph.size)
        number = how_long_loss(self.draws)
        if number:
            edge = timed * (self.curves.epsilon(risk, cap=limit) if self.weak else plain)
            each = edge if self.parameters.scope == "annotation" else edge / number
            times = each * number
            draws |= {draw: each for draw in self.draws if draw is not Draw.FREQUENCY}
        return Calibration(float(risk), times, draws)

    def rate(self, calibration: Calibration, draw: Draw) -> Floats:
        """ε of a draw: per occurrence, or per tick of the duration (§5)."""
        e = calibration.draws[draw]
        return e if draw is Draw.FREQUENCY else e / self.ranges

    def risk_of(self, draw: Draw, e: Floats) -> Floats:
        """The risk of a single draw of every edge, against the attacker."""
        if draw is Draw.FREQUENCY or not self.weak:
            return np.asarray(risk_any(e))
        return self._risk(e)

    def _risk(self, e: Floats) -> Floats:
        """The risk of every edge's times; a report asks for the same e several times."""
        asked = e.tobytes()
        if self._last_risk is None or self._last_risk[0] != asked:
            self._last_risk = (asked, self.curves.risk(e))
        return self._last_risk[1].copy()

    def attackers(self, draw: Draw) -> list[str]:
        """Per edge the attacker that its calibration ended up with."""
        name = self.parameters.attacker.value
        if draw is Draw.FREQUENCY or not self.weak:
            return ["any"] * self.graph.size
        return ["any" if plain else name for plain in self.curves.uninformative.tolist()]

    def stakes(self, calibration: Calibration) -> Floats:
        """Per edge the e that one occurrence has at stake, over all that is released of it (§9)."""
        stakes = calibration.times
        if self.parameters.has_frequency:
            whether = calibration.draws[Draw.FREQUENCY]
            if self.parameters.times:
                # All draws of times of an edge have the same e.
                a_time = calibration.draws[self.draws[-1]]
                whether = whether + (whether_loss(self.draws) - 1) * a_time
            stakes = np.maximum(stakes, whether)
        return stakes

    def release_risk(self, calibration: Calibration) -> float:
        """The largest risk of any edge from everything that is released of it (§9)."""
        risks = [0.0]
        if self.parameters.times:
            risks.append(float(self._risk(calibration.times)[self.graph.timed].max()))
        if self.parameters.has_frequency:
            risks.append(float(np.max(risk_any(self.stakes(calibration)))))
        return max(risks)

    def release_risk_any(self, calibration: Calibration) -> float:
        """The same against any belief: what the limits for several occurrences are made of (§2)."""
        return float(np.max(risk_any(self.stakes(calibration))))


def ranges_of(graph: ExactGraph) -> IntArray:
    """The range of every edge in ticks, at least one: declared, or the longest duration (§1.5)."""
    return np.maximum(1, graph.maxima if graph.bounds is None else graph.bounds)
