"""Edges so large that a sample of their windows leads the way, and batches on several cores."""

from fractions import Fraction

import numpy as np
import pytest

from hushmap.risk import RiskCurves, exact_risk, guess_windows
from hushmap.risk import curves as curves_module
from hushmap.risk.exact import ExactPosterior
from hushmap.risk.running import fading_sums, sums_before, sums_from
from hushmap.risk.search import _MANY


def large_edge(seed, size=6000):
    """Distinct durations over several orders of magnitude, some far more frequent than others."""
    rng = np.random.default_rng(seed)
    kind = seed % 4
    if kind == 0:
        drawn = rng.lognormal(10, 2, 3 * size)
    elif kind == 1:
        drawn = rng.uniform(0, 1e9, 3 * size)
    elif kind == 2:  # two heaps with nothing between them
        drawn = np.concatenate([rng.normal(1e8, 1e6, size), rng.normal(9e8, 3e6, size)])
    else:  # most at once, the rest far away
        drawn = np.concatenate([rng.uniform(0, 1e5, size), rng.uniform(9e8, 1e9, 400)])
    values = np.unique(np.abs(drawn).astype(np.int64))
    counts = rng.integers(1, 4, values.size)
    counts[rng.integers(0, values.size, 3)] *= 500
    return values, counts


def graph_of(edges):
    offsets = np.cumsum([0, *(values.size for values, _ in edges)])
    values, counts = (np.concatenate(part) for part in zip(*edges, strict=True))
    return offsets, values, counts, [int(values[-1]) for values, _ in edges]


EDGES = [large_edge(seed) for seed in range(8)]
TOLERANCES = [Fraction(1, 10), Fraction(1, 2), Fraction(1, 1000)]


@pytest.mark.parametrize("precision", TOLERANCES)
@pytest.mark.parametrize("risk", [0.01, 0.2, 0.6, 0.95])
def test_the_e_found_by_a_sample_keeps_to_the_limit_for_every_window(precision, risk):
    graph = graph_of(EDGES)
    curves = RiskCurves(*graph, attacker="empirical", precision=precision)
    e = curves.epsilon(risk)
    cap = curves.epsilon(risk).max()
    asked = 0
    for (values, counts), range_, mine in zip(EDGES, graph[3], e.tolist(), strict=True):
        lo, hi = guess_windows(values, range_, precision * range_)
        asked += lo.size > _MANY
        assert exact_risk(values, counts, range_, (lo, hi), mine) <= risk
        more = exact_risk(values, counts, range_, (lo, hi), mine * (1 + 2e-11))
        assert more > risk or mine == cap
    assert asked > 4


def test_a_sample_that_misses_the_one_window_that_matters_is_corrected():
    # Thousands of windows gain little; one value in the middle of them, at a place that is not in
    # the sample, gains the most by far.
    values = np.arange(0, 20_000_000, 1000)
    counts = np.ones(values.size, np.int64)
    counts[12_347] = 7_000
    range_, wide = int(values[-1]), 300
    curves = RiskCurves(
        [0, values.size], values, counts, [range_], attacker="empirical", tolerance=wide
    )
    lo, hi = guess_windows(values, range_, wide)
    for risk in (0.05, 0.2, 0.5):
        e = float(curves.epsilon(risk, cap=250.0)[0])
        assert exact_risk(values, counts, range_, (lo, hi), e) <= risk
        assert e == 250.0 or exact_risk(values, counts, range_, (lo, hi), e * (1 + 2e-11)) > risk


def test_the_cap_is_given_only_where_all_windows_allow_it():
    values = np.arange(0, 20_000_000, 1000)
    counts = np.ones(values.size, np.int64)
    counts[12_347] = 7_000
    range_ = int(values[-1])
    curves = RiskCurves(
        [0, values.size], values, counts, [range_], attacker="empirical", tolerance=300
    )
    windows = guess_windows(values, range_, 300)
    for cap in np.geomspace(1.0, 200.0, 40).tolist():
        e = float(curves.epsilon(0.2, cap=cap)[0])
        assert e <= cap
        assert exact_risk(values, counts, range_, windows, e) <= 0.2


@pytest.mark.parametrize("cores", [1, 2, 3, 8])
def test_answers_do_not_depend_on_the_number_of_cores(monkeypatch, cores):
    edges = [large_edge(seed, size) for seed, size in enumerate([40_000, 700, 9, 30_000, 5_000])]
    asked = []
    for workers in (1, cores):
        monkeypatch.setattr(curves_module, "_cores", lambda workers=workers: workers)
        monkeypatch.setattr(curves_module, "_LARGE", 1000)
        curves = RiskCurves(*graph_of(edges), attacker="empirical", precision=0.1)
        asked.append([curves.epsilon(0.2).tobytes(), curves.risk(3.0).tobytes()])
    assert asked[0] == asked[1]


@pytest.mark.parametrize("e", [1e-6, 0.2, 3.0, 280.0, 400.0, 1e4])
def test_an_edges_risk_is_the_same_in_every_batch(e):
    edges = [large_edge(seed, size) for seed, size in enumerate([300, 5, 900, 60, 2000, 255])]
    windows = [
        guess_windows(values, int(values[-1]), Fraction(1, 7) * int(values[-1]))
        for values, _ in edges
    ]
    ranges = [int(values[-1]) for values, _ in edges]
    together = ExactPosterior(edges, ranges, windows)
    of_all = together.risk(np.arange(6), np.full(6, e))
    of_some = together.risk(np.array([1, 4]), np.full(2, e))
    alone = [
        ExactPosterior([edge], [range_], [window]).risk(np.array([0]), np.array([e]))[0]
        for edge, range_, window in zip(edges, ranges, windows, strict=True)
    ]
    assert of_all.tolist() == alone
    assert of_some.tolist() == [alone[1], alone[4]]


@pytest.mark.parametrize(("below", "above"), [(0.4999, 0.5001), (299.9, 300.1)])
def test_the_three_forms_meet(below, above):
    for values, counts in EDGES[:4]:
        range_ = int(values[-1])
        windows = guess_windows(values, range_, Fraction(1, 7) * range_)
        span = (range_ - int(values[0])) / range_
        low, middle, high = (
            exact_risk(values, counts, range_, windows, e / span)
            for e in (below, (below + above) / 2, above)
        )
        assert low <= middle <= high
        assert middle - low == pytest.approx(high - middle, rel=1e-2, abs=1e-13)


@pytest.mark.parametrize("width", [8, 256, 768])
def test_running_sums_are_the_sums(width):
    terms = np.random.default_rng(width).random((3, width))
    before, from_on = sums_before(terms.copy()), sums_from(terms.copy())
    for place in (0, 1, 5, width // 2, width - 1, width):
        assert before[:, place] == pytest.approx(terms[:, :place].sum(axis=1), rel=1e-14)
        assert from_on[:, place] == pytest.approx(terms[:, place:].sum(axis=1), rel=1e-14)
    assert (np.diff(before) >= 0).all()
    assert (np.diff(from_on) <= 0).all()


@pytest.mark.parametrize("size", [1, 2, 3, 17, 1000])
@pytest.mark.parametrize("rate", [1e-9, 0.3, 50.0])
def test_fading_sums_are_the_sums(size, rate):
    rng = np.random.default_rng(size)
    at, shares = np.sort(rng.random(size)) * rate, rng.random(size)
    sums = fading_sums(np.diff(at, prepend=at[:1]), shares)
    for place in {0, size // 2, size - 1}:
        faded = shares[: place + 1] * np.exp(at[: place + 1] - at[place])
        assert sums[place] == pytest.approx(faded.sum(), rel=1e-13)
