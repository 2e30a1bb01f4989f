"""The curve behind the two sliders says what a plan says, and no more is computed than shown."""

from fractions import Fraction

import numpy as np
import pytest
from graphs import graph_of, paper_example

import hushmap as hm
from hushmap.exceptions import UnreachableLimitError
from hushmap.planning.parameters import PlanParameters
from hushmap.planning.plan import plan_with
from hushmap.planning.tradeoff import FAR_OFF, Tradeoff

WISHES = [
    {"annotate": "frequency"},
    {"annotate": ["frequency", "mean"]},
    {"annotate": "mean", "attacker": "empirical"},
    {"annotate": ["min", "max"], "attacker": "paper", "scope": "annotation"},
]


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("risk", ["0.05", "0.2", "0.7"])
def test_a_standing_is_what_a_plan_at_that_risk_expects(wish, risk):
    graph = paper_example()
    standing = Tradeoff(graph, PlanParameters.of(**wish)).at(Fraction(risk))
    plan = hm.plan(graph, max_risk=risk, **wish)
    for errors in standing.annotations:
        own = plan.summary[errors.annotation]
        assert errors.mape == pytest.approx(own["expected_mape"], rel=1e-12)
        assert errors.worst == pytest.approx(own["worst_ape"], rel=1e-12)
        assert errors.edges == own["edges"]
        worse = [
            row for row in plan.edges
            if row["annotation"] == errors.annotation and (row["expected_ape"] or 0) > FAR_OFF
        ]  # fmt: skip
        assert errors.far_off == len(worse)
    assert standing.error == max(errors.mape for errors in standing.annotations)


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("reading", ["mean", "per-edge"])
def test_the_least_risk_is_that_of_a_plan_with_an_error_limit(wish, reading):
    graph = paper_example()
    tradeoff = Tradeoff(graph, PlanParameters.of(**wish, error_reading=reading))
    risk = tradeoff.least_risk(Fraction(3))
    limited = PlanParameters.of(max_error=3, error_reading=reading, **wish)
    if risk is None:
        with pytest.raises(UnreachableLimitError):
            plan_with(graph, limited)
    else:
        assert risk == plan_with(graph, limited).risk


@pytest.mark.parametrize("reading", ["mean", "per-edge"])
def test_the_curve_rises_in_risk_and_falls_in_error(reading):
    wish = PlanParameters.of(annotate=["frequency", "mean"], error_reading=reading)
    curve = Tradeoff(paper_example(), wish).curve
    risks, errors = [p.risk for p in curve], [p.error for p in curve]
    assert len(curve) > 5
    assert (np.diff(risks) > 0).all()
    assert (np.diff(errors) < 0).all()


def test_read_per_edge_the_error_at_a_risk_lies_between_what_needs_less_and_what_needs_more():
    wish = PlanParameters.of(annotate="frequency", error_reading="per-edge")
    tradeoff = Tradeoff(paper_example(), wish)
    low, high = tradeoff.curve[3], tradeoff.curve[4]
    middle = tradeoff.at((low.risk + high.risk) / 2).error
    assert high.error < middle < low.error
    assert tradeoff.at(low.risk).error == pytest.approx(low.error)
    assert tradeoff.at(1e-9).error is None


def test_the_costliest_edges_come_first():
    edges = {(None, "A"): [None] * 50, ("A", "B"): [60] * 2, ("B", "C"): [60] * 40}
    tradeoff = Tradeoff(graph_of(edges), PlanParameters.of(annotate="frequency"))
    costly = tradeoff.costly(0.2, 2)
    assert (costly[0].source, costly[0].target, costly[0].occurrences) == ("A", "B", 2)
    assert costly[0].expected_ape > costly[1].expected_ape


def test_dropping_an_annotation_is_compared_only_where_the_rest_may_be_released():
    parameters = PlanParameters.of(annotate=["frequency", "sum", "mean"])
    tradeoff = Tradeoff(paper_example(), parameters)
    found = dict(tradeoff.comparison(0.2))
    assert set(found) == {"sum", "mean"}  # sum and mean alone would give the counts away
    alone = Tradeoff(paper_example(), PlanParameters.of(annotate="frequency"))
    both = Tradeoff(paper_example(), PlanParameters.of(annotate=["frequency", "mean"]))
    ((_, kept), _) = both.comparison(0.2)[::-1]
    assert kept.error == alone.at(0.2).error
    assert alone.comparison(0.2) == []


@pytest.mark.parametrize("kinds", [["frequency"], ["frequency", "mean"], ["max"]])
def test_asking_again_answers_the_same_as_asking_once(kinds):
    graph = hm.discover(hm.read_log("examples/hospital.csv"), max_duration="1d")
    assert graph.clipped is not None
    observed = hm.discover(hm.read_log("examples/hospital.csv"))
    for bounded, named in ((graph, "declared"), (observed, "observed")):
        range_kind = None if kinds == ["frequency"] else named
        parameters = PlanParameters.of(annotate=kinds, range_kind=range_kind)
        asked_often = Tradeoff(bounded, parameters)
        assert asked_often.curve
        for error in ("0.9", "0.4", "0.41", "2", "0.4", "7"):
            once = Tradeoff(bounded, parameters).least_risk(Fraction(error))
            again = asked_often.least_risk(Fraction(error))
            assert (once is None) == (again is None)
            if once is not None:
                assert again == pytest.approx(once, rel=1e-6)
                assert asked_often.at(again).error <= float(error) * (1 + 1e-9)


def test_what_costs_most_is_of_the_risk_asked_for():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    tradeoff = Tradeoff(graph, PlanParameters.of())
    for risk in (0.2, 0.5, 0.2):
        assert tradeoff.at(risk).annotations[0].worst == tradeoff.costly(risk, 1)[0].expected_ape
