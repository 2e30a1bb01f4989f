"""Mechanisms that are known to be broken: an audit that passes one of them is worth nothing.

Each is a mistake that was really made, in the paper's prototype, in published tools or in textbook
code. Each replaces one step of the production path, and is attacked exactly as that is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hushmap.audit.mechanism import Mechanism
from hushmap.graph import Annotation, Durations
from hushmap.noise import ReleaseNoise
from hushmap.planning.draws import Draw
from hushmap.planning.plan import plan_with
from hushmap.release.drawing import draw_weights

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from hushmap.graph import ExactGraph
    from hushmap.noise import NoiseSource
    from hushmap.planning.parameters import PlanParameters
    from hushmap.planning.plan import Plan

_TINY_EPSILON = 1e-3
_TOO_SMALL = 0.9


class AbsoluteNoise:
    """``abs(noise)``, so that weights stay positive: what is released names a lower bound."""

    def draw(self, epsilons: ArrayLike) -> NDArray[np.int64]:
        """Noise that never goes down."""
        return np.abs(ReleaseNoise().draw(epsilons))


class TruncatedNoise:
    """``int(noise)`` of continuous noise: 0 is drawn twice as often as it should."""

    def draw(self, epsilons: ArrayLike) -> NDArray[np.int64]:
        """Continuous noise, cut towards zero."""
        return np.trunc(_textbook_laplace(epsilons)).astype(np.int64)


class SilentNoise:
    """No noise where ε is infinite, or so small that it was taken to be none."""

    def draw(self, epsilons: ArrayLike) -> NDArray[np.int64]:
        """Noise for ordinary ε alone."""
        rates = np.asarray(epsilons, dtype=np.float64)
        ordinary = np.isfinite(rates) & (rates >= _TINY_EPSILON)
        noise = np.zeros(rates.size, dtype=np.int64)
        if ordinary.any():
            noise[ordinary] = ReleaseNoise().draw(rates[ordinary])
        return noise


class TightNoise:
    """The right noise at a scale that is 10 % too small."""

    def draw(self, epsilons: ArrayLike) -> NDArray[np.int64]:
        """Noise of nine tenths of the scale."""
        return ReleaseNoise().draw(np.asarray(epsilons, dtype=np.float64) / _TOO_SMALL)


class FloatNoise:
    """Textbook Laplace noise in floats: the low bits of a sum tell what was added (Mironov)."""

    def draw(self, epsilons: ArrayLike) -> NDArray[Any]:
        """Floats."""
        return _textbook_laplace(epsilons)


def _textbook_laplace(epsilons: ArrayLike) -> NDArray[np.float64]:
    rates = np.asarray(epsilons, dtype=np.float64)
    uniform = np.random.default_rng().random(rates.size) - 0.5
    noise: NDArray[np.float64] = -np.sign(uniform) * np.log1p(-2 * np.abs(uniform)) / rates
    return noise


def exact_where_the_prior_is_silent(graph: ExactGraph, parameters: PlanParameters) -> Plan:
    """The prototype's calibration: "any ε will do" read as "no noise" (method.md §2)."""
    plan = plan_with(graph, parameters)
    counts = graph.counts
    assert isinstance(graph.durations, Durations)
    alike = np.diff(graph.durations.offsets) <= 1
    silent = graph.timed & (alike | (counts < parameters.min_occurrences))
    return _recalibrated(plan, lambda draw, e: e if draw is Draw.FREQUENCY else
                         np.where(silent, np.inf, e))  # fmt: skip


def sensitivity_of_the_edge_count(graph: ExactGraph, parameters: PlanParameters) -> Plan:
    """The prototype's mean: Δ = 1/number of edges in place of 1/n (method.md §1.4)."""
    plan = plan_with(graph, parameters)
    if Annotation.MEAN not in parameters.annotations:
        return plan
    return _recalibrated(
        plan, lambda draw, e: e * graph.size / graph.counts if draw is Draw.SUM else e
    )


def _recalibrated(plan: Plan, change: Any) -> Plan:  # noqa: ANN401 - (Draw, e) to e
    draws = {draw: change(draw, e) for draw, e in plan.calibration.draws.items()}
    return replace(plan, calibration=replace(plan.calibration, draws=draws))


def mean_over_exact_count(plan: Plan, noise: NoiseSource) -> dict[Annotation, tuple[Any, ...]]:
    """A mean over the true n beside a frequency: how it jumps when n does is in no budget (§9)."""
    kinds = plan.parameters.annotations
    if not {Annotation.FREQUENCY, Annotation.MEAN} <= set(kinds):
        return draw_weights(plan, noise)
    with_sum = tuple(dict.fromkeys((*kinds, Annotation.SUM)))
    drawn = draw_weights(
        replace(plan, parameters=replace(plan.parameters, annotations=with_sum)), noise
    )
    drawn[Annotation.MEAN] = tuple(
        None if total is None else max(1, (2 * total + count) // (2 * count))
        for total, count in zip(drawn[Annotation.SUM], plan.graph.counts.tolist(), strict=True)
    )
    return drawn


@dataclass(frozen=True, slots=True)
class Broken:
    """A known-broken mechanism.

    Attributes:
        mechanism: What releases.
        tried_first: How the name of the attack begins that is likely to catch it. All others
            follow: it only saves time.
    """

    mechanism: Mechanism
    tried_first: str


_OPENDP = ReleaseNoise()
ZOO = (
    Broken(Mechanism("abs(noise)", AbsoluteNoise()), "black box, frequency: one occ"),
    Broken(Mechanism("int(noise)", TruncatedNoise()), "black box, frequency: one occ"),
    Broken(
        Mechanism(
            "exact publication where ε is tiny or infinite",
            SilentNoise(),
            plan=exact_where_the_prior_is_silent,
        ),
        "black box, sum of the only occurrence",
    ),
    Broken(
        Mechanism(
            "a mean with a sensitivity of 1/number of edges",
            _OPENDP,
            plan=sensitivity_of_the_edge_count,
        ),
        "black box, mean",
    ),
    Broken(Mechanism("a scale that is 10 % too small", TightNoise()), "frequency: was it there"),
    Broken(
        Mechanism("textbook Laplace noise in floats", FloatNoise()), "black box, frequency: one occ"
    ),
    Broken(
        Mechanism(
            "a mean over the exact n beside a frequency", _OPENDP, weights=mean_over_exact_count
        ),
        "black box, frequency and mean",
    ),
)
"""The known-broken mechanisms."""
