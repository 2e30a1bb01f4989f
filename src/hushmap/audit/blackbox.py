"""The attacker who knows nothing of the mechanism: releases of two neighbouring logs, and counts.

In the manner of StatDP and DP-Sniper. A quarter of the releases serves to choose an event that
happens more often under one log than under the other; how much more often is then counted on the
releases that are left, with exact limits. The logarithm of the ratio is a lower bound on the ε that
the mechanism really has, and must not exceed the ε that is claimed.

Events are intervals of what an attacker can see of a release: each number, its digits (in which
power of two it lies, and its lowest bit that is not zero: floats betray themselves there), and a
score that adds up how much each number speaks for one of the logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushmap.audit.bayesian import planned
from hushmap.audit.checks import Check
from hushmap.audit.intervals import loss_interval, lower_limit, upper_limit
from hushmap.audit.mechanism import Ahead

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hushmap.audit.mechanism import Mechanism, Released
    from hushmap.graph import Edge, ExactGraph
    from hushmap.planning.parameters import PlanParameters

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_TRAINED_ON = 4
_BINS = 32
_CANDIDATES = 512
_STANDARD_ERRORS = 5.7
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """Two logs that a release must not tell apart better than by a loss of ε.

    Attributes:
        name: What differs.
        parameters: What the owner asked for.
        graphs: The exact graphs of both logs.
        edges: The edges the attacker looks at.
        claimed: The loss ε that is promised; None for neighbours that the promise leaves out.
        scale_of: The graph at which the noise was calibrated, where the promise is given the
            scale; None if each graph is planned anew.
        every: Only so many of the draws asked for: releases of many numbers take longer.
    """

    name: str
    parameters: PlanParameters
    graphs: tuple[ExactGraph, ExactGraph]
    edges: tuple[Edge, ...]
    claimed: float | None
    scale_of: ExactGraph | None = None
    every: int = 1

    def __call__(
        self, mechanism: Mechanism, draws: int, rng: np.random.Generator, alpha: float
    ) -> list[Check]:
        """Release both, choose an event by some of the releases, and count it on the others."""
        each = max(_TRAINED_ON, draws // (2 * self.every))
        first, second = (self._released(mechanism, graph, each, rng) for graph in self.graphs)
        cut = each // _TRAINED_ON
        event = best_event((first[:cut], second[:cut]))
        counts = [(int(np.sum(event.holds(rows[cut:]))), each - cut) for rows in (first, second)]
        if event.turned:
            counts.reverse()
        measured, low, high = loss_interval(counts[0], counts[1], alpha)
        return [
            Check(
                name=self.name,
                claimed=self.claimed,
                measured=max(0.0, measured),  # no loss is below 0, but an estimate may be
                low=max(0.0, low),
                high=max(0.0, high),
                holds=self.claimed is None or low <= self.claimed,
                kind="promise" if self.claimed is not None else "not promised",
            )
        ]

    def _released(
        self, mechanism: Mechanism, graph: ExactGraph, times: int, rng: np.random.Generator
    ) -> Released:
        """Releases of one log, in an order that has nothing to do with that of the draws."""
        plan = planned(mechanism, graph, self.parameters, self.scale_of)
        rows = mechanism.release_many(plan, self.edges, times, Ahead(mechanism.noise, times))
        return rows[rng.permutation(times)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeNumbers:
    """Only whole numbers from 1 on may be released: anything finer is digits that tell.

    Attributes:
        name: What is released.
        parameters: What the owner asked for.
        graph: The exact graph.
        edges: The edges the attacker looks at.
    """

    name: str
    parameters: PlanParameters
    graph: ExactGraph
    edges: tuple[Edge, ...]

    def __call__(
        self, mechanism: Mechanism, draws: int, rng: np.random.Generator, alpha: float
    ) -> list[Check]:
        """Count the releases in which a number is not whole, or below 1."""
        del rng
        times = max(1, draws // 10)
        plan = mechanism.plan(self.graph, self.parameters)
        rows = mechanism.release_many(plan, self.edges, times, Ahead(mechanism.noise, times))
        odd = int(np.sum(((rows != np.floor(rows)) | (rows < 1)).any(axis=1)))
        return [
            Check(
                name=self.name,
                claimed=0.0,
                measured=odd / times,
                low=lower_limit(odd, times, alpha),
                high=upper_limit(odd, times, alpha),
                holds=odd == 0,
                measure="share",
            )
        ]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that an attacker can see to happen: a feature of a release within an interval.

    Attributes:
        features: How features are made of releases.
        column: Which feature.
        low: Least value, included.
        high: Largest value, included.
        turned: Whether it speaks for the second log.
    """

    features: Features
    column: int
    low: float
    high: float
    turned: bool

    def holds(self, released: Released) -> NDArray[np.bool_]:
        """Whether it happened, for each release."""
        seen = self.features.of(released)[:, self.column]
        return (self.low <= seen) & (seen <= self.high)


@dataclass(frozen=True, slots=True)
class Features:
    """What can be seen of a release: its numbers, their digits, and a score.

    Attributes:
        edges: Per number the borders of its bins.
        scores: Per number and bin, how much it speaks for the first log.
    """

    edges: tuple[Floats, ...]
    scores: tuple[Floats, ...]

    @classmethod
    def learned(cls, first: Released, second: Released) -> Features:
        """Bins of about equal weight, and the logarithm of how often each side fell into them."""
        borders, scores = [], []
        for one, other in zip(first.T, second.T, strict=True):
            both = np.concatenate((one, other))
            edges = np.unique(np.quantile(both, np.linspace(0, 1, _BINS + 1)[1:-1]))
            counts = [
                np.bincount(np.searchsorted(edges, side), minlength=len(edges) + 1)
                for side in (one, other)
            ]
            borders.append(edges)
            scores.append(np.log(counts[0] + 0.5) - np.log(counts[1] + 0.5))
        return cls(tuple(borders), tuple(scores))

    def of(self, released: Released) -> Floats:
        """One column per feature."""
        score = np.zeros(len(released))
        for values, edges, points in zip(released.T, self.edges, self.scores, strict=True):
            score += points[np.searchsorted(edges, values)]
        return np.column_stack([released, *map(digits, released.T), score])


def digits(numbers: Floats) -> Floats:
    """The power of two in which a number lies, and that of its lowest bit, as one number.

    Example:
        >>> digits(np.array([12.0, 0.75]))          # 8 ≤ 12 and 12 = 3 · 4; 0.75 = 3 · 0.25
        array([402.,  -2.])
    """
    mantissa, power = np.frexp(numbers)
    whole = (mantissa * 2.0**53).astype(np.int64)
    lowest = np.log2(np.maximum(whole & -whole, 1)) - 53 + power
    seen: Floats = 100.0 * power + lowest
    return seen


def best_event(released: tuple[Released, Released]) -> Event:
    """The event whose loss is likely to be the largest that can be shown on the other releases.

    Args:
        released: Of both logs, to choose by alone.
    """
    features = Features.learned(*released)
    first, second = (features.of(rows) for rows in released)
    best, found = -np.inf, Event(features, 0, -np.inf, np.inf, turned=False)
    for column in range(first.shape[1]):
        lows, highs = _intervals(np.concatenate((first[:, column], second[:, column])))
        counts = [_within(side[:, column], lows, highs) for side in (first, second)]
        for turned in (False, True):
            shown = _shown(counts[turned], counts[not turned], len(first))
            place = int(shown.argmax())
            if shown[place] > best:
                best = float(shown[place])
                found = Event(features, column, lows[place], highs[place], turned)
    return found


def _intervals(seen: Floats) -> tuple[Floats, Floats]:
    """Single values (the most frequent) and everything up to, or from, a value."""
    values, counts = np.unique(seen, return_counts=True)
    often = values[np.argsort(-counts, kind="stable")[:_CANDIDATES]]
    marks = values
    if len(values) > _CANDIDATES:
        marks = np.unique(np.quantile(values, np.linspace(0, 1, _CANDIDATES)))
        marks = np.concatenate((marks, np.quantile(seen, np.linspace(0, 1, _CANDIDATES))))
    endless = np.full(len(marks), np.inf)
    return np.concatenate((often, -endless, marks)), np.concatenate((often, marks, endless))


def _within(seen: Floats, lows: Floats, highs: Floats) -> Ints:
    ordered = np.sort(seen)
    return np.searchsorted(ordered, highs, "right") - np.searchsorted(ordered, lows, "left")


def _shown(hits: Ints, others: Ints, trained: int) -> Floats:
    """About the lower limit of the loss, on as many releases as will be counted."""
    counted = trained * (_TRAINED_ON - 1)
    low, _ = _wilson(hits / trained, counted)
    _, high = _wilson(others / trained, counted)
    shown: Floats = np.log(np.maximum(low, _NOTHING)) - np.log(high)
    return shown


def _wilson(share: Floats, trials: int) -> tuple[Floats, Floats]:
    """Limits of a probability by Wilson's score: good enough to choose an event by."""
    z = _STANDARD_ERRORS
    middle = share + z * z / (2 * trials)
    reach = z * np.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    whole = 1 + z * z / trials
    return (middle - reach) / whole, (middle + reach) / whole
