"""Which draws of noise a release needs, and what share of an edge's e each gets (method.md §9)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from hushmap.graph import Annotation

if TYPE_CHECKING:
    from collections.abc import Iterable


class Draw(StrEnum):
    """One draw of noise per edge; sum and mean come from the same."""

    FREQUENCY = "frequency"
    SUM = "sum"
    MIN = "min"
    MAX = "max"


_DRAW_OF = {
    Annotation.FREQUENCY: Draw.FREQUENCY,
    Annotation.SUM: Draw.SUM,
    Annotation.MEAN: Draw.SUM,
    Annotation.MIN: Draw.MIN,
    Annotation.MAX: Draw.MAX,
}


def draw_of(annotation: Annotation) -> Draw:
    """The draw from which an annotation is made.

    Example:
        >>> draw_of(Annotation.MEAN)
        <Draw.SUM: 'sum'>
    """
    return _DRAW_OF[annotation]


def draws_of(annotations: Iterable[Annotation]) -> tuple[Draw, ...]:
    """The draws that these annotations need, in canonical order.

    Example:
        >>> [draw.value for draw in draws_of([Annotation.MEAN, Annotation.SUM, Annotation.MAX])]
        ['sum', 'max']
    """
    needed = {draw_of(annotation) for annotation in annotations}
    return tuple(draw for draw in Draw if draw in needed)


def whether_loss(draws: Iterable[Draw]) -> int:
    """How many times one draw's e an added or removed occurrence may cost in all (goal 1).

    An occurrence moves the frequency by 1 and a sum, minimum or maximum by up to the range, but
    never the minimum and the maximum both; and where it lowers the minimum, it moves the sum and
    the minimum together by at most the range.

    Example:
        >>> whether_loss([Draw.FREQUENCY, Draw.SUM, Draw.MIN])
        2
        >>> whether_loss([Draw.FREQUENCY, Draw.SUM, Draw.MIN, Draw.MAX])
        3
    """
    taken = set(draws)
    times = 2 if {Draw.SUM, Draw.MAX} <= taken else 1 if taken - {Draw.FREQUENCY} else 0
    return times + (Draw.FREQUENCY in taken)


def how_long_loss(draws: Iterable[Draw]) -> int:
    """How many times one draw's e a changed duration may cost in all (goal 2).

    Example:
        >>> how_long_loss([Draw.FREQUENCY, Draw.SUM, Draw.MIN])
        2
    """
    return len(set(draws) - {Draw.FREQUENCY})
