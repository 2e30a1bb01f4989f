"""Numbers as people read them, and the scales that turn them into colours and widths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.graph import Annotation
from hushmap.timespan import MICROSECONDS_PER_SECOND, human_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable

# What an annotation is called beside a number, and as a heading.
WORDS = {
    Annotation.FREQUENCY: "frequency",
    Annotation.SUM: "total time",
    Annotation.MEAN: "mean time",
    Annotation.MIN: "shortest time",
    Annotation.MAX: "longest time",
}
_EXACT_BELOW = 100_000
_LARGE = (("k", 10**3), ("M", 10**6), ("G", 10**9), ("T", 10**12))


def human_count(count: int) -> str:
    """A count in at most six digits.

    Example:
        >>> human_count(4821), human_count(1_234_567), human_count(10**20)
        ('4,821', '1.23 M', '1.0e+20')
    """
    if abs(count) < _EXACT_BELOW:
        return f"{count:,}"
    for unit, size in _LARGE:
        value = count / size
        if abs(value) < 999.5:
            return f"{value:.3g} {unit}"
    return f"{count:.1e}"


def human_weight(annotation: Annotation, weight: int, resolution: int) -> str:
    """A released weight in human units.

    Args:
        annotation: What the weight says.
        weight: Occurrences, or ticks.
        resolution: Microseconds per tick.

    Example:
        >>> human_weight(Annotation.MEAN, 276_480, 1_000_000)
        '3.2 d'
    """
    if not annotation.is_time:
        return human_count(weight)
    return human_seconds(weight * resolution / MICROSECONDS_PER_SECOND)


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale over the numbers that are shown.

    Attributes:
        low: The smallest, at least 1.
        high: The largest.
    """

    low: int
    high: int

    @classmethod
    def over(cls, weights: Iterable[int | None]) -> Scale | None:
        """The scale of these weights; None if there are none."""
        known = [max(1, weight) for weight in weights if weight is not None]
        return cls(min(known), max(known)) if known else None

    def share(self, weight: int) -> float:
        """Where a weight stands, from 0 to 1; 1 where all are equal."""
        if self.high <= self.low:
            return 1.0
        place = math.log(max(1, weight) / self.low) / math.log(self.high / self.low)
        return min(1.0, max(0.0, place))

    def level(self, weight: int, levels: int) -> int:
        """The step of a colour scale, from 0 to ``levels - 1``.

        Example:
            >>> [Scale(1, 1000).level(weight, 5) for weight in (1, 5, 30, 200, 1000)]
            [0, 1, 2, 3, 4]
        """
        return min(levels - 1, int(self.share(weight) * levels))
