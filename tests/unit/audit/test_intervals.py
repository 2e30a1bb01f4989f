"""The confidence limits are exact: against the binomial itself, in arbitrary precision."""

import math

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.audit.intervals import loss_interval, lower_limit, upper_limit


def tail(successes, trials, p):
    """Pr[Binomial(trials, p) ≥ successes], summed from the definition."""
    p = mpmath.mpf(p)
    return mpmath.fsum(
        mpmath.binomial(trials, k) * p**k * (1 - p) ** (trials - k)
        for k in range(successes, trials + 1)
    )


counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(max_examples=60, deadline=None)
@given(counts, st.sampled_from([0.3, 0.05, 1e-3, 5e-9]))
def test_a_limit_is_where_the_binomial_tail_equals_alpha(count, alpha):
    hits, trials = count
    low, high = lower_limit(hits, trials, alpha), upper_limit(hits, trials, alpha)
    assert 0 <= low <= hits / trials <= high <= 1
    with mpmath.workdps(40):
        if hits:
            assert float(tail(hits, trials, low)) == pytest.approx(alpha, rel=1e-6)
        if hits < trials:
            below = 1 - tail(hits + 1, trials, high)
            assert float(below) == pytest.approx(alpha, rel=1e-6)


@pytest.mark.parametrize(("hits", "trials"), [(18_000, 50_000), (3, 50_000), (49_990, 50_000)])
def test_limits_of_many_trials_are_right_too(hits, trials):
    alpha = 5e-9
    p = lower_limit(hits, trials, alpha)
    terms = [
        math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        + k * math.log(p) + (trials - k) * math.log1p(-p)
        for k in range(hits, trials + 1)
    ]  # fmt: skip
    assert math.fsum(map(math.exp, terms)) == pytest.approx(alpha, rel=1e-5)


def test_a_loss_is_bounded_from_both_sides():
    estimate, low, high = loss_interval((900, 1000), (300, 1000), 1e-6)
    assert low < math.log(3) < high
    assert estimate == pytest.approx(math.log(3), abs=0.01)
    never = loss_interval((500, 1000), (0, 1000), 1e-6)
    assert never[1] > 2
    assert never[2] == math.inf


def test_limits_cover_the_truth_as_often_as_they_say():
    """Every count of 40 trials, weighted by the binomial: exactly, without chance."""
    alpha, trials = 0.05, 40
    for truth in (0.03, 0.3, 0.62):
        missed = sum(
            math.comb(trials, k) * truth**k * (1 - truth) ** (trials - k)
            for k in range(trials + 1)
            if lower_limit(k, trials, alpha) > truth
        )
        assert missed <= alpha
