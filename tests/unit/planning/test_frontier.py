"""Who is shown beside whom, and which warnings a plan gives."""

from datetime import timedelta

import pytest
from graphs import graph_of, paper_example

import hushmap as hm
from hushmap.exceptions import UsageError
from hushmap.planning.frontier import risk_points
from hushmap.planning.parameters import PlanParameters


@pytest.mark.parametrize("chosen", ["any", "empirical", "paper"])
def test_whoever_is_chosen_the_report_sets_all_attackers_side_by_side(chosen):
    parameters = PlanParameters.of(annotate="mean", attacker=chosen, max_risk=0.2)
    points = risk_points(paper_example(), parameters)
    names = list(dict.fromkeys(point.attacker for point in points))
    assert names[0] == chosen
    assert set(names) == {"any", "empirical", "paper"}


def test_beside_a_frequency_the_attackers_cost_the_same_and_one_is_shown():
    parameters = PlanParameters.of(annotate=["frequency", "mean"], attacker="any", max_risk=0.2)
    assert {point.attacker for point in risk_points(paper_example(), parameters)} == {"any"}


def drowned(plan):
    return [warning for warning in plan.warnings if "a bound per edge" in warning]


def test_a_bound_far_above_the_durations_is_warned_of():
    edges = {("A", "B"): [60, 70, 80], ("B", "C"): [80_000, 70_000, 86_000] * 300}
    wide = graph_of(edges, max_duration="1d")
    (warning,) = drowned(hm.plan(wide, max_risk=0.3, annotate="max"))
    assert warning.startswith("On 1 edge the expected error of max is above 1000%")
    near = graph_of(edges, max_duration={("A", "B"): "90s", ("B", "C"): timedelta(days=1)})
    assert not drowned(hm.plan(near, max_risk=0.3, annotate="max"))
    assert not drowned(hm.plan(graph_of(edges), max_risk=0.3, annotate="max", range="observed"))


def test_a_plan_says_what_was_asked_for_and_no_more():
    plan = hm.plan(paper_example(), max_risk=0.2, annotate=["frequency", "mean"])
    assert plan.wish == (
        "risk at most 0.2; frequency, mean of 8 edges; attacker any, scope release"
    )
    assert repr(plan) == f"Plan({plan.wish})"


def test_several_annotations_in_one_word_are_told_apart_for_the_next_try():
    with pytest.raises(UsageError, match=r"is 'frequency,mean'.(.|\n)*repeat --annotate"):
        PlanParameters.of(max_risk=0.2, annotate="frequency,mean")
