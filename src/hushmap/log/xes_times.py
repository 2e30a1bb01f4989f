"""Timestamps of XES: text in, integer microseconds since 1970 UTC out.

``read_time`` is the definition: one value, one regular expression. ``read_times`` gives the same
answers for many values at once: values of one layout (``2014-10-22T11:15:41.000+02:00``) are
read column by column with NumPy, and whatever does not fit goes to ``read_time``.

What is accepted: ISO 8601 in its extended form with a year of four digits. A date alone is its
midnight; ``T``, ``t`` or one space stand before the time; seconds may be absent; a fraction has
any number of digits after ``.`` or ``,``; the offset is ``Z``, ``z``, ``+02:00``, ``+0200``,
``+02`` or absent (then the time is read as UTC and counted as naive). ``24:00:00`` is midnight
of the next day, as XML Schema says. Digits finer than a microsecond are cut off, not rounded, so
that no time moves into the future; where one of them was not zero, that is counted. All else is
unreadable: a leap second (``:60``), an impossible date, an offset of a day or more. It is never
replaced by a default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

NO_TIME = int(np.iinfo(np.int64).min)
UNREADABLE_TIME = NO_TIME + 1
"""Stands for a time that is missing, the next number for one that is unreadable."""

_DAY = 86_400_000_000
_UNIX_EPOCH = date(1970, 1, 1).toordinal()
_FEW = 16
"""Groups of values below this size are read one by one."""

_TIME = re.compile(
    rb"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    rb"(?:[Tt ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?)?"
    rb"(?P<offset> ?(?:[Zz]|(?P<sign>[+-])(?P<hours>\d\d)(?::?(?P<minutes>\d\d))?))?"
)
_NUMBERS = [name for name in _TIME.groupindex if name not in {"offset", "sign"}]
_SPACE = b" \t\r\n"


@dataclass(frozen=True, slots=True, repr=False)
class Time(OwnerOnly):
    """One time that could be read."""

    microseconds: int
    naive: bool
    """It had no offset and was read as UTC."""
    truncated: bool
    """It had digits finer than a microsecond that were not zero."""


def read_time(value: bytes) -> Time | None:
    """Read one timestamp, or answer None if it is unreadable.

    Example:
        >>> read_time(b"1970-01-01T01:00:00.5+01:00").microseconds
        500000
        >>> read_time(b"1970-02-30T00:00:00")
    """
    match = _TIME.fullmatch(value.strip(_SPACE))
    if match is None:
        return None
    part = match.groupdict(default=b"0")
    try:
        day = date(int(part["year"]), int(part["month"]), int(part["day"])).toordinal()
    except ValueError:
        return None
    hour, minute, second = int(part["hour"]), int(part["minute"]), int(part["second"])
    fraction = part["fraction"]
    finer = fraction[6:].strip(b"0") != b""
    microsecond = int(fraction[:6].ljust(6, b"0"))
    hours, minutes = int(part["hours"]), int(part["minutes"])
    if minute > 59 or second > 59 or hours > 23 or minutes > 59:
        return None
    if hour > 23 and (hour, minute, second, fraction.strip(b"0")) != (24, 0, 0, b""):
        return None
    offset = (hours * 60 + minutes) * (-60 if part["sign"] == b"-" else 60)
    seconds = hour * 3600 + minute * 60 + second - offset
    return Time(
        microseconds=(day - _UNIX_EPOCH) * _DAY + seconds * 1_000_000 + microsecond,
        naive=match["offset"] is None,
        truncated=finer,
    )


@dataclass(frozen=True, slots=True, repr=False)
class Times(OwnerOnly):
    """Many times, and what was noticed on the way."""

    microseconds: npt.NDArray[np.int64]
    """``UNREADABLE_TIME`` where the value is unreadable."""
    unreadable: int
    naive: int
    truncated: int


def read_times(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    *,
    decode: Callable[[bytes], bytes] = bytes,
) -> Times:
    """Read the values ``text[start : start + length]``.

    Args:
        text: The bytes that hold the values.
        starts: Where each value begins.
        lengths: How many bytes each value has.
        decode: What turns a raw value into the one that is meant (XML references), applied to
            those values that are not in a plain layout.
    """
    reader = _Reader(text, starts, lengths, decode)
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        reader.read_length(length)
    return Times(
        microseconds=reader.microseconds,
        unreadable=int(np.count_nonzero(reader.microseconds == UNREADABLE_TIME)),
        naive=reader.naive,
        truncated=reader.truncated,
    )


class _Reader:
    """The state of one call of ``read_times``."""

    def __init__(
        self,
        text: npt.NDArray[np.uint8],
        starts: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int64],
        decode: Callable[[bytes], bytes],
    ) -> None:
        self._text = text
        self._starts = starts
        self._lengths = lengths
        self._decode = decode
        self.microseconds = np.full(len(starts), UNREADABLE_TIME, dtype=np.int64)
        self.naive = 0
        self.truncated = 0

    def read_length(self, length: int) -> None:
        """Read all values of one length: by layout while many share one, then one by one."""
        left = np.flatnonzero(self._lengths == length)
        for _ in range(3):
            if len(left) < _FEW:
                break
            first = int(self._starts[left[0]])
            layout = _TIME.fullmatch(self._text[first : first + length].tobytes())
            if layout is None or layout["second"] is None:
                break
            left = self._read_layout(left, length, layout)
        self._read_singly(left, length)

    def _read_layout(
        self, which: npt.NDArray[np.int64], length: int, layout: re.Match[bytes]
    ) -> npt.NDArray[np.int64]:
        """Read those values that look like ``layout``; answer the others."""
        values = np.ndarray(
            (len(self._text) - length + 1,),
            dtype=np.dtype((np.void, length)),
            buffer=self._text,
            strides=(1,),
        )[self._starts[which]]
        # One row per column of the text: row 0 holds the first character of every value.
        columns = np.ascontiguousarray(values.view(np.uint8).reshape(-1, length).T)
        expected = np.frombuffer(layout.string, dtype=np.uint8).copy()
        most = np.zeros(length, dtype=np.uint8)
        for name in _NUMBERS:
            start, end = layout.span(name)
            expected[start:end], most[start:end] = ord("0"), 9
        minus = None
        if layout["sign"] is not None:
            sign = columns[layout.start("sign")]
            minus = sign == ord("-")
            sign[minus] = ord("+")
            expected[layout.start("sign")] = ord("+")
        columns ^= expected[:, np.newaxis]  # now a digit is its number, and the rest is 0
        fits = (columns <= most[:, np.newaxis]).all(axis=0)

        def number(name: str, digits: int = 9) -> npt.NDArray[np.int64]:
            value = np.zeros(len(which), dtype=np.int64)
            start, end = layout.span(name)
            places = range(start, min(end, start + digits))
            for place in places[::2]:
                if place + 1 in places:
                    value *= 100
                    value += columns[place] * 10 + columns[place + 1]  # below 256 in what fits
                else:
                    value *= 10
                    value += columns[place]
            return value

        days, possible = _days(number("year"), number("month"), number("day"))
        hour, minute, second = number("hour"), number("minute"), number("second")
        hours, minutes = number("hours"), number("minutes")
        fits &= possible & (hour < 24) & (minute < 60) & (second < 60)
        fits &= (hours < 24) & (minutes < 60)
        offset = (hours * 60 + minutes) * 60
        if minus is not None:
            np.negative(offset, out=offset, where=minus)
        start, end = layout.span("fraction")
        microsecond = number("fraction", digits=6) * 10 ** (6 - min(end - start, 6))
        seconds = hour * 3600 + minute * 60 + second - offset
        times = days * _DAY + seconds * 1_000_000 + microsecond
        self.microseconds[which[fits]] = times[fits]
        if layout["offset"] is None:
            self.naive += int(np.count_nonzero(fits))
        if end - start > 6:
            finer = columns[start + 6 : end].any(axis=0)
            self.truncated += int(np.count_nonzero(finer & fits))
        return which[~fits]

    def _read_singly(self, which: npt.NDArray[np.int64], length: int) -> None:
        known: dict[bytes, Time | None] = {}
        for index, start in zip(which.tolist(), self._starts[which].tolist(), strict=True):
            raw = self._text[start : start + length].tobytes()
            if raw not in known:
                known[raw] = read_time(self._decode(raw))
            time = known[raw]
            if time is not None:
                self.microseconds[index] = time.microseconds
                self.naive += time.naive
                self.truncated += time.truncated


_MONTH_DAYS = np.array([[0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0]] * 2, dtype=np.int64)
"""Days of a month, 0 and 13 for what is none; in the second row those of a leap year."""
_MONTH_DAYS[1, 2] += 1
_DAYS_BEFORE_MONTH = np.cumsum(_MONTH_DAYS, axis=1) - _MONTH_DAYS
_YEARS = np.arange(10_000)
_IS_LEAP = ((_YEARS % 4 == 0) & ((_YEARS % 100 != 0) | (_YEARS % 400 == 0))).astype(np.int64)
_DAYS_BEFORE_YEAR = 365 * _YEARS + np.cumsum(_IS_LEAP) - _IS_LEAP - 366 - _UNIX_EPOCH
"""From 1970 on; in the calendar's count the day 1 is the first of the year 1."""


def _days(
    year: npt.NDArray[np.int64], month: npt.NDArray[np.int64], day: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Days since 1970 of a date of the Gregorian calendar, and whether there is such a date."""
    month = np.minimum(month, 13) + 14 * _IS_LEAP.take(year, mode="clip")
    possible = (year > 0) & (day > 0) & (day <= _MONTH_DAYS.take(month))
    days = _DAYS_BEFORE_YEAR.take(year, mode="clip") + _DAYS_BEFORE_MONTH.take(month) + day
    return days, possible
