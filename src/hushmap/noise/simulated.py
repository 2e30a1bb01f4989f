"""The noise of plans, tests and experiments: seeded, fast, and never published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, final

import numpy as np

from hushmap.exceptions import UsageError
from hushmap.noise.source import checked_epsilons

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hushmap.noise.source import NoiseSource, UnseededNoiseSource


@final
class SimulatedNoise:
    """Discrete Laplace noise from a seeded NumPy generator: the same law, no protection.

    Two sources of equal seed give equal draws. It has no place where a release takes its noise:
    whoever knows the seed can subtract the noise, and floats leave holes in its support (Mironov
    2012).

    Args:
        seed: Any integer that is not negative.

    Example:
        >>> SimulatedNoise(seed=7).draw([0.1, 0.1, 2.0])
        array([-1,  8, -1])
        >>> SimulatedNoise(seed=7).draw_many([0.1, 2.0], repetitions=3).shape
        (3, 2)
    """

    __slots__ = ("_generator",)

    def __init__(self, seed: int) -> None:
        if seed < 0:
            raise UsageError(f"A seed is an integer from 0 upwards, not {seed}.")
        self._generator = np.random.default_rng(seed)

    @property
    def seeded(self) -> Literal[True]:
        """Anyone who knows the seed can make these draws again."""
        return True

    def draw(self, epsilons: ArrayLike) -> NDArray[np.int64]:
        """Draws one discrete Laplace integer per edge, Pr[z] ∝ exp(-ε·|z|) (§5).

        Args:
            epsilons: One rate per edge, per occurrence or per tick: positive and finite.

        Returns:
            One integer per edge, of either sign.

        Raises:
            UsageError: The rates are not a list of positive finite numbers.
            RefusedError: A rate is so small that its noise would not fit into 64 bits.
        """
        noise: NDArray[np.int64] = self.draw_many(epsilons, 1)[0]
        return noise

    def draw_many(self, epsilons: ArrayLike, repetitions: int) -> NDArray[np.int64]:
        """Draws for all edges, many times over.

        Args:
            epsilons: One rate per edge, as for `draw`.
            repetitions: How many independent draws of the whole graph.

        Returns:
            An array of shape (repetitions, edges).

        Raises:
            UsageError: The rates are not a list of positive finite numbers, or `repetitions` is
                negative.
            RefusedError: A rate is so small that its noise would not fit into 64 bits.
        """
        rates = checked_epsilons(epsilons)
        if repetitions < 0:
            raise UsageError(f"Repetitions are counted from 0 upwards, not {repetitions}.")
        shape = (repetitions, rates.size)
        return self._geometric(rates, shape) - self._geometric(rates, shape)

    def _geometric(self, rates: NDArray[np.float64], shape: tuple[int, int]) -> NDArray[np.int64]:
        """Draws k ≥ 0 with Pr[k] ∝ exp(-ε·k), as the floor of an exponential of mean 1/ε.

        Exact for every rate, since an exponential is at least k with probability exp(-ε·k). The
        difference of two is a discrete Laplace. NumPy's own `geometric` loses the small rates.
        """
        waits = self._generator.standard_exponential(shape)
        waits /= rates
        return waits.astype(np.int64)


if TYPE_CHECKING:
    _source: NoiseSource = SimulatedNoise(seed=0)
    # Strict mypy fails here as soon as a simulation could be published: the error must be there.
    _publishable: UnseededNoiseSource = SimulatedNoise(seed=0)  # type: ignore[assignment]
