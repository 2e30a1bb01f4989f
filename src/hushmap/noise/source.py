"""What a source of noise is, and which epsilons it may be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from hushmap.exceptions import RefusedError, UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LEAST_EPSILON = 100 / 2**63
"""The rate of the widest noise drawn: a scale of 2^63/100 ticks (§5).

A draw then leaves the 64-bit range with a probability of e^-100, about 4e-44. Exact as a float.
"""


class NoiseSource(Protocol):
    """Anything that draws noise for the edges of a graph."""

    def draw(self, epsilons: ArrayLike) -> NDArray[np.int64]:
        """Draws one independent discrete Laplace integer per edge, Pr[z] ∝ exp(-ε·|z|) (§5).

        Args:
            epsilons: One rate per edge, per occurrence or per tick: positive and finite.

        Returns:
            One integer per edge, of either sign. To be added to the weights as Python integers,
            since a sum of durations may not fit into 64 bits.
        """
        ...


class UnseededNoiseSource(NoiseSource, Protocol):
    """A source whose draws nobody can make again: the only kind that may be published."""

    @property
    def seeded(self) -> Literal[False]:
        """Always False; a simulation says True."""
        ...


def checked_epsilons(epsilons: ArrayLike) -> NDArray[np.float64]:
    """Returns the rates as a float array, or refuses them.

    The sampler itself answers a NaN with a number, and beyond 64 bits it answers with the end of
    the range, which tells the sign of the weight and nothing else: so nothing passes unchecked.
    Messages name no rate, for in some plans it follows from the private weights.

    Raises:
        UsageError: The rates are not a list of positive finite numbers.
        RefusedError: A rate is so small that its noise would not fit into 64 bits.
    """
    try:
        rates = np.asarray(epsilons, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError("The epsilons of a draw must be numbers, one per edge.") from None
    if rates.ndim != 1 or rates.size == 0:
        raise UsageError(
            f"Noise is drawn for a list of at least one edge, not for an array of shape "
            f"{rates.shape}.",
            hint="Pass one epsilon per edge.",
        )
    if not bool(np.all(np.isfinite(rates) & (rates > 0))):
        raise UsageError(
            "An epsilon of a draw is not a positive finite number.",
            hint="No weight is published without noise, and none with endless noise.",
        )
    if bool(np.any(rates < LEAST_EPSILON)):
        raise RefusedError(
            "The noise asked for is too wide for 64-bit integers (a scale above 2^63/100 ticks).",
            hint="Choose a larger risk, a coarser --resolution or a shorter --max-duration.",
        )
    return rates
