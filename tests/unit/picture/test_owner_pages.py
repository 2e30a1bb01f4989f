"""The owner's report and plots."""

import html
import itertools
import xml.etree.ElementTree as ET

import pytest

import hushmap as hm
from hushmap.picture import frontier_svg, heat_map_svg, histogram_svg, owner_report_html
from hushmap.picture.advice import on_error, on_risk
from hushmap.picture.charts import Axis, end_labels
from hushmap.planning.frontier import frontier
from hushmap.planning.parameters import PlanParameters
from hushmap.release.report import OwnerReport


@pytest.fixture(scope="module")
def released():
    graph = hm.discover(hm.read_log("examples/hospital.csv"), max_duration="2d")
    return hm.release(hm.plan(graph, max_risk=0.2, annotate=["frequency", "mean"]))


@pytest.fixture(scope="module")
def points():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    return frontier(graph, [PlanParameters.of(annotate=["frequency", "mean"])]).risks


def test_the_report_is_marked_and_runs_nothing(released, points):
    page = html.unescape(owner_report_html(released.report, released.graph, points).decode())
    assert page.count("Owner only") >= 2
    assert "<script" not in page
    assert "script-src" not in page
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    assert " style=" not in page


def test_the_report_shows_each_edge_exact_and_released(released):
    page = owner_report_html(released.report, released.graph).decode()
    for heading in ("Least accurate edges", "Riskiest edges", "Before: exact", "After: released"):
        assert heading in page
    assert page.count("exact against released</h2>") == 2
    rows = page.split("exact against released</h2>")[1].count("<tr>")
    assert rows == len(released.graph.edges) + 1


def test_the_report_survives_nasty_names(nasty):
    rows = tuple(
        {
            "source": source, "target": target, "annotation": "frequency", "occurrences": 1,
            "range": 1, "actual": 0, "released": 3, "derived": False, "epsilon": 0.8,
            "epsilon_range": 0.8, "risk": 0.2, "risk_any": 0.2, "expected_ape": None,
            "realised_ape": None, "attacker": "any",
        }
        for source, target in nasty.edges
    )  # fmt: skip
    report = OwnerReport({"release": {"risk": 0.2}, "frequency": {"max_risk": 0.2}}, rows, ("<b>",))
    page = owner_report_html(report, nasty).decode()
    assert "<img" not in page
    assert "<script" not in page
    assert "&lt;b&gt;" in page


def test_equal_reports_give_equal_pages(released):
    pages = {owner_report_html(released.report, released.graph) for _ in range(2)}
    assert len(pages) == 1


def row(**changes):
    return {
        "annotation": "frequency", "occurrences": 100, "expected_ape": 0.9, "actual": 100.0,
        "range": 1, "risk": 0.2, "risk_any": 0.2,
    } | changes  # fmt: skip


def test_advice_fits_the_trouble():
    assert "Walked once" in on_error(row(occurrences=1))
    assert "Walked 3 times" in on_error(row(occurrences=3))
    assert "nothing to do" in on_error(row(expected_ape=0.05))
    assert "order of magnitude" in on_error(row(expected_ape=0.3))
    assert "tighter --max-duration" in on_error(row(annotation="max", actual=10.0, range=5000.0))
    assert "higher --max-risk" in on_error(row())
    assert "percentage says nothing" in on_error(row(expected_ape=None))
    assert "only occurrence" in on_risk(row(occurrences=1), 0.2)
    assert "--max-risk-any" in on_risk(row(risk_any=0.95), 0.2)
    assert "At the limit" in on_risk(row(), 0.2)
    assert "Below" in on_risk(row(risk=0.1), 0.2)


def test_frontier_draws_a_panel_per_annotation(points):
    chosen = [{"annotation": "mean", "risk": 0.2, "expected_mape": 0.4}]
    picture = frontier_svg(points, chosen=chosen)
    shown = ["".join(node.itertext()) for node in ET.fromstring(picture).iter()]
    assert "Frequency" in shown
    assert "Mean time" in shown
    assert any(text.startswith("chosen: risk 0.2, 40") for text in shown)
    assert picture == frontier_svg(points, chosen=chosen)


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_plots_of_nothing_and_of_one_thing(theme):
    for picture in (
        frontier_svg([], theme=theme),
        frontier_svg(
            [{"annotation": "max", "attacker": "any", "risk": 0.1, "expected_mape": None}]
        ),
        heat_map_svg([], theme=theme),
        heat_map_svg([{"log": "<b>" * 99, "risk": 0.1, "smape": None, "epsilon": None}]),
        histogram_svg([], title="x", label="y", theme=theme),
        histogram_svg([None, 0.0], title="x", label="y"),
        histogram_svg([0.3, 0.3], title="x", label="y", limit=0.3),
        histogram_svg([1e-9, 1e9, float("inf")], title="x", label="y", shares=True, limit=2.0),
    ):
        ET.fromstring(picture)


def test_heat_map_has_a_bubble_per_log_and_risk():
    rows = [
        {"log": log, "risk": risk, "smape": 0.5 / risk / 100, "epsilon": 4 * risk}
        for log in ("Sepsis", "BPI12") for risk in (0.01, 0.1, 0.9)
    ]  # fmt: skip
    root = ET.fromstring(heat_map_svg(rows))
    bubbles = [node for node in root.iter() if node.tag.endswith("circle") and len(node)]
    assert len(bubbles) == 6
    radii = [float(node.get("r")) for node in bubbles]
    assert radii[0] > radii[1] > radii[2]


def test_axes_reach_over_their_values_and_have_ticks():
    for values in ([0.001, 3.0], [5, 5], [1e-12, 1e12], [0.2]):
        for log in (False, True):
            axis = Axis.over(values, "x", log=log)
            assert axis.low <= min(values)
            assert axis.high >= max(values)
            ticks = axis.ticks()
            assert 2 <= len(ticks) <= 9
            assert all(0 <= axis.place(tick) <= 1 for tick in ticks)


def test_labels_at_the_ends_of_lines_do_not_touch():
    ends = [((10.0, y), name, "p0") for name, y in (("a", 50.0), ("b", 51.0), ("c", 52.0))]
    heights = sorted(label.y for label in end_labels(ends, (0.0, 60.0)))
    assert all(other - one >= 13 for one, other in itertools.pairwise(heights))
    assert heights[-1] <= 66
