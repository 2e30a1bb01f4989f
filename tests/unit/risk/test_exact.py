from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.exceptions import UsageError
from hushmap.risk import exact_risk, guess_windows, occurrence_windows, risk_any, risk_bound

PAPERS_NEIGHBOURS = [23795, 28096, 44751, 142316, 156725]


@pytest.mark.parametrize("seed", range(4))
def test_the_exact_risk_is_that_of_the_definition(definition, seed):
    """All guesses on a fine grid and at every event, all observations on a fine grid, §4."""
    rng = np.random.default_rng(seed)
    for _ in range(800):
        values, counts, range_, wide = definition.random_edge(rng)
        e = float(10 ** rng.uniform(-3, 4))
        ours = exact_risk(values, counts, range_, guess_windows(values, range_, wide), e)
        slow = definition.risk(values, counts, range_, definition.windows(values, range_, wide), e)
        assert abs(ours - slow) < 1e-11, (values, counts, range_, wide, e)


def test_many_values_in_long_rows_agree_with_the_definition(definition):
    rng = np.random.default_rng(5)
    for e in (1e-6, 0.01, 0.4, 0.6, 3.0, 50.0, 1e3, 1e4):
        values = np.unique(rng.lognormal(5, 2, 700).astype(np.int64))
        counts = rng.integers(1, 9, values.size)
        windows = guess_windows(values, int(values[-1]), Fraction(1, 7) * int(values[-1]))
        ours = exact_risk(values, counts, int(values[-1]), windows, e)
        pairs = list(zip(*(ends.tolist() for ends in windows), strict=True))
        assert abs(ours - definition.risk(values, counts, int(values[-1]), pairs, e)) < 1e-12


def by_mpmath(values, counts, range_, windows, e, digits):
    with mpmath.workdps(digits):
        total = sum(counts)
        rate = mpmath.mpf(e) / range_
        best = mpmath.mpf(0)
        for y in values:
            weights = [
                c * mpmath.exp(-rate * abs(y - v)) for v, c in zip(values, counts, strict=True)
            ]
            everything = mpmath.fsum(weights)
            for lo, hi in windows:
                gain = mpmath.fsum(weights[lo:hi]) / everything
                best = max(best, gain - mpmath.mpf(sum(counts[lo:hi])) / total)
        return best


@pytest.mark.parametrize("e", [1e-9, 1e-4, 0.3, 0.5, 0.7, 20.0, 1e3, 1e4])
def test_extreme_noise_against_an_oracle_of_any_precision(definition, e):
    rng = np.random.default_rng(int(e * 10) % 97)
    for _ in range(25):
        values, counts, range_, wide = definition.random_edge(rng, most=6)
        lo, hi = guess_windows(values, range_, wide)
        ours = exact_risk(values, counts, range_, (lo, hi), e)
        windows = list(zip(lo.tolist(), hi.tolist(), strict=True))
        oracle = by_mpmath(values.tolist(), counts.tolist(), range_, windows, e, 50)
        assert abs(ours - oracle) < 1e-11
        if e <= 0.5:  # the near form keeps relative accuracy
            assert abs(ours - oracle) <= 1e-12 * oracle
        assert ours >= 0


def test_durations_close_together_within_a_wide_range_keep_their_digits():
    # A declared range of a year for steps of seconds: e·span is tiny although e is not.
    values, counts, range_ = [100, 103, 104, 110], [5, 1, 2, 1], 31_536_000
    lo, hi = guess_windows(values, range_, 1)
    ours = exact_risk(values, counts, range_, (lo, hi), 2.0)
    windows = list(zip(lo.tolist(), hi.tolist(), strict=True))
    oracle = by_mpmath(values, counts, range_, windows, 2.0, 50)
    assert ours < 1e-6
    assert abs(ours - oracle) <= 1e-12 * oracle


def test_the_largest_ticks_keep_their_differences():
    base = 2**62 - 1000
    values = [base, base + 1, base + 400, base + 1000]
    lo, hi = guess_windows(values, 2**62, 1)
    ours = exact_risk(values, [1, 2, 3, 4], 2**62, (lo, hi), 1e4)
    windows = list(zip(lo.tolist(), hi.tolist(), strict=True))
    oracle = by_mpmath(values, [1, 2, 3, 4], 2**62, windows, 1e4, 50)
    assert abs(ours - oracle) <= 1e-12 * oracle


def test_centred_windows_alone_understate():
    # §2: an e that looks like risk 0.4 to guesses at data values has 0.57 between two values.
    values, counts, range_ = PAPERS_NEIGHBOURS, [1] * 5, 156725
    wide = Fraction("0.05") * range_
    centred = occurrence_windows(values, counts, wide)[:2]
    low, high = 0.0, 100.0
    for _ in range(80):
        e = (low + high) / 2
        low, high = (e, high) if exact_risk(values, counts, range_, centred, e) < 0.4 else (low, e)
    assert (
        round(exact_risk(values, counts, range_, guess_windows(values, range_, wide), low), 2)
        == 0.57
    )


@settings(deadline=None, max_examples=150, derandomize=True)
@given(seed=st.integers(0, 10**6), e=st.floats(-4, 3).map(lambda x: 10.0**x))
def test_the_papers_bound_is_never_below_the_exact_risk(definition, seed, e):
    values, counts, range_, wide = definition.random_edge(np.random.default_rng(seed), most=20)
    lo, hi, inside = occurrence_windows(values, counts, wide)
    bound = risk_bound(e, inside, int(counts.sum()))
    assert exact_risk(values, counts, range_, (lo, hi), e) <= bound * (1 + 1e-12)
    every = guess_windows(values, range_, wide)
    assert exact_risk(values, counts, range_, every, e) <= risk_any(e) * (1 + 1e-12)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_less_noise_is_never_less_risk(definition, seed):
    values, counts, range_, wide = definition.random_edge(np.random.default_rng(seed), most=20)
    windows = guess_windows(values, range_, wide)
    risks = [exact_risk(values, counts, range_, windows, e) for e in np.logspace(-9, 4, 60)]
    assert (np.diff(risks) >= -1e-14).all()
    assert exact_risk(values, counts, range_, windows, 0.0) == 0.0
    limit = (
        1
        - min((counts[lo:hi].sum() for lo, hi in zip(*windows, strict=True)), default=0)
        / counts.sum()
    )
    assert exact_risk(values, counts, range_, windows, float("inf")) <= limit + 1e-15


@settings(deadline=None, max_examples=100, derandomize=True)
@given(seed=st.integers(0, 10**6), factor=st.integers(1, 10**12))
def test_the_unit_of_time_does_not_matter(definition, seed, factor):
    values, counts, range_, wide = definition.random_edge(np.random.default_rng(seed))
    ours = exact_risk(values, counts, range_, guess_windows(values, range_, wide), 3.0)
    values, range_, wide = values * factor, range_ * factor, wide * factor
    scaled = exact_risk(values, counts, range_, guess_windows(values, range_, wide), 3.0)
    assert scaled == pytest.approx(ours, rel=1e-12, abs=1e-15)


def test_two_values_a_range_apart_attain_the_worst_case():
    # P* = (1 − δ)/2 and P = 1/4 are the same at δ = 1/2: `any` is exact there.
    e = 4 * np.arctanh(0.5)
    windows = guess_windows([0, 1000], 1000, 100)
    assert exact_risk([0, 1000], [1, 3], 1000, windows, e) == pytest.approx(0.5, rel=1e-14)


def test_a_guess_that_covers_everything_gains_nothing():
    assert exact_risk([3, 7], [1, 1], 7, guess_windows([3, 7], 7, 7), 50.0) == 0.0
    assert exact_risk([5], [4], 7, guess_windows([5], 7, 1), 50.0) == 0.0
    assert exact_risk([], [], 1, ([], []), 1.0) == 0.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: exact_risk([0, 10], [1, 1], 9, ([0], [1]), 1.0),
        lambda: exact_risk([0, 10], [1, 1], 10, ([0], [1]), -1.0),
        lambda: exact_risk([0, 10], [1, 1], 10, ([0], [1]), float("nan")),
        lambda: exact_risk([10, 0], [1, 1], 10, ([0], [1]), 1.0),
    ],
)
def test_illegal_arguments_are_refused(call):
    with pytest.raises(UsageError):
        call()
