"""A small plotting module: axes, lines, dots, bars, bubbles, as the shapes of `canvas`.

It draws what hushmap needs and nothing more, with the fonts and colours of the maps, in light and
dark. Series differ in dash and are labelled at their end, so that colour is never needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.picture.canvas import Drawing, Path, Shape, Text
from hushmap.picture.lettering import text_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hushmap.picture.canvas import Point

_TITLE, _LABEL, _TICK = 13.0, 11.0, 10.5
_TICKS_WANTED = 5
_LOG_TICKS = 7
LINES: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("p0", ()),
    ("p1", (6.0, 3.0)),
    ("p2", (2.0, 3.0)),
)


def short(value: float) -> str:
    """A number on an axis.

    Example:
        >>> short(0.25), short(2000.0), short(1e-5), short(3e7)
        ('0.25', '2,000', '1e-5', '3e7')
    """
    if value and not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.0e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def percent(value: float) -> str:
    r"""A share on an axis.

    Example:
        >>> [percent(share).replace("\u00a0", " ") for share in (0.3, 0.0005, 25.0)]
        ['30 %', '0.05 %', '2,500 %']
    """
    return f"{short(round(value * 100, 10))}\u00a0%"


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its reach, whether it is logarithmic or counts, how its numbers are written."""

    low: float
    high: float
    label: str
    log: bool = False
    write: Callable[[float], str] = short
    whole: bool = False

    @classmethod
    def over(
        cls,
        values: Iterable[float],
        label: str,
        *,
        log: bool = False,
        write: Callable[[float], str] = short,
    ) -> Axis:
        """An axis that reaches over all values, to round numbers; logarithmic from 0 upwards."""
        known = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
        if not known:
            return cls(1.0 if log else 0.0, 10.0 if log else 1.0, label, log, write)
        low, high = min(known), max(known)
        if log:
            low, high = _round_log(low, up=False), _round_log(high, up=True)
            return cls(low, high if high > low else low * 10, label, log, write)
        low = min(low, 0.0)
        step = _step(high - low)
        high = math.ceil(round(high / step, 9)) * step if high > low else low + 1
        return cls(low, high, label, log, write)

    def place(self, value: float) -> float:
        """Where a value stands, from 0 to 1; what lies outside is set to the edge."""
        if self.log:
            value = max(value, self.low)
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(1.0, max(0.0, share))

    def ticks(self) -> list[float]:
        """Round numbers along the axis.

        Example:
            >>> Axis(0, 1, "risk").ticks()
            [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
            >>> Axis(0.01, 10, "error", log=True).ticks()
            [0.01, 0.1, 1.0, 10.0]
        """
        if not self.log:
            step = _step(self.high - self.low)
            step = max(1.0, math.ceil(step)) if self.whole else step
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            return [round(place * step, 12) for place in range(first, last + 1)]
        first = math.ceil(math.log10(self.low) - 1e-9)
        last = math.floor(math.log10(self.high) + 1e-9)
        every = max(1, math.ceil((last - first + 1) / _LOG_TICKS))
        decades = [float(f"1e{exponent}") for exponent in range(first, last + 1, every)]
        if len(decades) > 2:
            return decades
        steps = [float(f"{lead}e{e}") for e in range(first - 1, last + 1) for lead in (1, 2, 5)]
        return [step for step in steps if self.low * 0.999 <= step <= self.high * 1.001]


def _step(span: float) -> float:
    raw = span / _TICKS_WANTED
    size = 10.0 ** math.floor(math.log10(raw))
    return next(lead * size for lead in (1, 2, 2.5, 5, 10) if lead * size >= raw * 0.999)


def _round_log(value: float, *, up: bool) -> float:
    """The next of 1, 2, 5, 10, … from here."""
    exponent = math.floor(math.log10(value))
    leads = [float(f"{lead}e{e}") for e in (exponent, exponent + 1) for lead in (1, 2, 5)]
    if up:
        return next(lead for lead in leads if lead >= value * 0.9999)
    return max(lead for lead in leads if lead <= value * 1.0001)


@dataclass(frozen=True, slots=True)
class Panel:
    """The area of a plot, in pixels, and its axes."""

    x: float
    y: float
    width: float
    height: float
    across: Axis
    up: Axis

    def point(self, x: float, y: float) -> Point:
        """Where a pair of values stands."""
        return (
            self.x + self.across.place(x) * self.width,
            self.y + (1 - self.up.place(y)) * self.height,
        )

    def frame(self) -> list[Shape]:
        """Grid lines, ticks and the names of the axes."""
        bottom, right = self.y + self.height, self.x + self.width
        items: list[Shape] = []
        for value in self.up.ticks():
            y = self.point(self.across.low, value)[1]
            items.append(Path(((self.x, y), (right, y)), "rule", 1))
            items.append(Text(self.x - 8, y + 3.5, self.up.write(value), _TICK, "end", "muted"))
        last = -math.inf
        for value in self.across.ticks():
            x = self.point(value, self.up.low)[0]
            items.append(Path(((x, bottom), (x, bottom + 4)), "muted", 1))
            label = self.across.write(value)
            half = text_width(label, _TICK) / 2
            if x - half > last + 6:
                items.append(Text(x, bottom + 17, label, _TICK, "middle", "muted"))
                last = x + half
        items.append(Path(((self.x, bottom), (right, bottom)), "muted", 1))
        middle = self.x + self.width / 2
        items.append(Text(middle, bottom + 35, self.across.label, _LABEL, fill="ink"))
        return items

    def heading(self, title: str) -> list[Shape]:
        """The title, and below it the name of the upright axis, which so needs no turning."""
        left = self.x - self.margin_left()
        return [
            Text(left, self.y - 28, title, _TITLE, "start", bold=True),
            Text(left, self.y - 11, self.up.label, _LABEL, "start", "muted"),
        ]

    def margin_left(self) -> float:
        """Room for the numbers on the left."""
        return left_margin(self.up)


def left_margin(up: Axis) -> float:
    """Room for the numbers of an upright axis."""
    return max((text_width(up.write(value), _TICK) for value in up.ticks()), default=0) + 12


def end_labels(ends: Sequence[tuple[Point, str, str]], room: tuple[float, float]) -> list[Shape]:
    """Names at the ends of lines, moved apart where they would touch.

    Args:
        ends: The last point of a line, its name and its colour.
        room: The least and the greatest height.
    """
    gap = 14.0
    ordered = sorted(ends, key=lambda end: end[0][1])
    heights = [point[1] for point, _, _ in ordered]
    for place in range(1, len(heights)):
        heights[place] = max(heights[place], heights[place - 1] + gap)
    if heights:
        excess = max(0.0, heights[-1] - room[1])
        heights = [max(room[0] + gap * place, y - excess) for place, y in enumerate(heights)]
    return [
        Text(point[0] + 8, y + 4, name, _LABEL, "start", colour)
        for (point, name, colour), y in zip(ordered, heights, strict=True)
    ]


def finished(
    width: float, height: float, items: Iterable[Shape], title: str, description: str
) -> Drawing:
    """A plot as a drawing."""
    return Drawing(width, height, tuple(items), title, description, padding=12.0)


def fitted(name: str, width: float, size: float = _LABEL) -> str:
    """A name cut to a width.

    Example:
        >>> fitted("A very long name of a log", 60)
        'A very lon…'
    """
    shown = name
    if text_width(shown, size) <= width:
        return shown
    while shown and text_width(shown + "…", size) > width:
        shown = shown[:-1]
    return shown.rstrip() + "…"
