"""Intervals of released numbers, against the law of the noise written out."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushmap as hm
from hushmap.graph import Annotation
from hushmap.picture.uncertainty import (
    half_width,
    interval,
    mean_interval,
    noise_dominates,
    time_epsilon,
    time_interval,
)
from hushmap.picture.view import MapFacts
from hushmap.planning.draws import Draw
from hushmap.release.release import promise


def beyond(epsilon, k):
    """Pr[|z| > k] by summing the discrete Laplace law."""
    unit = (1 - math.exp(-epsilon)) / (1 + math.exp(-epsilon))
    inside = sum(unit * math.exp(-epsilon * abs(z)) for z in range(-k, k + 1))
    return 1 - inside


@given(st.floats(0.02, 8.0))
def test_half_width_is_the_smallest_that_covers_95_percent(epsilon):
    k = half_width(epsilon)
    assert beyond(epsilon, k) <= 0.05 + 1e-9
    assert k == 0 or beyond(epsilon, k - 1) > 0.05 - 1e-9


def test_tiny_and_large_epsilon_are_finite():
    assert half_width(1e-9) == pytest.approx(math.log(20) / 1e-9, rel=1e-6)
    assert half_width(700.0) == 0


def test_the_interval_covers_the_truth_as_often_as_it_says():
    numpy = pytest.importorskip("numpy")
    epsilon, truth = 0.8, 3
    k = half_width(epsilon)
    draw = numpy.random.default_rng(5)
    p = 1 - math.exp(-epsilon)
    noise = draw.geometric(p, 40_000) - draw.geometric(p, 40_000)
    released = numpy.maximum(1, truth + noise)  # as it is published
    covered = [low <= truth <= high for low, high in (interval(int(f), k) for f in released)]
    # Clamping only ever helps; five standard deviations of the share below 0.95.
    assert numpy.mean(covered) >= 0.95 - 5 * math.sqrt(0.05 * 0.95 / 40_000)


def test_an_edge_is_faint_where_the_interval_is_wider_than_the_number():
    assert noise_dominates(1, *interval(1, 4))
    assert not noise_dominates(1_000, *interval(1_000, 4))
    assert not noise_dominates(1, *interval(1, 0))


def test_an_edge_is_faint_where_the_interval_does_not_hold_the_number():
    assert noise_dominates(226, *time_interval(226, 230, 30))


@pytest.mark.parametrize("scope", ["release", "annotation"])
@pytest.mark.parametrize("attacker", ["any", "empirical"])
@pytest.mark.parametrize(
    "kinds",
    [
        ["frequency", "mean"],
        ["frequency", "sum", "max"],
        ["frequency", "sum", "mean", "min", "max"],
        ["frequency", "min", "max"],
        ["mean"],
        ["sum", "min", "max"],
    ],
)
def test_the_public_epsilon_of_times_is_that_of_every_draw(kinds, attacker, scope):
    graph = hm.discover(hm.read_log("examples/hospital.csv"), max_duration="2d")
    plan = hm.plan(graph, max_risk=0.2, annotate=kinds, attacker=attacker, scope=scope)
    certificate = promise(plan)
    public = time_epsilon(certificate, graph.resolution)
    if public is None:
        assert attacker == "empirical"
        assert scope == "annotation" or "frequency" not in kinds
        return
    for draw in plan.draws:
        if draw is not Draw.FREQUENCY:
            assert plan.rates(draw)[graph.timed] == pytest.approx(public, rel=1e-9)


@pytest.mark.parametrize(
    ("bound", "tick", "stated"),
    [
        ("100s", "1min", "2min"),
        ("89s", "1min", "1min"),
        ("10s", "1min", "1min"),
        ("2d", "1s", "2d"),
    ],
)
def test_the_bound_that_is_stated_is_the_one_the_noise_is_scaled_to(bound, tick, stated):
    log = hm.read_log("examples/hospital.csv")
    graph = hm.discover(log, max_duration=bound, resolution=tick)
    plan = hm.plan(graph, max_risk=0.2, annotate=["frequency", "max"])
    certificate = promise(plan)
    assert certificate.max_duration == stated
    assert plan.rates(Draw.MAX)[graph.timed] == pytest.approx(
        time_epsilon(certificate, graph.resolution), rel=1e-9
    )


def test_no_interval_of_times_where_the_noise_is_private():
    log = hm.read_log("examples/hospital.csv")
    kinds = ["frequency", "mean"]
    observed = hm.plan(hm.discover(log), max_risk=0.2, annotate=kinds, range="observed")
    bounded = hm.discover(log, max_duration="2d")
    loose = hm.plan(bounded, max_error=0.5, annotate=kinds)
    for plan in (observed, loose):
        assert time_epsilon(promise(plan), plan.graph.resolution) is None
    alone = hm.plan(bounded, max_risk=0.2, annotate=["mean"])  # over a secret count
    facts = MapFacts(hm.release(alone).graph, promise(alone))
    assert not facts.has_intervals(Annotation.MEAN)
    assert all(
        facts.interval(place, Annotation.MEAN) is None for place in range(len(facts.graph.edges))
    )


@pytest.mark.parametrize(("count", "mean"), [(3, 50), (40, 700), (900, 1), (900, 3_000)])
def test_the_interval_of_a_mean_covers_the_truth_as_often_as_it_says(count, mean):
    numpy = pytest.importorskip("numpy")
    draw = numpy.random.default_rng(11)
    bound, e, draws = 3_600, 0.4, 4_000

    def noise(epsilon):
        p = -math.expm1(-epsilon)
        return draw.geometric(p, draws) - draw.geometric(p, draws)

    total = count * mean
    covered = 0
    for sum_noise, count_noise in zip(noise(e / bound), noise(e), strict=True):
        frequency = max(1, count + int(count_noise))
        # As a release does it: rounded half up, at least a tick.
        released = max(1, (2 * (total + int(sum_noise)) + frequency) // (2 * frequency))
        low, high = mean_interval(released, frequency, (e, e / bound), bound)
        assert 0 <= low <= high <= bound
        covered += low <= mean <= high
    assert covered / draws >= 0.95 - 5 * math.sqrt(0.05 * 0.95 / draws)


def test_all_numbers_of_an_edge_that_the_noise_dominates_are_faint():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))  # its range is observed: private
    plan = hm.plan(graph, max_risk=0.2, annotate=["frequency", "mean"], range="observed")
    facts = MapFacts(hm.release(plan).graph, promise(plan))
    assert facts.spread == 7
    times = facts.graph.weights[Annotation.MEAN]
    for place, frequency in enumerate(facts.graph.weights[Annotation.FREQUENCY]):
        if times[place] is not None:
            assert facts.interval(place, Annotation.MEAN) is None
            low, high = interval(frequency, 7)
            assert facts.number_faint(place, Annotation.MEAN) == (high - low > frequency)
