"""The law of a weight as released: noise, division, rounding and the clamp at one (§5, §6).

Every weight is released as F = max(1, floor((S + z)/N + ½)), with an integer S, discrete Laplace
noise z and a divisor N: N = 1 for counts, sums, minima and maxima, the number of occurrences for
a mean. With h = floor(N/2), F ≥ f for f ≥ 2 exactly where z ≥ N·f - h - S, so the law of F falls
geometrically on both sides of the value c that it has without noise, and expected errors have a
closed form: no matter whether the noise is wide or lost in the rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hushmap.accuracy.geometric import geometric_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

_SMALL = 8
"""Below a weight of 8 the values 1 … 8 are added one by one, for `geometric_sum` to be exact."""

_NEGLIGIBLE = 45.0
"""Parts of the law below e^-45 of its middle are left out of the SMAPE."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RoundedLaw:
    """Released weights and the actual ones they are compared with, apart from ε.

    All values count from c, the released value without noise (before the clamp), so that sums
    beyond 2^53 lose nothing: what matters of them are differences.

    Attributes:
        divisor: N.
        up: The least noise that lifts the value above c; 1 … N.
        centre: c.
        offset: floor(B) - c, where B = max(A, 1) for the actual weight A.
        fraction: B - floor(B).
        shortfall: B - A, nonzero only where A is less than one.
        actual: A.
    """

    divisor: Floats
    up: Floats
    centre: Floats
    offset: Floats
    fraction: Floats
    shortfall: Floats
    actual: Floats

    def expected_error(self, epsilon: Floats) -> Floats:
        """E|F - A| (§5), exact up to the rounding of floats.

        As F ≥ 1, it is E|F - B| + (B - A) with B = max(A, 1), and
        E|F - B| = E|G - B| - E(1 - G)⁺ for G, the value before the clamp.
        """
        q = np.exp(-epsilon)
        fall = -np.expm1(-epsilon * self.divisor)  # 1 - Q; Q is the factor from f to f + 1
        both = (1 + q) * fall
        up = np.exp(-epsilon * self.up) / both  # E(G - c)⁺
        down = np.exp(-epsilon * (self.divisor + 1 - self.up)) / both  # E(c - G)⁺
        # Beyond c the mean excess falls like the law; between two integers it is linear.
        above = self.offset >= 0
        steps = np.where(above, self.offset, -self.offset - 1)
        mix = np.where(above, self.fraction, 1 - self.fraction)
        excess = np.where(above, up, down) * (1 - mix * fall)
        excess *= np.exp(-epsilon * self.divisor * steps)
        distance = self.offset + self.fraction
        drift = distance - (up - down)  # B - E G
        clamped = np.exp(-epsilon * self.divisor * np.abs(self.centre - 1))
        error = 2 * excess + np.where(
            self.centre >= 1,
            np.where(above, drift, -drift) - down * clamped,
            distance + (self.centre - 1) - up * clamped,  # c = 0, and B ≥ 1 above it
        )
        # Rounding may leave -1e-16 where the noise has no chance.
        released: Floats = np.maximum(error, 0) + self.shortfall
        return released

    def expected_smape(self, epsilon: Floats, nodes: int = 32) -> Floats:
        """E[|A - F|/(A + F)] (§6), by summing the law; 1 where A = 0.

        Args:
            epsilon: One rate per element.
            nodes: See `geometric_sum`, whose relative error it has.
        """
        q = np.exp(-epsilon)
        share = -np.expm1(-epsilon * self.divisor) / (1 + q)  # of c + 1, over exp(-ε·up)
        down = self.divisor + 1 - self.up
        # Values are written as their distance from c, so the least one, 1, is:
        one = 1 - self.centre
        at_one = self._at_one(epsilon, q)
        # A divisor that stands for several may leave down a trifle below 1.
        below = -q * np.expm1(-epsilon * np.maximum(down - 1, 0))
        middle = (below - np.expm1(-epsilon * self.up)) / (1 + q)  # Pr[F = c]
        total = at_one * self.smape_at(one)
        first = np.where(self.actual < _SMALL, one + _SMALL, one + 1)
        total += np.where(first <= 0, middle * self.smape_at(np.zeros_like(one)), 0.0)
        small = np.flatnonzero(self.actual < _SMALL)
        if small.size:
            few = self.take(small)
            for value in range(2, _SMALL + 1):
                f = value - few.centre
                exponent = np.where(f > 0, few.up + few.divisor * (f - 1), 0)
                exponent += np.where(f < 0, down[small] - few.divisor * (f + 1), 0)
                chance = np.exp(-epsilon[small] * exponent) * share[small]
                total[small] += np.where(f == 0, middle[small], chance) * few.smape_at(f)

        def add(start: Floats, count: Floats, tau: int, sigma: int, exponent: Floats) -> None:
            """Adds `count` values from `start` on, upwards (σ = 1) or downwards."""
            exponent = epsilon * exponent
            chosen = np.flatnonzero((count > 0) & (exponent < _NEGLIGIBLE))
            if chosen.size:
                part, begin = self.take(chosen), start[chosen]
                denominator = part.actual + part.centre + begin
                total[chosen] += (
                    np.exp(-exponent[chosen])
                    * share[chosen]
                    * geometric_sum(
                        epsilon[chosen] * part.divisor,
                        count[chosen],
                        (part.distance(begin), tau),
                        (denominator, sigma),
                        nodes,
                    )
                )

        # Above c, up to A and past it; below c, down to A and past it.
        start = np.maximum(1.0, first)
        beyond = np.maximum(start, self.offset + 1)
        add(start, beyond - start, -1, 1, self.up + self.divisor * (start - 1))
        add(beyond, np.full_like(beyond, np.inf), 1, 1, self.up + self.divisor * (beyond - 1))
        past = np.minimum(-1.0, self.offset)
        add(np.full_like(past, -1.0), -1 - np.maximum(past, first - 1), -1, -1, down)
        add(past, past - first + 1, 1, -1, down - self.divisor * (past + 1))
        # The integrals of `geometric_sum` may leave 1 + 1e-5.
        return np.where(self.actual == 0, 1.0, np.minimum(total, 1.0))

    def _at_one(self, epsilon: Floats, q: Floats) -> Floats:
        """Pr[F = 1], the noise up to just below that of F = 2."""
        lift = self.up + self.divisor * (1 - self.centre)
        rare = np.exp(-epsilon * np.where(lift > 0, lift, 1 - lift)) / (1 + q)
        return np.where(lift > 0, 1 - rare, rare)

    def distance(self, f: Floats) -> Floats:
        """|A - (c + f)|, without the rounding of A and c where they are large."""
        return np.abs(f - self.offset - self.fraction) + self.shortfall

    def smape_at(self, f: Floats) -> Floats:
        """|A - F|/(A + F) at F = c + f ≥ 1."""
        return self.distance(f) / np.maximum(self.actual + self.centre + f, 1.0)

    def take(self, chosen: NDArray[np.intp]) -> RoundedLaw:
        """Some of the elements."""
        return RoundedLaw(
            self.divisor[chosen],
            self.up[chosen],
            self.centre[chosen],
            self.offset[chosen],
            self.fraction[chosen],
            self.shortfall[chosen],
            self.actual[chosen],
        )
