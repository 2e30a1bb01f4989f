"""Which noisy counts stand for all, in sums over a count that is released too (§5).

The expected error of a mean over the released number of occurrences is a sum over the noise of
that number, with tens of millions of terms where its ε is small. What is summed is smooth but for
a kink at the count itself and another where clipping made the mean too small, and it changes fast
near one. So all counts near these three are taken, and from there on a few of every block, where
each block is as long as its distance from them, with the weights of the discrete Gauss rule:
exact for polynomials of twice their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil, log2
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

_SPAN = 42.0
"""Noise beyond 42/ε of the count is left out: it has a probability of e^-42, about 6e-19."""


@dataclass(frozen=True, slots=True)
class Fineness:
    """How densely a grid is set.

    Attributes:
        near: So many counts next to a kink are taken one by one.
        points: Counts taken of each block further away.
    """

    near: int
    points: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountGrid(OwnerOnly):
    """Noisy counts N = max(1, n + z) of many edges, each with its probability.

    Attributes:
        edge: The index of the edge that a count belongs to; edges follow each other in order.
        count: N, where it stands for a block not always an integer.
        chance: Pr[N], or the total of its block as far as it stands for it; they add up to 1.
    """

    edge: NDArray[np.intp]
    count: Floats
    chance: Floats


def count_grid(
    counts: Sequence[int],
    kinks: Sequence[int],
    epsilons: Floats,
    finenesses: Sequence[Fineness],
) -> CountGrid:
    """Returns the noisy counts that stand for all, for each edge.

    Args:
        counts: n of each edge, at least 1.
        kinks: Another count of each edge, from 1 to n, at which the sum has a kink.
        epsilons: The rate of the counts' noise, one per edge.
        finenesses: How densely to take them, for each edge.
    """
    # Rounded up to powers of two, so that edges share their blocks.
    reaches = [2 ** ceil(log2(_SPAN / epsilon + 1)) for epsilon in epsilons.tolist()]
    columns = [
        _counts_of(count, kink, reach, fineness)
        for count, kink, reach, fineness in zip(counts, kinks, reaches, finenesses, strict=True)
    ]
    sizes = [noisy.size for noisy, _ in columns]
    edge = np.repeat(np.arange(len(counts)), sizes)
    noisy = np.concatenate([noisy for noisy, _ in columns])
    weight = np.concatenate([weight for _, weight in columns])
    rate = epsilons[edge]
    distance = np.abs(noisy - np.array(counts, dtype=np.float64)[edge])
    chance = weight * np.exp(-rate * distance) * np.tanh(rate / 2)
    # The clamp gathers at one all the noise that leads there: a geometric tail.
    chance = np.where(noisy == 1, np.exp(-rate * distance) / (1 + np.exp(-rate)), chance)
    kept = (rate * distance < _SPAN) | (noisy == 1)
    return CountGrid(edge[kept], noisy[kept], chance[kept])


def _counts_of(count: int, kink: int, reach: int, fineness: Fineness) -> tuple[Floats, Floats]:
    """The noisy counts of one edge, and how many each stands for."""
    offsets, weights = _away_from_kink(reach, reach, fineness)
    noisy, standing = [count + offsets], [weights]
    corners = sorted({1, kink, count})
    noisy.append(np.array(corners, dtype=np.float64))
    standing.append(np.ones(len(corners)))
    for low, high in pairwise(corners):
        inside = high - low - 1
        upper = (inside + 1) // 2
        offsets, weights = _away_from_kink(upper, reach - (count - high), fineness)
        noisy.append(high - offsets)
        standing.append(weights)
        if count - (high - upper) < reach:
            offsets, weights = _away_from_kink(inside - upper, reach, fineness)
            noisy.append(low + offsets)
            standing.append(weights)
    return np.concatenate(noisy), np.concatenate(standing)


@lru_cache(maxsize=4096)
def _away_from_kink(length: int, reach: int, fineness: Fineness) -> tuple[Floats, Floats]:
    """Distances 1 … length from a kink, in blocks of doubling length, as far as `reach`."""
    offsets, weights = [np.empty(0)], [np.empty(0)]
    begun, size = 0, min(fineness.near, length)
    while begun < min(length, reach):
        points, counted = _block(size, size if begun == 0 else fineness.points)
        offsets.append(points + (begun + 1))
        weights.append(counted)
        begun += size
        size = min(begun, length - begun)
    return np.concatenate(offsets), np.concatenate(weights)


@lru_cache(maxsize=16384)
def _block(size: int, points: int) -> tuple[Floats, Floats]:
    """The discrete Gauss rule on 0 … size-1: places, and weights that add up to `size`.

    They come from the recurrence of the polynomials that are orthogonal on equidistant points
    (Gram, discrete Chebyshev), as Golub and Welsch compute Gauss rules.
    """
    if size <= points:
        return np.arange(size, dtype=np.float64), np.ones(size)
    k = np.arange(1, points, dtype=np.float64)
    length = float(size)
    beside = k / 2 * np.sqrt((length * length - k * k) / (4 * k * k - 1))
    places, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return places + (length - 1) / 2, length * vectors[0] ** 2
