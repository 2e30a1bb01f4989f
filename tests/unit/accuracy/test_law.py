"""The law of the noise in closed form: by definition, and the figures of method.md §5, §8."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.accuracy import (
    continuous_epsilon_for_tail,
    expected_absolute,
    least_epsilon_for_tail,
    tail,
)
from hushmap.exceptions import UsageError

FIXED = settings(derandomize=True, deadline=None)


def law(epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Noise and its probabilities, from the definition."""
    reach = math.ceil(45 / epsilon) + 1
    z = np.arange(-reach, reach + 1)
    weight = np.exp(-epsilon * np.abs(z))
    return z, weight / weight.sum()


@FIXED
@given(st.floats(0.01, 30), st.integers(0, 50))
def test_size_and_tail_are_those_of_the_definition(epsilon, a):
    z, chance = law(epsilon)
    assert expected_absolute(epsilon) == pytest.approx(chance @ np.abs(z), rel=1e-12)
    assert tail(epsilon, a) == pytest.approx(chance[np.abs(z) > a].sum(), rel=1e-10, abs=1e-17)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-17, 1e-9, 1e-3, 1.0, 30.0, 700.0])
def test_size_and_tail_are_right_at_the_extremes(epsilon):
    with mpmath.workdps(60):
        e = mpmath.mpf(epsilon)
        size = 1 / mpmath.sinh(e)
        beyond = 2 * mpmath.exp(-e * 11) / (1 + mpmath.exp(-e))
        assert expected_absolute(epsilon) == pytest.approx(float(size), rel=1e-14)
        assert tail(epsilon, 10) == pytest.approx(float(beyond), rel=1e-12)


def test_a_huge_rate_underflows_in_silence():
    assert expected_absolute([1e4, 1e300]).tolist() == [0, 0]
    assert tail([1e4, 1e300], 3).tolist() == [0, 0]


def test_the_discrete_law_saves_what_method_says():
    """§5: E|z| against the 1/ε of continuous noise, at the same risk, ε = 4·artanh δ."""
    saved = {delta: expected_absolute(e := 4 * math.atanh(delta)) * e for delta in (0.4, 0.9)}
    assert 1 - saved[0.4] == pytest.approx(0.36, abs=0.005)
    assert 1 / saved[0.9] == pytest.approx(30, abs=1)


@FIXED
@given(
    st.one_of(st.integers(0, 1000), st.integers(0, 10**15)),
    st.one_of(st.floats(1e-6, 0.999), st.floats(1e-300, 1e-6), st.just(0.05)),
)
def test_the_least_epsilon_is_on_the_safe_side_and_least(a, beta):
    epsilon = least_epsilon_for_tail(a, beta)
    assert tail(epsilon, a) <= beta
    with mpmath.workdps(60):

        def excess(e):
            return mpmath.log(2 / (1 + mpmath.exp(-e))) - e * (a + 1) - mpmath.log(beta)

        assert excess(mpmath.mpf(float(epsilon)) * (1 - mpmath.mpf(10) ** -12)) > 0


@pytest.mark.parametrize("beta", [0.05, 0.5, 1e-9])
def test_no_error_at_all_has_a_closed_form(beta):
    assert least_epsilon_for_tail(0, beta) == pytest.approx(math.log((2 - beta) / beta), rel=1e-14)


def test_per_edge_figures_of_the_method():
    """§8: counts 3 and 4 at μ = 0.3 have ε 3.66 and 1.77; the paper's continuous 3.329."""
    floors = [math.floor(0.3 * 3), math.floor(0.3 * 4)]
    assert least_epsilon_for_tail(floors, 0.05).round(2).tolist() == [3.66, 1.77]
    epsilon = float(continuous_epsilon_for_tail(0.9, 0.05))
    assert epsilon == pytest.approx(3.329, abs=5e-4)
    assert math.tanh(epsilon / 4) == pytest.approx(0.682, abs=5e-4)


def test_the_least_epsilon_falls_as_the_error_allowed_grows():
    epsilons = least_epsilon_for_tail(np.arange(10_000), 0.05)
    assert np.all(np.diff(epsilons) < 0)


@pytest.mark.parametrize("beta", [0.0, 1.0, -0.1, float("nan")])
def test_a_probability_outside_0_and_1_is_refused(beta):
    with pytest.raises(UsageError, match="between 0 and 1"):
        least_epsilon_for_tail(3, beta)
    with pytest.raises(UsageError, match="between 0 and 1"):
        continuous_epsilon_for_tail(3, beta)


@pytest.mark.parametrize("a", [-1, float("nan"), float("inf")])
def test_an_error_that_is_no_size_is_refused(a):
    with pytest.raises(UsageError, match="integer from 0"):
        least_epsilon_for_tail([1, a], 0.05)


@pytest.mark.parametrize("alpha", [0.0, -1.0, float("nan")])
def test_the_paper_needs_an_error_above_zero(alpha):
    with pytest.raises(UsageError, match="above 0"):
        continuous_epsilon_for_tail([1.0, alpha], 0.05)
