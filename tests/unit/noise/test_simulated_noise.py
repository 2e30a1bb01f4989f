"""The noise of a simulation: repeatable, and of the right size at every rate."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hushmap.exceptions import UsageError
from hushmap.noise import SimulatedNoise


def test_equal_seeds_give_equal_draws_and_others_do_not():
    epsilons = [1e-3, 1e-3, 2.0]
    first = SimulatedNoise(seed=5).draw_many(epsilons, 100)
    assert np.array_equal(first, SimulatedNoise(seed=5).draw_many(epsilons, 100))
    assert not np.array_equal(first, SimulatedNoise(seed=6).draw_many(epsilons, 100))


def test_a_simulation_says_that_it_is_seeded():
    assert SimulatedNoise(seed=0).seeded is True


def test_draws_of_a_whole_graph_have_one_row_each():
    noise = SimulatedNoise(seed=1).draw_many([0.1, 0.2, 0.3], 7)
    assert noise.shape == (7, 3)
    assert noise.dtype == np.int64
    assert SimulatedNoise(seed=1).draw_many([0.1], 0).shape == (0, 1)


@pytest.mark.parametrize("epsilon", [1e-15, 1e-12, 1e-6, 0.01, 1.0, 3.0])
def test_the_mean_size_and_the_sign_are_right_at_every_rate(epsilon):
    draws = 200_000
    noise = SimulatedNoise(seed=2).draw_many([epsilon], draws)[:, 0].astype(np.float64)
    q = math.exp(-epsilon)
    size, second = 1 / math.sinh(epsilon), 2 * q / math.expm1(-epsilon) ** 2
    assert abs(np.abs(noise).mean() - size) < 5 * math.sqrt((second - size**2) / draws)
    assert abs(noise.mean()) < 5 * math.sqrt(second / draws)


def test_a_huge_rate_gives_no_noise():
    assert not SimulatedNoise(seed=3).draw_many([1e4, 1e300], 1000).any()


def test_wrong_seeds_and_repetitions_are_refused():
    with pytest.raises(UsageError, match="-1"):
        SimulatedNoise(seed=-1)
    with pytest.raises(UsageError, match="-2"):
        SimulatedNoise(seed=1).draw_many([0.1], -2)
