"""The map as SVG and PNG: safe, honest, the same every time."""

import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
import zlib

import pytest

from hushmap.exceptions import HushmapError, UsageError
from hushmap.graph import Annotation, Edge, ReleasedGraph, SimulatedGraph
from hushmap.picture import map_png, map_svg
from hushmap.picture.uncertainty import half_width

ELEMENTS = {"svg", "title", "desc", "style", "rect", "path", "circle", "text", "g"}
ATTRIBUTES = {
    "class",
    "role",
    "aria-label",
    "width",
    "height",
    "viewBox",
    "font-family",
    "fill",
    "stroke",
    "stroke-width",
    "opacity",
    "d",
    "stroke-dasharray",
    "x",
    "y",
    "rx",
    "cx",
    "cy",
    "r",
    "font-size",
    "text-anchor",
    "font-weight",
    "transform",
    "data-e",
    "data-a",
    "data-at",
}


def texts(picture):
    root = ET.fromstring(picture)
    return [
        "".join(node.itertext()) for node in root.iter() if node.tag.endswith(("}text", "}title"))
    ]


def check_harmless(picture):
    for node in ET.fromstring(picture).iter():
        assert node.tag.removeprefix("{http://www.w3.org/2000/svg}") in ELEMENTS
        assert set(node.attrib) <= ATTRIBUTES
    outside = re.sub(
        rb"<(text|title|desc)\b.*?</\1>|aria-label=\"[^\"]*\"", b"", picture, flags=re.DOTALL
    )
    for word in (
        b"http:",
        b"https:",
        b"url(",
        b"href",
        b"@import",
        b"javascript",
        b"<!",
        b"onerror",
    ):
        assert word not in outside.replace(b"http://www.w3.org/2000/svg", b"")


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_names_are_text_and_nothing_else(nasty, certificate_of, theme):
    picture = map_svg(nasty, certificate_of(nasty, range_kind="declared"), theme=theme)
    check_harmless(picture)
    titles = " ".join(texts(picture))
    assert "<img src=x onerror=alert(1)>" in titles
    assert "x" * 300 in titles  # in full where one points at it
    assert "two␊lines␍␊three␉tabs" in titles


def test_equal_input_gives_equal_bytes(sepsis_like, certificate_of):
    certificate = certificate_of(sepsis_like, range_kind="declared")
    first = map_svg(sepsis_like, certificate, intervals=True)
    assert first == map_svg(sepsis_like, certificate, intervals=True)


def test_nothing_of_the_machine_is_in_it(small, certificate_of):
    picture = map_svg(small, certificate_of(small, range_kind="declared")).decode()
    assert "/" not in re.sub(r"</|/>|http://www.w3.org/2000/svg", "", picture).replace(
        "frequency / mean time", ""
    )
    assert "20:" not in picture


def test_the_foot_holds_the_promise(small, certificate_of):
    shown = " ".join(texts(map_svg(small, certificate_of(small, range_kind="declared"))))
    assert "at most 20 percentage points" in shown
    assert "Not a limit for a person" in shown
    limited = certificate_of(small, range_kind="declared", max_error="0.3")
    shown = " ".join(texts(map_svg(small, limited)))
    assert "an error of 30 %" in shown
    assert "No risk is promised" in shown
    weak = certificate_of(
        small, range_kind="declared", scope="annotation", attacker="empirical", precision="0.1"
    )
    shown = " ".join(texts(map_svg(small, weak)))
    assert "by the attacker of the certificate" in shown
    assert "from each kind of number alone" in shown


def test_intervals_are_shown_where_the_noise_is_public(make_dense, certificate_of):
    graph = make_dense(6, 20)
    certificate = certificate_of(graph)
    spread = half_width(certificate.epsilon)
    assert any(
        text.endswith(f" ±{spread}") for text in texts(map_svg(graph, certificate, intervals=True))
    )
    assert "±" not in " ".join(texts(map_svg(graph, certificate)))
    private = certificate_of(graph, max_error="0.3")
    assert "±" not in " ".join(texts(map_svg(graph, private, intervals=True)))


def test_an_edge_that_the_noise_dominates_is_faint(make_map, certificate_of):
    pairs = [(None, "A"), ("A", None)]
    graph = make_map(["A"], pairs)
    weak = ReleasedGraph(graph.activities, graph.edges, {Annotation.FREQUENCY: (2, 900)}, 1_000_000)
    root = ET.fromstring(map_svg(weak, certificate_of(weak)))
    edges = {g.get("data-e"): g.get("opacity") for g in root.iter() if g.get("class") == "edge"}
    assert edges == {"0": "0.5", "1": None}
    assert "faint" in " ".join(texts(map_svg(weak, certificate_of(weak))))
    assert "faint" not in " ".join(texts(map_svg(weak)))


def test_maps_of_times_alone(make_dense, certificate_of):
    graph = make_dense(6, 20, ["mean", "max"])
    picture = map_svg(graph, certificate_of(graph, range_kind="declared"), primary="max")
    check_harmless(picture)
    shown = " ".join(texts(picture))
    assert "edge colour: longest time" in shown
    assert "how often" not in shown


def test_too_many_edges_are_thinned_and_the_picture_says_so(make_dense):
    picture = map_svg(make_dense(40, 900), limit_edges=100)
    assert "100 of 900 edges drawn, the most frequent" in " ".join(texts(picture))
    assert picture.count(b'class="edge"') == 100


@pytest.mark.parametrize(
    "graph",
    [
        ReleasedGraph((), (), {}, 1_000_000),
        ReleasedGraph((), (), {Annotation.FREQUENCY: ()}, 1_000_000),
        ReleasedGraph(("A",), (), {Annotation.FREQUENCY: ()}, 1_000_000),
        ReleasedGraph(("A",), (Edge("A", "A"),), {Annotation.FREQUENCY: (9**30,)}, 1_000_000),
        ReleasedGraph(
            ("A",), (Edge(None, "A"), Edge("A", None)), {Annotation.MEAN: (None, None)}, 1
        ),
        ReleasedGraph(("A", "B"), (Edge("A", "B"),), {Annotation.SUM: (9**30,)}, 3_600_000_000),
    ],
)
def test_odd_maps_can_be_drawn(graph):
    check_harmless(map_svg(graph))


def test_only_released_graphs_are_drawn(small):
    simulated = SimulatedGraph(small.activities, small.edges, small.weights, small.resolution)
    with pytest.raises(TypeError, match="ReleasedGraph"):
        map_svg(simulated)


def test_a_wrong_annotation_is_named(small):
    with pytest.raises(UsageError, match="does not show 'min'"):
        map_svg(small, primary="min")
    with pytest.raises(UsageError, match="does not show 'speed'"):
        map_svg(small, secondary="speed")


def test_it_is_described_for_those_who_cannot_see_it(small):
    root = ET.fromstring(map_svg(small))
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Process map of 3 activities and 6 edges"
    description = root.find("{http://www.w3.org/2000/svg}desc").text
    assert "Most frequent edges:" in description
    assert "Most frequent activities:" in description


def test_nothing_heavy_is_imported_even_when_drawn():
    code = (
        "import sys; from hushmap.graph import *; from hushmap.picture import *\n"
        "g = ReleasedGraph(('A',), (Edge(None, 'A'),), {Annotation.FREQUENCY: (3,)}, 1000000)\n"
        "assert b'<svg' in map_svg(g)\n"
        "print([m for m in ('pygraphviz', 'matplotlib', 'altair', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def chunks(image):
    place, found = 8, []
    while place < len(image):
        length, kind = struct.unpack_from(">I4s", image, place)
        body = image[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", image, place + 8 + length)[0] == zlib.crc32(kind + body)
        found.append((kind, body))
        place += 12 + length
    return found


def test_png_holds_the_picture_and_no_remarks(small, nasty, certificate_of):
    for graph in (small, nasty):
        certificate = certificate_of(graph, range_kind="declared")
        image = map_png(graph, certificate)
        assert image == map_png(graph, certificate)
        found = chunks(image)
        assert {kind for kind, _ in found} <= {b"IHDR", b"PLTE", b"tRNS", b"pHYs", b"IDAT", b"IEND"}
        width, height = struct.unpack(">II", found[0][1][:8])
        root = ET.fromstring(map_svg(graph, certificate))
        assert abs(width - 2 * float(root.get("width"))) <= 3
        assert abs(height - 2 * float(root.get("height"))) <= 3


def test_png_without_graphviz_says_what_to_do(monkeypatch, small):
    monkeypatch.setattr("hushmap.picture.graphviz.has_graphviz", lambda: False)
    monkeypatch.setattr(sys.modules["hushmap.picture.map_png"], "has_graphviz", lambda: False)
    with pytest.raises(HushmapError, match="pygraphviz is not installed"):
        map_png(small)
