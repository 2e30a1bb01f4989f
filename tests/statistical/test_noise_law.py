"""The samplers follow the discrete Laplace law of method.md §5.

Real draws cannot be seeded, so each test here may fail by chance, with a probability of at most
1e-6 (`FALSE_ALARM`). Cells are merged until each expects 50 draws, where the chi-square
distribution holds that far out.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from hushmap.noise import ReleaseNoise, SimulatedNoise

pytestmark = pytest.mark.statistical

FALSE_ALARM = 1e-6
SCALES = [0.2, 1.0, 5.0, 100.0]


def chance_of_worse(statistic: float, freedom: int) -> float:
    """The probability of a larger chi-square statistic, with that many degrees of freedom."""
    return float(mpmath.gammainc(freedom / 2, statistic / 2, mpmath.inf, regularized=True))


def cumulative(z: float, epsilon: float) -> float:
    """Pr[noise ≤ z] for an integer z."""
    q = math.exp(-epsilon)
    if z < 0:
        return math.exp(epsilon * z) / (1 + q)
    return 1 - math.exp(-epsilon * (z + 1)) / (1 + q)


def chi_square(noise: np.ndarray, epsilon: float, cells: int = 60) -> float:
    """The chance of draws that fit the law worse than these."""
    # Upper ends of cells, symmetric, from quantiles of the law and the integers around 0.
    share = np.arange(1, cells // 2) / cells
    low = np.floor(np.log(2 * share) / epsilon)
    ends = np.unique(np.concatenate([low, -low - 1, np.arange(-3.0, 3.0)]))
    probability = np.diff([0.0, *(cumulative(end, epsilon) for end in ends), 1.0])
    observed = np.bincount(np.searchsorted(ends, noise, side="left"), minlength=ends.size + 1)
    merged: list[list[float]] = [[0.0, 0.0]]
    for chance, seen in zip(probability, observed, strict=True):
        if merged[-1][0] * noise.size >= 50:
            merged.append([0.0, 0.0])
        merged[-1][0] += chance
        merged[-1][1] += seen
    if merged[-1][0] * noise.size < 50:
        last = merged.pop()
        merged[-1][0] += last[0]
        merged[-1][1] += last[1]
    expected, seen = np.array(merged).T
    expected *= noise.size
    statistic = float(np.sum((seen - expected) ** 2 / expected))
    assert len(merged) > 1, "too few draws to test anything"
    return chance_of_worse(statistic, len(merged) - 1)


def binomial_bound(probability: float, draws: int) -> float:
    """How far a share may be from its probability: 5.6 standard deviations, 1e-7 or so."""
    return 5.6 * math.sqrt(probability * (1 - probability) / draws)


@pytest.mark.parametrize("scale", SCALES)
def test_a_batch_of_real_draws_follows_the_law(scale):
    noise = ReleaseNoise().draw(np.full(60_000, 1 / scale))
    assert chi_square(noise, 1 / scale) > FALSE_ALARM


@pytest.mark.parametrize(("scale", "draws"), [(0.2, 10_000), (1.0, 4_000), (100.0, 4_000)])
def test_real_draws_made_one_by_one_follow_the_law(scale, draws):
    source = ReleaseNoise()
    noise = np.concatenate([source.draw([1 / scale]) for _ in range(draws)])
    assert chi_square(noise, 1 / scale, cells=30) > FALSE_ALARM


@pytest.mark.parametrize("scale", [1e6, 1e15])
def test_wide_real_draws_follow_the_law(scale):
    noise = ReleaseNoise().draw(np.full(40_000, 1 / scale))
    assert chi_square(noise, 1 / scale) > FALSE_ALARM


@pytest.mark.parametrize("scale", [*SCALES, 1e6, 1e12, 1e15])
def test_simulated_draws_follow_the_law(scale):
    noise = SimulatedNoise(seed=11).draw_many([1 / scale], 400_000)[:, 0]
    assert chi_square(noise, 1 / scale) > FALSE_ALARM


@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_the_test_itself_notices_a_rate_that_is_one_part_in_thirty_off(scale):
    noise = SimulatedNoise(seed=12).draw_many([1 / scale], 100_000)[:, 0]
    assert chi_square(noise, 1.033 / scale) < FALSE_ALARM


def test_the_test_itself_notices_noise_cut_from_a_float():
    """int(Laplace) puts twice its due on 0 (pitfalls.md 5), abs(noise) nothing below."""
    noise = np.random.default_rng(13).laplace(scale=5.0, size=100_000)
    assert chi_square(noise.astype(np.int64), 0.2) < FALSE_ALARM
    assert chi_square(np.abs(np.round(noise)).astype(np.int64), 0.2) < FALSE_ALARM


@pytest.mark.parametrize("scale", SCALES)
def test_noise_goes_both_ways_and_an_exact_weight_is_left_to_chance(scale):
    draws = 50_000
    noise = ReleaseNoise().draw(np.full(draws, 1 / scale))
    exact = math.tanh(0.5 / scale)
    assert abs(np.mean(noise == 0) - exact) <= binomial_bound(exact, draws)
    below = (1 - exact) / 2
    assert abs(np.mean(noise < 0) - below) <= binomial_bound(below, draws)
    assert abs(np.mean(noise > 0) - below) <= binomial_bound(below, draws)


def test_the_edges_of_a_release_are_independent():
    """Signs of neighbours in one batch, and in two batches of one release, fall as if alone."""
    epsilons = np.tile([0.5, 0.5, 0.25], 10_000)
    signs = np.sign(ReleaseNoise().draw(epsilons)).reshape(-1, 3) + 1
    for left, right in [(0, 1), (1, 2)]:
        table = np.bincount(3 * signs[:, left] + signs[:, right], minlength=9).reshape(3, 3)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        statistic = float(np.sum((table - expected) ** 2 / expected))
        assert chance_of_worse(statistic, 4) > FALSE_ALARM / 2
