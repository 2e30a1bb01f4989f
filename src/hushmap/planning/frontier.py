"""The frontier: what each risk costs in error, each error in risk. Nothing is drawn. Owner only."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from hushmap.owner import OwnerOnly
from hushmap.planning.calibration import Calibrator
from hushmap.planning.draws import draw_of
from hushmap.planning.expectation import Expectation
from hushmap.planning.limits import least_risk_for_mean, least_risk_per_edge
from hushmap.planning.parameters import DEFAULT_PRECISION, Attacker, PlanParameters, Precision
from hushmap.planning.per_edge import continuous_risks
from hushmap.risk import risk_any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hushmap.graph import Annotation, ExactGraph
    from hushmap.log.engine import OnProgress

GRID = tuple(
    Fraction(text)
    for text in ("0.01", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")
)
Reading = Literal["mean", "per-edge", "paper"]
_Point = TypeVar("_Point")


@dataclass(frozen=True, slots=True, repr=False)
class RiskPoint(OwnerOnly):
    """What one risk costs: expected errors of one annotation against one attacker.

    Attributes:
        annotation: The annotation.
        attacker: Whom against.
        risk: The risk.
        expected_mape: Mean over the edges of the expected APE; None where no edge has one.
        expected_smape: Mean over the edges of the expected SMAPE.
        median_ape: Median over the edges.
        worst_ape: Of the worst edge.
        median_epsilon: Median ε per occurrence, or per second.
        median_epsilon_range: Median ε·r, without unit.
        max_risk_any: The largest risk of an edge against any.
    """

    annotation: str
    attacker: str
    risk: float
    expected_mape: float | None
    expected_smape: float
    median_ape: float | None
    worst_ape: float | None
    median_epsilon: float
    median_epsilon_range: float
    max_risk_any: float


@dataclass(frozen=True, slots=True, repr=False)
class ErrorPoint(OwnerOnly):
    """What one error costs: the least risk for one annotation against one attacker.

    Attributes:
        annotation: The annotation.
        attacker: Whom against.
        reading: ``mean``, ``per-edge``, or ``paper`` (per edge with the paper's continuous noise,
            each edge calibrated by itself: for comparison only).
        error: The error.
        risk: The least risk that reaches it; None if none does.
        max_risk_any: The largest risk of an edge against any at that risk; None likewise.
    """

    annotation: str
    attacker: str
    reading: Reading
    error: float
    risk: float | None
    max_risk_any: float | None


@dataclass(frozen=True, slots=True, repr=False)
class Frontier(OwnerOnly):
    """The table that `hushmap plan` shows without a limit. Owner only."""

    risks: tuple[RiskPoint, ...]
    errors: tuple[ErrorPoint, ...]

    def as_json(self) -> dict[str, Any]:
        """The same as plain dictionaries, in the shape of interface.md."""
        return {
            "format": "hushmap/frontier/1",
            "risks": [asdict(point) for point in self.risks],
            "errors": [asdict(point) for point in self.errors],
        }


def frontier(
    graph: ExactGraph,
    wishes: Sequence[PlanParameters],
    *,
    grid: tuple[Fraction, ...] = GRID,
    on_progress: OnProgress | None = None,
) -> Frontier:
    """What each risk of a grid costs in error, and each error in risk.

    Args:
        graph: The exact graph.
        wishes: What would be released, once per attacker; the limits are not used. Where there are
            several, the paper's reading of P2 is added.
        grid: The risks, and the errors.
        on_progress: Called with the points done and the points in all.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> table = frontier(graph, [PlanParameters.of(annotate="frequency")])
        >>> point = next(point for point in table.errors if point.error == 0.3)
        >>> point.reading, round(point.risk, 3)
        ('mean', 0.179)
    """
    risks: list[RiskPoint] = []
    errors: list[ErrorPoint] = []
    plain: tuple[list[RiskPoint], list[ErrorPoint]] | None = None
    readings = 3 if len(wishes) > 1 else 2
    points = sum(len(wish.annotations) for wish in wishes) * len(grid) * (1 + readings)

    def counted(found: Iterator[_Point]) -> Iterator[_Point]:
        for number, point in enumerate(found, len(risks) + len(errors) + 1):
            if on_progress is not None:
                on_progress(number, points)
            yield point

    for wish in wishes:
        calibrator = Calibrator(graph, wish)
        # Without a cap of their own, attackers whom nothing sets apart cost the same (§9).
        same = not calibrator.weak and wish.max_risk_any is None
        if same and plain is not None:
            name = wish.attacker.value
            risks += [replace(point, attacker=name) for point in plain[0]]
            errors += [replace(point, attacker=name) for point in plain[1]]
            continue
        expectation = Expectation(calibrator)
        mine = list(counted(_risk_points(calibrator, expectation, grid)))
        risks += mine
        with_paper = len(wishes) > 1
        its = list(counted(_error_points(calibrator, expectation, grid, with_paper=with_paper)))
        errors += its
        plain = (mine, its) if same else plain
    return Frontier(tuple(risks), tuple(errors))


def error_points(graph: ExactGraph, wishes: Sequence[PlanParameters]) -> tuple[ErrorPoint, ...]:
    """What the error that the owner limits costs against each attacker, in every reading of it.

    Args:
        graph: The exact graph.
        wishes: What would be released, once per attacker.

    Returns:
        The points; none where the owner limits the risk.
    """
    error = wishes[0].max_error
    return () if error is None else frontier(graph, wishes, grid=(error,)).errors


def risk_points(graph: ExactGraph, parameters: PlanParameters) -> list[RiskPoint]:
    """The risks of a frontier alone, against every attacker that the graph allows to compare."""
    wishes = compared(parameters) if graph.durations is not None else [parameters]
    points: list[RiskPoint] = []
    plain = False
    for wish in wishes:
        calibrator = Calibrator(graph, wish)
        if plain and not calibrator.weak:
            continue  # nothing sets this attacker apart from one that is there
        plain = plain or not calibrator.weak
        points += _risk_points(calibrator, Expectation(calibrator), GRID)
    return points


def compared(parameters: PlanParameters) -> Iterator[PlanParameters]:
    """The same wish against each attacker, the one that was chosen first."""
    yield parameters
    for attacker in Attacker:
        if attacker is parameters.attacker:
            continue
        precision = parameters.precision or Precision.parse(DEFAULT_PRECISION)
        weak = attacker is not Attacker.ANY
        yield replace(
            parameters,
            attacker=attacker,
            precision=precision if weak else None,
            max_risk_any=parameters.max_risk_any if weak else None,
        )


def _risk_points(
    calibrator: Calibrator, expectation: Expectation, grid: tuple[Fraction, ...]
) -> Iterator[RiskPoint]:
    resolution = calibrator.graph.resolution
    for annotation in calibrator.parameters.annotations:
        places, draw = expectation.edges(annotation), draw_of(annotation)
        tick = resolution / 1e6 if annotation.is_time else 1.0
        for risk in grid:
            calibration = calibrator.at(risk)
            expected = expectation.errors(calibration, annotation)
            ape = expected.ape[~np.isnan(expected.ape)]
            yield RiskPoint(
                annotation=annotation.value,
                attacker=calibrator.parameters.attacker.value,
                risk=float(risk),
                expected_mape=expected.mape,
                expected_smape=float(expected.smape.mean()),
                median_ape=float(np.median(ape)) if ape.size else None,
                worst_ape=float(ape.max()) if ape.size else None,
                median_epsilon=float(np.median(calibrator.rate(calibration, draw)[places])) / tick,
                median_epsilon_range=float(np.median(calibration.draws[draw][places])),
                max_risk_any=float(np.max(risk_any(calibration.draws[draw][places]))),
            )


def _error_points(
    calibrator: Calibrator,
    expectation: Expectation,
    grid: tuple[Fraction, ...],
    *,
    with_paper: bool,
) -> Iterator[ErrorPoint]:
    for annotation in calibrator.parameters.annotations:
        for error in grid:
            yield _point(
                calibrator,
                annotation,
                "mean",
                error,
                least_risk_for_mean(calibrator, expectation, error, (annotation,)),
            )
        for error in grid:
            limited = calibrator.with_error(error)
            yield _point(
                calibrator,
                annotation,
                "per-edge",
                error,
                least_risk_per_edge(limited, expectation, (annotation,)),
            )
        if with_paper:
            for error in grid:
                limited = calibrator.with_error(error)
                risks = continuous_risks(limited, expectation, annotation)
                worst = float(np.nanmax(risks)) if not np.isnan(risks).all() else None
                yield ErrorPoint(
                    annotation.value,
                    calibrator.parameters.attacker.value,
                    "paper",
                    float(error),
                    worst,
                    worst,
                )


def _point(
    calibrator: Calibrator,
    annotation: Annotation,
    reading: Reading,
    error: Fraction,
    risk: float | None,
) -> ErrorPoint:
    anyone = None
    if risk is not None:
        e = calibrator.at(risk).draws[draw_of(annotation)]
        anyone = float(np.max(risk_any(e)))
    return ErrorPoint(
        annotation=annotation.value,
        attacker=calibrator.parameters.attacker.value,
        reading=reading,
        error=float(error),
        risk=risk,
        max_risk_any=anyone,
    )
