"""The example notebook runs, and a released map draws itself in a cell."""

import json
from pathlib import Path

import pytest

import hushmap as hm
from hushmap.picture import mime_bundle

NOTEBOOK = Path("examples/notebook.ipynb").resolve()


@pytest.fixture(scope="module")
def cells():
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


def test_the_notebook_runs_from_top_to_bottom(monkeypatch, capsys, cells):
    monkeypatch.chdir(NOTEBOOK.parent)
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "cell", "exec"), names)
    assert "percentage points" in capsys.readouterr().out
    assert names["written"] > 10_000


def test_the_notebook_was_executed_and_holds_a_picture(cells):
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    kinds = [kind for output in outputs for kind in output.get("data", ())]
    assert kinds.count("image/svg+xml") == 1
    assert all(cell["execution_count"] for cell in cells if cell["cell_type"] == "code")


def test_the_notebook_shows_no_exact_weight(cells):
    """Owner's objects appear with their shape alone."""
    texts = [
        "".join(output["data"]["text/plain"])
        for cell in cells
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    assert texts[0].startswith("ExactGraph(4 activities, 8 edges")
    assert texts[1].startswith("Plan(risk at most 0.3")
    source = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for word in (".edges", ".summary", ".report", ".counts", ".sums", "inspect"):
        assert word not in source


def test_a_map_in_a_cell_is_a_picture_with_fixed_colours(small):
    bundle = mime_bundle(small)
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "@media" not in bundle["image/svg+xml"]
    assert bundle["text/plain"] == repr(small)


def test_the_public_side_of_a_release_draws_its_promise():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    public = hm.release(hm.plan(graph, max_risk=0.2)).public
    bundle = public._repr_mimebundle_()
    assert bundle["text/plain"] == repr(public)
    assert "at most 20 percentage points" in bundle["image/svg+xml"]
    assert "at most 20 percentage points" not in public.graph._repr_mimebundle_()["image/svg+xml"]


def test_without_graphviz_a_cell_shows_text(monkeypatch, small):
    monkeypatch.setattr("hushmap.picture.notebook.has_graphviz", lambda: False)
    assert mime_bundle(small) == {"text/plain": repr(small)}


def test_owner_objects_have_no_picture():
    graph = hm.discover(hm.read_log("examples/hospital.csv"))
    for owned in (graph, hm.plan(graph, max_risk=0.2)):
        assert not hasattr(owned, "_repr_svg_")
        assert not hasattr(owned, "_repr_html_")
        assert not hasattr(owned, "_repr_mimebundle_")
