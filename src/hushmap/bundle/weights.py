"""How a weight is written: occurrences as they are, durations in seconds to the last tick.

Seconds are written as exact decimals and never pass through a float: a sum of many durations in
microseconds has more digits than a float holds, and must come back as the same ticks.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from hushmap.exceptions import BundleError
from hushmap.timespan import MICROSECONDS_PER_SECOND, human_seconds

if TYPE_CHECKING:
    from hushmap.graph import Annotation, ReleasedGraph


def column(annotation: Annotation) -> str:
    """The name of an annotation where its unit is not written beside it.

    Example:
        >>> from hushmap.graph import Annotation
        >>> column(Annotation.FREQUENCY), column(Annotation.MEAN)
        ('frequency', 'mean_seconds')
    """
    return f"{annotation.value}_seconds" if annotation.is_time else annotation.value


def weight_text(annotation: Annotation, weight: int, resolution: int) -> str:
    """A weight as a decimal number: occurrences, or seconds with a point.

    Args:
        annotation: What the weight says.
        weight: Occurrences, or ticks.
        resolution: Microseconds per tick.

    Example:
        >>> from hushmap.graph import Annotation
        >>> weight_text(Annotation.MEAN, 28224, 1_000_000)
        '28224.0'
        >>> weight_text(Annotation.MEAN, 7, 1)
        '0.000007'
    """
    if not annotation.is_time:
        return str(int(weight))
    seconds, microseconds = divmod(int(weight) * resolution, MICROSECONDS_PER_SECOND)
    decimals = f"{microseconds:06d}".rstrip("0") or "0"
    return f"{seconds}.{decimals}"


def weights_for_people(graph: ReleasedGraph, place: int) -> list[str]:
    """The weights of one edge as labels: ``12``, ``mean 3.2 d``.

    Example:
        >>> from hushmap.graph import Annotation, Edge, ReleasedGraph
        >>> weights = {Annotation.FREQUENCY: (12,), Annotation.MEAN: (276_480,)}
        >>> weights_for_people(ReleasedGraph(("A",), (Edge("A", "A"),), weights, 1_000_000), 0)
        ['12', 'mean 3.2 d']
    """
    labels = []
    for annotation in graph.annotations:
        weight = graph.weights[annotation][place]
        if weight is None:
            continue
        if annotation.is_time:
            seconds = int(weight) * graph.resolution / MICROSECONDS_PER_SECOND
            labels.append(f"{annotation.value} {human_seconds(seconds)}")
        else:
            labels.append(str(int(weight)))
    return labels


def weight_of(annotation: Annotation, number: object, resolution: int) -> int:
    """The weight that a number of a file stands for: the inverse of `weight_text`.

    Raises:
        BundleError: It is no number, negative, or no whole number of occurrences or ticks.

    Example:
        >>> from hushmap.graph import Annotation
        >>> weight_of(Annotation.MEAN, Decimal("28224.0"), 1_000_000)
        28224
    """
    whole = isinstance(number, int) and not isinstance(number, bool)
    if not whole and not (annotation.is_time and isinstance(number, Decimal)):
        raise BundleError(
            f"A {annotation.value} is no {'number' if annotation.is_time else 'whole number'}."
        )
    assert isinstance(number, (int, Decimal))
    if number < 0:
        raise BundleError(f"A {annotation.value} is negative.")
    if not annotation.is_time:
        return int(number)
    ticks = Fraction(number) * MICROSECONDS_PER_SECOND / resolution
    if ticks.denominator != 1:
        raise BundleError(f"A {annotation.value} is finer than the resolution of the certificate.")
    return int(ticks)
