"""The noise of everything that is published: OpenDP's exact sampler, which takes no seed (§5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, final

import numpy as np

from hushmap.exceptions import NoiseError
from hushmap.noise.source import checked_epsilons

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hushmap.noise.source import UnseededNoiseSource

_INT64 = np.iinfo(np.int64)


@final
class ReleaseNoise:
    """Discrete Laplace noise from OpenDP, without a seed: what `release` draws from.

    Example:
        >>> source = ReleaseNoise()
        >>> source.draw([0.5, 0.5, 1e-6]).shape
        (3,)
        >>> source.draw([1e4])          # a rate so high that the noise is practically always 0
        array([0])
    """

    __slots__ = ()

    @property
    def seeded(self) -> Literal[False]:
        """Nobody can make these draws again."""
        return False

    def draw(self, epsilons: ArrayLike) -> NDArray[np.int64]:
        """Draws one independent discrete Laplace integer per edge, Pr[z] ∝ exp(-ε·|z|) (§5).

        Edges of equal epsilon are drawn in one call, ten times faster than one by one.

        Args:
            epsilons: One rate per edge, per occurrence or per tick: positive and finite.

        Returns:
            One integer per edge, of either sign.

        Raises:
            UsageError: The rates are not a list of positive finite numbers.
            RefusedError: A rate is so small that its noise would not fit into 64 bits.
            NoiseError: The sampler reached an end of its range, or did not answer as asked.
        """
        rates = checked_epsilons(epsilons)
        distinct, which, counts = np.unique(rates, return_inverse=True, return_counts=True)
        draws = [
            _checked_draws(_sample(scale, count), count)
            for scale, count in zip(scales(distinct).tolist(), counts.tolist(), strict=True)
        ]
        noise = np.empty(rates.size, dtype=np.int64)
        # A stable sort by group puts the edges of each epsilon side by side, in canonical order.
        noise[np.argsort(which, kind="stable")] = np.concatenate(draws)
        return noise


def scales(epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns a scale for each rate that is never below 1/ε.

    The float nearest to 1/ε may lie below it, which would promise more privacy than is kept; its
    upper neighbour never does.
    """
    return np.nextafter(1.0 / epsilons, np.inf)


def _sample(scale: float, count: int) -> list[int]:
    """Asks OpenDP for `count` draws around 0 at one scale."""
    # Imported here, since OpenDP takes 0.3 s; and never its prelude, which imports scikit-learn.
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    # "i64" in full: OpenDP reads `int` as 32 bits.
    space = vector_domain(atom_domain(T="i64")), l1_distance(T="i64")
    answer: list[int] = make_laplace(*space, scale=scale)([0] * count)
    return answer


def _checked_draws(draws: list[int], count: int) -> NDArray[np.int64]:
    """Returns the draws as an array, unless the sampler saturated or answered nonsense."""
    noise = np.asarray(draws)
    if noise.shape != (count,) or noise.dtype != np.int64:
        raise NoiseError(
            "The noise sampler did not answer with one 64-bit integer per edge.",
            hint="Nothing was released. Check the installed version of OpenDP.",
        )
    # OpenDP saturates instead of failing, and an end of the range is then no noise at all.
    if bool(np.any((noise == _INT64.max) | (noise == _INT64.min))):
        raise NoiseError(
            "The noise sampler reached the end of its 64-bit range.",
            hint="Nothing was released. Try again, or choose a coarser --resolution.",
        )
    return noise


if TYPE_CHECKING:
    _publishable: UnseededNoiseSource = ReleaseNoise()
