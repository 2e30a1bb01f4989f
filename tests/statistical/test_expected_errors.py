"""Expected errors equal the mean over 10,000 simulated releases, within 4 standard errors (§6).

The draws are seeded, so a test that passes passes always. The release rule is written out here
in integers, apart from the code under test.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hushmap.accuracy import (
    IntegerWeights,
    MeanOverExactCount,
    MeanOverReleasedCount,
    ape,
    smape_edge,
)
from hushmap.noise import SimulatedNoise

pytestmark = pytest.mark.statistical

DRAWS = 10_000
RATES = [1e-3, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0]
MEANS = [0.0, 0.3, 1.0, 2.5, 60.3, 7777.0, 1e6]
COUNTS = [1, 2, 7, 40, 1000]


def check(expected: np.ndarray, simulated: np.ndarray, largest: float | np.ndarray) -> None:
    """Compares per column, within 4 standard errors; 1 in 16,000 is beyond them by chance.

    Where fewer than 200 draws differ from the usual value their spread says little: there, what is
    expected beyond it must be as rare. `largest` bounds by how much such a draw differs.
    """
    off = np.abs(simulated.mean(axis=0) - expected)
    standard_error = simulated.std(axis=0, ddof=1) / np.sqrt(DRAWS)
    events = np.sum(simulated != np.median(simulated, axis=0), axis=0)
    rare = events < 200
    assert np.all((off <= largest * (2 * events + 15) / DRAWS + 1e-9 * expected)[rare])
    sizes = off[~rare] / standard_error[~rare]
    assert np.mean(sizes > 4) <= 1e-3
    assert np.max(sizes, initial=0) < 5


def test_integer_weights():
    clips = [0, 1, 13, 5000]
    cases = list(itertools.product(RATES, [0, 1, 2, 5, 100, 10**4, 10**6], clips))
    rate, location, lost = map(np.array, zip(*cases, strict=True))
    actual = location + lost
    z = SimulatedNoise(seed=21).draw_many(rate, DRAWS)
    released = np.maximum(1, location + z)
    weights = IntegerWeights(location, actual)
    error = np.abs(released - actual).astype(np.float64)
    check(weights.expected_error(rate), error, largest=1.0)
    check(weights.expected_smape(rate), error / (released + actual), largest=1.0)


def mean_cases(rates):
    cases = list(itertools.product(*rates, COUNTS, MEANS, [1.0, 1.02, 1.7]))
    *rate, n, mean, clipping = map(np.array, zip(*cases, strict=True))
    total = np.round(mean * n).astype(np.int64)
    return *rate, n, total, np.round(total * clipping).astype(np.int64)


def test_means_over_the_exact_count():
    rate, n, total, actual = mean_cases([RATES])
    z = SimulatedNoise(seed=22).draw_many(rate, DRAWS)
    released = np.maximum(1, (2 * (total + z) + n) // (2 * n))
    weights = MeanOverExactCount(total, actual, n)
    error = np.abs(released - actual / n)
    check(weights.expected_error(rate), error, largest=1.0)
    check(weights.expected_smape(rate), error / (released + actual / n), largest=1.0)


def test_means_over_the_released_count():
    errors, smapes, expected_errors, expected_smapes, weight = [], [], [], [], []
    noise = SimulatedNoise(seed=23)
    for frequency in [0.01, 0.1, 0.5, 2.0, 5.0]:
        rate, n, total, actual = mean_cases([[1e-3, 0.05, 1.0, 5.0]])
        # A noisy count near one makes the mean huge. Where that happens in a few draws of a
        # million, the mean over 10,000 draws is far from normal.
        usual = (n * frequency < 6) | (n * frequency > 12)
        rate, n, total, actual = (column[usual] for column in (rate, n, total, actual))
        counts = np.maximum(1, n + noise.draw_many(np.full(n.size, frequency), DRAWS))
        z = noise.draw_many(rate, DRAWS)
        released = np.maximum(1, (2 * (total + z) + counts) // (2 * counts))
        weights = MeanOverReleasedCount(total, actual, n)
        errors.append(np.abs(released - actual / n))
        smapes.append(errors[-1] / (released + actual / n))
        expected_errors.append(weights.expected_error(rate, frequency))
        expected_smapes.append(weights.expected_smape(rate, frequency))
        weight.append(np.maximum(1, actual / n))
    expected, simulated = np.concatenate(expected_errors), np.hstack(errors)
    check(expected, simulated, largest=np.concatenate(weight))
    check(np.concatenate(expected_smapes), np.hstack(smapes), largest=1.0)


def test_expected_and_realised_errors_are_of_the_same_thing():
    """The realised APE and SMAPE of a released graph, as `measures` has them, on average."""
    location, actual, rate = [3, 40, 900], [3, 44, 900], [0.3, 0.1, 0.01]
    z = SimulatedNoise(seed=24).draw_many(rate, DRAWS).tolist()
    released = [[max(1, m + noise) for m, noise in zip(location, row, strict=True)] for row in z]
    weights = IntegerWeights(location, actual)
    check(weights.expected_ape(rate), np.array([ape(actual, row) for row in released]), 1.0)
    smapes = np.array([smape_edge(actual, row) for row in released])
    check(weights.expected_smape(rate), smapes, 1.0)
