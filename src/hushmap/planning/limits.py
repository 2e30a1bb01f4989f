"""P1 and P2: the calibration that a limit asks for (method.md §7, §8)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hushmap.exceptions import UnreachableLimitError
from hushmap.planning.expectation import Expectation, mean_of
from hushmap.planning.parameters import HIGHEST_RISK
from hushmap.planning.per_edge import least_risks

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from hushmap.graph import Annotation
    from hushmap.planning.calibration import Calibrator

    Floats = NDArray[np.float64]

LOWEST_RISK = 1e-9
# The search ends when the risk is known to this relative accuracy.
_ACCURACY = 1e-7
_NAMED_EDGES = 3
# So many risks are tried where the expected error may not fall throughout.
_SCANNED = 80


def least_risk_for_mean(
    calibrator: Calibrator,
    expectation: Expectation,
    error: Fraction,
    annotations: tuple[Annotation, ...],
    on_narrowed: Callable[[float], None] | None = None,
    known: dict[float, float] | None = None,
) -> float | None:
    """The least risk at which the expected MAPE of every annotation is at most μ.

    Without clipping the expected MAPE never rises with the risk, so a one-dimensional search finds
    the optimum: spreading the risk evenly over the edges makes the largest as small as it can be
    (§8). With clipping the risk that is returned meets the limit, and no risk of a fine grid below
    it does.

    Args:
        calibrator: The graph and the wish.
        expectation: Its expected errors.
        error: μ.
        annotations: Those that must meet it.
        on_narrowed: Called with the share of the digits of the risk that are known, from 0 to 1.
        known: The largest expected MAPE of the annotations by risk, as far as it was computed;
            what is computed here is added, so that whoever asks again need not wait as long.

    Returns:
        The risk, from the side on which the limit holds; None if no risk up to 0.99 reaches it.
    """
    limit = float(error)
    known = {} if known is None else known

    def excess(risk: float) -> float:
        if (worst := known.get(risk)) is None:
            calibration = calibrator.at(risk)
            worst = max(mean_of(expectation.ape(calibration, kind)) or 0.0 for kind in annotations)
            known[risk] = worst
        return math.log(max(worst, 1e-300) / limit)

    low, high = LOWEST_RISK, float(HIGHEST_RISK)
    clipped = calibrator.graph.clipped
    if clipped is not None and clipped.any():
        # Clipped weights are too small, and noise that is clamped at one moves them upwards: an
        # expected error may then rise with the risk, so the first risk that will do is looked for.
        scanned = _scan(low, high)
        met = [risk for risk in scanned if excess(risk) <= 0]
        if not met:
            return None
        high = met[0]
        low = max((risk for risk in scanned if risk < high), default=low)
    else:
        computed = list(known.items())
        high = min((risk for risk, worst in computed if worst <= limit), default=high)
        low = max((risk for risk, worst in computed if worst > limit and risk < high), default=low)
    return _first_below_zero(excess, low, high, on_narrowed)


def _scan(low: float, high: float) -> list[float]:
    """Risks from low to high, evenly spread in log artanh."""
    places = np.linspace(math.log(math.atanh(low)), math.log(math.atanh(high)), _SCANNED)
    return [low, *np.tanh(np.exp(places[1:-1])).tolist(), high]


def _first_below_zero(
    excess: Callable[[float], float],
    low: float,
    high: float,
    on_narrowed: Callable[[float], None] | None = None,
) -> float | None:
    """Where a falling function of the risk first is at most zero: guarded false position."""
    above, below = math.log(math.atanh(low)), math.log(math.atanh(high))
    at_high = excess(high)
    if at_high > 0:
        return None
    at_low = excess(low)
    if at_low <= 0:
        return low
    side = 0
    digits = math.log((below - above) / _ACCURACY)
    while below - above > _ACCURACY:
        if on_narrowed is not None:
            on_narrowed(1 - math.log((below - above) / _ACCURACY) / digits)
        share = at_low / (at_low - at_high)
        middle = above + (below - above) * min(max(share, 0.02), 0.98)
        value = excess(math.tanh(math.exp(middle)))
        if value > 0:
            above, at_low = middle, value
            at_high /= 2 if side == 1 else 1
            side = 1
        else:
            below, at_high = middle, value
            at_low /= 2 if side == -1 else 1
            side = -1
        if at_high == 0:
            # On the limit to the last digit; step a hair to the other side to close the bracket.
            at_high = -1e-12
    return math.tanh(math.exp(below))


def least_risk_per_edge(
    calibrator: Calibrator, expectation: Expectation, annotations: tuple[Annotation, ...]
) -> float | None:
    """The least risk at which every edge's error is at most μ with probability 1 − β.

    Returns:
        The risk; None if some edge needs more than 0.99.
    """
    risks = [least_risks(calibrator, expectation, kind) for kind in annotations]
    needed = max((float(np.nanmax(risk)) for risk in risks if not np.isnan(risk).all()), default=0)
    if needed > float(HIGHEST_RISK):
        return None
    return max(needed, LOWEST_RISK)


def chosen_risk(
    calibrator: Calibrator,
    expectation: Expectation,
    on_narrowed: Callable[[float], None] | None = None,
) -> float | Fraction:
    """The risk at which a plan calibrates: the owner's own (P1), or the least for his error (P2).

    Args:
        calibrator: The graph and the wish.
        expectation: Its expected errors.
        on_narrowed: As for `least_risk_for_mean`.

    Raises:
        UnreachableLimitError: No risk up to 0.99 meets the error limit.
    """
    parameters = calibrator.parameters
    if parameters.max_risk is not None:
        return parameters.max_risk
    assert parameters.max_error is not None
    if parameters.error_reading == "mean":
        risk = least_risk_for_mean(
            calibrator, expectation, parameters.max_error, parameters.annotations, on_narrowed
        )
    else:
        risk = least_risk_per_edge(calibrator, expectation, parameters.annotations)
    if risk is None:
        raise _unreachable(calibrator, expectation)
    return risk


def _unreachable(calibrator: Calibrator, expectation: Expectation) -> UnreachableLimitError:
    """The refusal: which edges stand in the way, their share of the error, what would help."""
    parameters = calibrator.parameters
    details = None
    if parameters.error_reading == "mean":
        kind, named = _worst_on_average(calibrator, expectation)
    else:
        _, kind, named, details = max(
            (_worst_edges(calibrator, expectation, kind) for kind in parameters.annotations),
            key=lambda found: found[0],
        )
    drop = f" drop --annotate {kind.value}," if len(parameters.annotations) > 1 else ""
    return UnreachableLimitError(
        f"No risk up to {float(HIGHEST_RISK)} keeps the error of {kind.value} at "
        f"{float(parameters.max_error or 0):g}. In the way: {', '.join(named)}.",
        hint=f"Raise --max-error,{drop} or leave those edges out of the log.",
        owner_details=details,
    )


def _worst_on_average(
    calibrator: Calibrator, expectation: Expectation
) -> tuple[Annotation, list[str]]:
    """The annotation whose error is largest at the highest risk, and the edges that make it so."""
    calibration = calibrator.at(HIGHEST_RISK)
    apes = {kind: expectation.ape(calibration, kind) for kind in calibrator.parameters.annotations}
    kind = max(apes, key=lambda kind: mean_of(apes[kind]) or 0.0)
    errors, places = np.nan_to_num(apes[kind]), expectation.edges(kind)
    order = np.argsort(-errors, kind="stable")[:_NAMED_EDGES]
    whole = errors.sum()
    named = [
        f"{calibrator.graph.edges[int(places[row])]} ({errors[row] / whole:.0%} of the error)"
        for row in order
        if errors[row] > 0
    ]
    return kind, named


def _worst_edges(
    calibrator: Calibrator, expectation: Expectation, kind: Annotation
) -> tuple[float, Annotation, list[str], str]:
    """How many edges need a higher risk, those that need the highest, and which that would be.

    The risk that an edge needs follows from its weight: it is for the owner alone.
    """
    needed = np.nan_to_num(least_risks(calibrator, expectation, kind), nan=0.0, posinf=np.inf)
    places = expectation.edges(kind)
    order = np.argsort(-needed, kind="stable")[:_NAMED_EDGES]
    beyond = [row for row in order if needed[row] > float(HIGHEST_RISK)]
    named = [str(calibrator.graph.edges[int(places[row])]) for row in beyond]
    risks = ", ".join(f"{needed[row]:.10g}" for row in beyond)
    number = float(np.sum(needed > float(HIGHEST_RISK)))
    return number, kind, named, f"the risk that each of them needs: {risks}"
