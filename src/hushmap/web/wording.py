"""Words: what each term means, and errors in the words of the page.

Errors are written once, in the words of the command line. Here its options become the names of
the fields, and its values what the fields show.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.picture.charts import percent as axis_percent
from hushmap.risk import repeated_risk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hushmap.exceptions import HushmapError
    from hushmap.web.project import Source

GLOSSARY = {
    "log": (
        "An event log is a table with one row per event: which case (a patient, an order), which "
        "activity, and when."
    ),
    "case": "What runs through the process: one patient, one order, one file. Often a person.",
    "activity": "What was done at a step, such as Register or Blood test.",
    "timestamp": "When the event happened. It puts the events of a case in order.",
    "lifecycle": (
        "Some systems write several events for one activity: scheduled, started, completed. "
        "Usually only the completed ones count."
    ),
    "edge": (
        "An arrow of the map: one activity directly followed by another. A case that takes it "
        "three times adds three to its frequency."
    ),
    "variant": "A sequence of activities. A case with one of its own can be recognised by it.",
    "annotation": (
        "The number written on each arrow. Every further kind shares one privacy budget with the "
        "others, so each becomes less accurate."
    ),
    "attacker": (
        "The person who tries to find something out from the map. What he knows already decides "
        "how much noise is needed."
    ),
    "any": (
        "Nothing is assumed about what others know. This is the strongest protection and the "
        "one to choose when in doubt."
    ),
    "empirical": (
        "Assumes that outsiders know no more than how long such steps usually take. About half "
        "the noise on times; whoever knows more may learn more."
    ),
    "precision": (
        "How close a guess of a time must be to count as right. 10 % means: within plus or minus "
        "a tenth of the longest time on that arrow."
    ),
    "range": (
        "Noise on a time must be as large as the longest time possible. If that is read off the "
        "log, the longest time itself is given away."
    ),
    "risk": (
        "By how many percentage points the map may raise anybody's chance of guessing a secret "
        "about one step of one case. At 20 a chance of 10 % becomes at most 30 %."
    ),
    "error": (
        "How far the numbers on the map are expected to be off, as a share of the true number. "
        "At 10 % a true 200 is typically shown as 180 to 220."
    ),
    "reading": (
        "On average: the error averaged over all arrows. On every arrow: each single one stays "
        "within the limit with the confidence given, which needs a much higher risk."
    ),
    "confidence": "How surely each arrow stays within the error. 95 means: in 95 of 100 draws.",
    "resolution": (
        "Times are counted in whole steps of this length, and nothing finer is kept. One second "
        "suits most logs."
    ),
    "scope": (
        "All together: the risk holds for everything on the map. Each alone: for every kind of "
        "number by itself; together they tell more."
    ),
    "min_occurrences": (
        "Arrows taken fewer times than this are protected against anybody, because so few times "
        "say nothing about what is usual."
    ),
    "max_risk_any": (
        "A second limit that holds even against someone who knows more than how long such steps "
        "usually take."
    ),
    "noise": (
        "A random number, drawn once and added to each true number. It may raise or lower it. "
        "Nobody can take it away again."
    ),
    "simulated": (
        "Noise of the strength that you chose, but made up for this page. The real draw will give "
        "other numbers; looking at this one costs nothing."
    ),
    "certificate": (
        "A page that goes with the map and says in plain words what is promised and what is not."
    ),
    "person": (
        "The limit holds for one step. Whoever takes many, as most people in a log do, can lose "
        "more; this is what the formula in the certificate comes to."
    ),
    "draw": (
        "The noise is drawn once. A second map of the same log tells more about the same people, "
        "so looking at several and choosing the nicest is not free."
    ),
}

_STEPS_OF_A_PERSON = (2, 3, 5, 10)

# Above this share the exact figure says no more.
HOPELESS = 100.0

# What the options of the command line are called on the page.
_FIELDS = {
    "case": "Case",
    "activity": "Activity",
    "timestamp": "Time",
    "timestamp-format": "How times are written",
    "lifecycle": "Which events count",
    "lifecycle-column": "Lifecycle",
    "delimiter": "Between columns",
    "encoding": "Encoding",
    "annotate": "What the map shows",
    "attacker": "Whom against",
    "precision": "A guess counts as right within",
    "max-risk-any": "Limit against anybody",
    "max-duration": "Longest time of a step",
    "range": "What the noise on times is scaled to",
    "resolution": "Resolution",
    "scope": "What the limit covers",
    "min-occurrences": "Few occurrences",
    "error-reading": "How the error is read",
    "confidence": "Confidence",
    "max-risk": "Risk",
    "max-error": "Error",
}
# What else is said otherwise there.
_PHRASES = tuple(
    (re.compile(said), on_the_page)
    for said, on_the_page in (
        (r"^case: column '(.*)' \(", r"Case: column “\1” ("),
        (r"^activity: column '(.*)' \(", r"Activity: column “\1” ("),
        (r"^timestamp: column '(.*)' \(", r"Time: column “\1” ("),
        (r"^lifecycle: ", "Lifecycle: "),
        (r"^times", "Times"),
        (r"the attacker (?:empirical|paper) saves", "the weaker attacker saves"),
        ("All edges are calibrated as for any\\.", "Every edge is protected as against anybody."),
        (r"--max-duration FILE\.csv", "the path of a CSV in --max-duration"),
        ("drop another annotation", "leave out another number"),
        ("Or choose the range observed", "Or choose the longest time in the log"),
    )
)
_ROUND_RISK = re.compile(r"such as (0\.\d+)(?=\.$)")
_OPTION = re.compile(r"--([a-z][a-z-]+)")
_COMMANDS = re.compile(
    r"\s*(?:Run again with --owner-details for its own words\.|"
    r"See --help for the formats\.|;? ?run again with --owner-details[^.]*\.)"
)


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as the page shows it.

    Attributes:
        what: What went wrong.
        hint: What to do.
        field: The field it belongs to; empty where it belongs to none.
        details: What the program below said; may quote the log, so it is folded away.
    """

    what: str
    hint: str
    field: str
    details: str


def in_words_of_the_page(text: str) -> str:
    """A sentence with the names of fields in place of options, and their words for the rest.

    Example:
        >>> in_words_of_the_page("Give --max-risk (0 to 1), or raise --max-error.")
        'Give “Risk” (0 to 1), or raise “Error”.'
        >>> in_words_of_the_page("case: column 'id' (recognised by its name)")
        'Case: column “id” (recognised by its name)'
        >>> in_words_of_the_page("Release with a round --max-risk, such as 0.35.")
        'Release with a round “Risk”, such as 35 percentage points.'
    """
    for said, on_the_page in _PHRASES:
        text = said.sub(on_the_page, text)
    text = _ROUND_RISK.sub(
        lambda found: f"such as {points(float(found[1]))} percentage points", text
    )
    return _OPTION.sub(lambda found: f"“{_FIELDS.get(found[1], found[1])}”", text)


def problem_of(error: HushmapError, source: Source | None, fallback: str = "") -> Problem:
    """An error in the words of the page.

    Args:
        error: The error.
        source: The log, whose file in the private folder is called by the owner's name for it.
        fallback: The field where the error does not say which.
    """

    def shown(text: str | None) -> str:
        text = text or ""
        return text.replace(source.path, source.shown) if source is not None else text

    named = _OPTION.search(f"{error.what} {error.hint or ''}")
    field = named[1] if named and named[1] in _FIELDS else fallback
    where = f" ({shown(error.where)})" if error.where else ""
    return Problem(
        what=in_words_of_the_page(shown(error.what)).rstrip(".") + f"{where}.",
        hint=in_words_of_the_page(_COMMANDS.sub("", shown(error.hint))),
        field=field.replace("-", "_"),
        details=shown(error.owner_details),
    )


def percent(share: float | None) -> str:
    r"""A share in two digits; far beyond use, only that it is.

    Example:
        >>> [percent(share).replace("\u00a0", " ") for share in (0.0853, 1.234, 8000, None)]
        ['8.5 %', '120 %', 'over 10,000 %', '–']
    """
    if share is None:
        return "–"
    if share > HOPELESS:
        return f"over {axis_percent(HOPELESS)}"
    return axis_percent(float(f"{share:.2g}"))


def points(risk: float) -> str:
    """A risk in percentage points, in at most three digits.

    Example:
        >>> points(0.2), points(0.12345), points(0.0012)
        ('20', '12.3', '0.12')
    """
    return f"{float(f'{risk * 100:.3g}'):g}"


def counted(number: int, one: str, more: str) -> str:
    """A number with what is counted.

    Example:
        >>> counted(1, "row has", "rows have"), counted(4447, "row has", "rows have")
        ('1 row has', '4,447 rows have')
    """
    return f"{number:,} {one if number == 1 else more}"


def moment(iso: str) -> str:
    """A time for people, to the minute.

    Example:
        >>> moment("2013-11-07T07:18:29Z")
        '2013-11-07 07:18 UTC'
    """
    return f"{iso[:16].replace('T', ' ')} UTC" if iso[16:17] == ":" else iso


_ALMOST_CERTAIN = 0.999


def _sure(risk: float) -> str:
    """No risk is certain, so none is rounded to 100."""
    return points(risk) if risk < _ALMOST_CERTAIN else f"more than {points(_ALMOST_CERTAIN)}"


def about_a_person(figures: Mapping[str, float | int | None]) -> list[str]:
    """What the limit for one step comes to for somebody who takes several. Owner only.

    Args:
        figures: The figures of the release as a whole, ``summary["release"]`` of a plan.

    Example:
        >>> for sentence in about_a_person({"risk_any": 0.2, "risk_of_an_event": 0.54,
        ...     "mean_occurrences_per_case": 4.0, "risk_of_a_mean_case": 0.67,
        ...     "most_occurrences_of_a_case": 5, "risk_of_the_largest_case": 0.767}):
        ...     print(sentence)
        About somebody who takes several steps more can be learnt: with 2 steps the limit is 38.5
        percentage points, with 3 it is 54.3, with 5 it is 76.7, with 10 it is 96.6.
        In this log a case takes 4.0 steps on average, which makes 67 percentage points; the longest
        takes 5, which makes 76.7.
    """
    risk = figures["risk_any"]
    if figures["risk_of_an_event"] is None or risk is None:
        return ["For somebody who takes several steps there is no limit."]
    first, *others = ((steps, _sure(repeated_risk(risk, steps))) for steps in _STEPS_OF_A_PERSON)
    said = [
        f"About somebody who takes several steps more can be learnt: with {first[0]} steps the "
        f"limit is {first[1]} percentage points, "
        + ", ".join(f"with {steps} it is {limit}" for steps, limit in others)
        + "."
    ]
    mean, largest = figures["risk_of_a_mean_case"], figures["risk_of_the_largest_case"]
    if mean is not None:
        sentence = (
            f"In this log a case takes {figures['mean_occurrences_per_case']:.1f} steps on "
            f"average, which makes {_sure(mean)} percentage points"
        )
        if largest is not None:
            sentence += (
                f"; the longest takes {figures['most_occurrences_of_a_case']:,}, which makes "
                f"{_sure(largest)}"
            )
        said.append(f"{sentence}.")
    return said
