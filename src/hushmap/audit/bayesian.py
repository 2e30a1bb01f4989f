"""The strong attacker of method.md §2, played with actual releases.

He knows every other occurrence of the edge and has a prior. For each round a secret is drawn from
that prior, the mechanism releases, and he guesses from what was released, by the exact law of the
production path. Two things are measured, each against the promised limit:

- *on average*: how often his best guess is right, less how often it was before the release;
- *at worst*: how often the secret was what he hoped for among the rounds whose release spoke for
  it most strongly, less what he believed before. Which rounds these are is decided by the releases
  alone, so the count of hits among them is binomial, and its limits are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hushmap.audit.checks import Check
from hushmap.audit.intervals import lower_limit, upper_limit
from hushmap.audit.law import Law
from hushmap.audit.mechanism import OURS, Ahead
from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hushmap.audit.mechanism import Mechanism, Released
    from hushmap.graph import Edge, ExactGraph
    from hushmap.planning.parameters import PlanParameters
    from hushmap.planning.plan import Plan

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BLOCK = 2_000_000
# The strongest releases: those within 1 % of the largest gain, but at least so many of a hundred.
_NEARLY = 0.99
_LEAST_SHARE = 0.005
_TOUCH = 1e-9
_IMPOSSIBLE = -1e300


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Game(OwnerOnly):
    """What the attacker knows, believes and wants to know.

    Attributes:
        name: Of the question.
        parameters: What the owner asked for.
        edge: The edge he looks at.
        graphs: The exact graph under each secret, in the order of the secrets.
        prior: How likely he takes each secret to be.
        windows: The guesses: ``lo`` and ``hi``, ranges of secrets that count as right.
        limit: The promised risk.
        scale_of: The graph at which the noise was calibrated, where the promise is given the
            scale (range observed, or an empirical prior); None if each graph is planned anew.
        one_by_one: Ask the source for the noise of every release by itself.
        every: Only so many of the draws asked for: releases of many numbers take longer.
    """

    name: str
    parameters: PlanParameters
    edge: Edge
    graphs: tuple[ExactGraph, ...]
    prior: Floats
    windows: tuple[Ints, Ints]
    limit: float
    scale_of: ExactGraph | None = None
    one_by_one: bool = False
    every: int = 1

    def __call__(
        self, mechanism: Mechanism, draws: int, rng: np.random.Generator, alpha: float
    ) -> list[Check]:
        """Play, and compare with the limit."""
        rounds = max(1, draws // self.every)
        secrets, released = self._play(mechanism, rounds, rng)
        belief = _Belief(self, released)
        return [self._on_average(secrets, belief, alpha), self._at_worst(secrets, belief, alpha)]

    def _play(
        self, mechanism: Mechanism, rounds: int, rng: np.random.Generator
    ) -> tuple[Ints, Released]:
        """The secrets of all rounds in ascending order, and what was released."""
        secrets = np.sort(rng.choice(len(self.graphs), size=rounds, p=self.prior))
        noise = mechanism.noise if self.one_by_one else Ahead(mechanism.noise, rounds)
        times = np.bincount(secrets, minlength=len(self.graphs)).tolist()
        parts = [
            mechanism.release_many(
                planned(mechanism, graph, self.parameters, self.scale_of), [self.edge], many, noise
            )
            for graph, many in zip(self.graphs, times, strict=True)
            if many
        ]
        return secrets, np.concatenate(parts)

    def _on_average(self, secrets: Ints, belief: _Belief, alpha: float) -> Check:
        lo, hi = self.windows
        guess = belief.likeliest
        wins = int(np.sum((lo[guess] <= secrets) & (secrets < hi[guess])))
        return self._check("on average", wins, len(secrets), float(belief.before.max()), alpha)

    def _at_worst(self, secrets: Ints, belief: _Belief, alpha: float) -> Check:
        """The strongest releases for one guess; both are chosen without looking at the secrets."""
        least = max(1, int(_LEAST_SHARE * len(secrets)))
        bar = min(_NEARLY * belief.gain.max(), _largest(belief.gain, least)) - _TOUCH
        guess = int(np.bincount(belief.gaining[belief.gain >= bar]).argmax())
        gain = belief.gain_of(guess)
        chosen = secrets[gain >= min(_NEARLY * gain.max(), _largest(gain, least)) - _TOUCH]
        lo, hi = self.windows
        hits = int(np.sum((lo[guess] <= chosen) & (chosen < hi[guess])))
        return self._check("at worst", hits, len(chosen), float(belief.before[guess]), alpha)

    def _check(self, how: str, hits: int, trials: int, before: float, alpha: float) -> Check:
        low = lower_limit(hits, trials, alpha) - before
        return Check(
            name=f"{self.name} ({how})",
            claimed=self.limit,
            measured=hits / trials - before,
            low=low,
            high=upper_limit(hits, trials, alpha) - before,
            holds=low <= self.limit,
            measure="advantage",
        )


class _Belief:
    """What the attacker believes after each release, by the law of the production path.

    Attributes:
        before: The prior probability of each window.
        likeliest: Per release the window that is most likely now.
        gaining: Per release the window whose probability rose most.
        gain: By how much it rose.
    """

    def __init__(self, game: Game, released: Released) -> None:
        self._windows = game.windows
        self._released = released
        self._log_prior = np.log(game.prior)[:, None]
        self._laws = [
            Law.of(planned(OURS, graph, game.parameters, game.scale_of), game.edge)
            for graph in game.graphs
        ]
        self.before = _sums(game.prior[:, None], game.windows)[:, 0]
        found = [self._strongest(block) for block in self._blocks()]
        self.likeliest, self.gaining, self.gain = (
            np.concatenate(column) for column in zip(*found, strict=True)
        )

    def gain_of(self, guess: int) -> Floats:
        """By how much each release raised the probability of one window."""
        lo, hi = (bound[guess : guess + 1] for bound in self._windows)
        after = [_sums(self._posterior(block), (lo, hi))[0] for block in self._blocks()]
        gained: Floats = np.concatenate(after) - self.before[guess]
        return gained

    def _blocks(self) -> list[Released]:
        rows = max(1, _BLOCK // max(len(self._laws), len(self.before)))
        return [
            self._released[start : start + rows] for start in range(0, len(self._released), rows)
        ]

    def _posterior(self, released: Released) -> Floats:
        """One row per secret, one column per release."""
        likelihood = np.stack([law.log_likelihood(released) for law in self._laws])
        weight = self._log_prior + likelihood
        weight -= np.maximum(weight.max(axis=0), _IMPOSSIBLE)
        np.exp(weight, out=weight)
        # What is impossible under every secret (of a broken mechanism) says nothing.
        shares: Floats = weight / np.maximum(weight.sum(axis=0), np.finfo(float).tiny)
        return shares

    def _strongest(self, released: Released) -> tuple[Ints, Ints, Floats]:
        after = _sums(self._posterior(released), self._windows)
        gained = after - self.before[:, None]
        best = gained.argmax(axis=0)
        return after.argmax(axis=0), best, np.take_along_axis(gained, best[None], 0)[0]


def _sums(shares: Floats, windows: tuple[Ints, Ints]) -> Floats:
    """What each window holds of each column."""
    running = np.concatenate((np.zeros((1, shares.shape[1])), np.cumsum(shares, axis=0)))
    held: Floats = running[windows[1]] - running[windows[0]]
    return held


def _largest(numbers: Floats, rank: int) -> float:
    """The number that so many reach."""
    return float(np.partition(numbers, -rank)[-rank])


def planned(
    mechanism: Mechanism,
    graph: ExactGraph,
    parameters: PlanParameters,
    scale_of: ExactGraph | None,
) -> Plan:
    """The plan of a graph; with the noise scale of another graph, where one is given."""
    if scale_of is None:
        return mechanism.plan(graph, parameters)
    return replace(mechanism.plan(scale_of, parameters), graph=graph)
