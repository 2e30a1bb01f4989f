"""Sums of a geometric law over a fraction of two lines: what the expected SMAPE is made of (§6).

Beyond the value that stays without noise, the law of a released weight falls by a constant factor
from one integer to the next, and the SMAPE of an edge is a quotient of two lines. Where the noise
is small the terms are added one by one. Where it spans up to 10^18 ticks the sum is an integral
plus the corrections of Euler and Maclaurin at its ends, and the cost does not grow.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

_SPAN = 28.0
"""The law is cut where it has fallen by e^-28, about 7e-13."""

_SHORT = (8, 16, 56)
"""Sums of up to so many terms are added term by term: all whose rate is above a half."""

_WIDE = 10.0
"""Integrals over more than a factor of e^10 in x + σ·j are taken at four times the points."""

_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600)
"""B_2k/(2k)!, the weights of the odd derivatives in the formula of Euler and Maclaurin."""


def geometric_sum(
    rate: Floats,
    count: Floats,
    numerator: tuple[Floats, int],
    denominator: tuple[Floats, int],
    nodes: int = 32,
) -> Floats:
    """Returns Σ exp(-rate·j)·(a + τ·j)/(x + σ·j) over j = 0 … count-1, one sum per element.

    Args:
        rate: By how much the logarithm of the law falls at each step, positive.
        count: The number of terms, possibly infinite.
        numerator: a ≥ 0 and its slope τ, 1 or -1; the line stays ≥ 0 over the sum.
        denominator: x and its slope σ, 1 or -1; the line stays ≥ 10 over every sum of more than
            56 terms, which bounds the relative error: 1e-7 with 32 nodes, 2e-5 with 16.
        nodes: The points at which the integral is taken.
    """
    terms = np.minimum(count, np.ceil(_SPAN / rate) + 1)
    total = np.zeros_like(rate)
    done = np.zeros(rate.shape, dtype=np.bool_)
    for most in _SHORT:
        chosen = np.flatnonzero(~done & (terms <= most))
        done[chosen] = True
        if chosen.size:
            j = np.arange(most, dtype=np.float64)
            # Terms past the end of a sum repeat its last one, with weight 0.
            step = np.minimum(j, terms[chosen, None] - 1)
            line = (numerator[0][chosen, None] + numerator[1] * step) / (
                denominator[0][chosen, None] + denominator[1] * step
            )
            weight = np.exp(-rate[chosen, None] * j) * (j < terms[chosen, None])
            total[chosen] = np.einsum("ij,ij->i", weight, line)
    chosen = np.flatnonzero(~done)
    if chosen.size:
        total[chosen] = _long_sum(
            rate[chosen],
            terms[chosen] - 1,
            terms[chosen] == count[chosen],
            (numerator[0][chosen], numerator[1]),
            (denominator[0][chosen], denominator[1]),
            nodes,
        )
    return total


def _long_sum(
    rate: Floats,
    last: Floats,
    complete: NDArray[np.bool_],
    numerator: tuple[Floats, int],
    denominator: tuple[Floats, int],
    nodes: int,
) -> Floats:
    """The sum over j = 0 … last, as an integral and its corrections at both ends."""
    a, tau = numerator
    x, sigma = denominator
    # In v = |ln((x + σ·j)/x)| the denominator cancels, and wide and narrow sums look alike.
    width = sigma * np.log1p(sigma * last / x)
    total = np.empty_like(rate)
    for chosen, most in (
        (np.flatnonzero(width <= _WIDE), nodes),
        (np.flatnonzero(width > _WIDE), 4 * nodes),
    ):
        points, weights = _legendre(most)
        j = np.expm1((sigma * width[chosen])[:, None] * points)
        j *= (sigma * x[chosen])[:, None]
        integrand = np.exp(-rate[chosen, None] * j)
        j *= tau
        j += a[chosen, None]
        integrand *= j
        total[chosen] = (integrand @ weights) * width[chosen]
    total += _end(rate, a / x, tau, x, sigma, np.ones_like(rate))
    # A sum that was cut has nothing left at its far end.
    far = np.flatnonzero(complete)
    if far.size:
        x_far = x[far] + sigma * last[far]
        share = (a[far] + tau * last[far]) / x_far
        fallen = np.exp(-rate[far] * last[far])
        total[far] += fallen * share - _end(rate[far], share, tau, x_far, sigma, fallen)
    return total


def _end(rate: Floats, share: Floats, tau: int, x: Floats, sigma: int, fallen: Floats) -> Floats:
    """Half the term at one end, less the weighted odd derivatives of the terms there.

    With F(j)·(x + σ·j) = exp(-rate·j)·(a + τ·j), the m-th derivative of both sides gives that of
    F from the one before, without any cancellation.
    """
    total: Floats = fallen * share / 2
    derivative = fallen * share
    power = np.ones_like(rate)  # (-rate)^(m-1)
    for m in range(1, 2 * len(_BERNOULLI)):
        line = fallen * power * (m * tau - rate * share * x)
        derivative = (line - m * sigma * derivative) / x
        power = -power * rate
        if m % 2:
            total -= _BERNOULLI[m // 2] * derivative
    return total


@cache
def _legendre(nodes: int) -> tuple[Floats, Floats]:
    """The points and weights of Gauss and Legendre on [0, 1]."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return (points + 1) / 2, weights / 2
