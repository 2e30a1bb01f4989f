"""One draw: noise on exact integers, clamped (method.md §5); for release and simulation alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hushmap.graph import Annotation
from hushmap.planning.draws import Draw

if TYPE_CHECKING:
    from hushmap.noise import NoiseSource
    from hushmap.planning.plan import Plan

    Weights = dict[Annotation, tuple[int | None, ...]]


def draw_weights(plan: Plan, noise: NoiseSource) -> Weights:
    """Draw the noise of every edge once and make the weights that may be shown.

    Counts are in occurrences, times in ticks; everything is added in exact integers and then
    clamped at 1, which is post-processing and costs nothing.
    """
    graph = plan.graph
    everywhere, timed = np.arange(graph.size), np.flatnonzero(graph.timed)
    exact: dict[Draw, list[int]] = {
        Draw.FREQUENCY: graph.counts.tolist(),
        Draw.SUM: list(graph.sums),
        Draw.MIN: graph.minima.tolist(),
        Draw.MAX: graph.maxima.tolist(),
    }
    noisy: dict[Draw, dict[int, int]] = {}
    for draw in plan.draws:
        places = everywhere if draw is Draw.FREQUENCY else timed
        drawn = noise.draw(plan.rates(draw)[places]).tolist()
        noisy[draw] = {
            place: exact[draw][place] + z for place, z in zip(places.tolist(), drawn, strict=True)
        }
    weights: Weights = {}
    for annotation in plan.parameters.annotations:
        if annotation is Annotation.MEAN:
            values = _means(plan, noisy)
        else:
            values = {place: max(1, value) for place, value in noisy[Draw(annotation)].items()}
        weights[annotation] = tuple(values.get(place) for place in range(graph.size))
    return weights


def _means(plan: Plan, noisy: dict[Draw, dict[int, int]]) -> dict[int, int]:
    """Noisy sum over the released frequency, or over n where none is released; to the tick."""
    means = {}
    for place, total in noisy[Draw.SUM].items():
        count = int(plan.graph.counts[place])
        if Draw.FREQUENCY in noisy:
            count = max(1, noisy[Draw.FREQUENCY][place])
        means[place] = max(1, (2 * total + count) // (2 * count))  # rounded half up
    return means
