"""The worst case and the paper's bound (method.md §2 and §3).

Throughout, ``e = ε·r`` is the noise parameter times the range, without a unit, and the risk δ is
by how much a release can raise the attacker's probability of guessing right.
"""

from __future__ import annotations

from math import atanh, log, log1p, tanh
from typing import TYPE_CHECKING, overload

import numpy as np

from hushmap.exceptions import UsageError
from hushmap.risk.prior import as_fraction, integers

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import ArrayLike

    from hushmap.risk.prior import Exact, FloatArray, IntArray


@overload
def risk_any(e: float) -> float: ...
@overload
def risk_any(e: FloatArray) -> FloatArray: ...
def risk_any(e: float | FloatArray) -> float | FloatArray:
    """The risk against whatever the attacker believed: ``δ = tanh(e/4)`` (§2, ``any``).

    Args:
        e: ``ε·r``, not negative; a number or an array.

    Returns:
        The worst risk, in [0, 1], of the shape of ``e``.

    Raises:
        UsageError: An e is negative or not a number.

    Example:
        >>> round(risk_any(1.6945957207744073), 12)
        0.4
    """
    if np.ndim(e) == 0:
        return float(np.tanh(_legal_e(e) / 4.0)[()])
    risks: FloatArray = np.tanh(_legal_e(e) / 4.0)
    return risks


@overload
def epsilon_any(risk: Exact) -> float: ...
@overload
def epsilon_any(risk: FloatArray) -> FloatArray: ...
def epsilon_any(risk: Exact | FloatArray) -> float | FloatArray:
    """The largest e that keeps to a risk against any belief: ``e* = 4·artanh(δ)`` (§2).

    Args:
        risk: δ, at least 0 and below 1. A single float is the decimal that it prints as (which
            is what 1e-9 from 1 takes to be right); an array is taken as the doubles it holds.

    Returns:
        ``2·ln((1+δ)/(1−δ))``, of the shape of ``risk``.

    Raises:
        UsageError: A risk is outside [0, 1).

    Example:
        >>> round(epsilon_any(0.4), 3)
        1.695
    """
    if isinstance(risk, np.ndarray):
        if not ((risk >= 0) & (risk < 1)).all():
            raise UsageError(f"A risk must be at least 0 and below 1, but is {risk}.")
        # 1 − δ is exact for δ ≥ 1/2, and log1p takes care of small δ.
        epsilons: FloatArray = 2.0 * np.log1p(2.0 * risk / (1.0 - risk))
        return epsilons
    delta = as_fraction(risk)
    if not 0 <= delta < 1:
        raise UsageError(f"A risk must be at least 0 and below 1, but is {risk}.")
    return 2.0 * _log1p_ratio(*(2 * delta / (1 - delta)).as_integer_ratio())


def repeated_risk(risk: float, times: float) -> float:
    """The risk against any belief about m occurrences, or from m draws, together (§2, §9).

    Their e add up: ``tanh(m·artanh δ)``. It holds for the risk against any belief alone.

    Args:
        risk: δ against any belief, in [0, 1].
        times: m.

    Returns:
        The risk of all together, in [0, 1].

    Example:
        >>> round(repeated_risk(0.1, 3), 2)
        0.29
    """
    return tanh(times * atanh(min(risk, 1 - 2**-53)))


def risk_bound(e: float, prior_counts: ArrayLike, total: int) -> float:
    """The paper's bound on the risk of one edge (§3): ``δ(e) = max_k δ_k(e)``.

    Args:
        e: ``ε·r``, not negative.
        prior_counts: ``c_k``, the occurrences within the tolerance of each guess.
        total: n, the occurrences of the edge; ``P_k = c_k / n``.

    Returns:
        The largest of ``P_k / ((1−P_k)·exp(−e) + P_k) − P_k``.

    Raises:
        UsageError: A count is not within 1..n, or e is negative.

    Example:
        >>> round(risk_bound(9.985774245, [6, 8, 4, 2, 1], 11), 4)
        0.9086
    """
    inside = _counts(prior_counts, total).astype(np.float64)
    return float(bounds(_legal_e(e), inside, total - inside, float(total)).max())


def bounds(
    e: FloatArray, inside: FloatArray, outside: FloatArray, total: FloatArray | float
) -> FloatArray:
    """``δ_k(e)`` of §3 for many guesses, written without a difference of near-equal numbers.

    ``P/(P + (1−P)·E) − P = P·(1−P)·(1−E) / (P + (1−P)·E)`` with ``E = exp(−e)``.

    Args:
        e: ``ε·r`` of each guess.
        inside: Occurrences within its tolerance.
        outside: Occurrences out of its reach.
        total: Their sum.

    Returns:
        The bound on the risk of each guess.

    Example:
        >>> bounds(np.array([2.0]), np.array([1.0]), np.array([3.0]), 4.0).round(4)
        array([0.4612])
    """
    prior, rest = inside / total, outside / total
    risks: FloatArray = prior * rest * -np.expm1(-e) / (prior + rest * np.exp(-e))
    return risks


def epsilon_bound(risk: Exact, prior_counts: ArrayLike, total: int) -> float:
    """The largest e that keeps the paper's bound within a risk (§3): ``e(δ) = min_k e_k(δ)``.

    Args:
        risk: δ, above 0 and below 1; a float is the decimal it prints as.
        prior_counts: ``c_k``, the occurrences within the tolerance of each guess.
        total: n, the occurrences of the edge; ``P_k = c_k / n``.

    Returns:
        The least ``e_k(δ)`` over the guesses with ``P_k + δ < 1``; infinity where there is none
        (the caller's cap decides then, §2).

    Raises:
        UsageError: The risk is outside (0, 1), or a count is not within 1..n.

    Example:
        >>> round(epsilon_bound(0.4, [1], 3) / 15, 3)  # edge (A,C) of the paper, r = 15 h
        0.114
        >>> epsilon_bound(0.4, [6], 10)
        inf
    """
    return epsilon_bound_sorted(legal_risk(risk), np.unique(_counts(prior_counts, total)), total)


def epsilon_bound_sorted(risk: Fraction, prior_counts: IntArray, total: int) -> float:
    """As `epsilon_bound`, for counts already checked, sorted and distinct.

    ``e_k = ln(1 + δ/(P_k·(1−P_k−δ)))`` is smallest where ``P·(1−δ−P)`` is largest, at
    ``P* = (1−δ)/2``, and falls before it and grows after it: the neighbours of P* on either side
    decide. Everything up to the logarithm is exact.

    Args:
        risk: δ, above 0 and below 1.
        prior_counts: ``c_k``, ascending.
        total: n.

    Returns:
        The least e, or infinity.

    Example:
        >>> from fractions import Fraction
        >>> round(epsilon_bound_sorted(Fraction(1, 10), np.array([2, 5, 8]), 11), 3)
        0.401
    """
    part, whole = risk.numerator, risk.denominator
    # P < P* is 2·c·b < n·(b − a) with δ = a/b; the first guess at or after P* and the one before.
    middle = total * (whole - part)
    after = int(np.searchsorted(prior_counts, -(-middle // (2 * whole))))
    best = float("inf")
    for k in (after - 1, after):
        if 0 <= k < prior_counts.size:
            count = int(prior_counts[k])
            slack = middle - count * whole  # (1 − P − δ)·n·b
            if slack > 0:  # P + δ < 1, as n − c > δ·n
                best = min(best, _log1p_ratio(part * total * total, count * slack))
    return best


def binds(risk: Fraction, prior_count: int, total: int) -> bool:
    """Whether a guess can gain more than the risk at all: ``n − c > δ·n`` (§2), exactly.

    Args:
        risk: δ.
        prior_count: c, the occurrences within the tolerance of the guess.
        total: n.

    Returns:
        Whether ``P + δ < 1``.

    Example:
        >>> from fractions import Fraction
        >>> binds(Fraction(1, 10), 9, 10), binds(Fraction(1, 10), 8, 10)
        (False, True)
    """
    return (total - prior_count) * risk.denominator > risk.numerator * total


def legal_risk(risk: Exact) -> Fraction:
    """The risk limit as the user wrote it, checked.

    Args:
        risk: δ.

    Returns:
        δ as an exact fraction.

    Raises:
        UsageError: δ is not above 0 and below 1.

    Example:
        >>> legal_risk(0.4)
        Fraction(2, 5)
    """
    delta = as_fraction(risk)
    if not 0 < delta < 1:
        raise UsageError(f"A risk limit must be above 0 and below 1, but is {risk}.")
    return delta


def _log1p_ratio(numerator: int, denominator: int) -> float:
    """``ln(1 + numerator/denominator)`` of integers of any size."""
    if numerator.bit_length() - denominator.bit_length() > 1000:
        return log(numerator) - log(denominator)
    return log1p(numerator / denominator)


def _counts(prior_counts: ArrayLike, total: int) -> IntArray:
    counts = integers(prior_counts)
    if counts.size == 0 or counts.min() < 1 or counts.max() > total:
        raise UsageError("Prior counts must be given, and lie within 1..n.")
    return counts


def _legal_e(e: ArrayLike) -> FloatArray:
    array = np.asarray(e, dtype=np.float64)
    if not (array >= 0).all():
        raise UsageError("e = ε·r must be a number of at least 0.")
    return array
