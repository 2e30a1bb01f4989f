"""What a calibration costs: expected errors per edge and annotation, before any draw (§6)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hushmap.accuracy import IntegerWeights, MeanOverExactCount, MeanOverReleasedCount
from hushmap.graph import Annotation
from hushmap.planning.draws import Draw, draw_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hushmap.planning.calibration import Calibration, Calibrator

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class ExpectedErrors:
    """Expected errors of one annotation, one per edge that has it. Owner only.

    Attributes:
        ape: E|F − A| / A; NaN where A = 0.
        smape: E[|A − F| / (|A| + |F|)].
    """

    ape: Floats
    smape: Floats

    @property
    def mape(self) -> float | None:
        """The mean APE over the edges with A > 0; None if there is none."""
        return mean_of(self.ape)

    def __repr__(self) -> str:
        return f"ExpectedErrors({self.ape.size} edges, owner only)"


def mean_of(ape: Floats) -> float | None:
    """The mean over edges whose APE is defined (§6); None if there is none."""
    defined = ape[~np.isnan(ape)]
    return float(defined.mean()) if defined.size else None


class Expectation:
    """Expected errors of one graph, asked again for every calibration.

    Args:
        calibrator: The graph and the wish.
    """

    def __init__(self, calibrator: Calibrator) -> None:
        self._calibrator = calibrator
        self._graph = calibrator.graph
        self.timed = np.flatnonzero(self._graph.timed)

    def edges(self, annotation: Annotation) -> NDArray[np.intp]:
        """The places of the edges that have the annotation."""
        return self.timed if annotation.is_time else np.arange(self._graph.size)

    def actual(self, annotation: Annotation) -> tuple[list[int], list[int]]:
        """The true weights of these edges, unclipped, as exact numerators and denominators."""
        graph = self._graph
        ones = [1] * len(self.edges(annotation))
        if annotation is Annotation.FREQUENCY:
            return graph.counts.tolist(), ones
        if annotation in {Annotation.SUM, Annotation.MEAN}:
            totals = [graph.unclipped_sums[place] for place in self.timed]
            counts = graph.counts[self.timed].tolist()
            return totals, counts if annotation is Annotation.MEAN else ones
        extremes = (
            graph.unclipped_minima if annotation is Annotation.MIN else graph.unclipped_maxima
        )
        assert extremes is not None
        return extremes[self.timed].tolist(), ones

    @cached_property
    def _weights(
        self,
    ) -> dict[Annotation, IntegerWeights | MeanOverExactCount | MeanOverReleasedCount]:
        graph, timed = self._graph, self.timed
        kinds: dict[Annotation, IntegerWeights | MeanOverExactCount | MeanOverReleasedCount] = {}
        located: dict[Annotation, Sequence[int]] = {
            Annotation.FREQUENCY: graph.counts.tolist(),
            Annotation.SUM: [graph.sums[place] for place in timed],
            Annotation.MEAN: [graph.sums[place] for place in timed],
            Annotation.MIN: graph.minima[timed].tolist(),
            Annotation.MAX: graph.maxima[timed].tolist(),
        }
        for annotation in self._calibrator.parameters.annotations:
            actual, counts = self.actual(annotation)
            if annotation is not Annotation.MEAN:
                kinds[annotation] = IntegerWeights(located[annotation], actual)
            elif self._calibrator.parameters.has_frequency:
                kinds[annotation] = MeanOverReleasedCount(located[annotation], actual, counts)
            else:
                kinds[annotation] = MeanOverExactCount(located[annotation], actual, counts)
        return kinds

    def ape(self, calibration: Calibration, annotation: Annotation) -> Floats:
        """Expected APE of every edge that has the annotation."""
        return self._ask(calibration, annotation, "expected_ape")

    def errors(self, calibration: Calibration, annotation: Annotation) -> ExpectedErrors:
        """Expected APE and SMAPE of every edge that has the annotation."""
        return ExpectedErrors(
            self.ape(calibration, annotation),
            self._ask(calibration, annotation, "expected_smape"),
        )

    def _ask(self, calibration: Calibration, annotation: Annotation, what: str) -> Floats:
        places = self.edges(annotation)
        weights = self._weights[annotation]
        rates = [self._calibrator.rate(calibration, draw_of(annotation))[places]]
        if isinstance(weights, MeanOverReleasedCount):
            rates.append(self._calibrator.rate(calibration, Draw.FREQUENCY)[places])
        answer: Floats = getattr(weights, what)(*rates)
        return answer
