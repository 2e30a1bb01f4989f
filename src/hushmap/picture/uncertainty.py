"""How far a released number may be off, where the scale of its noise is public (method.md §5).

Frequencies released under a risk limit have one public ε. Times have one, too, where the bound on
them was declared: ε per tick is then the same for all edges. Nothing here looks at the log.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from hushmap.timespan import parse_timespan

if TYPE_CHECKING:
    from hushmap.release.certificate import Certificate

COVERED = 0.95
# A mean is a quotient of two noisy numbers: where each is covered so often, both are 95 times.
_COVERED_OF_TWO = 0.975


@lru_cache(maxsize=64)
def half_width(epsilon: float, covered: float = COVERED) -> int:
    """The smallest k with ``Pr[|z| > k] <= 1 - covered`` for discrete Laplace noise z.

    Args:
        epsilon: ε per occurrence.
        covered: How much of the noise the interval covers.

    Example:
        >>> half_width(0.811), half_width(1e-3), half_width(10.0)
        (4, 2996, 0)
    """
    # Pr[|z| > k] = 2·exp(−ε(k + 1)) / (1 + exp(−ε))
    beyond = math.log(2 / ((1 - covered) * (1 + math.exp(-epsilon)))) / epsilon
    k = max(0, math.ceil(beyond) - 2)
    while _tail(epsilon, k) > 1 - covered:
        k += 1
    return k


def _tail(epsilon: float, k: int) -> float:
    return 2 * math.exp(-epsilon * (k + 1)) / (1 + math.exp(-epsilon))


def interval(released: int, k: int) -> tuple[int, int]:
    """Where the true frequency is, with the probability of `half_width`; an edge has at least 1.

    Example:
        >>> interval(12, 4), interval(3, 4)
        ((8, 16), (1, 7))
    """
    return max(1, released - k), released + k


def noise_dominates(released: int, low: int, high: int) -> bool:
    """Whether the interval is wider than the number itself, or does not even hold it.

    Example:
        >>> noise_dominates(7, *interval(7, 4)), noise_dominates(8, *interval(8, 4))
        (True, False)
    """
    return high - low > released or not low <= released <= high


def time_bound(certificate: Certificate, resolution: int) -> int | None:
    """The declared bound on every time, in ticks; None where it is not public or not one.

    Args:
        certificate: What is public.
        resolution: Microseconds per tick.
    """
    if certificate.range_kind != "declared" or certificate.max_duration is None:
        return None
    return max(1, parse_timespan(certificate.max_duration) // resolution)


def time_epsilon(certificate: Certificate, resolution: int) -> float | None:
    """ε per tick of every time, where it follows from what the certificate states (method.md §9).

    Args:
        certificate: What is public.
        resolution: Microseconds per tick.
    """
    bound = time_bound(certificate, resolution)
    if bound is None or certificate.risk is None:
        return None
    shared = certificate.scope == "release"
    if shared and certificate.epsilon is not None:
        return certificate.epsilon / bound
    if certificate.attacker != "any":
        return None  # its ε follows from the durations of each edge
    kinds = {"sum" if kind == "mean" else kind for kind in certificate.annotations}
    draws = len(kinds - {"frequency"}) if shared else 1
    risk = min(certificate.risk, certificate.max_risk_any or 1.0)
    # e* = 4·artanh δ (method.md §2), from the public δ: the private side is not asked.
    return 4 * math.atanh(risk) / max(1, draws) / bound


def time_interval(released: int, k: int, bound: int | None) -> tuple[int, int]:
    """Where a total, shortest or longest time is, in ticks, with the probability of `half_width`.

    Args:
        released: As published.
        k: Half of the interval.
        bound: What the time cannot exceed, if anything.

    Example:
        >>> time_interval(100, 30, None), time_interval(100, 300, 360)
        ((70, 130), (0, 360))
    """
    low, high = max(0, released - k), released + k
    return (low, high) if bound is None else (min(low, bound), min(high, bound))


def mean_interval(
    released: int, frequency: int, epsilons: tuple[float, float], bound: int
) -> tuple[int, int]:
    """Where a mean time over a released frequency is, in ticks, with a probability of 95 %.

    Args:
        released: The mean as published, rounded to the tick.
        frequency: The frequency as published.
        epsilons: ε of the frequency, and of the sum per tick.
        bound: The declared bound on a time, in ticks.

    Example:
        >>> mean_interval(3_600, 500, (0.4, 0.4 / 86_400), 86_400)
        (1970, 5290)
    """
    missed, ticks = (half_width(epsilon, _COVERED_OF_TWO) for epsilon in epsilons)
    half = (frequency + 1) // 2  # the rounding of the quotient
    total = released * frequency
    low = max(0, total - half - ticks) // (frequency + missed)
    high = -((total + half + ticks) // -max(1, frequency - missed))
    return min(low, bound), min(high, bound)
