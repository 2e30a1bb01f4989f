"""`plan`: what a limit costs, edge by edge, before anything is drawn. The result is the owner's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hushmap.exceptions import UsageError
from hushmap.graph import Annotation, ExactGraph
from hushmap.planning.calibration import Calibration, Calibrator
from hushmap.planning.case import case_stakes
from hushmap.planning.draws import Draw, draw_of
from hushmap.planning.expectation import Expectation, ExpectedErrors, mean_of
from hushmap.planning.limits import chosen_risk
from hushmap.planning.parameters import Attacker, Number, PlanParameters
from hushmap.risk import repeated_risk, risk_any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from hushmap.log.engine import OnProgress

_MICROSECONDS = 1_000_000
# The search for a risk, as steps of a plan's progress.
_RISK_STEPS = 10
# An expected error from which on a time is lost in its noise.
_DROWNED = 10.0


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """What a release would do: a noise scale for every edge, and the errors to expect.

    Owner only: it holds the exact graph. Its repr shows limits and counts; the figures per edge
    are in `edges` and in the methods whose names say owner.

    Attributes:
        graph: The exact graph.
        parameters: What was asked for.
        calibration: The e of every draw of every edge.
        errors: Expected errors per annotation.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> hm.plan(graph, max_risk=0.2)
        Plan(risk at most 0.2; frequency of 8 edges; attacker any, scope release)
    """

    graph: ExactGraph
    parameters: PlanParameters
    calibration: Calibration
    errors: Mapping[Annotation, ExpectedErrors]
    _calibrator: Calibrator
    _expectation: Expectation

    @property
    def risk(self) -> float:
        """The risk at which the edges are calibrated; under P2 found from the private data."""
        return self.calibration.risk

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The draws of noise that a release takes."""
        return self._calibrator.draws

    def rates(self, draw: Draw) -> NDArray[np.float64]:
        """ε of a draw per occurrence or tick, for every edge. Owner only."""
        return self._calibrator.rate(self.calibration, draw)

    def exact_weights(self, annotation: Annotation) -> list[Fraction]:
        """The true weights of the edges that have the annotation, in its unit or ticks."""
        tops, bottoms = self._expectation.actual(annotation)
        return [Fraction(top, bottom) for top, bottom in zip(tops, bottoms, strict=True)]

    @property
    def edges(self) -> list[dict[str, Any]]:
        """One record per edge and annotation, in the shape of ``owner/report.json``: a copy."""
        return [dict(record) for record in self._edges]

    @cached_property
    def _edges(self) -> list[dict[str, Any]]:
        records: list[dict[str, Any]] = []
        for annotation in self.parameters.annotations:
            records += self._records(annotation)
        return records

    def _records(self, annotation: Annotation) -> list[dict[str, Any]]:
        graph, draw = self.graph, draw_of(annotation)
        e = self.calibration.draws[draw]
        risks, attackers = self._calibrator.risk_of(draw, e), self._calibrator.attackers(draw)
        anyone = np.asarray(risk_any(e))
        rates = self._calibrator.rate(self.calibration, draw)
        tick = graph.resolution / _MICROSECONDS if annotation.is_time else 1.0
        tops, bottoms = self._expectation.actual(annotation)
        expected = self.errors[annotation]
        records = []
        for row, place in enumerate(self._expectation.edges(annotation).tolist()):
            ape = float(expected.ape[row])
            record: dict[str, Any] = {
                "source": graph.edges[place].source,
                "target": graph.edges[place].target,
                "annotation": annotation.value,
                "occurrences": int(graph.counts[place]),
                "range": int(self._calibrator.ranges[place]) * tick if annotation.is_time else 1,
                "actual": _number(Fraction(tops[row], bottoms[row]), annotation, graph.resolution),
                "derived": annotation is Annotation.MEAN,
                "epsilon": float(rates[place]) / tick,
                "epsilon_range": float(e[place]),
                "risk": float(risks[place]),
                "risk_any": float(anyone[place]),
                "expected_ape": None if math.isnan(ape) else ape,
                "expected_smape": float(expected.smape[row]),
                "attacker": attackers[place],
            }
            if graph.clipped is not None and annotation.is_time:
                record["clipped"] = int(graph.clipped[place])
            records.append(record)
        return records

    @property
    def summary(self) -> dict[str, dict[str, float | int | None]]:
        """Per annotation, and for the release as a whole, named figures: a copy."""
        return {name: dict(figures) for name, figures in self._summary.items()}

    @cached_property
    def _summary(self) -> dict[str, dict[str, float | int | None]]:
        summary: dict[str, dict[str, float | int | None]] = {"release": self._whole_release()}
        for annotation in self.parameters.annotations:
            draw, places = draw_of(annotation), self._expectation.edges(annotation)
            e = self.calibration.draws[draw]
            risks = self._calibrator.risk_of(draw, e)[places]
            tick = self.graph.resolution / _MICROSECONDS if annotation.is_time else 1.0
            rates = self._calibrator.rate(self.calibration, draw)[places] / tick
            ape = self.errors[annotation].ape
            defined = ape[~np.isnan(ape)]
            summary[annotation.value] = {
                "edges": len(places),
                "max_risk": float(risks.max()),
                "median_risk": float(np.median(risks)),
                "max_risk_any": float(np.max(risk_any(e[places]))),
                "median_epsilon": float(np.median(rates)),
                "median_epsilon_range": float(np.median(e[places])),
                "expected_mape": mean_of(ape),
                "expected_smape": float(self.errors[annotation].smape.mean()),
                "median_ape": float(np.median(defined)) if defined.size else None,
                "worst_ape": float(defined.max()) if defined.size else None,
                "zero_edges": int(np.isnan(ape).sum()),
            }
        return summary

    def _whole_release(self) -> dict[str, float | int | None]:
        """Of everything released of an edge together, and of what touches several edges (§2, §9).

        The limits for an event, a timestamp and a case follow from the risk against any: that
        against a weaker attacker says nothing about several occurrences.
        """
        parameters, calibrator = self.parameters, self._calibrator
        anyone = calibrator.release_risk_any(self.calibration)
        stakes = calibrator.stakes(self.calibration)
        # A mean over the exact number of occurrences limits nothing about whether there was one.
        counted = parameters.has_frequency or Annotation.MEAN not in parameters.annotations
        return {
            "risk": calibrator.release_risk(self.calibration),
            "risk_any": anyone,
            "calibrated_at": self.risk,
            "draws": len(calibrator.draws),
            "risk_of_an_event": repeated_risk(anyone, 3) if counted else None,
            "risk_of_a_timestamp": repeated_risk(anyone, 2) if parameters.times else None,
            **case_stakes(self.graph, stakes if counted else None).summary(),
        }

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the owner should know before drawing, in sentences."""
        parameters = self.parameters
        found = list(self.graph.warnings) if parameters.times else []
        if self._calibrator.beside_frequency and parameters.attacker is not Attacker.ANY:
            found.append(
                f"Beside a frequency the attacker {parameters.attacker.value} saves no noise: the "
                "times tell whether a step took place, too. All edges are calibrated as for any."
            )
        if parameters.range_kind == "observed":
            found.append(
                "The range is the longest duration observed, which is itself a secret and is not "
                "protected; --max-duration declares a public bound instead."
            )
        if parameters.max_error is not None:
            found.append(
                "This risk was computed from the private log. It is not published, and it is no "
                "promise: the strength of the noise tells something of the log, too. To promise a "
                f"risk, release with a round --max-risk instead, such as {_round_up(self.risk)}."
            )
            found += self._too_coarse()
        found += self._too_wide()
        zero = {kind.value: int(np.isnan(self.errors[kind].ape).sum()) for kind in self.errors}
        for name, number in zero.items():
            if number:
                found.append(
                    f"On {_edges(number)} the true {name} is 0, of which there is no percentage "
                    "error; MAPE leaves that out."
                )
        return tuple(found)

    def _too_wide(self) -> list[str]:
        """One bound for long and short steps alike drowns the short ones in noise."""
        if self.parameters.range_kind != "declared":
            return []
        drowned = {
            kind.value: int((self.errors[kind].ape > _DROWNED).sum())
            for kind in self.parameters.annotations
            if kind.is_time
        }
        return [
            f"On {_edges(number)} the expected error of {name} is above {_DROWNED:.0%}: the "
            "declared bound is far above how long these steps take. Declare a bound per edge "
            "(--max-duration FILE.csv), from what is known of the process and not from this log."
            for name, number in drowned.items()
            if number
        ]

    def _too_coarse(self) -> list[str]:
        """A mean is rounded to the tick: half a tick may be more than the error asked for (§5)."""
        if Annotation.MEAN not in self.parameters.annotations:
            return []
        tops, bottoms = self._expectation.actual(Annotation.MEAN)
        error = self.parameters.max_error
        assert error is not None
        coarse = sum(
            0 < error * Fraction(top, bottom) < Fraction(1, 2)
            for top, bottom in zip(tops, bottoms, strict=True)
        )
        if not coarse:
            return []
        return [
            (
                f"On {_edges(coarse)} half a tick is more than the error asked for; "
                "a finer --resolution helps."
            )
        ]

    def owner_frame(self) -> Any:  # noqa: ANN401 - pandas is not imported for its type
        """The records of `edges` as a pandas data frame. Owner only."""
        try:
            import pandas as pd
        except ImportError:
            raise UsageError(
                "owner_frame needs pandas, which is not installed.",
                hint="Install it: pip install pandas, or take the records of edges.",
            ) from None
        return pd.DataFrame(self.edges)

    @property
    def wish(self) -> str:
        """What was asked for, in a few words: limits and counts alone."""
        parameters = self.parameters
        limit = (
            f"risk at most {float(parameters.max_risk):g}"
            if parameters.max_risk is not None
            else f"error at most {float(parameters.max_error or 0):g}"
        )
        kinds = ", ".join(kind.value for kind in parameters.annotations)
        edges = self.graph.size if parameters.has_frequency else int(self.graph.timed.sum())
        return (
            f"{limit}; {kinds} of {edges} edges; "
            f"attacker {parameters.attacker.value}, scope {parameters.scope}"
        )

    def __repr__(self) -> str:
        return f"Plan({self.wish})"


def _number(weight: Fraction, annotation: Annotation, resolution: int) -> float | int:
    if not annotation.is_time:
        return int(weight)
    return float(weight * resolution / _MICROSECONDS)


def _edges(number: int) -> str:
    return "1 edge" if number == 1 else f"{number:,} edges"


def _round_up(risk: float) -> float:
    return min(0.99, math.ceil(risk * 20) / 20) if risk > 0.05 else math.ceil(risk * 200) / 200


def plan(
    graph: ExactGraph,
    *,
    max_risk: Number | None = None,
    max_error: Number | None = None,
    annotate: str | Sequence[str] = "frequency",
    attacker: str = "any",
    precision: Number | None = None,
    max_risk_any: Number | None = None,
    error_reading: str = "mean",
    confidence: Number = "0.95",
    min_occurrences: int = 2,
    range: str | None = None,  # noqa: A002 - the name that interface.md fixes
    scope: str = "release",
) -> Plan:
    """Plan a release: the most accurate map under a risk, or the least risky under an error.

    Nothing is drawn. The result is the owner's.

    Args:
        graph: The exact graph.
        max_risk: P1: no one's chance of guessing right may rise by more than this (0 < δ < 1).
        max_error: P2: the map may be wrong by at most this (mean absolute percentage error).
        annotate: What the map shows: ``frequency``, ``sum``, ``mean``, ``min``, ``max``.
        attacker: Whom against: ``any``, ``empirical`` or ``paper`` (method.md §2).
        precision: When a guess of a duration counts as right: a share of the range, or a time
            such as ``30min``; not with ``any``.
        max_risk_any: Cap on the risk against ``any`` where the attacker is another.
        error_reading: Under P2, ``mean`` (expected MAPE) or ``per-edge``.
        confidence: For ``per-edge``.
        min_occurrences: Edges with fewer are calibrated as for ``any``.
        range: ``observed`` or ``declared``; a release of times wants it by name.
        scope: ``release`` or ``annotation``: whether the limit holds for all together (§9).

    Raises:
        UsageError: A parameter is outside its legal range.
        LeakRefusedError: The combination would give a secret away.
        UnreachableLimitError: No risk meets the error limit.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> round(hm.plan(graph, max_risk=0.4).summary["frequency"]["median_epsilon"], 3)
        1.695
    """
    _require_graph(graph)
    parameters = PlanParameters.of(
        max_risk=max_risk,
        max_error=max_error,
        annotate=annotate if isinstance(annotate, str) else list(annotate),
        attacker=attacker,
        precision=precision,
        max_risk_any=max_risk_any,
        error_reading=error_reading,
        confidence=confidence,
        min_occurrences=min_occurrences,
        range_kind=_range_kind(graph, range),
        scope=scope,
    )
    parameters.require_limit()
    return plan_with(graph, parameters)


def _require_graph(graph: object) -> None:
    if not isinstance(graph, ExactGraph):
        raise UsageError(
            f"A plan is made of an exact graph, not of this: {type(graph).__name__}.",
            hint="Call hushmap.discover(log) first, or hushmap.from_transitions(table).",
        )


def _range_kind(graph: ExactGraph, given: str | None) -> str | None:
    """A declared bound names the range by itself."""
    return "declared" if given is None and graph.bounds is not None else given


def plan_with(
    graph: ExactGraph, parameters: PlanParameters, on_progress: OnProgress | None = None
) -> Plan:
    """The same with parameters already checked.

    Args:
        graph: The exact graph.
        parameters: What was asked for.
        on_progress: Called with the steps done and the steps in all: the digits of the risk that
            meets an error, and the errors of each annotation.
    """
    steps = _RISK_STEPS + len(parameters.annotations)

    def done(number: int) -> None:
        if on_progress is not None:
            on_progress(number, steps)

    done(0)
    calibrator = Calibrator(graph, parameters)
    expectation = Expectation(calibrator)
    risk = chosen_risk(calibrator, expectation, lambda share: done(int(share * (_RISK_STEPS - 1))))
    calibration = calibrator.at(risk)
    errors = {}
    for number, kind in enumerate(parameters.annotations):
        done(_RISK_STEPS + number)
        errors[kind] = expectation.errors(calibration, kind)
    done(steps)
    return Plan(graph, parameters, calibration, errors, calibrator, expectation)
