"""Spans of time as people write them (``30min``, ``1.5 h``) and read them (``3.2 d``).

Inside hushmap a duration is a whole number of microseconds, and from discovery on a whole number
of *ticks* of the public resolution (method.md §1). Nothing here rounds silently: a span that is
not a whole number of microseconds is refused.
"""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction

from hushmap.exceptions import UsageError

MICROSECONDS_PER_SECOND = 1_000_000
LONGEST = 10_000 * 366 * 86_400 * MICROSECONDS_PER_SECOND
"""No two times that can be written lie further apart: the years 1 to 9999."""

_UNITS: dict[str, int] = {
    "us": 1,
    "µs": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "sec": 1_000_000,
    "m": 60_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
    "day": 86_400_000_000,
    "days": 86_400_000_000,
    "w": 604_800_000_000,
    "week": 604_800_000_000,
    "weeks": 604_800_000_000,
}
_SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zµ]+)\s*", re.IGNORECASE)
_ROUND_UNITS = (
    ("w", 604_800_000_000),
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("min", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
)
# (unit, seconds in it, the next unit starts at this many seconds)
_HUMAN = (
    ("µs", 1e-6, 1e-3),
    ("ms", 1e-3, 1.0),
    ("s", 1.0, 60.0),
    ("min", 60.0, 3_600.0),
    ("h", 3_600.0, 86_400.0),
    ("d", 86_400.0, 2 * 365.25 * 86_400.0),
    ("y", 365.25 * 86_400.0, float("inf")),
)


def parse_timespan(text: str | timedelta, parameter: str = "a time span") -> int:
    """Read a span of time such as ``30min``; returns whole microseconds.

    Args:
        text: A number and a unit: us, ms, s, min, h, d or w; or a `timedelta`.
        parameter: The name of the parameter, for the error.

    Raises:
        UsageError: The text is no positive span of whole microseconds, or longer than all time.

    Example:
        >>> parse_timespan("1.5 h") == 5_400 * 1_000_000
        True
    """
    if isinstance(text, timedelta):
        text = f"{text // timedelta(microseconds=1)}us"
    match = _SPAN.fullmatch(str(text))
    unit = _UNITS.get(match.group(2).lower()) if match else None
    if match is None or unit is None:
        raise UsageError(
            f"{parameter} is {text!r}, which is no span of time.",
            hint="Write a number and a unit, one of us, ms, s, min, h, d, w: for example 30min.",
        )
    span = Fraction(match.group(1)) * unit
    if span.denominator != 1 or span <= 0:
        raise UsageError(
            f"{parameter} is {text!r}; it must be positive and a whole number of microseconds.",
            hint="Write for example 1s, 500ms or 30min.",
        )
    if span > LONGEST:
        raise UsageError(f"{parameter} is longer than 10,000 years.", hint="Write for example 30d.")
    return int(span)


def exact_timespan(microseconds: int) -> str:
    """Write a span exactly, in the largest unit that divides it; `parse_timespan` reads it back.

    Example:
        >>> exact_timespan(1_800_000_000)
        '30min'
    """
    for unit, size in _ROUND_UNITS:
        if microseconds and microseconds % size == 0:
            return f"{microseconds // size}{unit}"
    return f"{microseconds}us"


def human_seconds(seconds: float) -> str:
    """Write a duration for people: two or three digits and a unit.

    Example:
        >>> human_seconds(276_480.0), human_seconds(2_700.0), human_seconds(0)
        ('3.2 d', '45 min', '0 s')
    """
    if seconds == 0:
        return "0 s"
    if seconds < 0:
        return f"-{human_seconds(-seconds)}"
    for unit, size, limit in _HUMAN:
        # Rounding may carry into the next unit (59.96 s is 1 min), so the limit is met rounded.
        if seconds < limit and float(f"{seconds / size:.3g}") * size < limit:
            value = seconds / size
            digits = f"{value:.1f}".removesuffix(".0") if value < 9.95 else f"{value:.0f}"
            return f"{digits} {unit}"
    raise AssertionError("the last unit has no limit")
