"""What the attacker believed beforehand: the empirical prior, in exact integers (method.md §2).

The histogram of one edge is two arrays: ``values``, its distinct durations in ticks, sorted, and
``counts``, how many occurrences took each. A *window* is what one guess covers: the index range
``[lo, hi)`` of the distinct values within the tolerance ``w`` of the guess, both ends included.
Only ``floor(w)`` and ``floor(2·w)`` are ever compared, with differences of integer ticks, so no
float decides a tie, whatever the denominator of the tolerance.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor, isfinite
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushmap.exceptions import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Exact: TypeAlias = Fraction | Decimal | int | float
"""A number that is meant exactly; a float stands for the decimal that it prints as."""

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]


def as_fraction(number: Exact) -> Fraction:
    """The number that the user wrote: 0.1 is one tenth, not its nearest double (§2).

    Args:
        number: A fraction, a decimal or an integer, taken as it is, or a float, taken as its
            shortest decimal form.

    Returns:
        The exact value.

    Raises:
        UsageError: The number is infinite or not a number.

    Example:
        >>> as_fraction(0.1), as_fraction(Fraction(1, 3))
        (Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(number, Fraction):
        return number
    if not isfinite(number):
        raise UsageError(f"A finite number is needed, not {number}.")
    if isinstance(number, float):
        return Fraction(repr(float(number)))
    return Fraction(number)


def histogram(values: ArrayLike, counts: ArrayLike) -> tuple[IntArray, IntArray]:
    """Check the histogram of one edge.

    Args:
        values: Distinct durations in ticks, ascending, none negative.
        counts: How many occurrences took each, at least one.

    Returns:
        Both as arrays of 64-bit integers.

    Raises:
        UsageError: They are no histogram.

    Example:
        >>> histogram([0, 60], [2, 1])
        (array([ 0, 60]), array([2, 1]))
    """
    ticks, number = integers(values), integers(counts)
    if ticks.shape != number.shape:
        raise UsageError("A histogram needs one count per distinct duration.")
    if ticks.size and (ticks[0] < 0 or (ticks[1:] <= ticks[:-1]).any() or number.min() < 1):
        raise UsageError(
            "A histogram holds distinct durations in ascending order, none negative, "
            "with counts of at least 1."
        )
    return ticks, number


def integers(numbers: ArrayLike) -> IntArray:
    """A flat array of 64-bit integers; floats are refused, for they may have lost a tick.

    Args:
        numbers: Integers.

    Returns:
        The same as an array.

    Raises:
        UsageError: They are not integers, or not flat.

    Example:
        >>> integers([3, 4])
        array([3, 4])
    """
    array = np.asarray(numbers)
    if array.size == 0:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or not np.can_cast(array.dtype, np.int64):
        raise UsageError(f"A flat list of 64-bit integers is needed, not {array.dtype}.")
    return np.ascontiguousarray(array, dtype=np.int64)


def occurrence_windows(
    values: ArrayLike, counts: ArrayLike, tolerance: Exact
) -> tuple[IntArray, IntArray, IntArray]:
    """The paper's windows: every guess is the duration of an occurrence (§2, ``paper``).

    Args:
        values: Distinct durations in ticks, ascending.
        counts: Occurrences of each.
        tolerance: How far a guess may be off, in ticks (``p·r``); may be a fraction of a tick.

    Returns:
        For every distinct value its window ``lo``, ``hi`` and the number of occurrences in it:
        ``c_k = #{l : |t_l − t_k| ≤ w}``.

    Example:
        >>> occurrence_windows([1, 2, 3, 10], [3, 3, 2, 1], Fraction("1.5"))
        (array([0, 0, 1, 3]), array([2, 3, 3, 4]), array([6, 8, 5, 1]))
    """
    ticks, number = histogram(values, counts)
    if ticks.size == 0:
        return ticks, ticks, ticks
    reach = min(floor(_tolerance(tolerance)), int(ticks[-1]))
    # Subtracting keeps clear of overflow: v − reach ≥ −max(v), where v + reach might not fit.
    lowest = ticks - reach
    lo = _before(ticks, lowest, "left")
    hi = _before(lowest, ticks, "right")
    return lo, hi, window_counts(number, lo, hi)


def guess_windows(values: ArrayLike, range_: int, tolerance: Exact) -> tuple[IntArray, IntArray]:
    """The windows of every real guess in ``[0, r]``, each once (§2, ``empirical``).

    A guess moving up from 0 to r takes value j in at ``v_j − w`` and lets value i go just after
    ``v_i + w``. Both happen at distinct places, except where ``v_j − v_i = 2w``: there the window
    holds both. So the windows are the states of a walk of single steps in which j comes before
    i goes exactly if ``v_j − v_i ≤ floor(2w)``, and every state is reached by some guess.

    Args:
        values: Distinct durations in ticks, ascending.
        range_: The range r in ticks: guesses lie in ``[0, r]``. At least 1 and at least the
            longest duration.
        tolerance: How far a guess may be off, in ticks; may be a fraction of a tick.

    Returns:
        ``lo`` and ``hi`` of at most ``2m`` distinct windows ``[lo, hi)`` that are not empty, in
        the order of the guess.

    Raises:
        UsageError: The range is shorter than the longest duration, or than a tick.

    Example:
        >>> guess_windows([0, 4, 10], 10, 2)
        (array([0, 0, 1, 2]), array([1, 2, 2, 3]))
    """
    ticks = integers(values)
    if ticks.size == 0:
        return ticks, ticks
    longest = int(ticks[-1])
    if range_ < max(1, longest):
        raise UsageError(
            "The range must be at least one tick and at least the longest duration.",
            hint="Clip the durations at the range first.",
        )
    wide = _tolerance(tolerance)
    reach = min(floor(wide), longest)
    # At guess 0 the first `start` values are covered; the first `leaving` values are let go
    # before the guess reaches r, for v + w < r is v ≤ r − floor(w) − 1 on integers.
    start = int(np.searchsorted(ticks, reach, "right"))
    leaving = int(np.searchsorted(ticks, max(-1, min(range_ - floor(wide) - 1, longest)), "right"))
    lowest = ticks - min(floor(2 * wide), longest)

    entering = np.arange(start, ticks.size)
    gone = _before(ticks, lowest[start:], "left")
    come = np.maximum(_before(lowest, ticks[:leaving], "right"), start)
    lo = np.concatenate(([0], gone, np.arange(1, leaving + 1)))
    hi = np.concatenate(([start], entering + 1, come))
    steps = lo + hi - start
    walk_lo, walk_hi = np.empty_like(lo), np.empty_like(hi)
    walk_lo[steps], walk_hi[steps] = lo, hi
    covers = walk_lo < walk_hi
    return walk_lo[covers], walk_hi[covers]


def window_counts(counts: ArrayLike, lo: ArrayLike, hi: ArrayLike) -> IntArray:
    """How many occurrences each window holds: its prior probability times n (§2).

    Args:
        counts: Occurrences of each distinct value.
        lo: First index of each window.
        hi: Index after the last of each window.

    Returns:
        The number of occurrences in each window.

    Example:
        >>> window_counts([3, 3, 2, 1], [0, 1], [2, 3])
        array([6, 5])
    """
    running = np.concatenate((np.zeros(1, np.int64), np.cumsum(integers(counts))))
    windowed: IntArray = running[integers(hi)] - running[integers(lo)]
    return windowed


def _tolerance(tolerance: Exact) -> Fraction:
    wide = as_fraction(tolerance)
    if wide < 0:
        raise UsageError(f"The tolerance of a guess must not be negative, but is {tolerance}.")
    return wide


def _before(ascending: IntArray, marks: IntArray, side: str) -> IntArray:
    """How many of ``ascending`` are below each mark (``left``), or at most it (``right``)."""
    found = np.searchsorted(ascending, marks, "left" if side == "left" else "right")
    return found.astype(np.int64, copy=False)
