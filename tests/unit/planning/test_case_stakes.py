"""What one case stands to lose: against a sum over every case of a log."""

import math
from collections import defaultdict
from itertools import pairwise

import pytest
from graphs import graph_of
from hypothesis import given, settings
from hypothesis import strategies as st
from logs import columns, event_lists

import hushmap as hm
from hushmap.release.report import about_a_case

WISHES = [
    {"annotate": ["frequency"]},
    {"annotate": ["frequency", "mean"]},
    {"annotate": ["frequency", "sum", "max"], "scope": "annotation"},
    {"annotate": ["sum", "max"]},
]


def case_sums(events, plan):
    """Per case the sum of e over its occurrences, each e from the definition (§9)."""
    cases = defaultdict(list)
    for row, event in enumerate(events):
        cases[event.case].append((event.microseconds, row, event.activity))
    stake = {}
    for place, edge in enumerate(plan.graph.edges):
        e = {draw.value: float(all_e[place]) for draw, all_e in plan.calibration.draws.items()}
        whether = e.get("frequency", 0.0)
        timed = {name: value for name, value in e.items() if name != "frequency"}
        if "frequency" in e and timed:
            whether += {True: 2, False: 1}[{"sum", "max"} <= set(timed)] * max(timed.values())
        stake[edge] = max(whether, sum(timed.values()))
    sums = []
    for rows in cases.values():
        names = [None, *(name for _, _, name in sorted(rows)), None]
        sums.append((len(names) - 1, sum(stake[pair] for pair in pairwise(names))))
    return sums


@settings(max_examples=40, deadline=None)
@given(event_lists, st.sampled_from(WISHES))
def test_the_mean_and_the_largest_sum_are_those_over_all_cases(events, wish):
    import polars as pl

    log = hm.from_frame(pl.DataFrame(columns(events)), case="case", activity="activity",
                        timestamp="timestamp")  # fmt: skip
    graph = hm.discover(log, max_duration="1h")
    if wish["annotate"] != ["frequency"] and not graph.timed.any():
        return
    plan = hm.plan(graph, max_risk=0.2, **wish)
    sums = case_sums(events, plan)
    figures = plan.summary["release"]
    assert figures["mean_epsilon_of_a_case"] == pytest.approx(
        sum(e for _, e in sums) / len(sums), abs=1e-12
    )
    assert figures["most_occurrences_of_a_case"] == max(length for length, _ in sums)
    largest = max(e for _, e in sums)
    assert figures["largest_epsilon_of_a_case"] >= largest - 1e-9
    if graph.timed.any():
        # All edges between activities have the same e, so that the bound is exact.
        assert figures["largest_epsilon_of_a_case"] == pytest.approx(largest, abs=1e-9)
    assert figures["risk_of_the_largest_case"] == pytest.approx(
        math.tanh(figures["largest_epsilon_of_a_case"] / 4)
    )


def test_with_different_e_per_edge_the_largest_is_a_bound():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    plan = hm.plan(graph, max_risk=0.2, annotate="sum", attacker="empirical")
    figures = plan.summary["release"]
    e = plan.calibration.times[graph.timed]
    assert e.min() < e.max()
    assert figures["largest_epsilon_of_a_case"] == pytest.approx(3 * e.max())
    assert figures["mean_epsilon_of_a_case"] < figures["largest_epsilon_of_a_case"]


def test_nothing_limits_what_a_case_has_at_stake_under_a_mean_over_its_exact_number():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    figures = hm.plan(graph, max_risk=0.2, annotate="mean").summary["release"]
    assert figures["most_occurrences_of_a_case"] == 5
    assert figures["largest_epsilon_of_a_case"] is None
    assert figures["mean_epsilon_of_a_case"] is None


def test_a_table_of_transitions_knows_no_longest_case():
    graph = graph_of({("A", "B"): [3, 4]})
    figures = hm.plan(graph, max_risk=0.2).summary["release"]
    assert figures["largest_epsilon_of_a_case"] is None
    assert figures["mean_epsilon_of_a_case"] is None
    assert about_a_case(figures) == "It is not a limit for a person."


def test_the_owner_is_told_and_the_public_is_told_that_the_owner_was(tmp_path):
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    plan = hm.plan(graph, max_risk="0.17")
    release = hm.release(plan)
    release.write(tmp_path / "out")
    said = about_a_case(plan.summary["release"])
    assert "average length" in said
    assert said in (tmp_path / "out/owner/report.html").read_text()
    public = "".join(file.read_text() for file in (tmp_path / "out/public").iterdir())
    assert "stands to lose in all" in " ".join(release.certificate.not_promised)
    for key in ("mean_epsilon_of_a_case", "largest_epsilon_of_a_case"):
        value = plan.summary["release"][key]
        for text in (f"{value:.3g}", f"{value:.4g}", repr(value)):
            assert text not in public or len(text) < 4
