from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.exceptions import UsageError
from hushmap.risk import (
    as_fraction,
    epsilon_any,
    epsilon_bound,
    occurrence_windows,
    risk_any,
    risk_bound,
)
from hushmap.risk.bound import bounds

EXTREME_RISKS = ["1e-9", "1e-6", "0.001", "0.1", "0.4", "0.9", "0.999999", "0.999999999"]
EXTREME_E = [1e-9, 1e-6, 0.01, 1.0, 40.0, 1e3, 1e4]


@pytest.fixture(autouse=True)
def _precise():
    with mpmath.workdps(60):
        yield


def close(ours, oracle):
    return abs(ours - oracle) <= 1e-13 * abs(oracle)


@pytest.mark.parametrize("risk", EXTREME_RISKS)
def test_epsilon_any_is_right_at_both_ends(risk):
    delta = mpmath.mpf(risk)
    assert close(epsilon_any(Fraction(risk)), 4 * mpmath.atanh(delta))
    # The double nearest to 1 − 1e-9 is off by 3e-17: too far, had it been taken as it is.
    assert close(epsilon_any(float(risk)), 4 * mpmath.atanh(delta))
    array = epsilon_any(np.array([float(risk)]))
    assert close(array[0], 4 * mpmath.atanh(mpmath.mpf(float(risk))))


@pytest.mark.parametrize("e", EXTREME_E)
def test_risk_any_is_right_at_both_ends(e):
    assert close(risk_any(e), mpmath.tanh(mpmath.mpf(e) / 4))


def test_risk_any_and_epsilon_any_take_arrays_and_undo_each_other():
    risks = np.array([0.0, 1e-9, 0.1, 0.4, 0.9, 1 - 1e-9])
    assert risk_any(epsilon_any(risks)) == pytest.approx(risks, rel=1e-13)
    assert isinstance(risk_any(1.0), float)
    assert isinstance(epsilon_any(0.1), float)
    assert risk_any(float("inf")) == 1.0


def test_the_papers_frequency_epsilon():
    assert round(epsilon_any(0.4), 3) == 1.695


def e_of(risk, count, total):
    prior, delta = mpmath.mpf(count) / total, mpmath.mpf(risk.numerator) / risk.denominator
    if (total - count) <= risk * total:
        return mpmath.inf
    return -mpmath.log(prior / (1 - prior) * (1 / (delta + prior) - 1))


@pytest.mark.parametrize("risk", EXTREME_RISKS)
@pytest.mark.parametrize("total", [2, 11, 1000, 10**12])
def test_epsilon_bound_is_right_at_both_ends(risk, total):
    counts = sorted({1, 1 + total // 3, 1 + total // 2, total - 1, total})
    least = min(e_of(Fraction(risk), count, total) for count in counts)
    ours = epsilon_bound(Fraction(risk), counts, total)
    assert ours == float("inf") if least == mpmath.inf else close(ours, least)


@pytest.mark.parametrize("e", EXTREME_E)
@pytest.mark.parametrize("total", [2, 11, 1000, 10**12])
def test_risk_bound_is_right_at_both_ends(e, total):
    counts = sorted({1, 1 + total // 3, 1 + total // 2, total - 1, total})
    with mpmath.workdps(5000):
        largest = mpmath.mpf(0)
        for count in counts:
            prior = mpmath.mpf(count) / total
            posterior = prior / ((1 - prior) * mpmath.exp(-mpmath.mpf(e)) + prior)
            largest = max(largest, posterior - prior)
    assert close(risk_bound(e, counts, total), largest)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(
    total=st.integers(2, 60),
    thousandths=st.integers(1, 999),
    draw=st.data(),
)
def test_the_two_priors_nearest_to_the_worst_decide(total, thousandths, draw):
    counts = draw.draw(st.lists(st.integers(1, total), min_size=1, max_size=12))
    risk = Fraction(thousandths, 1000)
    least = min(e_of(risk, count, total) for count in counts)
    ours = epsilon_bound(risk, counts, total)
    assert ours == float("inf") if least == mpmath.inf else close(ours, least)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(total=st.integers(2, 60), thousandths=st.integers(1, 999), draw=st.data())
def test_the_bound_and_its_inverse_agree(total, thousandths, draw):
    counts = draw.draw(st.lists(st.integers(1, total), min_size=1, max_size=12))
    e = epsilon_bound(Fraction(thousandths, 1000), counts, total)
    if e < float("inf"):
        # min over k of e_k is safe for every k, and attained where P + δ < 1
        assert risk_bound(e, counts, total) == pytest.approx(thousandths / 1000, rel=1e-12)
    else:
        assert risk_bound(1e4, counts, total) <= thousandths / 1000


def test_no_float_decides_whether_a_guess_can_gain_more_than_the_risk():
    # 1 − 0.9 > 0.1 in doubles, and 0.1 + 0.2 > 0.3; in tenths neither is.
    assert epsilon_bound(0.1, [9], 10) == float("inf")
    assert epsilon_bound(0.3, [7], 10) == float("inf")
    assert epsilon_bound(Decimal("0.3"), [7], 10) == float("inf")
    assert epsilon_bound(Fraction(299, 1000), [7], 10) < float("inf")
    for tenth in range(1, 10):
        assert epsilon_bound(tenth / 10, [10 - tenth], 10) == float("inf")


def test_a_float_means_the_decimal_it_prints_as():
    assert (
        as_fraction(0.1)
        == as_fraction(np.float64(0.1))
        == as_fraction(Decimal("0.1"))
        == Fraction(1, 10)
    )
    assert as_fraction(1 - 1e-9) == Fraction(999999999, 10**9)


def test_a_limit_finer_than_doubles_is_kept():
    tiny = Fraction(1, 10**400)
    assert epsilon_bound(1 - tiny, [1], 2) == float("inf")
    almost = Fraction(1, 2) - tiny
    assert epsilon_bound(almost, [1], 2) == pytest.approx(400 * np.log(10), rel=1e-9)


def per_occurrence(durations, tenth_of_hours, e):
    values, counts = np.unique([round(10 * hours) for hours in durations], return_counts=True)
    inside = occurrence_windows(values, counts, tenth_of_hours)[2].astype(float)
    total = float(counts.sum())
    return np.repeat(bounds(np.array(e), inside, total - inside, total), counts)


def test_the_papers_risk_table_as_corrected():
    # §10: P2 at μ = 0.3, β = 0.05 for the maximum of times: α = 0.3·r, so e = ln(20)/0.3.
    e = np.log(20) / 0.3
    start = per_occurrence([1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 10], 10, e)
    printed = [0.455] * 3 + [0.273] * 3 + [0.455] * 2 + [0.636, 0.818, 0.909]
    assert start.round(3).tolist() == printed
    end = per_occurrence([0.5, 0.7, 0.9, 0.9, 0.9, 1.3, 1.3, 1.7, 4], 4, e)
    assert end.round(3).tolist() == [0.444] * 2 + [0.222] * 3 + [0.333] * 2 + [0.667, 0.889]
    # (A,D), printed .342 for r = 1: one occurrence, so any.
    assert round(risk_any(e), 4) == 0.9865
    # ε of (A,C), printed .667: rounding.
    assert round(e / 15, 4) == 0.6657


def test_the_papers_printed_figures_that_are_right():
    windows = occurrence_windows([1, 6, 15], [1, 1, 1], Fraction(15, 10))
    assert round(epsilon_bound(0.4, windows[2], 3) / 15, 3) == 0.114
    # P2 of the frequency of (A,C), continuous noise: α = 0.3·3, ε = ln(20)/α.
    epsilon = np.log(20) / 0.9
    assert round(epsilon, 3) == 3.329
    assert round(risk_any(epsilon), 3) == 0.682
    # ... and of (A,D), which happened once; printed to three digits without rounding up.
    assert risk_any(np.log(20) / 0.3) == pytest.approx(0.986, abs=1e-3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: epsilon_any(1.0),
        lambda: epsilon_any(-0.1),
        lambda: epsilon_any(float("nan")),
        lambda: epsilon_any(Fraction(1)),
        lambda: epsilon_any(np.array([0.5, 1.0])),
        lambda: risk_any(-1.0),
        lambda: risk_any(float("nan")),
        lambda: epsilon_bound(0.0, [1], 2),
        lambda: epsilon_bound(1, [1], 2),
        lambda: epsilon_bound(float("nan"), [1], 2),
        lambda: epsilon_bound(0.1, [0], 2),
        lambda: epsilon_bound(0.1, [3], 2),
        lambda: epsilon_bound(0.1, [], 2),
        lambda: epsilon_bound(0.1, [1.5], 2),
        lambda: risk_bound(-1.0, [1], 2),
    ],
)
def test_illegal_arguments_are_refused(call):
    with pytest.raises(UsageError):
        call()
