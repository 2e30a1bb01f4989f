import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.exceptions import UsageError
from hushmap.risk import RiskCurves, epsilon_any, exact_risk, occurrence_windows, risk_any
from hushmap.risk.exact import ExactPosterior

RISKS = [1e-6, 0.01, 0.1, 0.25, 0.4, 0.5, 0.75, 0.9, 0.99, 1 - 1e-6]
ATTACKERS = ["any", "empirical", "paper"]

# method.md §4: ε per hour, p = 0.1, δ = 0.4, durations in whole seconds.
PRINTED = {
    "any": [0.1695, 0.1059, 0.1130, 0.2421, 0.0847, 0.2824, 0.4236, 0.5649],
    "paper": [0.1732, 0.1120, 0.1136, 0.2421, 0.0896, 0.2913, 0.4262, 0.7324],
    "empirical": [0.3093, 0.1861, 0.1546, 0.2421, 0.1537, 0.6399, 0.7258, 0.8789],
}


class Graph:
    """Random edges, some of which say nothing, with their tolerances."""

    def __init__(self, definition, seed, edges=12):
        rng = np.random.default_rng(seed)
        drawn = [definition.random_edge(rng, most=15) for _ in range(edges)]
        drawn.insert(3, (np.zeros(0, np.int64), np.zeros(0, np.int64), 1, Fraction(0)))
        self.histograms = [(values, counts) for values, counts, _, _ in drawn]
        self.arrays = definition.graph_of(self.histograms)
        self.ranges = [range_ for _, _, range_, _ in drawn]
        self.tolerance = [wide for *_, wide in drawn]

    def curves(self, attacker="empirical", **options):
        options = {"tolerance": self.tolerance} | options
        return RiskCurves(*self.arrays, self.ranges, attacker=attacker, **options)


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_the_worked_example_of_method_4(definition, attacker):
    edges, histograms, ranges = definition.worked_example()
    curves = RiskCurves(
        *definition.graph_of(histograms), ranges, attacker=attacker, precision=Fraction(1, 10)
    )
    hours = np.array(ranges) / 3600
    assert (curves.epsilon(0.4) / hours).round(4).tolist() == PRINTED[attacker]
    uninformative = [attacker == "any" or edge == ("A", "D") for edge in edges]
    assert curves.uninformative.tolist() == uninformative


def test_the_example_of_two_neighbours_in_method_2():
    # Guesses between 23795 and 28096 see both, which the occurrences themselves do not.
    values = [23795, 28096, 44751, 142316, 156725]
    curves = RiskCurves(
        [0, 5], values, [1] * 5, [156725], attacker="empirical", precision=Fraction("0.05")
    )
    wide = Fraction("0.05") * 156725
    lo, hi, _ = occurrence_windows(values, [1] * 5, wide)
    e = curves.epsilon(0.4)[0]
    assert curves.risk(e)[0] == pytest.approx(0.4, rel=1e-9)
    # To the occurrences' own guesses the same e looks like much less.
    assert exact_risk(values, [1] * 5, 156725, (lo, hi), e) < 0.3


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("seed", range(6))
def test_no_attacker_is_given_more_noise_than_any(definition, attacker, seed):
    curves = Graph(definition, seed).curves(attacker)
    for risk in RISKS:
        e = curves.epsilon(risk)
        assert (e >= epsilon_any(risk)).all()
        assert np.isfinite(e).all()


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("seed", range(6))
def test_the_promise_holds_and_is_used_up(definition, attacker, seed):
    curves = Graph(definition, seed).curves(attacker)
    for risk in RISKS:
        cap = 2 * epsilon_any(max(risk, 0.9))
        e = curves.epsilon(risk, cap=cap)
        assert (curves.risk(e) <= risk * (1 + 1e-15)).all()
        spent = curves.risk(e * (1 + 1e-9))
        # flat curves end at max 1 − P, which rounding cannot tell from δ just below it
        assert ((spent > risk * (1 - 1e-13)) | (e == cap)).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_risk_at_the_e_returned_is_within_the_limit_by_definition(definition, seed):
    graph = Graph(definition, seed)
    curves = graph.curves()
    for risk in (0.01, 0.1, 0.4, 0.75, 0.9):
        e = curves.epsilon(risk)
        for edge in np.flatnonzero(~curves.uninformative):
            (values, counts), range_ = graph.histograms[edge], graph.ranges[edge]
            windows = definition.windows(values, range_, graph.tolerance[edge])
            slow = definition.risk(values, counts, range_, windows, e[edge])
            assert slow <= risk + 1e-12
            assert slow == pytest.approx(curves.risk(e)[edge], abs=1e-12)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    seed=st.integers(0, 50),
    attacker=st.sampled_from(ATTACKERS),
    risk=st.floats(1e-6, 0.999),
    step=st.sampled_from([1e-15, 1e-13, 1e-11, 1e-9, 1e-6, 1e-3, 0.1, 1.0]),
)
def test_e_never_falls_when_the_limit_rises(definition, seed, attacker, risk, step):
    curves = Graph(definition, seed, edges=6).curves(attacker)
    more = min(risk * (1 + step), 0.9999)
    assert (curves.epsilon(max(risk, more)) >= curves.epsilon(min(risk, more))).all()
    # with a cap that stays, and with one that rises
    assert (curves.epsilon(more, cap=3.0) >= curves.epsilon(min(risk, more), cap=3.0)).all()
    assert (curves.epsilon(risk, cap=4.0) >= curves.epsilon(risk, cap=3.0)).all()


def test_e_never_falls_along_a_whole_curve(definition):
    curves = Graph(definition, 7).curves()
    previous = np.zeros(13)
    for risk in np.linspace(0.001, 0.999, 300):
        e = curves.epsilon(risk)
        assert (e >= previous).all()
        previous = e


def test_answers_do_not_depend_on_what_was_asked_before(definition):
    graph = Graph(definition, 11)
    forwards, backwards = graph.curves(), graph.curves()
    there = {risk: forwards.epsilon(risk) for risk in RISKS}
    back = {risk: backwards.epsilon(risk) for risk in reversed(RISKS)}
    for risk in RISKS:
        assert there[risk].tolist() == back[risk].tolist()
        assert there[risk].tolist() == forwards.epsilon(risk).tolist()
        assert there[risk].tolist() == graph.curves().epsilon(risk).tolist()


def test_an_edge_does_not_depend_on_the_other_edges(definition):
    graph = Graph(definition, 12)
    together = graph.curves().epsilon(0.3)
    for edge, (values, counts) in enumerate(graph.histograms):
        alone = RiskCurves(
            [0, values.size],
            values,
            counts,
            [graph.ranges[edge]],
            attacker="empirical",
            tolerance=graph.tolerance[edge],
        )
        assert alone.epsilon(0.3)[0] == together[edge]


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_the_unit_of_time_does_not_matter(definition, attacker):
    graph = Graph(definition, 13)
    offsets, values, counts = graph.arrays
    scaled = RiskCurves(
        offsets,
        values * 10**15,
        counts,
        [range_ * 10**15 for range_ in graph.ranges],
        attacker=attacker,
        tolerance=[wide * 10**15 for wide in graph.tolerance],
    )
    assert scaled.epsilon(0.2) == pytest.approx(graph.curves(attacker).epsilon(0.2), rel=1e-10)


def test_precision_is_a_share_of_each_edges_range(definition):
    graph = Graph(definition, 14)
    share = graph.curves(tolerance=None, precision=0.1)
    ticks = graph.curves(tolerance=[Fraction(range_, 10) for range_ in graph.ranges])
    assert share.epsilon(0.2).tolist() == ticks.epsilon(0.2).tolist()
    same = graph.curves(tolerance=Fraction(3, 2))
    each = graph.curves(tolerance=[Fraction(3, 2)] * len(graph.ranges))
    assert same.epsilon(0.2).tolist() == each.epsilon(0.2).tolist()


@pytest.mark.parametrize("attacker", ["empirical", "paper"])
def test_constant_rare_and_unmeasured_edges_are_calibrated_as_for_any(attacker):
    offsets = [0, 1, 1, 3, 5]
    curves = RiskCurves(
        offsets,
        [7, 1, 9, 0, 9],
        [40, 1, 1, 3, 3],
        [7, 0, 9, 9],
        attacker=attacker,
        precision=0.1,
        min_occurrences=3,
    )
    assert curves.uninformative.tolist() == [True, True, True, False]
    for risk in (0.01, 0.4, 0.99):
        assert curves.epsilon(risk)[:3].tolist() == [epsilon_any(risk)] * 3
    assert curves.risk(2.0)[:3].tolist() == [risk_any(2.0)] * 3


@pytest.mark.parametrize("attacker", ["empirical", "paper"])
def test_an_edge_that_holds_the_limit_without_noise_is_never_published_exactly(attacker):
    curves = RiskCurves([0, 2], [0, 9], [9, 1], [18], attacker=attacker, precision=1)
    assert curves.epsilon(0.05)[0] == epsilon_any(0.9)  # every guess covers everything
    assert curves.risk(50.0)[0] == 0.0
    # Here a guess covers at least 1 in 10, so that nobody can gain more than 0.9: exactly.
    curves = RiskCurves([0, 2], [0, 9], [1, 9], [9], attacker=attacker, precision=0.1)
    assert curves.epsilon(0.899999, cap=1e4)[0] < 20
    assert curves.epsilon(0.9, cap=1e4)[0] == 1e4
    assert curves.epsilon(0.9)[0] == epsilon_any(0.9)
    assert curves.epsilon(0.95)[0] == epsilon_any(0.95)  # the default cap is max(δ, 0.9)


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_a_cap_below_the_worst_case_holds_for_every_edge(definition, attacker):
    curves = Graph(definition, 15).curves(attacker)
    assert curves.epsilon(0.5, cap=epsilon_any(0.2)).tolist() == [epsilon_any(0.2)] * 13
    assert (curves.epsilon(0.2, cap=epsilon_any(0.5)) <= epsilon_any(0.5)).all()


def test_the_limit_is_taken_as_the_decimal_written(definition):
    curves = Graph(definition, 16).curves()
    assert curves.epsilon(0.1).tolist() == curves.epsilon(Fraction(1, 10)).tolist()


def test_risk_and_epsilon_are_inverse(definition):
    curves = Graph(definition, 17).curves()
    e = curves.epsilon(0.15)
    inside = e < epsilon_any(0.9)
    assert inside.sum() > 6
    assert curves.risk(e)[inside] == pytest.approx(0.15, rel=1e-9)
    assert (curves.risk(0.0) == 0).all()


def test_curves_flat_to_the_last_digit_are_searched_in_few_steps(definition, monkeypatch):
    curves = Graph(definition, 19).curves()
    looks = []
    gains = ExactPosterior.gains
    monkeypatch.setattr(
        ExactPosterior, "gains", lambda self, *given: looks.append(1) or gains(self, *given)
    )
    previous = np.zeros(13)
    for tenth in range(1, 10):
        for digit in range(-4, 5):  # around 1 − P for windows with P in tenths, fifths, halves
            risk = tenth / 10 + digit * 1e-16
            e = curves.epsilon(risk, cap=1e4)
            assert (curves.risk(e) <= risk * (1 + 1e-15)).all()
            assert (e >= previous).all()
            previous = e
    assert len(looks) < 81 * 60


@pytest.mark.parametrize("risk", ["1e-9", "1e-6", "0.999999"])
def test_extreme_limits_against_an_oracle_of_any_precision(definition, risk):
    # Two values a range apart, P = 1/n: the bound is attained, and has a closed form.
    total = 3 if float(risk) < 0.5 else 10**7
    curves = RiskCurves(
        [0, 2], [0, 10**6], [1, total - 1], [10**6], attacker="empirical", precision=0.1
    )
    with mpmath.workdps(50):
        delta, prior = mpmath.mpf(risk), mpmath.mpf(1) / total
        oracle = mpmath.mpf("inf")
        for p in (prior, 1 - prior):
            if p + delta < 1:
                oracle = min(oracle, mpmath.log1p(delta / (p * (1 - p - delta))))
    ours = curves.epsilon(Fraction(risk), cap=1e4)[0]
    assert ours == pytest.approx(float(oracle), rel=1e-9)
    assert ours <= oracle


def test_a_graph_without_durations_is_answered():
    for attacker in ATTACKERS:
        curves = RiskCurves([0, 0, 0], [], [], [1, 1], attacker=attacker, precision=0.1)
        assert curves.epsilon(0.1).tolist() == [epsilon_any(0.1)] * 2
        assert curves.risk(1.0).tolist() == [risk_any(1.0)] * 2
        empty = RiskCurves([0], [], [], [], attacker=attacker, precision=0.1)
        assert empty.epsilon(0.1).size == empty.risk(1.0).size == 0


def test_curves_travel_to_another_process(definition):
    curves = Graph(definition, 18).curves()
    copy = pickle.loads(pickle.dumps(curves))
    assert copy.epsilon(0.3).tolist() == curves.epsilon(0.3).tolist()


EDGE = ([0, 2], [0, 9], [1, 9], [9])


@pytest.mark.parametrize(
    "call",
    [
        lambda: RiskCurves(*EDGE, attacker="nobody", precision=0.1),
        lambda: RiskCurves(*EDGE, attacker="paper"),
        lambda: RiskCurves(*EDGE, attacker="paper", precision=0.1, tolerance=3),
        lambda: RiskCurves(*EDGE, attacker="paper", precision=1.1),
        lambda: RiskCurves(*EDGE, attacker="paper", precision=-0.1),
        lambda: RiskCurves(*EDGE, attacker="paper", tolerance=-1),
        lambda: RiskCurves(*EDGE, attacker="paper", tolerance=[1, 2]),
        lambda: RiskCurves([0, 2], [0, 9], [1, 9], [8], attacker="empirical", precision=0.1),
        lambda: RiskCurves([0, 2], [0, 9], [1, 9], [9, 9], attacker="empirical", precision=0.1),
        lambda: RiskCurves([0, 3], [0, 9], [1, 9], [9], attacker="empirical", precision=0.1),
        lambda: RiskCurves([0, 2], [9, 0], [1, 9], [9], attacker="empirical", precision=0.1),
        lambda: RiskCurves([0, 2], [0, 9], [1], [9], attacker="empirical", precision=0.1),
        lambda: RiskCurves(*EDGE, attacker="any").epsilon(0),
        lambda: RiskCurves(*EDGE, attacker="any").epsilon(1.0),
        lambda: RiskCurves(*EDGE, attacker="any").epsilon(0.1, cap=float("inf")),
        lambda: RiskCurves(*EDGE, attacker="any").epsilon(0.1, cap=0.0),
        lambda: RiskCurves(*EDGE, attacker="any").risk(-1.0),
        lambda: RiskCurves(*EDGE, attacker="any").risk([1.0, 2.0]),
        lambda: RiskCurves(*EDGE, attacker="any").risk(float("nan")),
    ],
)
def test_illegal_arguments_are_refused(call):
    with pytest.raises(UsageError):
        call()
