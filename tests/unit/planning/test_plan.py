"""P1 and P2: what a limit gives, from the definitions of method.md §7 to §9."""

import math
from fractions import Fraction

import numpy as np
import pytest
from graphs import graph_of, paper_example, random_edges
from hypothesis import given, settings
from hypothesis import strategies as st

import hushmap as hm
from hushmap.exceptions import LeakRefusedError, UnreachableLimitError, UsageError
from hushmap.graph import Annotation
from hushmap.planning.draws import Draw, draws_of, how_long_loss, whether_loss
from hushmap.planning.frontier import compared, frontier
from hushmap.planning.parameters import PlanParameters, Precision

few = settings(max_examples=25, deadline=None, derandomize=True)
TIMES = ["sum", "mean", "min", "max"]
ALL = ["frequency", *TIMES]
risks = st.sampled_from([0.01, 0.1, 0.25, 0.4, 0.6, 0.9, 0.97])


@pytest.mark.parametrize(
    ("annotations", "share"),
    [
        (["frequency"], 1), (["frequency", "sum"], 2), (["frequency", "mean"], 2),
        (["frequency", "min"], 2), (["frequency", "max"], 2), (["frequency", "min", "max"], 2),
        (["frequency", "sum", "min"], 2), (["frequency", "sum", "max"], 3), (ALL, 3),
    ],
)  # fmt: skip
def test_beside_a_frequency_each_draw_gets_its_share(annotations, share):
    plan = hm.plan(paper_example(), max_risk=0.4, annotate=annotations)
    for row in plan.edges:
        assert row["epsilon_range"] == pytest.approx(4 * math.atanh(0.4) / share, rel=1e-12)
        assert row["attacker"] == "any"
    assert plan.summary["release"]["risk"] == pytest.approx(0.4)


def worst_change(draws, *, added):
    """By brute force: how far adding (or moving) one occurrence of range 10 can move all draws."""
    worst = 0
    for others in ([], [0], [5], [10], [0, 10], [3, 7], [2, 2]):
        for x in range(11):
            for y in range(11):
                before = others if added else [*others, y]
                after = [*others, x]
                if not before:
                    continue
                change = {
                    Draw.FREQUENCY: 10 * (len(after) - len(before)),
                    Draw.SUM: abs(sum(after) - sum(before)),
                    Draw.MIN: abs(min(after) - min(before)),
                    Draw.MAX: abs(max(after) - max(before)),
                }
                worst = max(worst, sum(change[draw] for draw in draws))
    return worst / 10


@pytest.mark.parametrize("mask", range(1, 16))
def test_the_shares_cover_every_change_that_one_occurrence_can_make(mask):
    draws = [draw for place, draw in enumerate(Draw) if mask >> place & 1]
    assert worst_change(draws, added=True) == whether_loss(draws)
    assert worst_change(draws, added=False) == how_long_loss(draws)


@pytest.mark.parametrize("attacker", ["any", "empirical", "paper"])
def test_without_a_frequency_the_draws_share_the_edges_e(attacker):
    options = {"max_risk": 0.3, "attacker": attacker}
    single = hm.plan(paper_example(), annotate="max", **options)
    both = hm.plan(paper_example(), annotate=["min", "max"], **options)
    for one, two in zip(single.edges, both.edges[: len(single.edges)], strict=True):
        assert two["epsilon_range"] == pytest.approx(one["epsilon_range"] / 2)
    assert both.summary["release"]["risk"] <= 0.3 + 1e-12
    assert both.summary["release"]["risk"] == pytest.approx(0.3, abs=1e-9)


def test_scope_annotation_gives_each_annotation_all_and_says_what_they_come_to():
    plan = hm.plan(paper_example(), max_risk=0.3, annotate=ALL, scope="annotation")
    assert {round(row["epsilon_range"], 12) for row in plan.edges} == {
        round(4 * math.atanh(0.3), 12)
    }
    assert plan.summary["release"]["risk"] == pytest.approx(math.tanh(3 * math.atanh(0.3)))
    times = hm.plan(paper_example(), max_risk=0.3, annotate=["min", "max"], scope="annotation")
    assert times.summary["release"]["risk"] == pytest.approx(math.tanh(2 * math.atanh(0.3)))


def test_sum_and_mean_without_a_frequency_are_refused():
    with pytest.raises(LeakRefusedError, match="number of occurrences"):
        hm.plan(paper_example(), max_risk=0.3, annotate=["sum", "mean"])
    hm.plan(paper_example(), max_risk=0.3, annotate=["sum", "mean", "frequency"])


@few
@given(random_edges, risks, risks, st.sampled_from(["any", "empirical", "paper"]))
def test_e_never_falls_as_the_risk_grows_and_any_is_the_most_careful(edges, low, high, attacker):
    graph = graph_of(edges)
    low, high = sorted((low, high))
    plans = [
        hm.plan(graph, max_risk=risk, annotate="max", attacker=attacker) for risk in (low, high)
    ]
    for first, second in zip(plans[0].edges, plans[1].edges, strict=True):
        assert first["epsilon_range"] <= second["epsilon_range"]
        assert first["risk"] <= low + 1e-12
        assert math.isfinite(first["epsilon"])
    careful = hm.plan(graph, max_risk=low, annotate="max")
    for row, other in zip(careful.edges, plans[0].edges, strict=True):
        assert row["epsilon_range"] <= other["epsilon_range"] * (1 + 1e-12)


@few
@given(random_edges, st.integers(2, 50), st.sampled_from(["any", "empirical", "paper"]))
def test_scaling_all_durations_changes_units_only(edges, factor, attacker):
    scaled = {edge: [None if d is None else d * factor for d in row] for edge, row in edges.items()}
    options = {"max_risk": 0.3, "annotate": "max", "attacker": attacker}
    one = hm.plan(graph_of(edges), **options).edges
    two = hm.plan(graph_of(scaled, resolution=f"{factor}s"), **options).edges
    for first, second in zip(one, two, strict=True):
        assert first["epsilon_range"] == second["epsilon_range"]
        assert first["expected_ape"] == second["expected_ape"]
        assert first["epsilon"] == pytest.approx(second["epsilon"] * factor)


@few
@given(
    random_edges,
    st.sampled_from(["frequency", "sum", "mean", "max"]),
    st.sampled_from(["0.05", "0.3", "2"]),
)
def test_p1_and_p2_are_inverse_to_each_other(edges, annotation, error):
    """The risk that P2 finds meets the error, and a slightly smaller one does not."""
    graph = graph_of(edges)
    try:
        plan = hm.plan(graph, max_error=error, annotate=annotation)
    except UnreachableLimitError:
        at_best = hm.plan(graph, max_risk="0.99", annotate=annotation)
        assert at_best.summary[annotation]["expected_mape"] > float(error)
        return
    reached = plan.summary[annotation]["expected_mape"]
    if reached is None:
        return
    assert reached <= float(error) * (1 + 1e-12)
    below = hm.plan(graph, max_risk=plan.risk * (1 - 1e-5), annotate=annotation)
    assert below.summary[annotation]["expected_mape"] >= reached
    again = hm.plan(
        graph, max_error=below.summary[annotation]["expected_mape"], annotate=annotation
    )
    assert again.risk <= plan.risk * (1 + 1e-6)


def test_the_error_limit_holds_for_each_annotation_with_one_risk():
    plan = hm.plan(paper_example(), max_error=1, annotate=["frequency", "mean", "max"])
    errors = [plan.summary[name]["expected_mape"] for name in ("frequency", "mean", "max")]
    assert max(errors) == pytest.approx(1, rel=1e-5)
    assert max(errors) <= 1


def miss_probability(plan, row, place, error):
    """Pr[|F − A| > μA] by summing the law of the noise, from the definition."""
    graph = plan.graph
    count, total = int(graph.counts[place]), graph.sums[place]
    kind = row["annotation"]
    rate = row["epsilon"] if kind == "frequency" else row["epsilon"] * graph.resolution / 1e6
    e_count = plan.calibration.draws.get(Draw.FREQUENCY)
    reach = 400 if kind == "frequency" else math.ceil(40 / rate)

    def law(eps, size):
        z = np.arange(-size, size + 1)
        return z, np.exp(-eps * np.abs(z)) * np.tanh(eps / 2)

    z, chance = law(rate, reach)
    if kind != "mean":
        actual = {"frequency": count, "sum": total, "min": int(graph.minima[place]),
                  "max": int(graph.maxima[place])}[kind]  # fmt: skip
        bad = np.abs(z) > math.floor(error * actual)
        return float(chance[bad].sum()), actual
    actual = Fraction(total, count)
    divisors = [(count, 1.0)]
    if e_count is not None:
        z2, chance2 = law(float(e_count[place]), 200)
        divisors = [(max(1, count + int(k)), float(c)) for k, c in zip(z2, chance2, strict=True)]
    missed = 0.0
    for n, weight in divisors:
        released = np.maximum(1, (2 * (total + z) + n) // (2 * n))
        bad = (released > math.floor(actual * (1 + error))) | (
            released < math.ceil(actual * (1 - error))
        )
        missed += weight * float(chance[bad].sum())
    return missed, actual


@pytest.mark.parametrize(
    "annotate", [["frequency"], ["sum"], ["mean"], ["max"], ["frequency", "mean"]]
)
@pytest.mark.parametrize("error", ["0.5", "0.9"])
def test_read_per_edge_every_edge_misses_with_at_most_the_chance_allowed(annotate, error):
    graph = graph_of(
        {("A", "B"): [3, 9, 14, 14, 30] * 4, ("B", "A"): [20, 22, 40], ("B", "B"): [7] * 9}
    )
    plan = hm.plan(graph, max_error=error, annotate=annotate, error_reading="per-edge")
    missed = []
    for row in plan.edges:
        place = graph.edge(row["source"], row["target"])
        chance, actual = miss_probability(plan, row, place, Fraction(error))
        if actual:
            missed.append(chance)
    assert max(missed) <= 0.05 + 1e-4
    # The edge that decides is on its limit: no smaller risk would do.
    assert max(missed) >= 0.05 * 0.97


def test_the_paper_and_the_two_readings_on_the_example():
    graph = paper_example()
    assert hm.plan(graph, max_error=0.3, error_reading="per-edge").risk == pytest.approx(
        0.72395, abs=1e-5
    )
    assert hm.plan(graph, max_error=0.3).risk < 0.2
    wish = PlanParameters.of(annotate="frequency")
    points = frontier(graph, list(compared(wish))).errors
    paper = [p for p in points if p.reading == "paper" and p.error == 0.3 and p.attacker == "any"]
    assert paper[0].risk == pytest.approx(0.98652, abs=1e-5)  # §10: (A,D) frequency


def test_what_was_forgotten_on_the_way_to_a_release_is_said():
    log = hm.read_log("examples/hospital.csv")
    with pytest.raises(UsageError, match=r"hushmap\.discover"):
        hm.plan(log, max_risk=0.2)
    graph = hm.discover(log)
    for thing in (log, graph):
        with pytest.raises(UsageError, match=r"hushmap\.plan"):
            hm.release(thing)


def test_a_plan_cannot_be_changed_through_what_it_shows():
    plan = hm.plan(paper_example(), max_risk=0.2)
    plan.edges[0]["actual"] = 777
    plan.summary["release"]["risk"] = 0.0001
    report = hm.release(plan).report
    assert report.edges[0]["actual"] == 11
    assert report.summary["release"]["risk"] == pytest.approx(0.2)


def test_the_wish_counts_the_edges_that_have_the_annotation():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    assert "frequency of 8 edges" in repr(hm.plan(graph, max_risk=0.2))
    assert "mean of 5 edges" in repr(hm.plan(graph, max_risk=0.2, annotate="mean"))


def test_an_unreachable_error_is_refused_with_the_edges_in_the_way():
    graph = graph_of({("A", "B"): [1, 1000], ("B", "C"): [0, 1, 900]})
    with pytest.raises(UnreachableLimitError) as error:
        hm.plan(graph, max_error="0.001", annotate=["min", "max"])
    assert "A → B" in str(error.value) or "B → C" in str(error.value)
    assert "% of the error" in str(error.value)
    assert "Raise --max-error" in str(error.value)
    assert "drop --annotate" in str(error.value)
    with pytest.raises(UnreachableLimitError, match="In the way") as error:
        hm.plan(graph, max_error="0.001", annotate="min", error_reading="per-edge")
    # The risk that an edge needs follows from its weight.
    assert "needs" not in str(error.value)
    assert "the risk that each of them needs: 1" in error.value.owner_details


def test_an_unreachable_error_is_refused_although_another_annotation_has_none():
    """All shortest durations are 0: no error is defined for them, and none is divided by."""
    graph = graph_of({("A", "B"): [0, 1000], ("B", "C"): [0, 900, 900]})
    with pytest.raises(UnreachableLimitError) as error:
        hm.plan(graph, max_error="0.000001", annotate=["min", "max"])
    assert "the error of max at" in str(error.value)
    assert "nan" not in str(error.value)


@pytest.mark.parametrize("attacker", ["empirical", "paper"])
def test_a_mean_whose_two_draws_differ_gets_the_least_risk_that_meets_every_condition(attacker):
    """Against enumeration: noise of the count by its law, noise of the sum by its tails."""
    rows = {("A", "B"): [*range(100, 5_000, 100)], ("B", "C"): [30, 700, 900] * 9}
    graph = graph_of(rows)
    wish = {"annotate": ["frequency", "mean"], "scope": "annotation", "attacker": attacker}
    made = hm.plan(graph, max_error="0.3", error_reading="per-edge", **wish)

    def missed(risk, edge):
        plan = hm.plan(graph, max_risk=risk, **wish)
        count, rate = plan.rates(Draw.FREQUENCY)[edge], plan.rates(Draw.SUM)[edge]
        n, total = int(graph.counts[edge]), graph.sums[edge]
        z = np.arange(-4_000, 4_001)
        law = np.exp(-count * abs(z)) * np.tanh(count / 2)
        divisor = np.maximum(1, n + z)
        low, high = np.ceil(total / n * 0.7), np.floor(total / n * 1.3)
        chance = np.zeros(len(z))
        for border, side in (
            (np.ceil(divisor * (low - 0.5)), 0),
            (np.ceil(divisor * (high + 0.5)), 1),
        ):
            m = (border - total) if side else -(border - total - 1)  # z ≥ m, or z ≤ −m
            tail = np.exp(-rate * np.maximum(m, 0)) / (1 + np.exp(-rate))
            below = 1 - np.exp(-rate * np.maximum(1 - m, 0)) / (1 + np.exp(-rate))
            chance += np.where(m >= 1, tail, below)
        return law @ np.minimum(1, chance)

    assert max(missed(made.risk, edge) for edge in (0, 1)) <= 0.05
    assert max(missed(made.risk * 0.98, edge) for edge in (0, 1)) > 0.05


@pytest.mark.parametrize("attacker", ["any", "empirical", "paper"])
@pytest.mark.parametrize("scope", ["release", "annotation"])
@pytest.mark.parametrize(
    "annotate", [["frequency"], ["mean"], ["max"], ["min", "max"], ["frequency", "mean"], ALL]
)
def test_what_touches_several_occurrences_is_limited_by_the_risk_against_any(
    annotate, scope, attacker
):
    """tanh(m·artanh δ) of §2 is for any belief: ε of an edge adds up, and three edges' ε too."""
    plan = hm.plan(paper_example(), max_risk=0.2, annotate=annotate, scope=scope, attacker=attacker)
    release = plan.summary["release"]
    losses = {}
    for row in plan.edges:
        if not row["derived"] or "sum" not in annotate:  # sum and mean come from one draw
            edge = (row["source"], row["target"])
            losses.setdefault(edge, {})[row["annotation"]] = row["epsilon_range"]
    how_long = max(sum(e for kind, e in edge.items() if kind != "frequency")
                   for edge in losses.values())  # fmt: skip
    assert release["risk_any"] >= math.tanh(how_long / 4) - 1e-12
    assert release["risk_any"] >= release["risk"] - 1e-12
    spread = math.atanh(release["risk_any"])
    if annotate == ["mean"]:  # the exact number of occurrences divides it
        assert release["risk_of_an_event"] is None
        assert release["risk_of_a_mean_case"] is None
    else:
        assert release["risk_of_an_event"] == pytest.approx(math.tanh(3 * spread))
    if annotate == ["frequency"]:
        assert release["risk_of_a_timestamp"] is None
    else:
        assert release["risk_of_a_timestamp"] == pytest.approx(math.tanh(2 * spread))


def test_a_table_without_starts_of_cases_has_no_case_of_average_length():
    release = hm.plan(graph_of({("A", "B"): [5] * 9}), max_risk=0.2).summary["release"]
    assert release["mean_occurrences_per_case"] is None
    assert release["risk_of_a_mean_case"] is None


def test_edges_whose_true_weight_is_zero_are_counted_and_left_out():
    graph = graph_of({("A", "B"): [0, 0], ("B", "A"): [50, 60]})
    plan = hm.plan(graph, max_risk=0.5, annotate="max")
    assert plan.summary["max"]["zero_edges"] == 1
    assert [row["expected_ape"] is None for row in plan.edges] == [True, False]
    assert any("0" in warning and "MAPE" in warning for warning in plan.warnings)


def test_a_constant_edge_is_never_published_exactly():
    graph = graph_of({("A", "B"): [60] * 30, ("B", "A"): [60]})
    for attacker in ("empirical", "paper"):
        for row in hm.plan(graph, max_risk=0.9, annotate="mean", attacker=attacker).edges:
            assert row["attacker"] == "any"
            assert row["epsilon_range"] == pytest.approx(4 * math.atanh(0.9))


def test_the_cap_on_the_risk_against_any_holds_for_every_edge():
    for cap in ("0.1", "0.3", "0.8"):
        plan = hm.plan(
            paper_example(), max_risk=0.3, annotate="max", attacker="empirical", max_risk_any=cap
        )
        assert max(row["risk_any"] for row in plan.edges) <= float(cap) + 1e-12
    with_frequency = hm.plan(
        paper_example(), max_risk=0.3, annotate=["frequency", "max"], attacker="paper",
        max_risk_any="0.1",
    )  # fmt: skip
    assert with_frequency.summary["release"]["risk"] == pytest.approx(0.1)


def test_per_edge_under_a_cap_meets_its_condition_or_says_it_cannot():
    graph = paper_example()
    with pytest.raises(UnreachableLimitError):
        hm.plan(graph, max_error=0.3, annotate="max", attacker="empirical", max_risk_any="0.5",
                error_reading="per-edge")  # fmt: skip
    plan = hm.plan(
        graph, max_error=0.9, annotate="max", attacker="empirical", error_reading="per-edge"
    )
    for row in plan.edges:
        place = graph.edge(row["source"], row["target"])
        a = math.floor(Fraction("0.9") * int(graph.maxima[place]))
        rate = row["epsilon"]
        assert 2 * math.exp(-rate * (a + 1)) / (1 + math.exp(-rate)) <= 0.05 + 1e-12


def test_the_risk_found_under_clipping_meets_the_error_although_it_need_not_fall():
    edges = {("A", "B"): [1, 2, 40, 50, 60], ("B", "C"): [3, 100], ("C", "A"): [1, 90, 2]}
    for error in ("0.5", "0.8", "2"):
        try:
            plan = hm.plan(graph_of(edges, max_duration="20s"), max_error=error, annotate=["sum"])
        except UnreachableLimitError:
            continue
        assert plan.summary["sum"]["expected_mape"] <= float(error)


@pytest.mark.parametrize(
    ("wish", "part"),
    [
        ({"max_risk": 0}, "--max-risk"), ({"max_risk": 1}, "--max-risk"),
        ({"max_risk": "x"}, "--max-risk"), ({"max_risk": -1}, "--max-risk"),
        ({"max_error": 0}, "--max-error"), ({"max_error": "nan"}, "--max-error"),
        ({"max_risk": 0.1, "max_error": 0.1}, "Both"), ({}, "No limit"),
        ({"max_risk": 0.1, "annotate": "colour"}, "--annotate"),
        ({"max_risk": 0.1, "annotate": []}, "No annotation"),
        ({"max_risk": 0.1, "attacker": "me"}, "--attacker"),
        ({"max_risk": 0.1, "precision": 0.1}, "--precision"),
        ({"max_risk": 0.1, "max_risk_any": 0.1}, "--max-risk-any"),
        ({"max_risk": 0.1, "attacker": "paper", "precision": 2}, "--precision"),
        ({"max_risk": 0.1, "attacker": "paper", "precision": "3 moons"}, "--precision"),
        ({"max_risk": 0.1, "attacker": "paper", "max_risk_any": 1}, "--max-risk-any"),
        ({"max_error": 0.1, "error_reading": "median"}, "--error-reading"),
        ({"max_error": 0.1, "confidence": 1}, "--confidence"),
        ({"max_risk": 0.1, "min_occurrences": 0}, "--min-occurrences"),
        ({"max_risk": 0.1, "scope": "all"}, "--scope"),
        ({"max_risk": 0.1, "annotate": "max", "range": "guessed"}, "--range"),
        ({"max_risk": 0.1, "annotate": "max", "range": "declared"}, "range"),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_refused_and_named(wish, part):
    with pytest.raises(UsageError) as error:
        hm.plan(paper_example(), **wish)
    assert part in str(error.value)
    assert "Hint:" in str(error.value)


def test_a_graph_without_histograms_is_refused_where_one_is_needed():
    graph = paper_example(histograms=False)
    with pytest.raises(UsageError, match="histograms=True"):
        hm.plan(graph, max_risk=0.1, annotate="max", attacker="empirical")
    assert hm.plan(graph, max_risk=0.1, annotate="max").edges


def test_a_precision_may_be_a_time():
    graph = paper_example()
    share = hm.plan(graph, max_risk=0.4, annotate="max", attacker="empirical", precision=0.1)
    hours = hm.plan(graph, max_risk=0.4, annotate="max", attacker="empirical", precision="1h")
    place = [row["range"] for row in share.edges].index(36000.0)
    assert share.edges[place]["epsilon"] == hours.edges[place]["epsilon"]
    assert str(Precision.parse("90min")) == "90min"
    assert str(Precision.parse(0.1)) == "0.1"


def test_a_plan_shows_limits_and_counts_only():
    plan = hm.plan(paper_example(), max_risk=0.4, annotate=["frequency", "mean"])
    assert repr(plan) == (
        "Plan(risk at most 0.4; frequency, mean of 8 edges; attacker any, scope release)"
    )
    assert len(plan.owner_frame()) == len(plan.edges) == 16


def test_the_worked_example_gives_the_papers_epsilons():
    """§10: ε(A,C) = 0.114 per hour at δ = 0.4, p = 0.1; ε(frequency) = 1.695."""
    plan = hm.plan(paper_example(), max_risk=0.4, annotate="max", attacker="paper", precision="0.1")
    rows = {(row["source"], row["target"]): row for row in plan.edges}
    assert rows["A", "C"]["epsilon"] * 3600 == pytest.approx(0.1136, abs=5e-5)
    frequency = hm.plan(paper_example(), max_risk=0.4)
    assert {round(row["epsilon"], 3) for row in frequency.edges} == {1.695}


def test_annotations_come_in_canonical_order_and_once():
    plan = hm.plan(paper_example(), max_risk=0.4, annotate=["max", "frequency", "max"])
    assert plan.parameters.annotations == (Annotation.FREQUENCY, Annotation.MAX)
    assert draws_of(plan.parameters.annotations) == (Draw.FREQUENCY, Draw.MAX)
