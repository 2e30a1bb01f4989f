"""The figures of method.md on the real logs, and the published medians of the prototype."""

import csv
import math
from functools import cache

import numpy as np
import pytest
from logs import SHARED

import hushmap as hm
from hushmap.planning.frontier import compared, frontier
from hushmap.planning.parameters import PlanParameters

pytestmark = [
    pytest.mark.shared_logs,
    pytest.mark.skipif(
        not (SHARED / "data").is_dir(), reason="the real logs of ../shared/data are not here"
    ),
]


@cache
def sepsis():
    return hm.discover(hm.read_log(SHARED / "data/Sepsis.xes.gz", lifecycle="all"))


COUNTS = {
    "Sepsis.xes": (1050, 16, 15214, 115, 135, 846),
    "Sepsis.xes.gz": (1050, 16, 15214, 115, 135, 846),
    "CCC19.xes": (20, 29, 697, 137, 146, 20),
    "BPI12.xes.gz": (13087, 24, 262200, 125, 137, 4366),
    "Traffic_fines.xes.gz": (150370, 11, 561470, 70, 78, 231),
    "BPIC15_1.xes.gz": (1199, 398, 52217, 4699, 4821, 1170),
}


@pytest.mark.parametrize("name", COUNTS)
def test_inspect_gives_the_counts_of_the_index(name):
    found = hm.inspect(hm.read_log(SHARED / "data" / name, lifecycle="all"))
    assert (
        found.cases, found.activities, found.events, found.edges, found.edges_with_start_end,
        found.variants,
    ) == COUNTS[name]  # fmt: skip


def test_by_default_only_completed_events_of_bpi12_are_kept():
    found = hm.inspect(hm.read_log(SHARED / "data/BPI12.xes.gz"))
    assert (
        found.activities, found.events, found.edges, found.edges_with_start_end, found.variants
    ) == (23, 164506, 138, 149, 4336)  # fmt: skip


@pytest.mark.parametrize(("error", "risk"), [(0.3, 0.100), (0.2, 0.148), (0.1, 0.264)])
def test_the_least_risk_for_a_mean_error_on_sepsis(error, risk):
    assert hm.plan(sepsis(), max_error=error).risk == pytest.approx(risk, abs=6e-4)


def test_the_other_readings_on_sepsis():
    points = {
        (point.reading, point.error): point.risk
        for point in frontier(sepsis(), list(compared(PlanParameters.of()))).errors
        if point.attacker == "any"
    }
    assert points["per-edge", 0.3] == pytest.approx(0.724, abs=5e-4)
    assert points["paper", 0.3] == pytest.approx(0.987, abs=6e-4)


def test_the_exact_posterior_halves_the_error_of_means_on_sepsis():
    medians = {
        attacker: hm.plan(
            sepsis(), max_risk=0.2, annotate="mean", attacker=attacker, precision=0.1
        ).summary["mean"]["median_ape"]
        for attacker in ("empirical", "paper")
    }
    assert medians["empirical"] == pytest.approx(0.107, abs=6e-4)
    assert medians["paper"] == pytest.approx(0.222, abs=6e-4)


def test_a_case_of_average_length_and_edges_seen_once_on_sepsis():
    """§2: 0.91 for a case of average length at δ = 0.1; 17 of 135 edges occur once."""
    release = hm.plan(sepsis(), max_risk=0.1).summary["release"]
    assert release["risk_of_a_mean_case"] == pytest.approx(0.91, abs=0.01)
    assert int((sepsis().counts == 1).sum()) == 17


@pytest.mark.golden
@pytest.mark.skipif(not (SHARED / "golden").is_dir(), reason="../shared/golden is not here")
def test_the_published_medians_of_frequencies_are_ours():
    with (SHARED / "golden/published_p1.csv").open() as stream:
        rows = [
            row for row in csv.DictReader(stream)
            if row["dataset"].startswith("Sepsis") and "FREQ" in row["aggregate_type"]
        ]  # fmt: skip
    assert len(rows) == 11
    for row in rows:
        plan = hm.plan(sepsis(), max_risk=row["delta"])
        assert plan.summary["frequency"]["median_epsilon"] == pytest.approx(
            float(row["median_epsilon"])
        )


@pytest.mark.golden
@pytest.mark.skipif(not (SHARED / "golden").is_dir(), reason="../shared/golden is not here")
@pytest.mark.parametrize("aggregate", ["sum", "min", "max"])
def test_whole_plans_against_the_papers_attacker_agree_with_the_prototype(aggregate):
    """ε·R per edge through `plan`; differences are ties on a window's border, and `inf` there."""
    with (SHARED / "golden/prototype_sepsis.csv").open() as stream:
        prototype = {(row["source"], row["target"]): row for row in csv.DictReader(stream)}
    compared_pairs = agreed = 0
    for risk in ("0.1", "0.3", "0.5"):
        plan = hm.plan(
            sepsis(), max_risk=risk, annotate=aggregate, attacker="paper", precision="0.5",
            max_risk_any="0.999999",
        )  # fmt: skip
        for row in plan.edges:
            theirs = prototype[row["source"], row["target"]]
            e = float(theirs[f"p1_eps_{aggregate}_{risk}"]) * float(theirs[f"R_{aggregate}"])
            if row["attacker"] == "any" or not math.isfinite(e):
                continue
            compared_pairs += 1
            agreed += bool(np.isclose(row["epsilon_range"], e, rtol=1e-9))
    assert compared_pairs > 250
    assert compared_pairs - agreed <= 11
