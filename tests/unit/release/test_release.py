"""The door: what is drawn, how it is clamped, who may pass."""

import json

import numpy as np
import pytest
from graphs import graph_of, paper_example
from hypothesis import given
from hypothesis import strategies as st
from sources import RecordedNoise

import hushmap as hm
from hushmap.exceptions import NoiseError, RefusedError, UsageError
from hushmap.graph import Annotation, ReleasedGraph, SimulatedGraph
from hushmap.release.certificate import make_certificate
from hushmap.release.release import _release
from hushmap.release.sentences import points

ALL = ["frequency", "sum", "mean", "min", "max"]


def released(graph, noise, **wish):
    return _release(hm.plan(graph, **wish), noise, "2026-01-05")


def test_every_weight_is_exact_plus_noise_clamped_at_one():
    graph = graph_of({("A", "B"): [10, 20, 31], ("B", "A"): [5]}, max_duration="30s")
    made = released(
        graph, RecordedNoise([2, -9], [7, -5], [1, -4], [-30, 3]), max_risk=0.3, annotate=ALL
    )
    weights = {kind.value: values for kind, values in made.graph.weights.items()}
    assert weights == {
        "frequency": (5, 1),
        "sum": (67, 1),  # 10 + 20 + 30, clipped, + 7
        "mean": (13, 1),  # 67 / 5 = 13.4; 0 / 1 is raised to one tick
        "min": (11, 1),
        "max": (1, 8),
    }


def test_a_mean_is_rounded_half_up_to_the_tick():
    graph = graph_of({("A", "B"): [10, 11], ("B", "A"): [10, 10, 12, 12]})
    mean = released(graph, RecordedNoise(0), max_risk=0.3, annotate="mean", range="observed").graph
    assert mean.weights[Annotation.MEAN] == (11, 11)


def test_sums_beyond_64_bits_are_noised_exactly():
    century = 100 * 365 * 86_400
    import polars as pl

    frame = pl.DataFrame({"source": ["a"], "target": ["b"], "duration_seconds": [century],
                          "count": [10**10]})  # fmt: skip
    graph = hm.from_transitions(frame, resolution="1us", max_duration="40000d")
    made = released(graph, RecordedNoise(-3), max_risk=0.3, annotate="sum")
    assert made.graph.weights[Annotation.SUM] == (century * 10**16 - 3,)


def test_edges_without_durations_are_listed_without_times():
    graph = hm.discover(hm.read_log("examples/hospital.csv"), max_duration="2d")
    made = hm.release(hm.plan(graph, max_risk=0.3, annotate="max"))
    rows = {(row["source"], row["target"]): row for row in made.graph.records()}
    assert rows[None, "A"] == {"source": None, "target": "A"}
    assert rows["A", None] == {"source": "A", "target": None}
    assert rows["A", "B"]["max"] >= 1


def test_times_without_a_named_range_are_refused_with_both_ways_explained():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    plan = hm.plan(graph, max_risk=0.3, annotate="max")
    with pytest.raises(RefusedError) as error:
        hm.release(plan)
    assert "--max-duration" in str(error.value)
    assert "--range observed" in str(error.value)
    assert error.value.exit_status == 3
    assert hm.release(hm.plan(graph, max_risk=0.3, annotate="max", range="observed"))


def test_a_release_is_made_by_drawing_only():
    made = hm.release(hm.plan(paper_example(), max_risk=0.3))
    with pytest.raises(UsageError, match="by hand"):
        hm.Release(object(), made.graph, made.certificate, made.report, None)


def test_a_release_cannot_be_seeded():
    import inspect

    assert list(inspect.signature(hm.release).parameters) == ["plan"]
    plan = hm.plan(paper_example(), max_risk=0.05)
    draws = {hm.release(plan).graph.weights[Annotation.FREQUENCY] for _ in range(5)}
    assert len(draws) == 5


def test_a_simulation_is_of_another_type_that_nothing_writes():
    plan = hm.plan(paper_example(), max_risk=0.3)
    one, two = hm.simulate(plan, seed=1), hm.simulate(plan, seed=1)
    assert isinstance(one, SimulatedGraph)
    assert not isinstance(one, ReleasedGraph)
    assert one.weights == two.weights
    for name in ("write", "to_pm4py", "to_networkx", "to_frame"):
        assert not hasattr(one, name)


def test_a_scale_beyond_the_sampler_is_refused_and_nothing_is_released():
    graph = graph_of({("A", "B"): [10**11, 10**11 - 1]}, resolution="1us")
    with pytest.raises(RefusedError):
        hm.release(hm.plan(graph, max_risk="0.000001", annotate="max", range="observed"))


def test_a_saturated_draw_is_an_error_not_a_release():
    from hushmap.noise.release import _checked_draws

    with pytest.raises(NoiseError):
        _checked_draws([2**63 - 1], 1)


def test_realised_errors_are_those_of_the_draw_as_released():
    graph = graph_of({("A", "B"): [10] * 4, ("B", "A"): [0, 0]})
    made = released(graph, RecordedNoise([1, 5], [-8, 2]), max_risk=0.3, annotate=["frequency", "sum"],
                    range="observed")  # fmt: skip
    summary = made.report.summary
    assert summary["frequency"]["realised_mape"] == pytest.approx((1 / 4 + 5 / 2) / 2)
    assert summary["frequency"]["realised_smape"] == pytest.approx((1 / 9 + 5 / 9) / 2)
    assert summary["sum"]["realised_mape"] == pytest.approx(8 / 40)
    assert summary["sum"]["realised_smape"] == pytest.approx((8 / 72 + 1) / 2)
    row = made.report.edges[0]
    assert (row["actual"], row["released"], row["realised_ape"]) == (4, 5, 0.25)


@pytest.mark.parametrize("annotate", ["sum", "mean", "min", "max"])
def test_a_map_whose_true_weights_are_all_zero_is_released_and_written(tmp_path, annotate):
    """All times within a tick: no percentage error is defined, and JSON knows no NaN."""
    graph = graph_of({("A", "B"): [0, 0], ("B", "A"): [0]})
    made = hm.release(hm.plan(graph, max_risk=0.2, annotate=annotate, range="observed"))
    assert made.report.summary[annotate]["realised_mape"] is None
    assert made.report.summary[annotate]["realised_smape"] == 1
    made.write(tmp_path / "out")
    report = json.loads((tmp_path / "out/owner/report.json").read_text())
    assert report["summary"][annotate]["zero_edges"] == 2
    assert {row["realised_ape"] for row in report["edges"]} == {None}


def test_under_clipping_the_error_is_measured_against_the_unclipped_weight():
    graph = graph_of({("A", "B"): [10, 100]}, max_duration="50s")
    made = released(graph, RecordedNoise(0), max_risk=0.3, annotate="max")
    row = made.report.edges[0]
    assert (row["actual"], row["released"], row["range"], row["clipped"]) == (100, 50, 50, 1)
    assert row["realised_ape"] == 0.5


def test_single_draws_of_the_paper_are_right_as_arithmetic():
    """§10: a count of 3 with noise 0.41 is off by 13.67 %, not 13.5; 15 h with 11.156 by 74.4 %."""
    from fractions import Fraction

    from hushmap.accuracy import ape

    released = [Fraction("3.41"), Fraction("26.156")]
    assert ape([3, 15], released).round(4).tolist() == [0.1367, 0.7437]


def certificate(**wish):
    graph = hm.discover(
        hm.read_log("examples/hospital.csv"), max_duration=wish.pop("max_duration", None)
    )
    plan = hm.plan(graph, **wish)
    return make_certificate(
        plan.parameters, version="1", date="2026-01-05", resolution="1s", max_duration=None
    )


def test_the_certificate_prints_the_limits_for_an_event_and_a_timestamp():
    one = certificate(max_risk=0.1, annotate=["frequency", "mean"], max_duration="2d")
    assert one.unit_limits == {
        "event": pytest.approx(0.2922, abs=1e-4), "timestamp": pytest.approx(0.1980, abs=1e-4)
    }  # fmt: skip
    text = " ".join(one.promised)
    assert "29.23 percentage points" in text  # 29.223…: rounded up, or it would promise more
    assert "19.81 percentage points" in text
    assert "not a limit for a person" in " ".join(one.not_promised)


def test_under_an_error_limit_no_risk_and_no_epsilon_are_public():
    one = certificate(max_error=0.3)
    assert one.risk is None
    assert one.epsilon is None
    assert one.unit_limits == {}
    assert one.limit == 0.3
    assert one.max_risk_any is None
    assert "No risk is promised" in " ".join(one.not_promised)


@pytest.mark.parametrize("attacker", ["any", "empirical"])
@pytest.mark.parametrize("annotate", ["frequency", "mean", ["frequency", "max"]])
@pytest.mark.parametrize("scope", ["release", "annotation"])
def test_under_an_error_limit_nothing_reads_like_a_limit_on_the_risk(attacker, annotate, scope):
    one = certificate(max_error=100, attacker=attacker, annotate=annotate, scope=scope)
    assert "not differentially private" in " ".join(one.not_promised)
    everything = " ".join((*one.promised, *one.not_promised))
    for phrase in ("percentage points", "believed beforehand", "limit δ", "belief", "on the gain"):
        assert phrase not in everything


def test_whom_the_rule_of_the_noise_helps_is_told_that_no_limit_holds():
    said = " ".join(certificate(max_risk=0.2, annotate="max", attacker="empirical").not_promised)
    assert "takes the strength of the noise for evidence may gain more than that, too" in said


def test_a_cap_below_the_limit_counts_in_sentences_and_limits_alike():
    wish = {"annotate": ["frequency", "max"], "attacker": "empirical", "max_risk_any": "0.1"}
    one = certificate(max_risk=0.2, **wish)
    assert one.max_risk_any == 0.1
    assert one.unit_limits == {
        "event": pytest.approx(np.tanh(3 * np.arctanh(0.1))),
        "timestamp": pytest.approx(np.tanh(2 * np.arctanh(0.1))),
    }
    assert "29.23 percentage points" in " ".join(one.promised)
    assert certificate(max_risk=0.05, **wish).max_risk_any is None
    assert "14.91 percentage points" in " ".join(certificate(max_risk=0.05, **wish).promised)


def test_where_the_limit_is_against_any_belief_no_weaker_one_is_printed():
    for annotate in ("frequency", ["frequency", "mean"]):
        one = certificate(max_risk=0.2, annotate=annotate, attacker="empirical")
        assert one.against_any
        assert one.max_risk_any is None
    assert not certificate(max_risk=0.2, annotate="mean", attacker="empirical").against_any


@given(st.floats(1e-9, 0.9999))
def test_a_gain_that_was_computed_is_never_printed_smaller_than_it_is(gain):
    shown = float(points(gain).split()[0])
    assert shown >= gain * 100 * (1 - 1e-9)
    assert shown <= gain * 100 * 1.0011


def test_the_public_epsilon_is_the_one_that_was_used():
    for wish in (
        {"max_risk": 0.2}, {"max_risk": 0.2, "annotate": ALL},
        {"max_risk": 0.2, "annotate": ALL, "scope": "annotation"},
        {"max_risk": 0.2, "annotate": ALL, "attacker": "paper", "max_risk_any": "0.1"},
        {"max_risk": 0.2, "annotate": ALL, "attacker": "paper", "max_risk_any": "0.1",
         "scope": "annotation"},
    ):  # fmt: skip
        used = {row["epsilon"] for row in hm.plan(paper_example(), **wish).edges
                if row["annotation"] == "frequency"}  # fmt: skip
        assert list(used) == [pytest.approx(certificate(**wish).epsilon, rel=1e-12)]
    assert certificate(max_risk=0.2, annotate="max").epsilon is None


@pytest.mark.parametrize("attacker", ["any", "empirical", "paper"])
@pytest.mark.parametrize("scope", ["release", "annotation"])
@pytest.mark.parametrize("annotate", [["frequency"], ["mean"], ["max"], ALL])
@pytest.mark.parametrize("limit", [{"max_risk": 0.2}, {"max_error": 100}])
@pytest.mark.parametrize("bound", [None, "2d"])
def test_the_certificate_says_what_holds_and_what_does_not(attacker, scope, annotate, limit, bound):
    one = certificate(
        attacker=attacker, scope=scope, annotate=annotate, max_duration=bound, **limit
    )
    said, not_said = " ".join(one.promised), " ".join(one.not_promised)
    timed = annotate != ["frequency"]
    assert one.goals == tuple(
        goal for goal, has in (("whether", "frequency" in annotate), ("how long", timed)) if has
    )
    assert ("longest duration of each edge is not protected" in not_said) == (
        timed and bound is None
    )
    assert ("public bound" in said) == (timed and bound is not None)
    weak = attacker != "any" and timed and ("frequency" not in annotate or scope == "annotation")
    limited = "max_risk" in limit
    assert ("computed from the edge's own durations" in not_said) == (weak and limited)
    assert ("exact number of occurrences" in not_said) == (annotate == ["mean"])
    assert ("is promised only between logs" in not_said) == (annotate != ["mean"] and limited)
    assert ("alone" in said) == (scope == "annotation" and annotate == ALL)
    assert "edges exist is shown as observed" in not_said
    assert "discrete Laplace" in said
    assert all("discrete Laplace" in how for how in one.mechanisms.values())
    for sentence in (*one.promised, *one.not_promised):
        assert sentence.endswith(".")
        assert "None" not in sentence


def test_the_sum_is_stated_where_each_kind_of_number_was_calibrated_alone():
    for annotate in (["min", "max"], ["frequency", "max"], ["frequency", "min", "max"], ALL):
        wish = {"max_risk": 0.2, "annotate": annotate, "scope": "annotation"}
        together = hm.plan(paper_example(), **wish).summary["release"]["risk"]
        assert f"then the limit is {points(together)}" in " ".join(certificate(**wish).promised)
        both = certificate(**wish, attacker="empirical", max_risk_any="0.6")
        draws = len(set(annotate) - {"frequency", "mean"})
        most = np.tanh(draws * np.arctanh(0.6))
        assert f"evidence, gains at most {points(most)}" in " ".join(both.promised)


def test_of_several_occurrences_only_the_limit_against_any_belief_says_something():
    weak = certificate(max_risk=0.2, annotate="max", attacker="empirical")
    strong = certificate(max_risk=0.2, annotate="max")
    assert "artanh δ) in place of δ, the limit against any belief" in weak.not_promised[0]
    assert "artanh δ) in place of a limit δ." in strong.not_promised[0]
    assert weak.unit_limits == {}  # one timestamp moves the strength of the noise, too


def test_an_error_limit_is_said_to_hold_for_each_kind_of_number():
    for scope in ("release", "annotation"):
        one = certificate(max_error=9, annotate=ALL, scope=scope)
        assert "Each kind of number in this map keeps to that error." in one.promised
        assert "This holds for everything" not in " ".join(one.promised)


def test_the_limit_is_printed_as_it_was_chosen():
    """0.123454 rounded to 12.35 or 12.34 points would not be the promise that was asked for."""
    one = certificate(max_risk="0.123454")
    assert "at most 12.3454 percentage points" in one.promised[0]
    assert "to at most 22.3454 % after" in one.promised[0]
    assert "at most 99.9999999 percentage" in certificate(max_risk="0.999999999").promised[0]
    used = hm.plan(paper_example(), max_risk="0.999999999").edges[0]["epsilon"]
    assert certificate(max_risk="0.999999999").epsilon == pytest.approx(used, rel=1e-14)


def test_expected_errors_equal_the_mean_of_simulated_releases():
    """Per annotation and scope, within 4 standard errors of 2,000 seeded draws of the real rule."""
    from hushmap.noise import SimulatedNoise
    from hushmap.release.drawing import draw_weights

    graph = graph_of(
        {("A", "B"): [3, 9, 14, 14, 30, 60], ("B", "A"): [20], ("B", "B"): [7] * 9,
         (None, "A"): [None] * 4, ("B", None): [None] * 4}
    )  # fmt: skip
    noise = SimulatedNoise(7)
    for scope in ("release", "annotation"):
        for annotate in (["frequency"], ["mean"], ["max"], ALL):
            plan = hm.plan(graph, max_risk=0.5, annotate=annotate, scope=scope)
            drawn = [draw_weights(plan, noise) for _ in range(2_000)]
            for kind in plan.parameters.annotations:
                exact = np.array([float(value) for value in plan.exact_weights(kind)])
                seen = np.array(
                    [[value for value in one[kind] if value is not None] for one in drawn], float
                )
                ape = np.abs(seen - exact) / exact
                smape = np.abs(seen - exact) / (seen + exact)
                for errors, expected in (
                    (ape, plan.errors[kind].ape),
                    (smape, plan.errors[kind].smape),
                ):
                    spread = errors.std(axis=0) / np.sqrt(len(drawn)) + 1e-12
                    assert (np.abs(errors.mean(axis=0) - expected) < 4 * spread).all(), (
                        scope,
                        kind,
                    )
