"""P2 read edge by edge: each edge's error at most μ with probability 1 − β (method.md §8).

Each edge's condition gives a least e, and that a least risk; the release is calibrated at the
largest of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from hushmap.accuracy import continuous_epsilon_for_tail
from hushmap.graph import Annotation
from hushmap.planning.draws import Draw, draw_of, how_long_loss, whether_loss
from hushmap.planning.parameters import DEFAULT_MAX_RISK_ANY, HIGHEST_RISK

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hushmap.planning.calibration import Calibrator
    from hushmap.planning.expectation import Expectation

    Floats = NDArray[np.float64]

_BISECTIONS = 45
_LEAST_E, _MOST_E = 1e-6, 1e4
_LEAST_RISK = 1e-9
# A noisy count is summed over this many blocks of values, down to this probability.
_BLOCKS = 400
_LEFT_OUT = 1e-9


def least_risks(calibrator: Calibrator, expectation: Expectation, annotation: Annotation) -> Floats:
    """Per edge that has the annotation the least risk that meets its condition.

    Only the largest of them decides, so an edge of means over released frequencies that needs less
    than another may be given what that one needs.

    Returns:
        The risks; NaN where A = 0 (no condition), infinite where no noise is small enough.
    """
    parameters, draw = calibrator.parameters, draw_of(annotation)
    places = expectation.edges(annotation)
    if annotation is Annotation.MEAN and parameters.has_frequency and calibrator.weak:
        return _risks_of_two_draws(calibrator, expectation)
    shares = 1
    if calibrator.beside_frequency:
        shares = max(whether_loss(calibrator.draws), how_long_loss(calibrator.draws))
    elif draw is not Draw.FREQUENCY and parameters.scope == "release":
        shares = how_long_loss(calibrator.draws)
    e = shares * _least_e(calibrator, expectation, annotation)
    anyone = np.tanh(e / 4)
    if annotation is Annotation.MEAN and parameters.has_frequency:
        # The frequency needs this e, too, and its risk is that against any.
        risks = anyone
    else:
        risks = _risks_of(calibrator, draw, places, e)
    # An e beyond the cap on the risk against any is reached where the cap is raised, or never.
    if parameters.max_risk_any is not None:
        return np.where(anyone > float(parameters.max_risk_any), np.inf, risks)
    beyond = anyone > float(DEFAULT_MAX_RISK_ANY)
    return np.where(np.isinf(e), np.inf, np.where(beyond, np.maximum(risks, anyone), risks))


def continuous_risks(
    calibrator: Calibrator, expectation: Expectation, annotation: Annotation
) -> Floats:
    """The same as the paper computes it: continuous noise, each edge calibrated alone."""
    e = continuous_e(calibrator, expectation, annotation)
    return _risks_of(calibrator, draw_of(annotation), expectation.edges(annotation), e)


def continuous_e(
    calibrator: Calibrator, expectation: Expectation, annotation: Annotation
) -> Floats:
    """The e = ε·r of the paper for every edge alone, ``ε = (Δ/α)·ln(1/β)``; NaN where A = 0."""
    error, beta = _limits(calibrator)
    places = expectation.edges(annotation)
    tops, bottoms = expectation.actual(annotation)
    defined = np.flatnonzero(np.array(tops) > 0)
    actual = np.array([tops[edge] / bottoms[edge] for edge in defined])
    rate = continuous_epsilon_for_tail(float(error) * actual, beta)
    if annotation is Annotation.MEAN:
        rate = rate / np.array(bottoms, dtype=np.float64)[defined]
    if draw_of(annotation) is not Draw.FREQUENCY:
        rate = rate * calibrator.ranges[places][defined]
    e = np.full(len(places), np.nan)
    e[defined] = rate
    return e


def _limits(calibrator: Calibrator) -> tuple[Fraction, float]:
    """μ, exactly, and β."""
    parameters = calibrator.parameters
    assert parameters.max_error is not None
    return parameters.max_error, float(1 - parameters.confidence)


def _risks_of(calibrator: Calibrator, draw: Draw, places: NDArray[np.intp], e: Floats) -> Floats:
    """The risk wherever e is finite; NaN where there is none, 1 where it is infinite."""
    finite = np.isfinite(e)
    risks = np.tanh(e / 4)
    whole = np.zeros(calibrator.graph.size)
    whole[places[finite]] = e[finite]
    risks[finite] = calibrator.risk_of(draw, whole)[places[finite]]
    return risks


def _least_e(calibrator: Calibrator, expectation: Expectation, annotation: Annotation) -> Floats:
    """Per edge the least e of its draw whose error exceeds μ with probability at most β."""
    error, beta = _limits(calibrator)
    places = expectation.edges(annotation)
    tops, bottoms = expectation.actual(annotation)
    located = _located(calibrator, expectation, annotation)
    e = np.full(len(places), np.nan)
    defined = [edge for edge, top in enumerate(tops) if top > 0]
    ranges = np.ones(len(defined))
    if annotation.is_time:
        ranges = calibrator.ranges[places][defined].astype(np.float64)
    actual = [Fraction(tops[edge], bottoms[edge]) for edge in defined]
    at = [located[edge] for edge in defined]
    if annotation is not Annotation.MEAN:
        misses = [_integer_misses(a, m, error) for a, m in zip(actual, at, strict=True)]
    elif not calibrator.parameters.has_frequency:
        counts = [bottoms[edge] for edge in defined]
        misses = [_mean_misses(a, s, n, error) for a, s, n in zip(actual, at, counts, strict=True)]
    else:
        counts = [bottoms[edge] for edge in defined]
        rows = list(zip(defined, actual, at, counts, ranges.tolist(), strict=True))
        most = _LEAST_E
        for edge, a, s, n, r in sorted(rows, key=lambda row: row[3]):  # few occurrences need most
            e[edge] = _least_for_noisy_count(a, s, n, r, error, beta, most)
            most = max(most, e[edge]) if math.isfinite(e[edge]) else most
        return e
    low, high = np.array(misses, dtype=np.float64).reshape(-1, 2).T

    def holds(rate: Floats) -> NDArray[np.bool_]:
        return _at_least(rate, low) + _at_least(rate, high) <= beta

    e[defined] = _bisect(holds, np.full(len(defined), _LEAST_E) / ranges, ranges)
    return e


def _located(calibrator: Calibrator, expectation: Expectation, annotation: Annotation) -> list[int]:
    """What the noise is added to: the weight after clipping; the sum, for a mean."""
    graph, timed = calibrator.graph, expectation.timed
    if annotation is Annotation.FREQUENCY:
        return [int(count) for count in graph.counts]
    if annotation in {Annotation.SUM, Annotation.MEAN}:
        return [graph.sums[place] for place in timed]
    extremes = graph.minima if annotation is Annotation.MIN else graph.maxima
    return [int(extreme) for extreme in extremes[timed]]


def _integer_misses(actual: Fraction, at: int, error: Fraction) -> tuple[int, int]:
    """(low, high): an error above μ is noise z ≤ −low or z ≥ high, the clamp left aside."""
    allowed, cut = math.floor(error * actual), int(actual) - at
    return allowed - cut + 1, allowed + cut + 1


def _mean_misses(actual: Fraction, total: int, count: int, error: Fraction) -> tuple[int, int]:
    """The same for a sum whose quotient by the count is rounded half up to the tick."""
    lowest, highest = math.ceil(actual * (1 - error)), math.floor(actual * (1 + error))
    if highest < 1:
        return 0, 0
    too_low = math.ceil(Fraction(count * (2 * lowest - 1), 2)) - total - 1
    too_high = math.ceil(Fraction(count * (2 * highest + 1), 2)) - total
    return -too_low, too_high


def _at_least(rate: Floats, m: Floats) -> Floats:
    """Pr[z ≥ m] of the discrete Laplace, for any integer m."""
    above = np.exp(-rate * np.maximum(m, 0)) / (1 + np.exp(-rate))
    below = 1 - np.exp(-rate * np.maximum(1 - m, 0)) / (1 + np.exp(-rate))
    chance: Floats = np.where(m >= 1, above, below)
    return chance


def _bisect(holds: Callable[[Floats], NDArray[np.bool_]], lowest: Floats, ranges: Floats) -> Floats:
    """The least e = ε·r from which on a condition holds, from the safe side; infinite if none."""
    low, high = np.log(lowest), np.log(_MOST_E / ranges)
    reachable = holds(np.exp(high))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        met = holds(np.exp(middle))
        high = np.where(met, middle, high)
        low = np.where(met, low, middle)
    least: Floats = np.where(reachable, np.exp(high) * ranges, np.inf)
    return least


def _least_for_noisy_count(
    actual: Fraction,
    total: int,
    count: int,
    r: float,
    error: Fraction,
    beta: float,
    enough: float,
) -> float:
    """A mean over the released frequency: one e for both, F = round((S + z)/max(1, n + z')).

    Args:
        actual: The true mean.
        total: The sum that the noise is added to.
        count: The occurrences.
        r: The range.
        error: μ.
        beta: β.
        enough: An e that another edge needs; returned where it will do here, too.
    """
    lowest, highest = math.ceil(actual * (1 - error)), math.floor(actual * (1 + error))
    if highest < 1:
        return math.inf

    def holds(rate: Floats) -> NDArray[np.bool_]:
        noise, chance = _blocks(float(rate[0]) * r)
        divisor = np.maximum(1, count + noise)
        return np.array([_missed((lowest, highest), total, divisor, rate, chance) <= beta])

    if holds(np.array([enough / r]))[0]:
        return enough
    return float(_bisect(holds, np.array([enough / r]), np.array([r]))[0])


def _missed(
    within: tuple[int, int], total: int, divisor: Floats, rate: Floats, chance: Floats
) -> float:
    """How likely round((S + z)/divisor) lies outside of what is allowed, from above.

    Args:
        within: The least and the largest mean that are allowed, in ticks.
        total: S.
        divisor: What the sum may be divided by.
        rate: ε of the noise z.
        chance: How likely each divisor is.
    """
    too_low = np.ceil(divisor * (2 * within[0] - 1) / 2) - total - 1
    too_high = np.ceil(divisor * (2 * within[1] + 1) / 2) - total
    missed = _at_least(rate, -too_low) + _at_least(rate, too_high)
    return float(chance @ np.minimum(1, missed)) + _LEFT_OUT


def _risks_of_two_draws(calibrator: Calibrator, expectation: Expectation) -> Floats:
    """A mean over the released frequency, where each of the two draws has an e of its own.

    Returns:
        For every edge the least risk at which all of those hold that can; infinite for the others.
    """
    error, beta = _limits(calibrator)
    places = expectation.edges(Annotation.MEAN)
    tops, bottoms = expectation.actual(Annotation.MEAN)
    totals = _located(calibrator, expectation, Annotation.MEAN)
    ranges = calibrator.ranges[places]
    risks = np.full(len(places), np.nan)
    open_ = [edge for edge, top in enumerate(tops) if top > 0]
    allowed = {}
    for edge in open_:
        actual = Fraction(tops[edge], bottoms[edge])
        allowed[edge] = math.ceil(actual * (1 - error)), math.floor(actual * (1 + error))

    def failing(risk: float, edges: list[int]) -> list[int]:
        draws = calibrator.at(risk).draws
        found = []
        for edge in edges:
            count, total = (float(draws[d][places[edge]]) for d in (Draw.FREQUENCY, Draw.SUM))
            noise, chance = _blocks(count)
            divisor = np.maximum(1, bottoms[edge] + noise)
            rate = np.array([total / ranges[edge]])
            if (
                allowed[edge][1] < 1
                or _missed(allowed[edge], totals[edge], divisor, rate, chance) > beta
            ):
                found.append(edge)
        return found

    never = failing(float(HIGHEST_RISK), open_)
    risks[never] = np.inf
    open_ = [edge for edge in open_ if edge not in set(never)]
    low, high = math.log(math.atanh(_LEAST_RISK)), math.log(math.atanh(float(HIGHEST_RISK)))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if failing(math.tanh(math.exp(middle)), open_):
            low = middle
        else:
            high = middle
    risks[open_] = math.tanh(math.exp(high))
    return risks


def _blocks(e: float) -> tuple[Floats, Floats]:
    """The noise of a count in blocks of neighbouring values: the middle of each, and its chance."""
    reach = math.ceil(math.log(2 / _LEFT_OUT) / e)
    step = max(1, 2 * reach // _BLOCKS)
    first = np.arange(-reach, reach + 1, step, dtype=np.float64)
    rate = np.array(e)
    return first + (step - 1) // 2, _at_least(rate, first) - _at_least(rate, first + step)
