"""What the attacker computes: how likely a release is under each secret (method.md §5).

He knows the program, the noise scales and everything of the log but the secret, so he knows the
law of every released number exactly: the discrete Laplace, the clamp at 1 and the rounding of a
mean to the tick included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushmap.graph import Annotation
from hushmap.owner import OwnerOnly
from hushmap.planning.draws import Draw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hushmap.graph import Edge
    from hushmap.planning.plan import Plan

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class Law(OwnerOnly):
    """The law of what is released of one edge, under one secret.

    Attributes:
        annotations: What is released, in the order of the columns.
        rates: ε of every draw, per occurrence or tick.
        exact: What each draw's noise is added to.
        count: Occurrences of the edge.
    """

    annotations: tuple[Annotation, ...]
    rates: dict[Draw, float]
    exact: dict[Draw, int]
    count: int

    @classmethod
    def of(cls, plan: Plan, edge: Edge) -> Law:
        """The law of a plan's release of one edge."""
        graph, place = plan.graph, plan.graph.edges.index(edge)
        draws = [draw for draw in plan.draws if draw is Draw.FREQUENCY or graph.timed[place]]
        exact = {
            Draw.FREQUENCY: int(graph.counts[place]),
            Draw.SUM: graph.sums[place],
            Draw.MIN: int(graph.minima[place]),
            Draw.MAX: int(graph.maxima[place]),
        }
        return cls(
            plan.parameters.annotations,
            {draw: float(plan.rates(draw)[place]) for draw in draws},
            exact,
            int(graph.counts[place]),
        )

    def log_likelihood(self, released: Floats) -> Floats:
        """The logarithm of the probability of each release.

        Args:
            released: One row per release, one column per annotation.
        """
        column = {kind: released[:, place] for place, kind in enumerate(self.annotations)}
        found = np.zeros(len(released))
        for draw, rate in self.rates.items():
            low, high = self._drawn_between(draw, column)
            found += log_mass(rate, low - self.exact[draw], high - self.exact[draw])
        return found

    def _drawn_between(self, draw: Draw, column: dict[Annotation, Floats]) -> tuple[Floats, Floats]:
        """Between which values the noisy number was, before it was clamped or divided."""
        kind = Annotation(draw.value)
        if kind in column:  # a sum tells all that the mean beside it tells
            value = column[kind]
            low = high = value
        else:
            value = column[Annotation.MEAN]
            count = column.get(Annotation.FREQUENCY, np.full(len(value), float(self.count)))
            # (2·T + n) // (2·n) = y is n·y − n/2 ≤ T < n·y + n/2.
            low, high = np.ceil(count * (value - 0.5)), np.ceil(count * (value + 0.5)) - 1
        return np.where(value <= 1, -np.inf, low), high


def log_mass(rate: float, low: Floats, high: Floats) -> Floats:
    """The logarithm of Pr[low ≤ z ≤ high] for discrete Laplace noise z; low may be minus infinity.

    Example:
        >>> import math
        >>> mass = log_mass(math.log(2), np.array([0.0, -np.inf]), np.array([0.0, -1.0]))
        >>> np.exp(mass).round(4)                    # Pr[0] = 1/3, and a third on either side
        array([0.3333, 0.3333])
    """
    alpha = np.exp(-rate)
    turned = high < 0
    near, far = np.where(turned, -high, low), np.where(turned, -low, high)
    with np.errstate(invalid="ignore", divide="ignore"):
        aside = -rate * near + np.log(-np.expm1(-rate * (far - near + 1))) - np.log1p(alpha)
        beyond = np.exp(-rate * (far + 1)) + np.exp(-rate * (1 - near))
        around = np.log1p(-beyond / (1 + alpha))
    mass: Floats = np.where(near >= 0, aside, around)
    return mass
