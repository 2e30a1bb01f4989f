"""What is attacked: the way from an exact graph to released weights, with a seam at every step.

Our own mechanism is the production path itself: `plan_with`, `draw_weights` and `ReleaseNoise`.
A broken one replaces one of the three and is attacked by exactly the same functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushmap.noise import ReleaseNoise
from hushmap.planning.plan import plan_with
from hushmap.release.drawing import draw_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hushmap.graph import Annotation, Edge, ExactGraph
    from hushmap.noise import NoiseSource
    from hushmap.planning.parameters import PlanParameters
    from hushmap.planning.plan import Plan

    Weights = dict[Annotation, tuple[int | None, ...]]
    Released = NDArray[np.float64]

MISSING = 0.0
"""Stands for an edge that a release does not list; a weight is never below 1."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A way to release.

    Attributes:
        name: What it is.
        noise: Where its noise comes from.
        plan: From a limit to the noise of every edge.
        weights: From a plan to the weights that are shown.
    """

    name: str
    noise: NoiseSource
    plan: Callable[[ExactGraph, PlanParameters], Plan] = plan_with
    weights: Callable[[Plan, NoiseSource], Weights] = draw_weights

    def release_many(
        self, plan: Plan, edges: Sequence[Edge], times: int, noise: NoiseSource
    ) -> Released:
        """Release so many times, and keep what an attacker looks at.

        Args:
            plan: What to release.
            edges: The edges he looks at.
            times: How many releases.
            noise: Where their noise comes from: `Ahead` of the mechanism's own source.

        Returns:
            One row per release: the annotations of each edge in turn, in occurrences or ticks.
        """
        places = [plan.graph.edges.index(edge) if edge in plan.graph.edges else None
                  for edge in edges]  # fmt: skip
        kinds = plan.parameters.annotations
        rows = np.empty((times, len(places) * len(kinds)))
        for row in rows:
            weights = self.weights(plan, noise)
            row[:] = [
                MISSING if place is None else weights[kind][place] or MISSING
                for place in places
                for kind in kinds
            ]
        return rows


OURS = Mechanism("hushmap", ReleaseNoise())
"""The production path."""


class Ahead:
    """Noise of another source, drawn for many releases in one call.

    Every release of an attack is one call of the mechanism; only its noise is drawn ahead, because
    OpenDP draws many numbers of one scale ten times faster than one by one.

    Args:
        source: Where the noise comes from.
        releases: For how many releases it is drawn at a time.

    Example:
        >>> noise = Ahead(ReleaseNoise(), 100)
        >>> noise.draw([0.5, 2.0]).shape, noise.draw([0.5]).shape
        ((2,), (1,))
    """

    __slots__ = ("_drawn", "_releases", "_source")

    def __init__(self, source: NoiseSource, releases: int) -> None:
        self._source = source
        self._releases = max(1, releases)
        self._drawn: dict[bytes, list[NDArray[np.int64]]] = {}

    def draw(self, epsilons: ArrayLike) -> NDArray[np.int64]:
        """The noise of one draw; each number that the source gave is used once."""
        rates = np.asarray(epsilons, dtype=np.float64)
        left = self._drawn.setdefault(rates.tobytes(), [])
        if not left:
            drawn = np.asarray(self._source.draw(np.tile(rates, self._releases)))
            left.extend(drawn.reshape(self._releases, rates.size))
        return left.pop()
