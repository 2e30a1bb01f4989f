"""The certificate in plain words: a lawyer must be able to follow them (method.md §2, §9).

Each sentence depends on the owner's parameters alone, so that the text itself tells nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hushmap.graph import Annotation
from hushmap.planning.draws import draws_of, how_long_loss, whether_loss
from hushmap.planning.parameters import Attacker
from hushmap.risk import repeated_risk

if TYPE_CHECKING:
    from fractions import Fraction

    from hushmap.planning.parameters import PlanParameters


_AS_STRONG = (
    "The noise is as strong as that leaves room for; how strong it is depends on the private log "
    "and is therefore not stated."
)


def _percent(value: Fraction | float) -> str:
    return f"{float(value) * 100:.6g} %"


def points(gain: Fraction | float) -> str:
    """A gain that was computed, in percentage points: four digits, rounded up.

    Example:
        >>> points(0.2 / 0.52)
        '38.47 percentage points'
    """
    percent = float(gain) * 100
    size = 10.0 ** (math.floor(math.log10(percent)) - 3)
    # What is a hair above four digits is so by the rounding of floats.
    return f"{math.ceil(percent / size - 1e-6) * size:.4g} percentage points"


def _chosen(limit: Fraction | float) -> str:
    """A limit as the owner wrote it: a rounded one might promise more than holds."""
    return f"{float(limit) * 100:.10g} percentage points"


def promised(
    parameters: PlanParameters, cap: float | None, *, against_any: bool, max_duration: str | None
) -> tuple[str, ...]:
    """What is promised.

    Args:
        parameters: What the owner asked for.
        cap: The largest risk of an edge against any belief.
        against_any: Whether every belief of the attacker is covered.
        max_duration: The declared bound, if one holds for all edges.
    """
    sentences = [_limit(parameters, against_any=against_any)]
    if parameters.max_risk is not None:
        sentences += _questions(parameters)
    sentences += _scope(parameters, against_any=against_any)
    if parameters.max_risk is not None:
        sentences.append(_whom(parameters, cap, against_any))
        if against_any:
            sentences += _units(parameters)
    if parameters.range_kind == "declared":
        bound = f"of {max_duration}" if max_duration else "declared per edge"
        sentences.append(
            f"The noise on times is scaled to a public bound {bound}, which the owner says was "
            "chosen from knowledge of the process and not from this log. Longer times were cut to "
            "it before anything was computed."
        )
    sentences.append(
        "Every number shown carries random noise that can raise or lower it, drawn once, by "
        "OpenDP's discrete Laplace sampler; no number is exact except by chance. Numbers that fell "
        "below 1 were set to 1, so small ones are too large on average."
    )
    return tuple(sentences)


def _limit(parameters: PlanParameters, *, against_any: bool) -> str:
    if parameters.max_risk is not None:
        risk = parameters.max_risk
        # A limit for one belief must not read like a limit for all where this sentence is quoted
        # by itself.
        knowing = (
            ""
            if against_any
            else ", and knows beforehand no more of it than how long such steps take in this log,"
        )
        return (
            "Whoever tries to guess a secret about one single step of one case (an occurrence: "
            f"one activity directly followed by another){knowing} gains from this map at most "
            f"{_chosen(risk)} in the chance of being right: from 10 % before to at most "
            f"{min(100, 10 + float(risk) * 100):.10g} % after, for example."
        )
    assert parameters.max_error is not None
    if parameters.error_reading == "per-edge":
        return (
            "The owner limited the error: every edge was to be wrong by at most "
            f"{_percent(parameters.max_error)} with a probability of "
            f"{_percent(parameters.confidence)}. {_AS_STRONG}"
        )
    return (
        "The owner limited the error: the expected error of the map, averaged over its edges, was "
        f"to be at most {_percent(parameters.max_error)}. {_AS_STRONG}"
    )


def _questions(parameters: PlanParameters) -> list[str]:
    sentences = []
    if parameters.has_frequency:
        sentences.append("The secret may be whether the step took place at all.")
    if parameters.times:
        sentences.append("The secret may be how long the step took.")
    return sentences


def _scope(parameters: PlanParameters, *, against_any: bool) -> list[str]:
    draws = draws_of(parameters.annotations)
    if len(parameters.annotations) == 1:
        return []
    error = ["Each kind of number in this map keeps to that error."]
    if parameters.scope == "release":
        together = ["This holds for everything in this map taken together."]
        return together if parameters.max_risk is not None else error
    number = max(whether_loss(draws), how_long_loss(draws))
    several = (
        f"the {len(draws)} independently drawn quantities of an edge alone, as in the paper that "
        "the method starts from. Taken together they give up to "
        f"{number} times the information (their ε add up)"
    )
    if parameters.max_risk is None:
        return [*error, f"The noise is chosen for each of {several}."]
    if against_any:
        several += (
            f": then the limit is {points(repeated_risk(float(parameters.max_risk), number))}"
        )
    return [f"This holds for each of {several}."]


def _whom(
    parameters: PlanParameters,
    cap: float | None,
    against_any: bool,
) -> str:
    knowing = (
        "The attacker is taken to know every other occurrence of the same edge, the program and "
        "this certificate."
    )
    if parameters.attacker is Attacker.ANY or not parameters.times:
        return (
            f"{knowing} What he believed beforehand does not matter, nor how close a guess must be."
        )
    if against_any:
        return (
            f"{knowing} Because frequencies are shown too, what he believed beforehand does not "
            "matter: the weaker attacker that was chosen saves no noise here."
        )
    assert parameters.precision is not None
    assert cap is not None
    share = parameters.precision.share
    near = f"within {parameters.precision}"
    if share is not None:
        near = f"within ± {_percent(share)} of the edge's range"
    how = {
        Attacker.EMPIRICAL: "The limit was computed exactly for him.",
        Attacker.PAPER: "The limit was computed by the bound of Elkoumy, Pankova and Dumas (2020).",
    }[parameters.attacker]
    # A cap is kept to by each draw; under the scope `annotation` their ε add up.
    number = how_long_loss(draws_of(parameters.annotations))
    if parameters.scope == "annotation" and number > 1:
        most = f"{points(repeated_risk(cap, number))} from the times of an edge together"
    else:
        most = f"{_chosen(cap)} from the times of an edge"
    return (
        f"{knowing} Beforehand he believed that the duration is distributed like those of the same "
        f"edge in this log, and a guess {near} counts as right. {how} An attacker with any other "
        "belief, who does not take the strength of the noise for evidence, gains at most "
        f"{most}."
    )


def _units(parameters: PlanParameters) -> list[str]:
    """Limits for an event and a timestamp; only where the limit holds for the whole release."""
    if parameters.scope == "annotation" and len(draws_of(parameters.annotations)) > 1:
        return []
    assert parameters.max_risk is not None
    risk = float(min(parameters.max_risk, parameters.max_risk_any or parameters.max_risk))
    sentences = []
    if parameters.has_frequency:
        sentences.append(
            "Adding or removing one event changes up to three occurrences; for it the limit is "
            f"{points(repeated_risk(risk, 3))}."
        )
    if parameters.times:
        sentences.append(
            "Moving one timestamp, where the order of events stays as it is, changes up to two "
            "durations; for it the limit is "
            f"{points(repeated_risk(risk, 2))}."
        )
    return sentences


def not_promised(parameters: PlanParameters, *, against_any: bool) -> tuple[str, ...]:
    """What is not promised.

    Args:
        parameters: What the owner asked for.
        against_any: Whether every belief of the attacker is covered.
    """
    sentences = [
        _not_for_a_person(parameters, against_any),
        (
            "Which activities and edges exist is shown as observed and is not protected. An edge "
            "that is shown was walked at least once"
            + (
                "."
                if _exact_counts(parameters) or parameters.max_risk is None
                else "; whether a step took place is promised only between logs that show the same "
                "edges."
            )
        ),
    ]
    if parameters.times:
        sentences += _about_times(parameters, against_any)
    if parameters.max_error is not None:
        sentences.append(
            "No risk is promised. How strong the noise is was computed from the whole private log, "
            "so that the error limit is met: whoever takes the strength of the noise for evidence "
            "may gain more than the risk that the owner was told, and the release is not "
            "differentially private. An owner who wants to promise a risk chooses one, and "
            "releases with that."
        )
    else:
        sentences.append(
            "The limit is on the gain, not on the chance itself: a secret that was likely to be "
            "guessed before stays likely."
        )
    sentences += [
        (
            "Another map of the same log, or of another month with the same people, adds to the "
            "risk; the gains do not simply add up, their ε do."
        ),
        "Computers that the attacker watches while they run (timing, memory) are not covered.",
    ]
    return tuple(sentences)


def _not_for_a_person(parameters: PlanParameters, against_any: bool) -> str:
    unit = (
        "The unit is one occurrence of one edge, with all else taken as unaffected. A case of L "
        "events walks L + 1 edges, and whoever appears often is protected less"
    )
    if parameters.max_error is not None:
        return f"The noise is not made for a person. {unit}: the ε of all occurrences add up."
    place = (
        "place of a limit δ."
        if against_any
        else "place of δ, the limit against any belief; the other one says nothing about several "
        "occurrences."
    )
    return (
        f"It is not a limit for a person. {unit}: for m occurrences of one person read "
        f"tanh(m · artanh δ) in {place} What a case of this log stands to lose in all, on average "
        "and at most, was computed for the owner; it depends on the private log and is not stated."
    )


def _exact_counts(parameters: PlanParameters) -> bool:
    """Whether a mean is divided by the exact number of occurrences, which nothing protects (§9)."""
    return Annotation.MEAN in parameters.annotations and not parameters.has_frequency


def _about_times(parameters: PlanParameters, against_any: bool) -> list[str]:
    sentences = []
    limited = parameters.max_risk is not None
    if not limited:
        if _exact_counts(parameters):
            sentences.append(
                "Nothing hides how often a step was taken: a mean is divided by the exact number "
                "of occurrences."
            )
    elif not parameters.has_frequency:
        sentences.append(
            "The limit is about how long a step took, among logs in which the same steps took "
            "place. "
            + (
                "Whether a step took place is not protected: a mean is divided by the exact number "
                "of occurrences."
                if _exact_counts(parameters)
                else "Whether a step took place is protected only as far as the limit against any "
                "belief reaches."
            )
        )
    elif parameters.scope == "annotation":
        sentences.append(
            "The times were calibrated for how long a step took, among logs with the same number "
            "of occurrences; a time also tells something about whether the step took place, which "
            "the limit on the frequency does not count."
        )
    if parameters.range_kind == "observed":
        sentences.append(
            "The longest duration of each edge is not protected, nor is the presence of one that "
            "is longer than all others: the noise is scaled to the longest duration observed, "
            "which is itself a secret. Only a bound declared in public (--max-duration) is free "
            "of this."
        )
    if limited and not against_any:
        sentences.append(
            "The strength of the noise is computed from the edge's own durations. Someone who "
            "knows more than how such durations are distributed may gain more than the limit; for "
            "him only the limit against any belief holds"
            + (
                ". "
                if parameters.range_kind == "declared"
                else ", and that one rests on the observed range. "
            )
            + "Someone who takes the strength of the noise for evidence may gain more than that, "
            "too: for him no limit is stated."
        )
    if parameters.range_kind == "declared":
        sentences.append(
            "Times longer than the declared bound were cut to it, so weights made of them are too "
            "small."
        )
    return sentences
