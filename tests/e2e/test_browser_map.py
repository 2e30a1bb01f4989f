"""`map.html` in a real browser: what a reader does with it, and what a hostile name cannot do."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import polars as pl
import pytest

import hushmap as hm
from hushmap.bundle.map_csv import map_csv
from hushmap.bundle.map_json import map_json
from hushmap.graph import Annotation, Edge, ReleasedGraph, canonical_order
from hushmap.picture import map_html, owner_report_html
from hushmap.planning.parameters import PlanParameters
from hushmap.release.certificate import make_certificate
from hushmap.release.report import OwnerReport

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<img src=x onerror=alert(1)>"
NAMES = (
    "Admission",
    HOSTILE,
    "Discharge",
    "Register",
    'Scan, "CT"',
    "Triage",
    "</script>مراجعة\n2",
)


@pytest.fixture(scope="module")
def graph():
    names = sorted(NAMES)
    pairs = [(None, names[0]), (names[-1], None), (names[0], names[0]), (names[2], None)]
    pairs += [(a, b) for place, a in enumerate(names) for b in names[place + 1 : place + 4]]
    edges = [Edge(*pair) for pair in pairs]
    edges = tuple(edges[place] for place in canonical_order(edges))
    counts = tuple(3 + 37 * place % 101 for place in range(len(edges)))
    times = tuple(
        None if None in edge else 60 * 7**place % 9_999_991 for place, edge in enumerate(edges)
    )
    weights = {Annotation.FREQUENCY: counts, Annotation.MEAN: times}
    return ReleasedGraph(tuple(names), edges, weights, 1_000_000)


@pytest.fixture(scope="module")
def file(graph, tmp_path_factory):
    parameters = PlanParameters.of(
        max_risk="0.2", annotate=["frequency", "mean"], range_kind="declared"
    )
    certificate = make_certificate(
        parameters, version="0.1.0", date="2026-11-30", resolution="1s", max_duration="30d"
    )
    path = tmp_path_factory.mktemp("page") / "map.html"
    path.write_bytes(map_html(graph, certificate))
    return path


class Watched:
    """A page, and everything it did that it should not."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(5000)
        self.trouble = []
        self.page.on("console", lambda said: self.trouble.append(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", lambda shown: (self.trouble.append("dialog"), shown.dismiss()))
        self.page.on(
            "request",
            lambda asked: (
                self.trouble.append(f"request: {asked.url}")
                if not asked.url.startswith((path.as_uri(), "blob:"))
                else None
            ),
        )
        self.page.goto(path.as_uri())


@pytest.fixture
def watched(browser, file):
    one = Watched(browser, file, viewport={"width": 1280, "height": 900})
    yield one
    one.context.close()
    assert one.trouble == []


@pytest.fixture
def page(watched):
    return watched.page


def visible_edges(page):
    return page.locator("#map .edge:not(.hidden)").count()


def slide(page, name, value):
    page.get_by_role("slider", name=name).evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        str(value),
    )


def test_sliders_hide_in_the_view_only(page, graph):
    total = len(graph.edges)
    assert visible_edges(page) == total
    slide(page, "Paths", 5)
    assert visible_edges(page) == 5
    assert page.locator("#paths-shown").inner_text() == f"5 of {total}"
    slide(page, "Paths", total)
    slide(page, "Activities", 2)
    assert page.locator("#map .node:not(.hidden)").count() == 2
    assert visible_edges(page) < total
    assert page.locator("#map .label:not(.hidden)").count() == visible_edges(page)
    assert page.locator("tbody tr:not([hidden])").count() == total
    assert page.get_by_text("in this view only").is_visible()


def ends(page):
    """The keys of the activities that drawn edges touch, and of all that are drawn."""
    return page.evaluate(
        """() => {
          const data = JSON.parse(document.getElementById("data").textContent);
          const edges = [...document.querySelectorAll("#map .edge:not(.hidden)")];
          const touched = edges.flatMap((g) => data.edges[g.dataset.e]).filter((p) => p !== null);
          const nodes = [...document.querySelectorAll("#map .node:not(.hidden)")];
          return [[...new Set(touched)].sort(), nodes.map((g) => Number(g.dataset.a)).sort()];
        }"""
    )


def test_few_paths_still_tie_every_activity_in(page):
    slide(page, "Paths", 14)  # a way into and out of each of seven activities
    touched, drawn = ends(page)
    assert touched == drawn == [0, 1, 2, 3, 4, 5, 6]
    slide(page, "Activities", 4)
    touched, drawn = ends(page)
    assert touched == drawn
    assert len(drawn) == 4


def test_sliders_obey_the_keyboard(page, graph):
    slider = page.get_by_role("slider", name="Paths")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert visible_edges(page) == len(graph.edges) - 2
    assert slider.get_attribute("aria-valuetext") == f"{len(graph.edges) - 2} of {len(graph.edges)}"


def test_the_metric_can_be_switched(page):
    texts = page.locator("#map .label text").all_text_contents()
    colours = page.locator("#map .line").evaluate_all(
        "lines => lines.map(l => l.className.baseVal)"
    )
    page.get_by_label("Second number").select_option("none")
    page.get_by_label("First number").select_option("mean")
    switched = page.locator("#map .label text").all_text_contents()
    assert switched != texts
    assert any(text.endswith((" d", " h", " min")) for text in switched)
    assert page.locator(".legend:visible").get_attribute("data-kind") == "mean"
    page.get_by_label("First number").select_option("frequency")
    assert page.locator(".legend:visible").get_attribute("data-kind") == "frequency"
    now = page.locator("#map .line").evaluate_all("lines => lines.map(l => l.className.baseVal)")
    assert now != colours
    assert all("hm-s-w" in name for name in now)


def test_the_same_number_is_not_shown_twice(page):
    page.get_by_label("First number").select_option("mean")
    assert page.get_by_label("Second number").input_value() == "frequency"


def test_intervals_on_demand(page):
    assert "±" not in page.locator("#map").inner_text()
    page.get_by_label("95 % intervals").check()
    assert "±7" in page.locator("#map").inner_text()  # ε = 2·artanh 0.2, shared with the times
    shown = page.locator("#map .label text").all_text_contents()
    assert any(re.search(r"±\d+ d$", text) for text in shown)  # a time, under a public bound
    page.get_by_label("95 % intervals").uncheck()
    assert "±" not in page.locator("#map").inner_text()


def test_search_marks_and_filters(page, graph):
    page.get_by_label("Search").fill("TRI")
    assert page.locator("#map .node.found").count() == 1
    shown = page.locator("tbody tr:not([hidden])")
    assert shown.count() == sum("Triage" in edge for edge in graph.edges)
    assert "edges of the 1 activity found" in page.locator("#rows").inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#map svg.picked .node.on.found").count() == 1
    page.get_by_label("Search").fill("")
    assert shown.count() == len(graph.edges)


def test_enter_goes_from_one_hit_to_the_next(page):
    page.get_by_label("Search").fill("s")
    visited = []
    for _ in range(3):
        page.keyboard.press("Enter")
        on = page.locator("#details").inner_text()
        visited.append(on.split(":")[0])
    assert len(set(visited)) == 3
    slide(page, "Activities", 1)
    page.get_by_label("Search").focus()
    page.keyboard.press("Enter")  # what the sliders hide is shown again
    assert page.locator("#map .node.hidden").count() == 0


def test_an_edge_that_was_clicked_stays_emphasised(page, graph):
    place = graph.edges.index(Edge("Register", "Triage"))
    page.locator(f'#map .label[data-e="{place}"]').click()
    page.mouse.move(2, 2)
    assert page.locator(f'#map .edge.on[data-e="{place}"]').count() == 1
    assert page.locator("#map .edge.on").count() == 1
    slide(page, "Paths", 1)
    page.locator("tbody button", has_text="Triage").first.click()
    page.mouse.move(2, 2)
    assert page.locator("#map .edge.on:not(.hidden)").count() == 1
    frame = page.locator("#map").bounding_box()
    page.mouse.click(frame["x"] + 5, frame["y"] + 5)  # on empty paper
    assert page.locator("#map svg.picked").count() == 0


def test_a_number_that_the_noise_dominates_is_faint(page, graph):
    # Of a mean of seconds under a bound of 30 days, nothing is left.
    times = graph.weights[Annotation.MEAN]
    weak = next(place for place, time in enumerate(times) if time and time < 1000)
    texts = page.locator(f'#map .label[data-e="{weak}"] text')
    assert "hm-f-faint" in texts.nth(1).get_attribute("class")
    line = page.locator(f'#map .edge[data-e="{weak}"]')
    assert line.get_attribute("opacity") == "0.5"
    strong = max(range(len(times)), key=lambda place: graph.weights[Annotation.FREQUENCY][place])
    page.get_by_label("First number").select_option("frequency")
    page.get_by_label("Second number").select_option("none")
    assert page.locator(f'#map .edge[data-e="{strong}"]').get_attribute("opacity") is None


def test_hovering_and_focus_tell_the_numbers(page, graph):
    frequency = dict(zip(graph.edges, graph.weights[Annotation.FREQUENCY], strict=True))
    details = page.locator("#details")
    page.locator('#map .node[data-a="0"]').focus()
    assert "times, by the released edges" in details.inner_text()
    page.locator("tbody tr", has_text="Register").first.hover()
    place = graph.edges.index(Edge("Register", "Triage"))
    page.locator(f'#map .label[data-e="{place}"]').hover()
    assert f"frequency {frequency[Edge('Register', 'Triage')]} (95 %:" in details.inner_text()


def test_the_keyboard_reaches_everything(page):
    before = page.locator("#map svg").get_attribute("viewBox")
    page.locator("#map").focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    moved = page.locator("#map svg").get_attribute("viewBox")
    assert moved != before
    page.keyboard.press("0")
    assert page.locator("#map svg").get_attribute("viewBox") != moved
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.dataset.a")
    page.keyboard.press("ArrowDown")
    second = page.evaluate("document.activeElement.dataset.a")
    assert None not in (first, second)
    assert first != second
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator("#map svg.picked").count() == 1  # what was entered stays
    page.locator("#map").focus()
    page.keyboard.press("Escape")
    assert page.locator("#map svg.picked").count() == 0
    assert page.locator("#map").evaluate("e => getComputedStyle(e).outlineStyle") != "none"


def test_wheel_buttons_and_drag_move_the_map(page):
    def box():
        return [float(part) for part in page.locator("#map svg").get_attribute("viewBox").split()]

    start = box()
    middle = page.locator("#map").bounding_box()
    x, y = middle["x"] + 300, middle["y"] + 200
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    page.wait_for_function(
        "width => document.querySelector('#map svg').viewBox.baseVal.width < width", arg=start[2]
    )
    for _ in range(6):
        page.mouse.wheel(0, -300)
    page.wait_for_timeout(100)
    zoomed = box()
    page.mouse.down()
    page.mouse.move(x - 80, y - 40, steps=4)
    page.mouse.up()
    assert box()[0] > zoomed[0]
    page.get_by_role("button", name="Zoom in").click()
    assert box()[2] < zoomed[2]
    page.get_by_role("button", name="Fit the whole map").click()
    assert box()[2] >= start[2] * 0.99


def test_the_table_sorts(page, graph):
    def column():
        return [
            int(text.replace(",", ""))
            for text in page.locator("tbody tr td:nth-child(3)").all_inner_texts()
        ]

    assert column() == sorted(graph.weights[Annotation.FREQUENCY], reverse=True)
    page.get_by_role("button", name="Frequency").click()
    assert column() == sorted(graph.weights[Annotation.FREQUENCY])
    assert page.locator('th[data-column="frequency"]').get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="To", exact=True).click()
    targets = page.locator("tbody tr td:nth-child(2)").all_text_contents()
    assert targets[-1] == "■ end"


def saved(page, name, tmp_path):
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_downloads_equal_the_files_of_the_bundle(page, graph, tmp_path):
    slide(page, "Paths", 3)
    assert saved(page, "CSV", tmp_path).read_bytes() == map_csv(graph)
    assert saved(page, "JSON", tmp_path).read_bytes() == map_json(graph)


def test_the_downloaded_picture_is_what_is_seen(page, tmp_path):
    slide(page, "Paths", 4)
    path = saved(page, "SVG", tmp_path)
    root = ET.fromstring(path.read_bytes())
    kinds = [node.get("class", "").split()[:1] for node in root.iter()]
    assert kinds.count(["edge"]) == 4
    assert not [node for node in root.iter() if node.tag.endswith(("script", "image"))]
    assert "Not a limit for a person" in "".join(root.itertext())
    assert "edge colour" in "".join(root.itertext())


def test_hostile_names_are_text(page):
    assert page.locator("img").count() == 0
    assert page.get_by_text(HOSTILE).count() > 0
    page.get_by_label("Search").fill("<img")
    assert page.locator("#map .node.found").count() == 1
    assert page.locator("script").count() == 3


def test_a_printed_table_keeps_its_heads(page):
    # Chromium repeats a head on every sheet, but without the buttons in it.
    page.emulate_media(media="print")
    head = page.locator('th[data-column="target"]')
    assert not head.get_by_role("button").is_visible()
    assert head.evaluate("e => getComputedStyle(e, '::before').content") == '"To"'
    assert not page.locator("#controls").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(browser, file, axe, scheme):
    # With a policy that runs no other script, axe-core comes in through the context.
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
    context.close()
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]][:3])
            for one in found["violations"]] == []  # fmt: skip


def test_it_is_usable_on_a_telephone(browser, file, tmp_path):
    one = Watched(
        browser, file, viewport={"width": 400, "height": 800}, has_touch=True, color_scheme="dark"
    )
    assert one.page.evaluate("document.documentElement.scrollWidth") == 400
    for name in ("CSV", "Zoom in"):
        button = one.page.get_by_role("button", name=name, exact=True)
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 400
        assert box["height"] >= 24
    one.context.close()
    assert one.trouble == []


def test_pinching_zooms(browser, file):
    one = Watched(browser, file, viewport={"width": 400, "height": 800}, has_touch=True)
    one.page.locator("#map").scroll_into_view_if_needed()
    width = "document.querySelector('#map svg').viewBox.baseVal.width"
    before = one.page.evaluate(width)
    frame = one.page.locator("#map").bounding_box()
    x, y = frame["x"] + 180, frame["y"] + 150
    session = one.context.new_cdp_session(one.page)

    def touch(kind, *points):
        places = [{"x": px, "y": py, "id": place} for place, (px, py) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (x - 20, y), (x + 20, y))
    for spread in (40, 60, 80):
        touch("touchMove", (x - spread, y), (x + spread, y))
    touch("touchEnd")
    assert one.page.evaluate(width) < before * 0.6
    one.context.close()
    assert one.trouble == []


def test_without_script_the_page_still_tells(browser, file):
    one = Watched(browser, file, java_script_enabled=False)
    assert one.page.locator("#map svg .edge").count() > 0
    assert one.page.get_by_text("What is not promised", exact=True).is_visible()
    one.context.close()


def test_the_owners_report_is_marked_on_every_screen(browser, graph, tmp_path):
    rows = tuple(
        {
            "source": edge.source, "target": edge.target, "annotation": "frequency",
            "occurrences": 9, "range": 1, "actual": 9, "released": count, "derived": False,
            "epsilon": 0.8, "epsilon_range": 0.8, "risk": 0.2, "risk_any": 0.2,
            "expected_ape": 0.1, "realised_ape": 0.2, "attacker": "any",
        }
        for edge, count in zip(graph.edges, graph.weights[Annotation.FREQUENCY], strict=True)
    )  # fmt: skip
    report = OwnerReport({"release": {"risk": 0.2}, "frequency": {"max_risk": 0.2}}, rows)
    path: Path = tmp_path / "report.html"
    path.write_bytes(owner_report_html(report, graph))
    one = Watched(browser, path, viewport={"width": 400, "height": 700})
    assert one.page.evaluate("document.documentElement.scrollWidth") == 400
    banner = one.page.locator("p", has_text="Owner only: this page holds exact figures")
    for share in (0, 0.5, 1):
        one.page.evaluate(f"scrollTo(0, {share} * document.body.scrollHeight)")
        assert banner.bounding_box()["y"] == pytest.approx(0, abs=1)
    one.page.emulate_media(media="print")
    assert banner.evaluate("e => getComputedStyle(e).display") == "table-header-group"
    assert one.page.locator("script, img").count() == 0
    one.context.close()
    assert one.trouble == []


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """A whole bundle of a log whose activities want to be markup."""
    rows = pl.DataFrame(
        [
            (f"case {case}", name, 1_700_000_000 + 86_400 * case + 3_600 * step)
            for case in range(40)
            for step, name in enumerate(
                ["Admission", HOSTILE, "</script><script>alert(1)</script>"]
            )
        ],
        schema=["case", "activity", "time"],
        orient="row",
    )
    rows = rows.with_columns(pl.from_epoch("time"))
    log = hm.from_frame(rows, case="case", activity="activity", timestamp="time")
    plan = hm.plan(
        hm.discover(log, max_duration="2d"), max_risk=0.2, annotate=["frequency", "mean"]
    )
    folder = tmp_path_factory.mktemp("hostile") / "out"
    hm.release(plan).write(folder)
    return folder


@pytest.mark.parametrize(
    "name",
    ["public/map.html", "public/map.svg", "public/certificate.html", "owner/report.html"],
)
def test_a_hostile_activity_does_nothing_in_any_page(browser, axe, bundle, name):
    one = Watched(browser, bundle / name, viewport={"width": 400, "height": 800}, bypass_csp=True)
    assert "onerror" in one.page.content()
    assert one.page.locator("img").count() == 0
    if name.endswith("html"):
        assert one.page.evaluate("document.documentElement.scrollWidth") == 400
        one.page.evaluate(axe)
        found = one.page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
        assert [violation["id"] for violation in found["violations"]] == []
    one.context.close()
    assert one.trouble == []
