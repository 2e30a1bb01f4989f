"""How sure a count makes us: exact binomial (Clopper-Pearson) limits, and those of a loss.

Every limit is one-sided and holds with probability ``1 - alpha`` whatever the true value is; for
no number of trials and for no probability is it an approximation.
"""

from __future__ import annotations

import math

_HALVINGS = 60
_TINY = 1e-300


def lower_limit(successes: int, trials: int, alpha: float) -> float:
    """The Clopper-Pearson lower limit of a probability.

    Args:
        successes: How often it happened.
        trials: How often it could have.
        alpha: The probability that the limit lies above the truth, at most.

    Example:
        >>> round(lower_limit(10, 10, 0.05), 4)      # 0.05 ** (1 / 10)
        0.7411
        >>> lower_limit(0, 10, 0.05)
        0.0
    """
    if successes == 0:
        return 0.0
    return _root(
        lambda p: _incomplete_beta(successes, trials - successes + 1, p) - alpha, upward=False
    )


def upper_limit(successes: int, trials: int, alpha: float) -> float:
    """The Clopper-Pearson upper limit of a probability.

    Args:
        successes: How often it happened.
        trials: How often it could have.
        alpha: The probability that the limit lies below the truth, at most.

    Example:
        >>> round(upper_limit(0, 10, 0.05), 4)
        0.2589
        >>> upper_limit(10, 10, 0.05)
        1.0
    """
    if successes == trials:
        return 1.0
    return 1.0 - lower_limit(trials - successes, trials, alpha)


def loss_interval(
    first: tuple[int, int], second: tuple[int, int], alpha: float
) -> tuple[float, float, float]:
    """The privacy loss that one event shows: ``ln(Pr[event | first] / Pr[event | second])``.

    Args:
        first: How often the event happened under the first hypothesis, and of how many.
        second: The same under the second.
        alpha: The probability that a limit is wrong, each.

    Returns:
        An estimate, a lower and an upper limit. The estimate counts half an event more on both
        sides, so that it is finite; the limits may be infinite.

    Example:
        >>> [round(value, 2) for value in loss_interval((730, 1000), (270, 1000), 0.05)]
        [0.99, 0.85, 1.14]
    """
    (hits, trials), (others, tries) = first, second
    estimate = math.log((hits + 0.5) / (trials + 1)) - math.log((others + 0.5) / (tries + 1))
    low = _log(lower_limit(hits, trials, alpha / 2)) - _log(upper_limit(others, tries, alpha / 2))
    high = _log(upper_limit(hits, trials, alpha / 2)) - _log(lower_limit(others, tries, alpha / 2))
    return estimate, low, high


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -math.inf


def _root(function, *, upward: bool) -> float:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Where a rising function crosses zero in [0, 1]: the last point on the safe side."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if function(middle) > 0:
            high = middle
        else:
            low = middle
    return high if upward else low


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function: ``Pr[Binomial(n, x) >= a]`` for b = n - a + 1."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front += a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) * _continued_fraction(a, b, x) / a


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Lentz's evaluation of the fraction of the incomplete beta function."""
    c, d = 1.0, 1.0 / max(1 - (a + b) * x / (a + 1), _TINY)
    value = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1.0 / _away_from_zero(1 + step * d)
            c = _away_from_zero(1 + step / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
