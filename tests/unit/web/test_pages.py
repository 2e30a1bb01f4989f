"""The five steps without a screen: what each page shows, refuses and keeps."""

import html
import io
import json
import re
import threading
import zipfile

import pytest

from hushmap.web import steps
from hushmap.web.wording import GLOSSARY


def text_of(answer):
    body = re.sub(r"<(script|style).*?</\1>", " ", answer.text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))


def beside(answer, field):
    """What is said beside a field."""
    found = re.search(rf'id="error-{field}"[^>]*>(.*?)</div>', answer.text, re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", found[1])) if found else None


def test_from_a_file_to_two_archives(window):
    assert window.upload().url.path.endswith("/columns")
    review = window.review()
    assert "at most 20 percentage points" in review.text
    done = window.release()
    assert "Download public.zip" in done.text
    public = zipfile.ZipFile(io.BytesIO(window.get("public.zip").content))
    owner = zipfile.ZipFile(io.BytesIO(window.get("owner.zip").content))
    assert "public/map.json" in public.namelist()
    assert not [name for name in public.namelist() if "owner" in name or "report" in name]
    assert "owner/report.json" in owner.namelist()
    certificate = json.loads(public.read("public/certificate.json"))
    assert certificate["risk"] == 0.2
    report = json.loads(owner.read("owner/report.json"))
    released = {(row["source"], row["target"]): row["released"] for row in report["edges"]}
    shown = json.loads(public.read("public/map.json"))["edges"]
    assert {(row["source"], row["target"]): row["frequency"] for row in shown} == released
    assert "hushmap release hospital.csv --max-risk 0.2 --out map" in done.text


def test_going_back_reloading_and_sending_again_draw_nothing_more(window, monkeypatch):
    drawn = []
    import hushmap as hm

    release = hm.release
    monkeypatch.setattr(hm, "release", lambda plan: drawn.append(plan) or release(plan))
    window.review()
    threads = [
        threading.Thread(target=window.post, args=("release", {"once": "yes"})) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    window.settle()
    first = window.get("public.zip").content
    for page in ("log", "columns", "protect", "review", "release"):
        assert window.get(page).status_code == 200
    window.release()
    window.post("limit", {"fix": "risk", "risk": "90", "next": "review"})
    window.post("protect", {"annotate": ["frequency"]})
    window.post("columns", {"case": "activity", "activity": "case"})
    window.upload("other.csv")
    window.settle()
    window.release()
    assert window.get("public.zip").content == first
    assert len(drawn) == 1


def test_after_the_draw_everything_before_it_is_locked(window):
    window.review()
    window.release()
    for page in ("log", "columns", "protect", "review"):
        text = window.get(page).text
        assert "has been released" in text
        assert '<fieldset class="bare" disabled' in text


def test_if_writing_fails_it_is_tried_again_with_the_same_draw(window, monkeypatch):
    from hushmap.release.release import Release

    write, drawn = Release.write, []

    def fails(self, *_args, **_options):
        drawn.append(self.graph)
        raise OSError("disk full at /secret/place")

    monkeypatch.setattr(Release, "write", fails)
    window.review()
    failed = window.release()
    assert "the files are not written" in failed.text
    assert "same draw" in failed.text
    assert window.get("public.zip").status_code == 404
    monkeypatch.setattr(Release, "write", write)
    window.release()
    shown = json.loads(
        zipfile.ZipFile(io.BytesIO(window.get("public.zip").content)).read("public/map.json")
    )
    assert [row["frequency"] for row in shown["edges"]] == drawn[0].values("frequency")


def test_nothing_is_drawn_before_the_owner_has_ticked(window, monkeypatch):
    monkeypatch.setattr(steps, "draw", lambda *_: pytest.fail("it drew"))
    window.review()
    refused = window.post("release", {})
    assert refused.status_code == 422
    assert "one draw" in beside(refused, "once")
    assert window.get("release").url.path.endswith("/review")


@pytest.mark.parametrize(
    ("kind", "tick"),
    [
        ({"range_kind": "observed"}, "observed"),
        ({"range_kind": "declared", "max_duration": "2d"}, "bound"),
    ],
)
def test_whoever_shows_times_says_where_their_range_comes_from(window, kind, tick):
    window.review(annotate=["frequency", "mean"], **kind)
    assert window.post("release", {"once": "yes"}).status_code == 422
    assert window.post("release", {tick: "yes"}).status_code == 422
    window.post("release", {"once": "yes", tick: "yes"})
    window.settle()
    assert "Download public.zip" in window.get("release").text


def test_times_need_a_longest_time_or_the_observed_one_by_name(window):
    refused = window.weigh(annotate=["mean"], range_kind="declared", max_duration="")
    assert refused.status_code == 422
    assert "name the longest" in beside(refused, "max_duration")
    refused = window.weigh(annotate=["mean"], range_kind="declared", max_duration="a while")
    assert "“Longest time” is 'a while'" in window.get("protect").text or "a while" in text_of(
        refused
    )


@pytest.mark.parametrize(
    ("wish", "field", "words"),
    [
        ({"annotate": ["sum", "mean"], "range_kind": "observed"}, "annotate", "“What the map shows” frequency"),
        ({"annotate": []}, "annotate", "No annotation"),
        ({"annotate": ["mean"], "range_kind": "observed", "attacker": "empirical", "precision": "0.1"},
         "precision", "10 %"),
        ({"annotate": ["mean"], "range_kind": "observed", "attacker": "empirical", "precision": "120 %"},
         "precision", "between 0 and 1"),
        ({"annotate": ["frequency"], "error_reading": "per-edge", "confidence": "many"}, "confidence", "no number"),
        ({"annotate": ["frequency"], "resolution": "1 parsec"}, "resolution", "no span of time"),
        ({"annotate": ["frequency"], "min_occurrences": "x", "attacker": "empirical"}, "min_occurrences", "whole number"),
    ],
)  # fmt: skip
def test_an_error_stands_beside_its_field_and_says_what_to_do(window, wish, field, words):
    answer = window.weigh(**wish)
    if answer.status_code == 200:  # found while it was worked on
        answer = window.get("protect") if beside(answer, field) is None else answer
    said = beside(answer, field)
    assert said is not None, text_of(answer)
    assert words in said
    assert "--" not in said


@pytest.mark.parametrize(
    ("limit", "field"),
    [
        ({"fix": "risk", "risk": "0"}, "max_risk"),
        ({"fix": "risk", "risk": "100"}, "max_risk"),
        ({"fix": "risk", "risk": "a lot"}, "max_risk"),
        ({"fix": "error", "error": "-3"}, "max_error"),
        ({"fix": "error", "error": "0.00001"}, "max_error"),
        ({"fix": "error", "error": ""}, "max_error"),
    ],
)
def test_a_limit_that_cannot_be_is_refused_beside_it(window, limit, field):
    window.weigh()
    answer = window.post("limit", {**limit, "next": "review"})
    assert answer.status_code == 422
    assert beside(answer, field)
    assert window.get("review").url.path.endswith("/protect")


def test_the_error_limit_finds_the_least_risk_and_keeps_it_out_of_the_certificate(window):
    review = window.review("error", "40")
    assert "40 %" in review.text
    assert "will not be in the certificate" in review.text
    window.release()
    public = zipfile.ZipFile(io.BytesIO(window.get("public.zip").content))
    certificate = json.loads(public.read("public/certificate.json"))
    assert (certificate["problem"], certificate["limit"]) == ("max_error", 0.4)
    assert "risk" not in certificate


def test_both_sliders_and_the_plan_agree(window):
    import hushmap as hm

    window.weigh()
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    for value in ("5", "20", "80"):
        facts = window.get(f"point?fix=risk&value={value}").json()
        plan = hm.plan(graph, max_risk=int(value) / 100)
        assert facts["error"] == pytest.approx(plan.summary["frequency"]["expected_mape"])
        back = window.get("point", params={"fix": "error", "value": facts["error"] * 100}).json()
        assert back["risk"] == pytest.approx(int(value) / 100, rel=1e-4)


def test_per_edge_reading_is_that_of_the_plan(window):
    import hushmap as hm

    window.weigh(annotate=["frequency"], error_reading="per-edge", confidence="80")
    facts = window.get("point?fix=error&value=300").json()
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    plan = hm.plan(graph, max_error=3, error_reading="per-edge", confidence="0.8")
    assert facts["risk"] == plan.risk
    assert list(facts["marks"]) == ["every edge"]
    said = [sentence.replace("\u00a0", " ") for sentence in facts["sentences"]]
    assert "within 300 % of the truth, each with a confidence of 80 %" in said[-1]
    begins = window.get("point?fix=risk&value=0.5").json()["sentences"][-1]
    assert "At this risk some edge may be off by more than" in begins


def test_a_point_that_cannot_be_is_explained(window):
    window.weigh()
    for value in ("", "x", "0", "1e99", "-1"):
        answer = window.get("point", params={"fix": "risk", "value": value})
        assert answer.status_code == 422
        assert "“Risk”" in answer.json()["problem"]


BOTH = {"annotate": ["frequency", "mean"], "attacker": "any", "range_kind": "observed"}


def test_going_on_with_other_choices_shows_first_what_they_cost(window):
    window.weigh()
    answer = window.post("limit", {**BOTH, "fix": "risk", "risk": "30", "next": "review"})
    window.settle()
    assert "Your choices had changed" in text_of(answer)
    page = window.get("protect")
    assert 'value="mean" checked' in page.text
    assert 'name="risk" aria-label="Risk in percentage points" value="30"' in page.text
    window.post("limit", {**BOTH, "fix": "risk", "risk": "30", "next": "review"})
    window.settle()
    assert "at most 30 percentage points" in text_of(window.get("review"))


def test_weighing_again_keeps_the_limit_that_stood_beside_it(window):
    window.weigh()
    window.post("protect", {**BOTH, "fix": "error", "error": "70"})
    window.settle()
    page = window.get("protect").text
    assert 'value="error" checked' in page
    assert 'name="error" aria-label="Error in %" value="70"' in page
    refused = window.post("protect", {**BOTH, "fix": "risk", "risk": "many"})
    assert refused.status_code == 422
    assert "no number" in beside(refused, "max_risk")
    assert "<title>Error: 3 Protect" in refused.text


def test_columns_that_were_changed_are_read_before_going_on(window):
    window.upload()
    same = {"case": "case", "activity": "activity", "timestamp": "timestamp"}
    assert window.post("columns", {**same, "next": "protect"}).url.path.endswith("/protect")
    swapped = {"case": "activity", "activity": "case", "timestamp": "timestamp"}
    answer = window.post("columns", {**swapped, "next": "protect"})
    window.settle()
    assert answer.url.path.endswith("/columns")
    assert re.search(r"<dt>Activities</dt><dd>(\d+)<", window.get("columns").text)[1] == "11"


def test_the_review_says_what_the_limit_means_for_a_person(window):
    import hushmap as hm

    text = text_of(window.review())
    release = hm.plan(hm.discover(hm.read_log("examples/hospital.csv")), max_risk=0.2).summary[
        "release"
    ]
    assert "with 3 it is 54.3" in text  # tanh(3·artanh 0.2)
    assert f"which makes {release['risk_of_a_mean_case'] * 100:.3g} percentage points" in text
    assert (
        f"the longest takes 5, which makes {release['risk_of_the_largest_case'] * 100:.3g}" in text
    )
    window.post("protect", {"annotate": ["mean"], "range_kind": "observed"})
    window.settle()
    assert "there is no limit" in text_of(window.get("review"))


def test_an_annotation_can_be_left_out_from_the_comparison(window):
    import hushmap as hm

    window.weigh(annotate=["frequency", "mean"], range_kind="observed")
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    both, alone = (
        hm.plan(graph, max_risk=0.2, annotate=kinds).summary["frequency"]["expected_mape"]
        for kinds in (["frequency", "mean"], ["frequency"])
    )
    said = text_of(window.get("protect")).replace("\u00a0", " ")
    assert f"Without the mean time: frequency off by {alone:.0%}".replace("%", " %") in said
    assert f"instead of {both:.0%}".replace("%", " %") in said
    window.post(
        "protect", {"annotate": ["frequency", "mean"], "range_kind": "observed", "drop": "mean"}
    )
    window.settle()
    page = window.get("protect")
    assert 'value="frequency" checked' in page.text
    assert 'value="mean" checked' not in page.text


def test_what_the_other_attacker_may_know_is_said_in_the_headline(window):
    window.weigh(annotate=["mean"], range_kind="observed", attacker="empirical", precision="10 %")
    text = text_of(window.get("protect"))
    assert "Against someone who knows no more than how long such steps take" in text
    assert "longest time of each edge is not covered" in text


def test_columns_are_chosen_where_their_names_say_nothing(window):
    log = "wer;was;wann\n" + "".join(
        f"{n};{a};2026-01-0{d}\n" for n in (1, 2) for d, a in enumerate("xyz", 1)
    )
    first = window.upload("log.csv", log.encode())
    assert first.url.path.endswith("/columns")
    assert beside(first, "case")
    assert "“Case”" in beside(first, "case")
    assert window.get("protect").url.path.endswith("/columns")
    window.post("columns", {"case": "wer", "activity": "was", "timestamp": "wann"})
    window.settle()
    page = window.get("columns")
    assert "Continue" in page.text
    assert '<option value="was" selected>' in page.text
    window.post("columns", {"case": "wer", "activity": "was", "timestamp": "was"})
    window.settle()
    assert "taken for both" in text_of(window.get("columns"))


def test_times_that_can_be_read_in_two_ways_are_asked_about_beside_their_field(window):
    log = "case,activity,timestamp\n1,a,03/04/2026 10:00\n1,b,04/04/2026 10:00\n"
    first = window.upload("log.csv", log.encode())
    assert beside(first, "timestamp_format")
    window.post("columns", {"case": "case", "activity": "activity", "timestamp": "timestamp",
                            "timestamp_format": "day-first"})  # fmt: skip
    window.settle()
    assert "2026-04-03" in window.get("columns").text


def test_the_first_rows_are_masked(window):
    log = "case,activity,timestamp\nJane,Treat,2026-01-05\n"
    text = window.upload("log.csv", log.encode()).text
    assert "Xxxx" in text
    assert "Jane" not in text


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("letter.docx", b"PK", "does not say its format"),
        ("log.xes", b"<html></html>", "not an XES log"),
        ("log.xes.gz", b"\x1f\x8b\x08broken", "gzip"),
        ("log.parquet", b"no", "no Parquet"),
        ("log.csv", b"", "empty"),
        ("log.csv", b"\x00\x01\x02", "binary"),
        ("log.csv", b"x" * 1_000_001, "larger than the limit"),
    ],
)
def test_a_wrong_file_is_refused_beside_the_field(window, name, content, words):
    answer = window.upload(name, content)
    window.settle()
    said = beside(answer, "file")
    assert said is not None, text_of(answer)
    assert words in said
    assert "log-" not in said  # the name in the private folder is nobody's business
    assert "--max-upload" not in said


def test_a_path_on_this_machine_is_read_where_it_is(app, window, tmp_path):
    answer = window.post("log", {"path": "examples/hospital.csv"}, files={"file": ("", b"")})
    assert answer.url.path.endswith("/columns")
    assert list(app.state.wizard.folder.path.rglob("log-*")) == []
    for path, words in (
        ("/nowhere/log.csv", "no such file"), ("examples", "a folder"), ("-", "no path"),
        ("postgresql://x/y", "no path"), ("https://example.org/log.csv", "no path"),
        ("pyproject.toml", "does not say its format"),
    ):  # fmt: skip
        refused = window.post("log", {"path": path}, files={"file": ("", b"")})
        assert refused.status_code == 422
        assert words in beside(refused, "file")


def test_an_activity_that_is_markup_stays_text(window):
    log = "case,activity,timestamp\n" + "".join(
        f"{case},{name},2026-01-0{day}\n"
        for case in range(3)
        for day, name in (
            (1, "<script>alert(1)</script>"),
            (2, "\"'><img src=x onerror=alert(2)>"),
            (3, "b"),
        )
        for name in ['"' + name.replace('"', '""') + '"']
    )
    window.upload("log.csv", log.encode())
    window.settle()
    window.get("protect")
    window.settle()
    window.post("limit", {"fix": "risk", "risk": "20", "next": "review"})
    window.settle()
    window.post("release", {"once": "yes"})
    window.settle()
    pages = (
        "columns",
        "protect",
        "review",
        "release",
        "public/map.html",
        "public/certificate.html",
    )
    for page in pages:
        text = window.get(page).text
        assert "<script>alert" not in text, page
        assert "<img" not in text, page
    assert "alert(1)" in window.get("review").text


def test_the_next_steps_are_closed_until_the_one_before_is_done(window):
    for page, where in (
        ("columns", "log"),
        ("protect", "log"),
        ("review", "log"),
        ("release", "log"),
    ):
        assert window.get(page).url.path.endswith(f"/{where}")
    assert window.get("public.zip").status_code == 404
    window.upload()
    assert window.get("review").url.path.endswith("/protect")
    assert window.get("release").url.path.endswith("/protect")


def test_other_columns_ask_for_everything_behind_them_again(window):
    window.review()
    window.post("columns", {"case": "activity", "activity": "case", "timestamp": "timestamp"})
    window.settle()
    assert "Admission" not in window.get("review").text
    page = text_of(window.get("protect"))
    assert "of 24 edges" in page or "edges" in page
    assert re.search(r"of (\d+) edges", page)[1] != "8"


def test_a_simulated_map_is_not_there_to_take_away(window):
    review = window.review()
    assert "simulated · not a release" in review.text
    again = window.get("review")
    picture = r"<svg.*?</svg>"
    assert (
        re.search(picture, review.text, re.DOTALL)[0]
        == re.search(picture, again.text, re.DOTALL)[0]
    )
    assert "download" not in re.search(r"<main.*</main>", review.text, re.DOTALL)[0].lower()
    for name in ("simulated", "simulated.svg", "preview", "public/map.html", "public.zip"):
        assert window.get(name).status_code == 404


def test_two_windows_simulate_with_seeds_of_their_own(window, app):
    from window import Window

    other = Window(window.client, f"{app.state.wizard.base}/")
    assert other.project_url != window.project_url
    first, second = (
        re.search(r"<svg.*?</svg>", one.review().text, re.DOTALL)[0] for one in (window, other)
    )
    assert first != second


def test_two_windows_of_one_browser_do_not_see_each_others_logs(window, app):
    from window import Window

    window.upload("first.csv")
    other = Window(window.client, f"{app.state.wizard.base}/")
    assert "first.csv" not in other.get("log").text
    other.upload("second.csv")
    assert "first.csv" in window.get("columns").text
    assert "second.csv" not in window.get("columns").text


def test_ending_wipes_files_and_memory(window, app):
    import gc
    import weakref

    window.review()
    (session,) = app.state.wizard.sessions._sessions.values()
    (project,) = session.projects.values()
    kept = [
        weakref.ref(project.tradeoff),
        weakref.ref(project.log),
        weakref.ref(project.rehearsal.plan),
    ]
    folder = project.folder
    assert list(folder.iterdir())
    del project
    window.post("end")
    gc.collect()
    assert not folder.exists()
    assert [reference() for reference in kept] == [None] * 3
    assert window.get("log").status_code == 404


def test_work_of_an_ended_project_stops_and_keeps_nothing(window, app, monkeypatch):
    begun, ended = threading.Event(), threading.Event()
    kept = []

    def read_log(*_args, on_progress, **_options):
        begun.set()
        assert ended.wait(10)
        on_progress(1, 2)
        kept.append("read on")

    monkeypatch.setattr("hushmap.read_log", read_log)
    thread = threading.Thread(target=window.upload)
    thread.start()
    assert begun.wait(10)
    (session,) = app.state.wizard.sessions._sessions.values()
    (project,) = session.projects.values()
    job = project.job
    window.post("end")
    ended.set()
    thread.join()
    assert job.wait(10)
    assert kept == []
    assert project.first is None
    assert not project.folder.exists()


def test_what_nobody_looks_at_is_wiped(window, app, monkeypatch):
    window.upload()
    sessions = app.state.wizard.sessions
    sessions.end_idle()
    assert window.get("columns").status_code == 200
    (session,) = sessions._sessions.values()
    (project,) = session.projects.values()
    project.touched -= 9 * 3600
    sessions.end_idle()
    assert not project.folder.exists()
    assert window.get("columns").status_code == 404


def test_there_are_not_too_many_projects(window, app):
    codes = [window.client.get(f"{app.state.wizard.base}/").status_code for _ in range(70)]
    assert codes[0] == 200
    assert codes[-1] == 429


def test_every_term_with_help_is_explained_in_a_sentence_or_two():
    for term, words in GLOSSARY.items():
        assert 1 <= words.count(". ") + 1 <= 3, term
        assert len(words) < 240, term


def test_help_is_beside_every_choice(window):
    window.review(annotate=["frequency", "mean"], range_kind="observed")
    page = window.get("protect").text
    for term in ("annotation", "attacker", "range", "risk", "error", "precision", "scope"):
        assert (
            html.escape(GLOSSARY[term], quote=False).replace("'", "&#39;") in page
            or GLOSSARY[term] in page
        )
