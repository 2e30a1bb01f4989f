"""The attacker computes the law of what is released exactly, or his bound would be a guess."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import RecordedNoise

import hushmap as hm
from hushmap.audit.bayesian import _Belief
from hushmap.audit.games import how_long_empirical
from hushmap.audit.law import Law, log_mass
from hushmap.audit.suite import wish
from hushmap.audit.worlds import TARGET, World
from hushmap.planning.draws import Draw
from hushmap.planning.plan import plan_with
from hushmap.release.drawing import draw_weights
from hushmap.risk import exact_risk


def mass(rate, z):
    return np.exp(-rate * abs(z)) * np.tanh(rate / 2)


@settings(max_examples=200)
@given(st.floats(0.01, 3), st.integers(-30, 30), st.integers(0, 12))
def test_the_mass_of_an_interval_is_the_sum_of_its_integers(rate, low, width):
    found = np.exp(log_mass(rate, np.array([float(low)]), np.array([float(low + width)])))[0]
    assert found == pytest.approx(sum(mass(rate, z) for z in range(low, low + width + 1)), rel=1e-9)
    below = np.exp(log_mass(rate, np.array([-np.inf]), np.array([float(low)])))[0]
    everything = sum(mass(rate, z) for z in range(low - 4000, low + 1))
    assert below == pytest.approx(everything, rel=1e-6)


@pytest.mark.parametrize("annotate", [
    ("frequency",), ("sum",), ("mean",), ("min", "max"), ("frequency", "mean"),
    ("frequency", "sum", "mean"),
], ids=str)  # fmt: skip
def test_the_law_is_that_of_the_production_rule(annotate):
    """Every noise of a small range through `draw_weights`, weighted by its probability."""
    graph = World({TARGET: (2, 5, 5)}, bound=6).graph()
    plan = plan_with(graph, wish(0.99, annotate))
    law = Law.of(plan, TARGET)
    reach = range(-24, 25)
    seen = Counter()
    for noise in product(reach, repeat=len(plan.draws)):
        weights = draw_weights(plan, RecordedNoise(*([z] for z in noise)))
        row = tuple(weights[kind][0] for kind in plan.parameters.annotations)
        seen[row] += np.prod([
            mass(law.rates[draw], z) for draw, z in zip(plan.draws, noise, strict=True)
        ])  # fmt: skip
    likely = {row: p for row, p in seen.items() if p > 1e-4}
    computed = np.exp(law.log_likelihood(np.array(list(likely), dtype=float)))
    # What the range cuts off is rare: at most the tails of the noise.
    assert computed == pytest.approx(np.array(list(likely.values())), abs=2e-4, rel=2e-2)
    assert sum(likely.values()) > 0.9


def test_the_largest_gain_of_the_played_attacker_is_the_exact_risk():
    """Over every output: what the attack believes, against the kernel that calibrates (§4)."""
    hours = [1, 6, 15]
    world = World({TARGET: tuple(60 * hour for hour in hours)})
    parameters = wish(0.4, "sum", attacker="empirical", precision="0.1", range_kind="observed")
    game = how_long_empirical("x", parameters, world, limit=0.4)
    outputs = np.arange(1.0, 4000.0)[:, None]
    gain = _Belief(game, outputs).gain.max()
    plan = plan_with(world.graph(), parameters)
    e = float(plan.calibration.draws[Draw.SUM][0])
    values, counts = world.graph().durations.of(0)
    assert gain == pytest.approx(exact_risk(values, counts, 900, game.windows, e), rel=1e-9)
    assert gain == pytest.approx(0.4, abs=1e-6)


def test_worlds_are_what_discovery_makes_of_the_same_log():
    world = World({TARGET: (3, 9, 9, 40)}, bound=30)
    import polars as pl

    frame = pl.DataFrame(
        {"source": ["A"] * 4, "target": ["B"] * 4, "duration_seconds": [3, 9, 9, 40]}
    )
    ours, theirs = world.graph(), hm.from_transitions(frame, max_duration="30s")
    assert ours.sums == theirs.sums == (51,)
    assert ours.unclipped_sums == theirs.unclipped_sums == (61,)
    for name in ("counts", "minima", "maxima", "bounds", "clipped", "timed"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert ours.durations.of(0)[0].tolist() == theirs.durations.of(0)[0].tolist()
