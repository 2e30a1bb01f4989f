"""The attacks see what they should see: losses of a known size, digits, and our own edges."""

import importlib

import numpy as np
import pytest
from graphs import graph_of

import hushmap as hm
from hushmap.audit import OURS, Mechanism, audit
from hushmap.audit.blackbox import Features, Neighbours, WholeNumbers, best_event, digits
from hushmap.audit.games import whether
from hushmap.audit.mechanism import Ahead
from hushmap.audit.on_log import attacks_on
from hushmap.audit.suite import attacks, wish
from hushmap.audit.unpromised import unpromised
from hushmap.audit.worlds import TARGET, World
from hushmap.exceptions import UsageError
from hushmap.noise import SimulatedNoise
from hushmap.planning.parameters import PlanParameters

ALPHA = 5e-9


def seeded(seed=1):
    return np.random.default_rng(seed)


class Counting:
    """Counts what it is asked for; zero noise."""

    def __init__(self):
        self.asked = []

    def draw(self, epsilons):
        self.asked.append(len(epsilons))
        return np.arange(len(epsilons))


def test_noise_drawn_ahead_is_used_once_and_drawn_again_when_it_is_used_up():
    source = Counting()
    noise = Ahead(source, 3)
    drawn = [noise.draw([0.5, 2.0]).tolist() for _ in range(6)]
    assert source.asked == [6, 6]
    assert sorted(number for row in drawn[:3] for number in row) == list(range(6))
    assert noise.draw([0.5]).shape == (1,)
    assert source.asked == [6, 6, 3]


def test_no_seed_reaches_the_noise_of_our_mechanism():
    """The attack is seeded, the releases are not: two runs of one seed differ."""
    game = whether("x", wish(0.4), World({TARGET: 5}), limit=0.4)
    first, second = (game(OURS, 2_000, seeded(), ALPHA)[1].measured for _ in range(2))
    assert first != second
    assert OURS.noise.seeded is False


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_a_black_box_finds_the_loss_of_a_randomised_answer_and_never_more(epsilon):
    """Two answers, right with probability e^ε/(1+e^ε): the loss is ε, and no event has more."""

    def answers(plan, noise):
        del noise
        right = rng.random() < np.exp(epsilon) / (1 + np.exp(epsilon))
        value = 1 + (int(plan.graph.counts[0]) % 2 == int(right))
        return dict.fromkeys(plan.parameters.annotations, (value,))

    rng = np.random.default_rng()
    pair = Neighbours(
        name="answers", parameters=wish(0.1), edges=(TARGET,), claimed=epsilon,
        graphs=(World({TARGET: 5}).graph(), World({TARGET: 6}).graph()),
    )  # fmt: skip
    (check,) = pair(Mechanism("answers", OURS.noise, weights=answers), 20_000, seeded(), ALPHA)
    assert check.holds
    assert check.low < epsilon < check.high
    assert check.low > 0.5 * epsilon - 0.1
    (tight,) = Neighbours(
        name="answers", parameters=wish(0.1), edges=(TARGET,), claimed=epsilon - 0.15 * epsilon - 0.15,
        graphs=pair.graphs,
    )(Mechanism("answers", OURS.noise, weights=answers), 60_000, seeded(), ALPHA)  # fmt: skip
    assert not tight.holds


def test_the_digits_of_a_float_betray_what_it_was_added_to():
    rng = np.random.default_rng(3)
    noise = [-np.sign(u) * np.log1p(-2 * np.abs(u)) / 0.4 for u in rng.random((2, 20_000)) - 0.5]
    event = best_event(((5 + noise[0])[:, None], (6 + noise[1])[:, None]))
    counts = [event.holds((n + z)[:, None]).sum() for n, z in zip((5, 6), noise, strict=True)]
    assert max(counts) > 300
    assert min(counts) == 0
    assert event.column == 1  # that of the digits


def test_digits_tell_the_power_and_the_lowest_bit():
    assert digits(np.array([1.0, 6.0, 0.375])).tolist() == [100.0, 301.0, -103.0]


def test_features_of_what_was_never_seen_are_those_of_the_nearest_bin():
    features = Features.learned(np.array([[1.0], [2.0]]), np.array([[2.0], [3.0]]))
    assert features.of(np.array([[-50.0], [9e9]])).shape == (2, 3)


def test_numbers_that_are_not_whole_or_below_one_are_seen():
    graph = World({TARGET: 5}).graph()
    attack = WholeNumbers(name="x", parameters=wish(0.4), graph=graph, edges=(TARGET,))
    for value, holds in ((3, True), (0, False), (2.5, False)):
        mechanism = Mechanism("x", OURS.noise, weights=lambda plan, noise, value=value: dict.fromkeys(plan.parameters.annotations, (value,)))  # fmt: skip
        (check,) = attack(mechanism, 1_000, seeded(), ALPHA)
        assert check.holds is holds


def test_every_attack_has_a_name_of_its_own_and_the_names_of_checks_are_unique():
    report = audit(draws=100, controls=())
    names = [check.name for check in report.checks]
    assert len(set(names)) == len(names)
    assert len({attack.name for attack in attacks()}) == len(attacks())
    assert {check.kind for check in report.checks} == {"promise", "not promised"}
    assert all(check.claimed is None for check in report.of("not promised"))
    assert len(report.of("not promised")) == len(unpromised()) == 7


def test_too_few_draws_are_refused():
    with pytest.raises(UsageError, match="--draws"):
        audit(draws=99)


def test_on_a_log_the_edges_that_bind_are_attacked_with_the_noise_of_the_plan():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    for options in (
        {"annotate": ["frequency", "mean"]}, {"annotate": ["mean"], "attacker": "empirical"},
        {"annotate": ["frequency", "max"], "scope": "annotation", "attacker": "paper"},
        {"annotate": ["sum"], "max_risk": None, "max_error": "2"},
        {"annotate": ["frequency", "mean"], "scope": "annotation", "range_kind": "observed"},
    ):  # fmt: skip
        found = attacks_on(graph, PlanParameters.of(**{"max_risk": "0.2", **options}))
        assert 2 <= len(found) <= 12
        for attack in found:
            assert all(check.holds for check in attack(OURS, 400, seeded(), ALPHA))


def test_on_a_log_frequencies_need_no_durations_and_times_do():
    log = hm.read_log("examples/hospital.csv")
    bare, full = (hm.discover(log, histograms=keep) for keep in (False, True))
    asked = PlanParameters.of(max_risk="0.2")
    assert [a.name for a in attacks_on(bare, asked)] == [a.name for a in attacks_on(full, asked)]
    for attack in attacks_on(bare, asked):
        assert attack.graphs[1].counts[0] == attack.graphs[0].counts[0] + 1
    with pytest.raises(UsageError, match="durations"):
        attacks_on(bare, PlanParameters.of(max_risk="0.2", annotate=["mean"]))


def test_on_a_log_with_a_declared_bound_every_annotation_is_attacked_alone():
    graph = hm.discover(hm.read_log("examples/hospital.csv"), max_duration="1d")
    asked = PlanParameters.of(
        max_risk="0.2", annotate=["frequency", "mean"], scope="annotation", range_kind="declared"
    )
    names = [attack.name for attack in attacks_on(graph, asked)]
    assert {name.split()[0] for name in names} == {"frequency", "mean"}


def test_on_a_log_an_empirical_attacker_is_played_where_his_prior_is_small(monkeypatch):
    """A log per distinct duration: where there are too many, time and memory would run out."""
    edges = {("A", "B"): range(0, 9_000, 10), ("B", "C"): range(0, 400, 10), ("C", "D"): (1, 9, 60)}
    graph = graph_of({edge: list(row) for edge, row in edges.items()})
    asked = PlanParameters.of(max_risk="0.2", annotate=["mean"], attacker="empirical")
    played = {str(attack.edge) for attack in attacks_on(graph, asked)}
    assert played == {"B → C", "C → D"}
    module = importlib.import_module("hushmap.audit.on_log")
    monkeypatch.setattr(module, "_SECRETS", 2)
    assert {str(attack.edge) for attack in attacks_on(graph, asked)} == {"C → D"}
    monkeypatch.setattr(module, "_MOST_SECRETS", 2)
    with pytest.raises(UsageError, match="--resolution"):
        attacks_on(graph, asked)


def test_on_a_log_a_source_with_too_little_noise_is_caught():
    class Loud:
        def draw(self, epsilons):
            return SimulatedNoise(5).draw(np.asarray(epsilons) * 2)

    graph = hm.discover(hm.read_log("examples/hospital.csv"), max_duration="1d")
    parameters = PlanParameters.of(max_risk="0.4", annotate=["mean"], range_kind="declared")
    for attack in attacks_on(graph, parameters):
        checks = attack(Mechanism("loud", Loud()), 5_000, seeded(), ALPHA)
        assert not all(check.holds for check in checks)
