"""Errors of released weights: per edge, and their mean over the graph (§6)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hushmap.exceptions import UsageError
from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Weight: TypeAlias = int | float | Fraction
    Weights: TypeAlias = Sequence[Weight] | NDArray[np.generic]


@dataclass(frozen=True, slots=True, repr=False)
class GraphError(OwnerOnly):
    """The mean of an error over the edges of a graph.

    Attributes:
        mean: Over the edges where it is defined; NaN where there are none.
        edges: Their number.
        undefined: The number of edges left out, since their actual weight is 0.
    """

    mean: float
    edges: int
    undefined: int


def ape(actual: Weights, released: Weights) -> Floats:
    """The absolute percentage error |A - F|/A of every edge; NaN where A = 0 (§6).

    Integers and fractions of any size are compared exactly, floats at their face value.

    Args:
        actual: A ≥ 0 of each edge, before clipping.
        released: F of each edge.

    Example:
        >>> ape([4, 10, 0], [5, 7, 1])
        array([0.25, 0.3 ,  nan])
    """
    return np.array(
        [float(abs(a - f) / a) if a else np.nan for a, f in _exact_pairs(actual, released)],
        dtype=np.float64,
    )


def smape_edge(actual: Weights, released: Weights) -> Floats:
    """The symmetric error |A - F|/(A + F) of every edge; 0 where both are 0 (§6).

    Args:
        actual: A ≥ 0 of each edge, before clipping.
        released: F ≥ 0 of each edge.

    Example:
        >>> smape_edge([3, 10, 0, 0], [5, 10, 1, 0])
        array([0.25, 0.  , 1.  , 0.  ])
    """
    return np.array(
        [float(abs(a - f) / (a + f)) if a + f else 0.0 for a, f in _exact_pairs(actual, released)],
        dtype=np.float64,
    )


def mape(apes: ArrayLike) -> GraphError:
    """The mean absolute percentage error of a graph, from its edges' APE, expected or realised.

    Edges without one (A = 0) are counted and left out (§6).

    Example:
        >>> error = mape(ape([4, 10, 0], [5, 7, 1]))
        >>> error.mean, error.edges, error.undefined
        (0.275, 2, 1)
    """
    errors = np.asarray(apes, dtype=np.float64)
    defined = errors[~np.isnan(errors)]
    mean = float(np.mean(defined)) if defined.size else float("nan")
    return GraphError(mean, defined.size, errors.size - defined.size)


def smape(smapes: ArrayLike) -> GraphError:
    """The mean symmetric error of a graph, from that of its edges; it is defined for each (§6).

    Example:
        >>> smape(smape_edge([3, 10, 0, 0], [5, 10, 1, 0])).mean
        0.3125
    """
    return mape(smapes)


def _exact_pairs(actual: Weights, released: Weights) -> list[tuple[Fraction, Fraction]]:
    """Actual and released weight of each edge as fractions."""
    pairs = list(zip(map(_exact, actual), map(_exact, released), strict=False))
    if not len(actual) == len(released) == len(pairs):
        raise UsageError("Actual and released weights come in lists of equal length.")
    if any(a < 0 or f < 0 for a, f in pairs):
        raise UsageError("A weight of a map is not negative.")
    return pairs


def _exact(weight: object) -> Fraction:
    """One weight as a fraction."""
    try:
        if isinstance(weight, np.generic):
            return Fraction(weight.item())
        if isinstance(weight, (int, float, Fraction)):
            return Fraction(weight)
    except (TypeError, ValueError, OverflowError):
        pass
    raise UsageError("A weight of a map is a finite number.")
