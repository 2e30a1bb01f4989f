"""Expected errors of weights with one draw: by definition, in closed form, at extremes."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.accuracy import IntegerWeights, MeanOverExactCount
from hushmap.exceptions import UsageError

FIXED = settings(derandomize=True, deadline=None, max_examples=300)


def by_definition(epsilon: float, total: int, actual_total: int, n: int) -> tuple[float, float]:
    """Expected error and SMAPE: every noise, through the release rule, in exact integers."""
    reach = math.ceil(45 / epsilon) + 1
    z = np.arange(-reach, reach + 1)
    chance = np.exp(-epsilon * np.abs(z)) * math.tanh(epsilon / 2)
    released = np.maximum(1, (2 * (total + z) + n) // (2 * n))
    actual = actual_total / n
    error = np.abs(released * n - actual_total) / n
    return float(chance @ error), float(chance @ (error / (released + actual)))


totals = st.one_of(st.integers(0, 30), st.integers(0, 3000), st.integers(0, 10**7))
clipped = st.one_of(st.just(0), st.integers(0, 40), st.integers(0, 10**5))
rates = st.one_of(st.floats(0.01, 1), st.floats(0.001, 20), st.floats(0.3, 0.7))


@FIXED
@given(rates, totals, clipped)
def test_integer_weights_as_by_definition(epsilon, location, lost):
    weights = IntegerWeights([location], [location + lost])
    error, smape = by_definition(epsilon, location, location + lost, 1)
    assert weights.expected_error(epsilon)[0] == pytest.approx(error, rel=1e-10, abs=1e-15)
    assert weights.expected_smape(epsilon)[0] == pytest.approx(smape, rel=1e-7, abs=1e-15)


@FIXED
@given(rates, totals, clipped, st.one_of(st.integers(1, 12), st.integers(1, 2000)))
def test_means_over_an_exact_count_as_by_definition(epsilon, total, lost, n):
    weights = MeanOverExactCount([total], [total + lost], [n])
    error, smape = by_definition(epsilon, total, total + lost, n)
    assert weights.expected_error(epsilon)[0] == pytest.approx(error, rel=1e-10, abs=1e-14)
    assert weights.expected_smape(epsilon)[0] == pytest.approx(smape, rel=1e-7, abs=1e-14)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("actual", [1, 2, 17, 10**6])
def test_without_clipping_the_error_is_the_closed_form_of_the_method(epsilon, actual):
    expected = (2 - math.exp(-epsilon * (actual - 1))) / (2 * math.sinh(epsilon))
    error = IntegerWeights([actual], [actual]).expected_error(epsilon)
    assert error[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", [300.0, 1e5, 1e9])
def test_the_means_of_the_method_hold_where_the_noise_is_wide(scale):
    """§5: s·(1 - ½·exp(-(A - c)/s)); rounding adds a share of 1/s² or so."""
    n, mean = 25, 1000
    error = MeanOverExactCount([mean * n], [mean * n], [n]).expected_error(1 / (scale * n))[0]
    continuous = scale * (1 - 0.5 * math.exp(-(mean - 1) / scale))
    assert error == pytest.approx(continuous, rel=2 / scale)


def test_the_means_of_the_method_do_not_hold_where_noise_drowns_in_rounding():
    """A mean of 50.3 ticks is released as 50 nearly always: an error of 0.3, not of 0.05."""
    weights = MeanOverExactCount([5030], [5030], [100])
    assert weights.expected_error(1 / (0.05 * 100))[0] == pytest.approx(0.31, abs=0.02)


@pytest.mark.parametrize("epsilon", [1e-15, 1e-9, 1e-3, 1.0, 40.0])
@pytest.mark.parametrize("location", [0, 1, 7, 10**9, 2**63, 2**80 + 1])
@pytest.mark.parametrize("lost", [0, 1, 3, 10**10, 2**70])
def test_errors_of_integers_beyond_64_bits_are_exact(epsilon, location, lost):
    """Against E|z - d| - E(1 - m - z)⁺ in 80 digits; weights of 2^80 differ by single units."""
    error = IntegerWeights([location], [location + lost]).expected_error(epsilon)[0]
    with mpmath.workdps(80):
        e, m, d = mpmath.mpf(epsilon), mpmath.mpf(location), mpmath.mpf(lost)
        half = 1 / (2 * mpmath.sinh(e))
        beside = d + 2 * half * mpmath.exp(-e * d)
        if location + lost == 0:
            expected = 1 + half * mpmath.exp(-e)
        elif location == 0:
            expected = beside - (1 + half * mpmath.exp(-e))
        else:
            expected = beside - half * mpmath.exp(-e * (m - 1))
        assert error == pytest.approx(float(expected), rel=1e-13, abs=1e-16)


@pytest.mark.parametrize("scale", [1e6, 1e9, 1e12, 1e16])
@pytest.mark.parametrize("ratio", [0.0, 1e-3, 1.0, 30.0])
def test_the_smape_of_wide_noise_is_that_of_the_continuous_law(scale, ratio):
    """At scales where a sum over integers would never end; mpmath integrates the same law."""
    actual = max(round(scale * ratio), 50)
    smape = IntegerWeights([actual], [actual]).expected_smape(1 / scale)[0]
    with mpmath.workdps(30):
        a, s = mpmath.mpf(actual), mpmath.mpf(scale)

        def density(f):
            return mpmath.exp(-abs(f - a) / s) / (2 * s) * abs(f - a) / (f + a)

        corners = [a + s * mpmath.mpf(k) for k in (0, 0.01, 0.1, 1, 5, 20, 80)]
        upper = [f for f in (a * 2, a * 10, a * 100) if f < corners[-1]]
        above = mpmath.quad(density, sorted(corners + upper))
        lower = sorted({mpmath.mpf(1), *(a - s * k for k in (5, 1, 0.1) if s * k < a - 1), a})
        below = mpmath.quad(density, lower)
        at_one = mpmath.exp(-(a - 1) / s) / 2 * (a - 1) / (a + 1)
        assert smape == pytest.approx(float(above + below + at_one), rel=1e-7 + 0.1 / scale**2)


@pytest.mark.parametrize("scale", [1e4, 1e5])
@pytest.mark.parametrize(("location", "actual"), [(1, 1), (3, 9), (40, 40), (10**5, 3 * 10**5)])
def test_the_smape_of_wide_noise_is_the_direct_sum(scale, location, actual):
    smape = IntegerWeights([location], [actual]).expected_smape(1 / scale)[0]
    assert smape == pytest.approx(by_definition(1 / scale, location, actual, 1)[1], rel=1e-8)


def test_an_actual_weight_of_zero_has_no_percentage_and_a_smape_of_one():
    weights = IntegerWeights([0, 5], [0, 5])
    assert np.isnan(weights.expected_ape(1.0)).tolist() == [True, False]
    assert weights.expected_smape(1.0)[0] == 1
    means = MeanOverExactCount([0, 5], [0, 5], [3, 5])
    assert np.isnan(means.expected_ape(1.0)).tolist() == [True, False]
    assert means.expected_smape(1.0)[0] == 1


@FIXED
@given(totals, st.integers(1, 300), st.floats(1e-6, 10), st.floats(1.0001, 3))
def test_without_clipping_a_larger_epsilon_never_raises_the_error(total, n, epsilon, factor):
    weights = MeanOverExactCount([total], [total], [n])
    less, more = weights.expected_error(epsilon * factor)[0], weights.expected_error(epsilon)[0]
    assert less <= more * (1 + 1e-12) + 1e-15


def test_with_clipping_a_larger_epsilon_may_raise_the_error_by_23_percent():
    """Noise clamped at one moves the weight up, towards the actual one: no error of the program."""
    weights = IntegerWeights([1], [100_001])
    errors = np.array([weights.expected_error(e)[0] for e in np.geomspace(1e-8, 1, 2000)])
    assert errors[-1] / errors.min() == pytest.approx(1.2295, abs=1e-3)


def test_one_epsilon_for_all_or_one_each():
    weights = IntegerWeights([5, 50], [5, 60])
    both = weights.expected_error([0.5, 0.25])
    assert both[0] == weights.expected_error(0.5)[0]
    assert both[1] == weights.expected_error(0.25)[1]
    for wrong in ([0.5], [[0.5, 0.5]], 0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError):
            weights.expected_error(wrong)


def test_integers_come_from_lists_arrays_and_whole_floats():
    plain = IntegerWeights([3, 2**70], [4, 2**70]).expected_error(0.1)
    for kind in (np.array([3, 2**70], dtype=object), [3.0, float(2**70)]):
        assert np.array_equal(IntegerWeights(kind, [4, 2**70]).expected_error(0.1), plain)
    small = IntegerWeights(np.array([3], dtype=np.int32), np.array([4], dtype=np.uint64))
    assert small.expected_error(0.1)[0] == plain[0]


@pytest.mark.parametrize(
    ("total", "actual", "count"),
    [
        ([5], [4], [1]),
        ([-1], [4], [1]),
        ([5], [5], [0]),
        ([5], [5, 6], [1]),
        ([5.5], [6], [1]),
        ([float("nan")], [6], [1]),
        (["a"], [6], [1]),
    ],
)
def test_impossible_weights_are_refused(total, actual, count):
    with pytest.raises(UsageError):
        MeanOverExactCount(total, actual, count)


def test_a_weight_is_never_printed():
    assert repr(IntegerWeights([12345], [12345])) == "IntegerWeights(1 edges)"
    assert "12345" not in repr(MeanOverExactCount([12345], [12345], [7]))


def test_no_edges_have_no_errors():
    assert IntegerWeights([], []).expected_error(0.1).shape == (0,)
