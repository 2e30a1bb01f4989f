"""Expected errors of means over a released count: by definition, and where shortcuts are taken."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushmap.accuracy.weights as weights_module
from hushmap.accuracy import MeanOverExactCount, MeanOverReleasedCount
from hushmap.accuracy.count_grid import Fineness, count_grid
from hushmap.exceptions import UsageError

FIXED = settings(derandomize=True, deadline=None, max_examples=150)


def noise(epsilon: float, reach: int) -> tuple[np.ndarray, np.ndarray]:
    z = np.arange(-reach, reach + 1)
    return z, np.exp(-epsilon * np.abs(z)) * math.tanh(epsilon / 2)


def by_definition(
    epsilon: float, epsilon_frequency: float, total: int, actual_total: int, n: int
) -> tuple[float, float]:
    """Expected error and SMAPE: all pairs of noises, through the release rule, in integers."""
    z, chance = noise(epsilon, math.ceil(40 / epsilon))
    z_count, chance_count = noise(epsilon_frequency, math.ceil(40 / epsilon_frequency))
    counts = np.maximum(1, n + z_count)[:, None]
    released = np.maximum(1, (2 * (total + z) + counts) // (2 * counts))
    error = np.abs(released * n - actual_total) / n
    smape = error / (released + actual_total / n)
    return float(chance_count @ error @ chance), float(chance_count @ smape @ chance)


@pytest.fixture
def every_count(monkeypatch):
    """Takes every noisy count there is, as the definition does."""
    every = Fineness(near=10**9, points=16)
    for table in (weights_module._SMOOTH, weights_module._ROUNDED):
        monkeypatch.setitem(table, "error", every)
        monkeypatch.setitem(table, "smape", every)


@FIXED
@given(
    st.floats(0.1, 8),
    st.floats(0.2, 8),
    st.one_of(st.integers(0, 30), st.integers(0, 5000)),
    st.one_of(st.just(0), st.integers(0, 200)),
    st.one_of(st.integers(1, 12), st.integers(1, 400)),
)
def test_means_over_a_released_count_as_by_definition(epsilon, frequency, total, lost, n):
    weights = MeanOverReleasedCount([total], [total + lost], [n])
    error, smape = by_definition(epsilon, frequency, total, total + lost, n)
    assert weights.expected_error(epsilon, frequency)[0] == pytest.approx(error, rel=1e-8)
    assert weights.expected_smape(epsilon, frequency)[0] == pytest.approx(smape, rel=5e-5)


def shared_budgets(seed: int, edges: int, *, annotation_scope: bool):
    """Edges as releases have them: ε of the sum is that of the frequency over the range."""
    rng = np.random.default_rng(seed)
    n = (10 ** rng.uniform(0, 4.5, edges)).astype(int)
    span = np.ceil(10 ** rng.uniform(0, 6, edges))
    frequency = 10 ** rng.uniform(-3, 0.5, edges)
    times = frequency / span
    if annotation_scope:
        times *= 10 ** rng.uniform(-1, 2, edges)
    total = (n * span * rng.random(edges) ** rng.choice([1, 3], edges)).astype(int)
    lost = np.where(rng.random(edges) < 0.3, total * rng.random(edges), 0).astype(int)
    return MeanOverReleasedCount(total, total + lost, n), times, frequency


@pytest.mark.parametrize(("annotation_scope", "bound"), [(False, 1e-5), (True, 4e-3)])
def test_a_few_counts_stand_for_all_of_them(annotation_scope, bound, request):
    weights, times, frequency = shared_budgets(1, 300, annotation_scope=annotation_scope)
    error = weights.expected_error(times, frequency)
    request.getfixturevalue("every_count")
    exact = weights.expected_error(times, frequency)
    assert np.max(np.abs(error / exact - 1)) < bound
    assert np.quantile(np.abs(error / exact - 1), 0.9) < 1e-7


@pytest.mark.parametrize("annotation_scope", [False, True])
def test_a_few_counts_stand_for_all_of_them_in_the_smape(annotation_scope, request):
    weights, times, frequency = shared_budgets(2, 80, annotation_scope=annotation_scope)
    frequency = np.maximum(frequency, 0.02)
    smape = weights.expected_smape(times, frequency)
    request.getfixturevalue("every_count")
    request.getfixturevalue("monkeypatch").setattr(weights_module, "_SMAPE_NODES", 32)
    exact = weights.expected_smape(times, frequency)
    assert np.max(np.abs(smape / exact - 1)) < 1e-4


def test_with_a_count_hardly_noised_it_is_the_mean_over_the_exact_count():
    total, lost, n = [40, 999, 123_456], [40, 1200, 123_456], [7, 30, 1000]
    exact = MeanOverExactCount(total, lost, n)
    released = MeanOverReleasedCount(total, lost, n)
    for epsilon in (1e-4, 0.01, 1.0):
        assert released.expected_error(epsilon, 60.0) == pytest.approx(
            exact.expected_error(epsilon), rel=1e-9
        )
        assert released.expected_smape(epsilon, 60.0) == pytest.approx(
            exact.expected_smape(epsilon), rel=2e-5
        )


def test_the_sum_of_the_method_holds_far_from_the_clamp_and_fails_near_it():
    """§5 prints Σ Pr[z]·(|a| + b·exp(-|a|/b)), without clamp and rounding."""

    def printed(epsilon, frequency, total, n):
        z, chance = noise(frequency, math.ceil(40 / frequency))
        counts = np.maximum(1, n + z)
        a = np.abs(total / counts - total / n)
        b = 1 / (epsilon * counts)
        return float(chance @ (a + b * np.exp(-a / b)))

    def ratio(epsilon, frequency, total, n):
        error = MeanOverReleasedCount([total], [total], [n]).expected_error(epsilon, frequency)
        return error[0] / printed(epsilon, frequency, total, n)

    assert ratio(1e-4, 0.5, 10**7, 1000) == pytest.approx(1, abs=1e-3)
    assert ratio(1e-4, 0.5, 3000, 3) < 0.65  # half of the noise ends at the clamp


@pytest.mark.parametrize("frequency", [1e-3, 1e-6, 1e-9, 1e-15])
def test_the_error_stays_finite_and_fast_however_wide_the_noise_of_the_count(frequency):
    total, n = np.array([1, 500, 10**9, 10**15]), np.array([1, 3, 10**4, 10**6])
    weights = MeanOverReleasedCount(total, total, n)
    error = weights.expected_error(frequency / 1000, frequency)
    smape = weights.expected_smape(frequency / 1000, frequency)
    assert np.all(np.isfinite(error) & (error > 0))
    assert np.all((smape > 0) & (smape < 1))


@pytest.mark.parametrize("frequency", [0.3, 0.01, 1e-4, 1e-8])
@pytest.mark.parametrize("kink", [1, 2, 40, 5000, 7000])
def test_the_counts_of_a_grid_have_all_the_probability(frequency, kink):
    for fineness in (Fineness(16, 8), Fineness(128, 16), Fineness(2048, 16)):
        for n in (kink, kink + 1, kink + 40, 10 * kink + 3, 10**7):
            grid = count_grid([n, 7], [kink, 7], np.array([frequency, 1.0]), [fineness] * 2)
            assert np.bincount(grid.edge, weights=grid.chance) == pytest.approx(1, rel=1e-9)
            assert grid.count.min() == 1
            of_first = grid.count[grid.edge == 0]
            assert len(set(of_first.tolist())) == of_first.size
            assert of_first.size < 5 * fineness.near + 2500  # five runs beside three kinks


def test_a_grid_gives_the_moments_of_the_noisy_count():
    """Far from the clamp, where they are known in closed form."""
    frequency, n = 1e-3, 10**6
    grid = count_grid([n], [n // 2], np.array([frequency]), [Fineness(16, 8)])
    mean = float(grid.chance @ grid.count)
    variance = float(grid.chance @ (grid.count - n) ** 2)
    fourth = float(grid.chance @ (grid.count - n) ** 4)
    assert mean == pytest.approx(n, rel=1e-12)
    assert variance == pytest.approx(0.5 / math.sinh(frequency / 2) ** 2, rel=1e-7)
    assert fourth == pytest.approx(24 / frequency**4, rel=1e-5)


@FIXED
@given(st.integers(0, 5000), st.integers(1, 300), st.floats(0.02, 5), st.floats(1.0001, 3))
def test_without_clipping_a_larger_epsilon_never_raises_the_error(total, n, epsilon, factor):
    weights = MeanOverReleasedCount([total], [total], [n])
    span = max(1, total / n)
    more = weights.expected_error(epsilon / span, epsilon)[0]
    less = weights.expected_error(epsilon * factor / span, epsilon * factor)[0]
    assert less <= more * (1 + 1e-6) + 1e-15


def test_zero_means_have_no_percentage_and_a_smape_of_one():
    weights = MeanOverReleasedCount([0, 50], [0, 50], [4, 4])
    assert np.isnan(weights.expected_ape(0.1, 0.5)).tolist() == [True, False]
    assert weights.expected_smape(0.1, 0.5)[0] == pytest.approx(1, rel=1e-12)
    assert weights.expected_ape(0.1, 0.5)[1] == weights.expected_error(0.1, 0.5)[1] / 12.5


def test_more_edges_than_a_batch_keep_their_order():
    edges = 3 * weights_module._BATCH + 5
    total, n = np.arange(1, edges + 1) * 10, np.arange(1, edges + 1) % 9 + 1
    together = MeanOverReleasedCount(total, total, n).expected_error(0.1, np.full(edges, 0.5))
    for edge in (0, 63, 64, 65, edges - 1):
        alone = MeanOverReleasedCount([int(total[edge])], [int(total[edge])], [int(n[edge])])
        assert alone.expected_error(0.1, 0.5)[0] == together[edge]


def test_wrong_rates_are_refused():
    weights = MeanOverReleasedCount([50], [50], [4])
    for wrong in ([0.1, 0.1], 0.0, float("nan")):
        with pytest.raises(UsageError):
            weights.expected_error(0.1, wrong)
        with pytest.raises(UsageError):
            weights.expected_error(wrong, 0.1)


def test_a_weight_is_never_printed():
    assert repr(MeanOverReleasedCount([12345], [12345], [77])) == "MeanOverReleasedCount(1 edges)"


def test_the_wildest_weights_give_finite_errors_without_a_warning():
    """Sums up to 2^100 and rates from 1e-18 to 1e5: warnings are errors here."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        size = [int(bits) for bits in rng.integers(0, 100, 8)]
        total = [int(rng.integers(0, 2**20)) * 2**bits // 2**20 for bits in size]
        actual = [t + int(rng.integers(0, 3)) * 2 ** int(rng.integers(0, 100)) for t in total]
        n = [int(count) for count in 10 ** rng.uniform(0, 9, 8)]
        rate, frequency = 10 ** rng.uniform(-18, 5, 8), 10 ** rng.uniform(-18, 3, 8)
        for weights, rates in (
            (MeanOverReleasedCount(total, actual, n), (rate, frequency)),
            (MeanOverExactCount(total, actual, n), (rate,)),
        ):
            error, smape = weights.expected_error(*rates), weights.expected_smape(*rates)
            assert np.all(np.isfinite(error) & (error >= 0))
            assert np.all((smape >= 0) & (smape <= 1))
