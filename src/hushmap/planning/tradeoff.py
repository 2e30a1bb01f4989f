"""Risk against error as one curve: what a planner asks again and again while the owner chooses.

Nothing is drawn. The curve of every edge is computed once (`Calibrator`, `Expectation`); a
`Tradeoff` then answers for any risk or error at once. Everything here is the owner's.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hushmap.exceptions import LeakRefusedError
from hushmap.owner import OwnerOnly
from hushmap.planning.calibration import Calibrator
from hushmap.planning.expectation import Expectation
from hushmap.planning.limits import least_risk_for_mean, least_risk_per_edge
from hushmap.planning.parameters import HIGHEST_RISK, PlanParameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hushmap.graph import Annotation, ExactGraph

# From where on the owner should doubt a number.
FAR_OFF = 0.5
LEAST_SHOWN = 0.005
_POINTS = 33
_LEAST_ERROR, _MOST_ERROR, _ERRORS = 0.02, 20.0, 25
_TICK = 1e-6


@dataclass(frozen=True, slots=True, repr=False)
class AnnotationErrors(OwnerOnly):
    """Expected errors of one annotation at one risk. Owner only.

    Attributes:
        annotation: Its name.
        edges: How many edges have it.
        mape: Mean of the expected APE over the edges; None where no edge has one.
        worst: Of the worst edge; None likewise.
        far_off: Edges whose expected APE is above one half.
    """

    annotation: str
    edges: int
    mape: float | None
    worst: float | None
    far_off: int


@dataclass(frozen=True, slots=True, repr=False)
class Standing(OwnerOnly):
    """Where a release would stand. Owner only.

    Attributes:
        risk: The risk.
        error: The error as the owner reads it: the largest expected MAPE of the annotations, or
            what every edge stays within with the confidence asked for; None where it has none.
        annotations: Expected errors of each annotation.
    """

    risk: float
    error: float | None
    annotations: tuple[AnnotationErrors, ...]


@dataclass(frozen=True, slots=True, repr=False)
class CostlyEdge(OwnerOnly):
    """An edge and what is expected of one of its numbers; the fields of a plan's record."""

    source: str | None
    target: str | None
    annotation: str
    occurrences: int
    range: float
    actual: float
    expected_ape: float


class Tradeoff:
    """Risk against error for one graph and one wish, whose limits are not used. Owner only.

    Args:
        graph: The exact graph.
        parameters: What would be released, against whom, and how an error limit is read.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> tradeoff = Tradeoff(graph, PlanParameters.of(annotate="frequency"))
        >>> round(tradeoff.at(0.2).error, 2), round(tradeoff.least_risk(Fraction(3, 10)), 3)
        (0.26, 0.179)
    """

    def __init__(self, graph: ExactGraph, parameters: PlanParameters) -> None:
        self.graph = graph
        self.parameters = parameters
        self._calibrator = Calibrator(graph, parameters)
        self._expectation = Expectation(self._calibrator)
        # By risk: what a limit was, or will be, compared with.
        self._worst: dict[float, float] = {}
        self._latest: tuple[float | Fraction, dict[Annotation, NDArray[np.float64]]] | None = None

    @cached_property
    def curve(self) -> tuple[Standing, ...]:
        """Exact points in order of risk, close enough to be joined by straight lines."""
        if self.parameters.error_reading == "mean":
            places = np.linspace(
                math.log(math.atanh(LEAST_SHOWN)), math.log(math.atanh(HIGHEST_RISK)), _POINTS
            )
            return tuple(self._on_average(float(risk)) for risk in np.tanh(np.exp(places)))
        points: list[Standing] = []
        for error in np.geomspace(_MOST_ERROR, _LEAST_ERROR, _ERRORS):
            limit = Fraction(f"{error:.3g}")
            risk = self.least_risk(limit)
            if risk is None:
                break  # a smaller error is out of reach, too
            if not points or risk > points[-1].risk:
                points.append(replace(self._on_average(risk), error=float(limit)))
            else:
                points[-1] = replace(points[-1], error=float(limit))
        return tuple(points)

    def at(self, risk: float | Fraction) -> Standing:
        """What a risk costs; read per edge the error lies between exact points of the curve."""
        standing = self._on_average(risk)
        if self.parameters.error_reading == "mean":
            return standing
        return replace(standing, error=self._between(float(risk)))

    def least_risk(self, error: Fraction) -> float | None:
        """The least risk that meets an error limit, as the owner reads it; None if none does."""
        kinds = self.parameters.annotations
        if self.parameters.error_reading == "mean":
            return least_risk_for_mean(
                self._calibrator, self._expectation, error, kinds, known=self._worst
            )
        return least_risk_per_edge(self._calibrator.with_error(error), self._expectation, kinds)

    def costly(self, risk: float | Fraction, number: int) -> list[CostlyEdge]:
        """The numbers with the largest expected error at a risk, worst first."""
        found: list[CostlyEdge] = []
        for kind, expected in self._apes(risk).items():
            ape = np.nan_to_num(expected, nan=-1.0)
            order = np.argsort(-ape, kind="stable")[:number]
            found += [self._costly(kind, row, float(ape[row])) for row in order.tolist()]
        found = [edge for edge in found if edge.expected_ape > 0]
        return sorted(found, key=lambda edge: -edge.expected_ape)[:number]

    def without(self, annotation: Annotation) -> Tradeoff | None:
        """The same without one annotation; None where it is the only one or the rest would leak."""
        rest = [kind.value for kind in self.parameters.annotations if kind is not annotation]
        if not rest:
            return None
        try:
            kinds = PlanParameters.of(annotate=rest).annotations
        except LeakRefusedError:
            return None
        timed = any(kind.is_time for kind in kinds)
        range_kind = self.parameters.range_kind if timed else None
        return Tradeoff(
            self.graph, replace(self.parameters, annotations=kinds, range_kind=range_kind)
        )

    def comparison(self, risk: float | Fraction) -> list[tuple[str, Standing]]:
        """For every annotation that can be dropped: its name, and where the rest would stand."""
        return [(name, rest.at(risk)) for name, rest in self._rests]

    @cached_property
    def _rests(self) -> list[tuple[str, Tradeoff]]:
        rests = [(kind.value, self.without(kind)) for kind in self.parameters.annotations]
        return [(name, rest) for name, rest in rests if rest is not None]

    def _apes(self, risk: float | Fraction) -> dict[Annotation, NDArray[np.float64]]:
        """Expected APE of every edge; of the last risk they are kept, being asked for twice."""
        latest = self._latest
        if latest is None or latest[0] != risk:
            calibration = self._calibrator.at(risk)
            kinds = self.parameters.annotations
            latest = risk, {kind: self._expectation.ape(calibration, kind) for kind in kinds}
            self._latest = latest
        return latest[1]

    def _on_average(self, risk: float | Fraction) -> Standing:
        errors = []
        for kind, ape in self._apes(risk).items():
            known = ape[~np.isnan(ape)]
            errors.append(
                AnnotationErrors(
                    annotation=kind.value,
                    edges=len(ape),
                    mape=float(known.mean()) if known.size else None,
                    worst=float(known.max()) if known.size else None,
                    far_off=int((known > FAR_OFF).sum()),
                )
            )
        known_errors = [error.mape for error in errors if error.mape is not None]
        self._worst[float(risk)] = max(known_errors, default=0.0)
        return Standing(float(risk), max(known_errors, default=None), tuple(errors))

    def _between(self, risk: float) -> float | None:
        """The error at a risk by straight lines between the points of the curve (log-log)."""
        points = [(point.risk, point.error) for point in self.curve if point.error is not None]
        place = bisect_left(points, (risk, 0.0))
        if place == 0:
            return points[0][1] if points and points[0][0] <= risk * (1 + _TICK) else None
        if place == len(points):
            return points[-1][1]
        (low, more), (high, less) = points[place - 1], points[place]
        share = _ease(low, risk) / _ease(low, high)
        return math.exp(math.log(more) + share * (math.log(less) - math.log(more)))

    def _costly(self, kind: Annotation, row: int, ape: float) -> CostlyEdge:
        place = int(self._expectation.edges(kind)[row])
        tops, bottoms = self._expectation.actual(kind)
        tick = self.graph.resolution / 1e6 if kind.is_time else 1.0
        edge = self.graph.edges[place]
        return CostlyEdge(
            source=edge.source,
            target=edge.target,
            annotation=kind.value,
            occurrences=int(self.graph.counts[place]),
            range=float(self._calibrator.ranges[place]) * tick if kind.is_time else 1.0,
            actual=tops[row] / bottoms[row] * tick,
            expected_ape=ape,
        )


def _ease(start: float, end: float) -> float:
    """The distance of two risks on the scale on which the curve is almost straight."""
    return math.log(math.atanh(end)) - math.log(math.atanh(start))
