"""The wizard in a real browser: the whole way, by mouse, by keyboard and without scripts.

Pictures of every step are left in `artefacts/wizard`, which git ignores.
"""

import http.server
import json
import re
import threading
import zipfile
from pathlib import Path

import pytest
from logs import SHARED, real_logs
from playwright.sync_api import expect
from wizard import wizard

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "artefacts" / "wizard"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with wizard(tmp_path_factory.mktemp("wizard")) as running:
        yield running


@pytest.fixture(scope="module")
def entrance(server, browser):
    """Addresses for as many browsers as there are tests."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.address)

    def address():
        page.get_by_role("button", name="Another browser").click()
        found = page.locator("#address").inner_text()
        page.go_back()
        return found

    yield address
    context.close()


class Way:
    """A window, and everything it did that it should not."""

    def __init__(self, browser, server, address, **options):
        options.setdefault("viewport", {"width": 1280, "height": 900})
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.trouble = []
        self.expected = 0
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", lambda shown: (self.trouble.append("dialog"), shown.dismiss()))
        self.context.on("request", lambda asked: self._request(asked, server.origin))
        self.page.goto(address)

    def _console(self, said):
        # The browser notes every answer that refuses a form; that is what is tested there.
        if "status of 422" not in said.text:
            self.trouble.append(f"console: {said.text}")

    def _request(self, asked, origin):
        if not asked.url.startswith((origin, "blob:", "data:")):
            self.trouble.append(f"request: {asked.url}")

    def ready(self, marker):
        """Wait for a new page by something on it, and until its script has run."""
        marker.wait_for()
        self.page.wait_for_load_state()

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png", full_page=True)

    def read(self, path):
        self.page.get_by_label("Drop a file here").set_input_files(path)
        self.page.get_by_role("button", name="Read the log").click()
        self.page.wait_for_url("**/columns")
        self.ready(self.page.get_by_role("button", name=re.compile("Read again|Read the log")))

    def weigh(self):
        self.page.get_by_role("button", name="Continue", exact=True).click()
        self.ready(self.page.get_by_role("heading", name="Risk against error", exact=True))

    def review(self):
        self.page.get_by_role("button", name="Continue to the review").click()
        self.ready(self.page.get_by_role("button", name="Draw once and release"))

    def release(self):
        for box in self.page.get_by_role("checkbox").all():
            box.check()
        self.page.get_by_role("button", name="Draw once and release").click()
        self.ready(self.page.get_by_role("heading", name="Released", exact=True))
        self.page.frame_locator("iframe").locator("#map svg").wait_for()

    def saved(self, name, folder):
        with self.page.expect_download() as waiting:
            self.page.get_by_role("link", name=f"Download {name}").click()
        path = folder / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return zipfile.ZipFile(path)


@pytest.fixture
def way(browser, server, entrance):
    opened = []

    def open_window(**options):
        one = Way(browser, server, entrance(), **options)
        opened.append(one)
        return one

    yield open_window
    for one in opened:
        one.context.close()
        assert one.trouble == []


def violations(page, axe):
    """What axe-core finds that is serious or worse, in words."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {iframes: false, resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:120]}"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


def slide(page, name, value):
    page.get_by_role("slider", name=name, exact=True).evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        str(value),
    )


def exact(page):
    """Wait until what is shown was computed, not read off the curve."""
    page.locator('#meaning[aria-busy="false"]').wait_for()


def number(page, name):
    return float(page.locator(f"#{name}").input_value())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_from_a_file_to_both_archives(way, axe, tmp_path, scheme):
    one = way(color_scheme=scheme)
    page = one.page
    assert violations(page, axe) == []
    one.picture(f"1-log-{scheme}")
    one.read("examples/hospital.csv")
    assert page.get_by_text("X0", exact=True).count() == 5
    assert violations(page, axe) == []
    one.picture(f"2-columns-{scheme}")
    one.weigh()
    assert page.get_by_text("rises by more than 20 percentage points").is_visible()
    assert violations(page, axe) == []
    one.picture(f"3-protect-{scheme}")
    one.review()
    assert violations(page, axe) == []
    one.picture(f"4-review-{scheme}")
    page.get_by_role("button", name="Draw once and release").click()
    one.ready(page.get_by_role("alert").filter(has_text="one draw"))
    one.release()
    frame = page.frame_locator("iframe")
    assert frame.locator("#map .edge").count() == 8
    frame.get_by_role("button", name="Zoom in").click()
    assert violations(page, axe) == []
    one.picture(f"5-release-{scheme}")
    public, owner = one.saved("public.zip", tmp_path), one.saved("owner.zip", tmp_path)
    assert json.loads(public.read("public/certificate.json"))["risk"] == 0.2
    assert not [name for name in public.namelist() if not name.startswith("public/")]
    assert "owner/report.json" in owner.namelist()


def test_back_and_forward_keep_what_was_done_and_draw_nothing(way, tmp_path):
    one = way()
    page = one.page
    one.read("examples/hospital.csv")
    one.weigh()
    page.locator("#risk").fill("30")
    exact(page)
    one.review()
    page.go_back()
    assert page.locator("#risk").input_value() == "30"
    page.go_forward()
    one.release()
    first = one.saved("public.zip", tmp_path).read("public/map.json")
    page.go_back()
    page.get_by_text("has been released").wait_for()
    page.reload()
    page.get_by_role("link", name="Go to the release").click()
    page.reload()
    assert one.saved("public.zip", tmp_path).read("public/map.json") == first


def test_two_sliders_move_each_other(way):
    one = way()
    page = one.page
    one.read("examples/hospital.csv")
    one.weigh()
    before = page.locator(".wide-only .mark circle").get_attribute("cx")
    error = number(page, "error")
    slide(page, "Risk", 120)  # half points
    assert number(page, "risk") == 60
    assert number(page, "error") < error
    assert page.locator(".wide-only .mark circle").get_attribute("cx") != before
    near = number(page, "error")
    exact(page)
    assert number(page, "error") == pytest.approx(near, rel=0.05)
    assert page.get_by_role("radio", name="Risk").is_checked()
    meant = page.locator("#meaning")
    assert "more than 60 percentage points" in meant.inner_text()
    slide(page, "Error", 600)
    assert page.get_by_role("radio", name="Error").is_checked()
    wanted = number(page, "error")
    exact(page)
    assert number(page, "error") == wanted
    risk = number(page, "risk")
    assert risk != 60
    assert f"more than {risk:g} percentage points" in meant.inner_text()
    page.locator("#error").fill("0.0001")
    page.get_by_role("alert").filter(has_text="keeps “Error” this small").wait_for()


def test_what_was_changed_is_not_lost_on_the_way(way):
    one = way()
    page = one.page
    one.read("examples/hospital.csv")
    page.get_by_label("Case", exact=True).select_option("activity")
    assert page.get_by_text("Read the log again before you go on").is_visible()
    page.get_by_label("Case", exact=True).select_option("case")
    assert not page.get_by_text("Read the log again before you go on").is_visible()
    one.weigh()
    slide(page, "Risk", 60)
    exact(page)
    page.get_by_role("link", name="2 Columns").click()  # not by a button of the form
    page.get_by_role("heading", name="Which column is which?").wait_for()
    page.get_by_role("link", name="3 Protect").click()
    one.ready(page.get_by_role("heading", name="Risk against error", exact=True))
    assert number(page, "risk") == 30
    page.get_by_label("Mean time").check()
    page.get_by_label("The longest time in the log").check()
    assert page.get_by_text("Your choices have changed").is_visible()
    page.get_by_role("button", name="Continue to the review").click()
    one.ready(page.get_by_text("Your choices had changed"))  # first it shows what they cost
    page.get_by_text("Expect mean times to be off by").wait_for()
    assert number(page, "risk") == 30
    one.review()
    assert page.get_by_text("at most 30 percentage points").is_visible()


def test_sliders_obey_the_keyboard_and_say_where_they_are(way):
    one = way()
    page = one.page
    one.read("examples/hospital.csv")
    one.weigh()
    slider = page.get_by_role("slider", name="Risk", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert number(page, "risk") == 21
    assert slider.get_attribute("aria-valuetext") == "21 percentage points"
    assert page.locator("#meaning").get_attribute("aria-live") == "polite"


def test_help_opens_and_closes_by_keyboard(way):
    page = way().page
    summary = page.locator(".help summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("one row per event").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_text("one row per event").is_visible()
    assert summary.evaluate("e => e === document.activeElement")


def test_everything_is_reached_by_tab_and_shows_where_the_focus_is(way):
    page = way().page
    reached = []
    while True:
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        reached.append(page.evaluate(
            "[document.activeElement.innerText || document.activeElement.id, "
            "getComputedStyle(document.activeElement).outlineStyle]"
        ))  # fmt: skip
    names = [name.strip() for name, _ in reached]
    for wanted in ("Skip to the content", "file", "path", "Read the log", "End and wipe"):
        assert wanted in names
    assert [name for name, outline in reached if outline == "none"] == []


def test_a_map_with_times_of_a_log_with_foreign_names(way, tmp_path):
    log = tmp_path / "Vorgänge.csv"
    rows = [
        f"{case};{name};1{day}.0{case % 9 + 1}.2026 10:{case:02d}"
        for case in range(30)
        for day, name in enumerate(("Aufnahme", "Prüfung", HOSTILE, "Entlassung"), 3)
    ]
    log.write_text("wer;was;wann\n" + "\n".join(rows), encoding="utf-8")
    one = way()
    page = one.page
    one.read(log)
    expect(page.get_by_label("Case", exact=True)).to_be_focused()
    assert "Which" not in page.get_by_role("alert").inner_text()
    for label, column in (("Case", "wer"), ("Activity", "was"), ("Time", "wann")):
        page.get_by_label(label, exact=True).select_option(column)
    page.get_by_role("button", name="Read the log").click()
    one.weigh()
    page.get_by_label("Mean time").check()
    assert page.get_by_text("Your choices have changed").is_visible()
    page.get_by_role("button", name="Weigh again").click()
    one.ready(page.locator("#error-max_duration").filter(has_text="name the longest"))
    expect(page.get_by_label("Longest time of a step")).to_be_focused()
    page.get_by_label("Longest time of a step").fill("3d")
    page.get_by_role("button", name="Weigh again").click()
    one.ready(page.get_by_text("Expect mean times to be off by"))
    assert page.locator(".wide-only .mark").count() == 2
    assert page.get_by_text(HOSTILE).count() > 0
    one.review()
    assert page.locator("svg").filter(has_text="alert(1)").count() == 1
    one.release()
    text = page.locator("pre").all_inner_texts()
    assert "--case wer --activity was --timestamp wann" in text[0].replace("\\\n ", "")
    assert 'max_duration="3d"' in text[1]
    document = json.loads(one.saved("public.zip", tmp_path).read("public/map.json"))
    assert HOSTILE in document["activities"]


def test_without_scripts_it_goes_step_by_step(way, tmp_path):
    one = way(java_script_enabled=False)
    page = one.page
    one.read("examples/hospital.csv")
    one.weigh()
    page.get_by_label("Error in %").fill("50")
    page.get_by_role("radio", name="Error").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Show this point").last.click()
    risk = number(page, "risk")
    assert f"more than {risk:g} percentage points" in page.locator("#meaning").inner_text()
    one.review()
    one.release()
    certificate = json.loads(one.saved("public.zip", tmp_path).read("public/certificate.json"))
    assert (certificate["problem"], certificate["limit"]) == ("max_error", 0.5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_usable_on_a_telephone(way, axe, scheme):
    one = way(viewport={"width": 400, "height": 800}, has_touch=True, color_scheme=scheme)
    page = one.page

    def looked_at(name):
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        for button in page.get_by_role("button").all():
            box = button.bounding_box()
            if box is not None and box["width"] > 1:
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= 400
        one.picture(f"{name}-narrow-{scheme}")

    looked_at("1-log")
    one.read("examples/hospital.csv")
    looked_at("2-columns")
    one.weigh()
    page.locator(".help summary").nth(2).tap()
    shown = page.locator(".help[open] p").bounding_box()
    assert shown["x"] >= 0
    assert shown["x"] + shown["width"] <= 400
    page.keyboard.press("Escape")
    assert violations(page, axe) == []
    looked_at("3-protect")
    one.review()
    looked_at("4-review")
    one.release()
    assert page.frame_locator("iframe").locator("#map .edge").count() == 8
    looked_at("5-release")
    for step in ("1 Log", "2 Columns", "3 Protect", "4 Review"):  # what can no longer be changed
        with page.expect_navigation():
            page.get_by_role("link", name=step).click()
        page.get_by_text("has been released").wait_for()
        assert violations(page, axe) == []


def test_a_wrong_file_is_refused_beside_the_field(way, tmp_path):
    letter = tmp_path / "letter.docx"
    letter.write_bytes(b"PK" * 100)
    page = way().page
    page.get_by_label("Drop a file here").set_input_files(letter)
    page.get_by_role("button", name="Read the log").click()
    page.get_by_role("alert").filter(has_text="does not say its format").wait_for()
    assert page.get_by_label("Drop a file here").get_attribute("aria-invalid") == "true"
    (tmp_path / "log.xes").write_text("<html/>")
    page.get_by_label("Drop a file here").set_input_files(tmp_path / "log.xes")
    page.get_by_role("button", name="Read the log").click()
    page.get_by_role("alert").filter(has_text="not an XES log").wait_for()
    assert "log.xes" in page.get_by_role("alert").inner_text()


def test_a_file_above_the_limit_is_not_even_sent(browser, tmp_path):
    log = tmp_path / "large.csv"
    with log.open("wb") as file:
        file.write(b"case,activity,timestamp\n")
        file.truncate(200_000_000)
    folder = tmp_path / "private"
    folder.mkdir()
    with wizard(folder, "--max-upload", "100MB") as server:
        one = Way(browser, server, server.address)
        one.page.get_by_label("Drop a file here").set_input_files(log)
        one.page.get_by_role("alert").filter(has_text="larger than the limit").wait_for()
        sent = []
        one.page.on("request", lambda asked: sent.append(asked.url))
        one.page.get_by_role("button", name="Read the log").click()
        one.page.get_by_role("alert").filter(has_text="path on this machine").wait_for()
        assert sent == []
        one.context.close()
        assert one.trouble == []


def test_a_dropped_file_is_taken_and_its_upload_shown(way):
    page = way().page
    page.evaluate(
        """() => {
          const files = new DataTransfer();
          files.items.add(new File(["case,activity,timestamp\\n1,a,2026-01-05\\n"], "dropped.csv"));
          document.querySelector("#drop").dispatchEvent(
            new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
        }"""
    )
    page.get_by_role("button", name="Read the log").click()
    page.wait_for_url("**/columns")
    page.get_by_text("Log: dropped.csv").wait_for()


class Evil(http.server.BaseHTTPRequestHandler):
    """A page of another origin on the same machine, which tries what it can."""

    target = ""

    def do_GET(self):
        body = f"""<!doctype html><form method="post" action="{self.target}/end"><button>go</button>
        </form><iframe src="{self.target}/log"></iframe><img src="{self.target}/public.zip">"""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def test_a_page_of_another_origin_gets_nowhere(browser, server, entrance):
    evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    thread = threading.Thread(target=evil.serve_forever)
    thread.start()
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(entrance())
        Evil.target = page.url.removesuffix("/log")
        other = context.new_page()  # with the owner's own cookies
        answers = {}
        other.on("response", lambda got: answers.setdefault(got.url.rpartition("/")[2], got.status))
        other.goto(f"http://127.0.0.1:{evil.server_port}/")
        assert answers["log"] == 403
        assert answers.get("public.zip") in {403, None}  # None: the browser itself refused it
        for mode in ("cors", "no-cors"):
            said = other.evaluate(
                "([url, mode]) => fetch(url, {method: 'POST', mode, credentials: 'include'})"
                ".then(got => got.type + got.status, () => 'refused')",
                [f"{Evil.target}/end", mode],
            )
            assert said in {"refused", "opaque0"}
        other.get_by_role("button", name="go").click()
        other.wait_for_load_state()
        assert answers["end"] == 403
        page.reload()
        assert page.get_by_role("button", name="Read the log").is_visible()  # it still lives
    finally:
        context.close()
        evil.shutdown()
        thread.join()
        evil.server_close()


@real_logs
@pytest.mark.shared_logs
def test_sepsis_from_file_to_map(way, tmp_path):
    one = way()
    page = one.page
    one.read(SHARED / "data" / "Sepsis.xes.gz")
    assert page.locator("dl").get_by_text("1,050").is_visible()
    one.weigh()
    slide(page, "Error", 500)
    exact(page)
    assert "of 135 edges are worse than 50 %" in page.locator("#meaning").inner_text()
    assert page.locator("#costly tr").count() == 5
    one.picture("3-protect-sepsis")
    one.review()
    one.picture("4-review-sepsis")
    one.release()
    assert page.frame_locator("iframe").locator("#map .edge").count() == 135
    one.picture("5-release-sepsis")
    edges = json.loads(one.saved("public.zip", tmp_path).read("public/map.json"))["edges"]
    assert len(edges) == 135
