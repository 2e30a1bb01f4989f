"""The law of the noise: the discrete Laplace, Pr[z] ∝ exp(-ε·|z|) on the integers (§5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hushmap.exceptions import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]


def expected_absolute(epsilon: ArrayLike) -> Floats:
    """The expected size of the noise, E|z| = 1/sinh(ε), in occurrences or ticks (§5).

    Example:
        >>> expected_absolute([0.1, 1.0, 20.0]).round(10)
        array([9.98335276e+00, 8.50918128e-01, 4.10000000e-09])
    """
    rate = np.asarray(epsilon, dtype=np.float64)
    # Not 1/np.sinh, which overflows at 711 with a warning.
    expected: Floats = 2 * np.exp(-rate) / -np.expm1(-2 * rate)
    return expected


def tail(epsilon: ArrayLike, a: ArrayLike) -> Floats:
    """The probability of noise beyond a, Pr[|z| > a] for integers a ≥ 0 (§5).

    Example:
        >>> tail(1.0, [0, 3]).round(4)
        array([0.5379, 0.0268])
    """
    rate = np.asarray(epsilon, dtype=np.float64)
    reach = np.asarray(a, dtype=np.float64) + 1
    beyond: Floats = 2 * np.exp(-rate * reach) / (1 + np.exp(-rate))
    return beyond


def least_epsilon_for_tail(a: ArrayLike, beta: float) -> Floats:
    """The smallest ε whose noise goes beyond the integer a with a probability of at most β (§8).

    What `per-edge` P2 asks for: the error stays within a = floor(α) with probability 1 - β. The
    result is on the safe side of the rounding of floats: `tail(result, a) <= beta` holds.

    Args:
        a: One integer ≥ 0 per edge, in occurrences or ticks; 0 asks for no noise at all.
        beta: The probability of a larger error, 0 < β < 1.

    Example:
        >>> least_epsilon_for_tail([0, 1, 100], beta=0.05).round(6)
        array([3.663562, 1.765465, 0.029807])
    """
    if not 0 < beta < 1:
        raise UsageError(f"The probability of a larger error is between 0 and 1, not {beta}.")
    reach = np.asarray(a, dtype=np.float64) + 1
    if not bool(np.all((reach >= 1) & np.isfinite(reach))):
        raise UsageError("The error to be kept to is an integer from 0 upwards.")
    # ln tail(ε) - ln β is concave and falling, so Newton's steps come down to its root from above.
    needed = np.log(2) - np.log(beta)
    rate: Floats = needed / reach
    for _ in range(8):
        q = np.exp(-rate)
        rate = rate + (needed - rate * reach - np.log1p(q)) / (reach - q / (1 + q))
    while bool(np.any(unsafe := tail(rate, reach - 1) > beta)):
        rate = np.where(unsafe, np.nextafter(rate, np.inf), rate)
    return rate


def continuous_epsilon_for_tail(alpha: ArrayLike, beta: float) -> Floats:
    """The paper's ε for an error of at most α with probability 1 - β: ln(1/β)/α (§8).

    For continuous Laplace noise and Δ = 1; for another sensitivity, times Δ. Kept to reproduce
    the paper's figures: the product uses `least_epsilon_for_tail`.

    Example:
        >>> continuous_epsilon_for_tail(0.9, beta=0.05).round(3)
        np.float64(3.329)
    """
    if not 0 < beta < 1:
        raise UsageError(f"The probability of a larger error is between 0 and 1, not {beta}.")
    error = np.asarray(alpha, dtype=np.float64)
    if not bool(np.all(error > 0)):
        raise UsageError("Continuous noise keeps to errors above 0 only.")
    rate: Floats = -np.log(beta) / error
    return rate
