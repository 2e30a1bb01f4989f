"""What the authors' prototype computes on a log, as facts to compare with; nothing is released so.

Its published medians can be reproduced to the last digits when its habits are followed:

- frequencies count all events, times only those whose lifecycle is complete;
- ε is per unit of the edge, and the unit (milliseconds to years) follows the size of the edge's own
  weight; where the weight is 0, the unit of the edge before it stays in force;
- there is no cap: where no guess limits ε, it is infinite and the edge is published exactly;
- a guess counts as one that limits ε only if 1 − P, rounded to two decimals, is above the risk;
- durations are floats in the edge's unit, and of those equal to a border of a window one is counted
  as within at the upper border, and one as without at the lower;
- the noise is one-sided and continuous, the mean's sensitivity is 1 over the number of edges, and
  MAPE and SMAPE are added up twice;
- where the true weight is 0, both weights are replaced by 100 less themselves: with the noise z in
  the edge's unit, the error is z/100, and that of SMAPE z/|200 − z|, which has no mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hushmap as hm
from hushmap.exceptions import ColumnError, EmptyLogError
from hushmap.graph import Annotation
from hushmap.planning.frontier import GRID
from hushmap.risk import epsilon_any

# Milliseconds in each unit; a weight of up to two digits before the point keeps the unit.
YEAR = 365 * 86_400_000
DIVISORS: dict[int, tuple[int, ...]] = {
    1: (),
    1_000: (1_000,),
    60_000: (1_000, 60),
    3_600_000: (1_000, 60, 60),
    86_400_000: (1_000, 60, 60, 24),
    604_800_000: (1_000, 60, 60, 24, 7),
    2_592_000_000: (1_000, 60, 60, 24, 30),
    YEAR: (1_000, 60, 60, 24, 365),
}
UNITS = tuple(unit for unit in DIVISORS if unit != YEAR)
PRECISION = 0.5
ZERO = 100.0  # stands for a true weight of 0
DRAWS, SEED = 4_000, 20_201_102
# Three standard deviations, as probabilities.
LOW, HIGH = 0.00135, 0.99865
# The integral over the law of one-sided noise, on a grid of logarithms.
_STEPS = np.linspace(-40.0, 5.0, 1801)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PrototypeEdge:
    """One edge as the prototype sees it; durations in milliseconds.

    Attributes:
        weights: The true weight per annotation of times.
        durations: The distinct durations, ascending.
        counts: How often each occurs.
    """

    weights: dict[Annotation, float]
    durations: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def range(self) -> int:
        """The longest duration."""
        return int(self.durations[-1])

    def shares(self, unit: int) -> list[float]:
        """The distinct P of the occurrences; none where all durations are equal."""
        if len(self.durations) == 1:
            return []
        factor = 1.0
        for divisor in DIVISORS[unit]:
            factor /= divisor
        times = self.durations * factor
        below = np.concatenate([[0], np.cumsum(self.counts)])
        occurrences = int(below[-1])
        steps = np.concatenate([[0.0], np.linspace(1 / occurrences, 1, occurrences)])

        def at(values: Floats) -> Floats:
            place = np.searchsorted(times, values)
            equal = times[np.minimum(place, len(times) - 1)] == values
            return steps[below[place] + equal]

        reach = times[-1] * PRECISION
        return list(np.unique(at(times + reach) - at(times - reach)).tolist())


def e_of(shares: list[float], risk: float) -> float:
    """ε·R at a risk: infinite where no guess limits it."""
    return min(
        (
            -math.log(share / (1 - share) * (1 / (risk + share) - 1))
            for share in shares
            if round(1 - share, 2) > risk
        ),
        default=math.inf,
    )


def prototype_of(name: str, path: Path) -> list[dict[str, Any]]:
    """Per annotation and risk the figures that the prototype would publish.

    Args:
        name: How the log is called.
        path: The log.
    """
    graph = hm.discover(hm.read_log(path, lifecycle="all"), histograms=False)
    inner = [place for place, edge in enumerate(graph.edges) if None not in edge]
    if not inner:
        return []
    counts = graph.counts[inner].astype(np.float64)
    records = [_frequency(name, risk, counts) for risk in GRID]
    edges = edges_of(path)
    for annotation in (Annotation.SUM, Annotation.MEAN, Annotation.MIN, Annotation.MAX):
        units = units_of(edges, annotation)
        shares = [edge.shares(int(unit)) for edge, unit in zip(edges, units, strict=True)]
        for risk in GRID:
            e = np.array([e_of(own, float(risk)) for own in shares])
            records.append(_times(name, annotation, risk, edges, units, e))
    return records


def edges_of(path: Path) -> list[PrototypeEdge]:
    """The edges between activities in the order in which the log first walks them."""
    try:
        log = hm.read_log(path, lifecycle="complete")
    except (ColumnError, EmptyLogError):
        log = hm.read_log(path, lifecycle="all")
    graph = hm.discover(log, resolution="1ms")
    first_seen = log.workspace.rows(
        "SELECT source, target, min(seq) AS first FROM (SELECT activity AS source, seq, "
        "lead(activity) OVER (PARTITION BY case_id ORDER BY t, seq) AS target "
        f"FROM ({log.events_sql})) WHERE target IS NOT NULL GROUP BY ALL ORDER BY first"
    )
    place_of = {tuple(edge): place for place, edge in enumerate(graph.edges)}
    durations = graph.durations
    assert durations is not None
    edges = []
    for source, target, _ in first_seen:
        place = place_of[source, target]
        part = slice(int(durations.offsets[place]), int(durations.offsets[place + 1]))
        own, many = durations.values[part], durations.counts[part]
        total, count = graph.sums[place], int(graph.counts[place])
        weights = {
            Annotation.SUM: float(total),
            Annotation.MEAN: total / count,
            Annotation.MIN: float(own[0]),
            Annotation.MAX: float(own[-1]),
        }
        edges.append(PrototypeEdge(weights, own, many))
    return edges


def units_of(edges: list[PrototypeEdge], annotation: Annotation) -> Floats:
    """Milliseconds in the unit of every edge; a weight of 0 keeps the unit of the edge before."""
    units, unit = [], 1
    for edge in edges:
        weight = edge.weights[annotation]
        if weight:
            unit = next((one for one in UNITS if int(math.log10(weight / one)) < 2), YEAR)
        units.append(unit)
    return np.array(units, dtype=np.float64)


def _frequency(name: str, risk: Fraction, counts: Floats) -> dict[str, Any]:
    e = float(epsilon_any(risk))
    return _record(
        name,
        Annotation.FREQUENCY,
        risk,
        np.full(len(counts), e),
        1 / (e * counts),
        np.zeros(0),
    )


def _times(
    name: str,
    annotation: Annotation,
    risk: Fraction,
    edges: list[PrototypeEdge],
    units: Floats,
    e: Floats,
) -> dict[str, Any]:
    ranges = np.array([edge.range for edge in edges], dtype=np.float64)
    weights = np.array([edge.weights[annotation] for edge in edges])
    sensitivity = 1 / len(edges) if annotation is Annotation.MEAN else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        epsilons = np.where(np.isinf(e), np.inf, e * units / ranges)
        noise = np.where(np.isinf(e), 0.0, sensitivity * ranges / e)  # milliseconds
        scale = noise / weights
    zero = weights == 0
    return _record(
        name, annotation, risk, epsilons, scale[~zero], noise[zero] / (units[zero] * ZERO)
    )


def _record(
    name: str, annotation: Annotation, risk: Fraction, epsilons: Floats, scale: Floats, zero: Floats
) -> dict[str, Any]:
    """The figures of one setting.

    Args:
        name: How the log is called.
        annotation: What is released.
        risk: The limit.
        epsilons: ε of every edge.
        scale: The mean of the noise over the weight, where that is not 0.
        zero: The mean of the noise over `ZERO` units, where the weight is 0.
    """
    every = np.concatenate([scale, zero])
    low, middle, high = _smape_range(scale, zero)
    return {
        "log": name,
        "annotation": annotation.value,
        "risk": float(risk),
        "edges": len(epsilons),
        "infinite_edges": int(np.isinf(epsilons).sum()),
        "zero_edges": int((zero > 0).sum()),
        "median_epsilon": float(np.median(epsilons)),
        "doubled_mape": 2 * float(every.mean()),
        "doubled_mape_sd": 2 * float(np.sqrt((every**2).sum())) / len(every),
        "doubled_smape": 2 * middle,
        "doubled_smape_low": 2 * low,
        "doubled_smape_high": 2 * high,
    }


def _smape_range(scale: Floats, zero: Floats) -> tuple[float, float, float]:
    """SMAPE: three standard deviations below the mean, the mean, and as many above.

    Noise on a weight of 0 has an error without a mean: there quantiles and median, by simulation.
    """
    mean, spread = _smape_of(scale)
    edges = len(scale) + len(zero)
    middle, deviation = mean.sum() / edges, float(np.sqrt((spread**2).sum())) / edges
    noisy = zero[zero > 0]
    if not noisy.size:
        return middle - 3 * deviation, middle, middle + 3 * deviation
    source = np.random.default_rng(SEED)
    z = source.exponential(noisy, (DRAWS, len(noisy)))
    drawn = (z / np.abs(2 - z)).sum(axis=1) / edges + source.normal(middle, deviation, DRAWS)
    low, median, high = np.quantile(drawn, (LOW, 0.5, HIGH)).tolist()
    return low, median, high


def _smape_of(scale: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of z / (2A + z) for one-sided noise z of mean scale·A."""
    u = np.exp(_STEPS)
    weight = np.exp(-u) * u * (_STEPS[1] - _STEPS[0])
    distinct, place = np.unique(scale, return_inverse=True)
    relative = np.multiply.outer(distinct, u)
    share = 1 - 2 / (2 + relative)  # 1 where the weight is 0
    mean = share @ weight
    spread = np.sqrt(np.maximum(0, share**2 @ weight - mean**2))
    return mean[place], spread[place]
