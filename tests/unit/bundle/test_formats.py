"""Every format carries every name and weight exactly, and nothing in a name is taken for syntax."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import xml.etree.ElementTree as ET
from decimal import Decimal
from fractions import Fraction

import jsonschema
import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.bundle.map_csv import map_csv
from hushmap.bundle.map_dfg import map_dfg
from hushmap.bundle.map_dot import ESCAPED as DOT_ESCAPED
from hushmap.bundle.map_dot import map_dot
from hushmap.bundle.map_graphml import map_graphml
from hushmap.bundle.map_json import map_json, read_map
from hushmap.bundle.schema import schema
from hushmap.bundle.visible import LINE_BREAKS, XML_FORBIDDEN, restored, visible
from hushmap.bundle.weights import column, weight_text
from hushmap.graph import Annotation, Edge, ReleasedGraph, canonical_order

ALL = ("frequency", "sum", "mean", "min", "max")
NAMES = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6, unique=True)
CONTROLS = "".join(map(chr, range(32))) + '\ufffe\uffff␀␊␍␛␦EF\\"&<>;xnN\u2028'
HARD_NAMES = st.lists(
    st.text(alphabet=CONTROLS, min_size=1, max_size=8), min_size=1, max_size=5, unique=True
)
SETTINGS = settings(derandomize=True, deadline=None, max_examples=100)


def weights_of(graph, place):
    """The weights of an edge in exact numbers, as a file must carry them."""
    exact = {}
    for kind in graph.annotations:
        weight = graph.weights[kind][place]
        if weight is not None:
            exact[column(kind)] = (
                Fraction(weight * graph.resolution, 10**6) if kind.is_time else weight
            )
    return exact


def all_edges(graph):
    return {edge: weights_of(graph, place) for place, edge in enumerate(graph.edges)}


@pytest.fixture(scope="session")
def nasty(nasty_names, make_graph):
    return make_graph(nasty_names, ALL)


def read_csv_map(content):
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    edges = {}
    for row in rows:
        edge = Edge(row.pop("source") or None, row.pop("target") or None)
        edges[edge] = {
            name: int(text) if name == "frequency" else Fraction(text)
            for name, text in row.items()
            if text
        }
    return edges


def test_csv_carries_every_name_and_weight_exactly(nasty):
    assert read_csv_map(map_csv(nasty)) == all_edges(nasty)


@SETTINGS
@given(names=NAMES | HARD_NAMES)
def test_csv_carries_any_text(names, make_graph):
    graph = make_graph(names, ALL)
    assert read_csv_map(map_csv(graph)) == all_edges(graph)


def test_csv_is_rfc_4180(nasty):
    content = map_csv(nasty)
    assert content.endswith(b"\r\n")
    assert content.startswith(
        b"source,target,frequency,sum_seconds,mean_seconds,min_seconds,max_seconds\r\n"
    )
    outside = re.sub(r'"(?:[^"]|"")*"', "", content.decode())
    assert not re.search(r"(?<!\r)\n|\r(?!\n)", outside), "line breaks stand in quotes or as CRLF"


def test_csv_changes_no_leading_equals_sign(make_graph):
    assert b"\r\n,=1+1,1\r\n" in map_csv(make_graph(["=1+1"]))


def test_csv_tells_an_empty_name_from_the_start(make_graph):
    graph = make_graph(["", "A"])
    assert b'\r\n,"",' in map_csv(graph)


def test_json_carries_every_name_and_weight_exactly(nasty):
    record = json.loads(map_json(nasty), parse_float=Decimal)
    assert record["format"] == "hushmap/map/1"
    assert tuple(record["activities"]) == nasty.activities
    edges = {}
    for row in record["edges"]:
        edge = Edge(row.pop("source"), row.pop("target"))
        edges[edge] = {column(Annotation(name)): Fraction(value) for name, value in row.items()}
    assert list(edges) == list(nasty.edges)
    assert edges == all_edges(nasty)
    assert record["units"] == {
        kind: "occurrences" if kind == "frequency" else "seconds" for kind in ALL
    }


def test_json_is_as_the_interface_shows_it():
    graph = ReleasedGraph(
        ("A", "B"),
        (Edge(None, "A"), Edge("A", "B")),
        {Annotation.FREQUENCY: (11, 5), Annotation.MEAN: (None, 28224)},
        1_000_000,
    )
    content = map_json(graph)
    assert json.loads(content) == {
        "format": "hushmap/map/1",
        "activities": ["A", "B"],
        "edges": [
            {"source": None, "target": "A", "frequency": 11},
            {"source": "A", "target": "B", "frequency": 5, "mean": 28224.0},
        ],
        "units": {"frequency": "occurrences", "mean": "seconds"},
    }
    assert b"28224.0" in content
    assert content.endswith(b"}\n")
    assert json.loads(content)["edges"] == graph.records()


def test_json_keeps_letters_readable(make_graph):
    assert "مراجعة".encode() in map_json(make_graph(["مراجعة"]))


def test_a_map_of_times_alone_lists_start_and_end_edges(make_graph):
    graph = make_graph(["A", "B"], ["mean"])
    rows = json.loads(map_json(graph))["edges"]
    assert rows[0] == {"source": None, "target": "A"}
    assert [row for row in rows if row["target"] is None] == [{"source": "B", "target": None}]
    assert b"\r\n,A,\r\n" in map_csv(graph)


@pytest.mark.parametrize("resolution", [1, 10, 1000, 1_000_000, 60_000_000, 3_600_000_000])
@pytest.mark.parametrize("kinds", [ALL, ("frequency",), ("mean", "max")])
def test_map_json_comes_back_as_it_went(nasty_names, make_graph, resolution, kinds):
    graph = make_graph(nasty_names, kinds, resolution)
    assert read_map(map_json(graph), resolution) == graph


@SETTINGS
@given(names=NAMES | HARD_NAMES, resolution=st.integers(1, 10**9))
def test_map_json_comes_back_for_any_text_and_tick(names, resolution, make_graph):
    graph = make_graph(names, ALL, resolution)
    back = read_map(map_json(graph), resolution)
    assert back == graph
    assert back.annotations == graph.annotations


@SETTINGS
@given(tick=st.integers(0, 10**30), resolution=st.integers(1, 10**10))
def test_seconds_are_exact_decimals(tick, resolution):
    text = weight_text(Annotation.SUM, tick, resolution)
    assert re.fullmatch(r"\d+\.\d+", text)
    assert Fraction(text) == Fraction(tick * resolution, 10**6)


@pytest.mark.parametrize("kinds", [ALL, ("frequency",), ("sum",)])
def test_map_json_meets_its_published_schema(nasty_names, make_graph, kinds):
    jsonschema.Draft202012Validator.check_schema(schema("map"))
    record = json.loads(map_json(make_graph(nasty_names, kinds)))
    jsonschema.validate(record, schema("map"), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "hushmap/map/2"},
        {"extra": 1},
        {"activities": ["A", "A"]},
        {"edges": [{"source": None, "target": None}]},
        {"edges": [{"source": "A", "target": "A", "frequency": 1.5}]},
        {"edges": [{"source": "A", "target": "A", "mean": -1.0}]},
        {"edges": [{"source": "A", "target": "A", "frequency": 0}]},
        {"edges": [{"source": "A", "target": "A", "mean": 0.0}]},
        {"edges": [{"source": "A", "target": "A", "epsilon": 1.0}]},
        {"units": {"mean": "hours"}},
        {"units": {}},
    ],
)
def test_the_schema_of_the_map_refuses_what_is_no_map(change, make_graph):
    record = json.loads(map_json(make_graph(["A"]))) | change
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record, schema("map"), cls=jsonschema.Draft202012Validator)


def read_dfg(content):
    """The format as ProM's importer reads it: lines, verbatim."""
    lines = re.split("\r\n|\r|\n", content.decode())
    assert lines.pop() == ""
    lines.reverse()
    names = [restored(lines.pop(), LINE_BREAKS) for _ in range(int(lines.pop()))]
    edges = {}
    for is_start in (True, False):
        for _ in range(int(lines.pop())):
            place, frequency = re.fullmatch(r"(\d+)x(\d+)", lines.pop()).groups()
            name = names[int(place)]
            edges[Edge(None, name) if is_start else Edge(name, None)] = int(frequency)
    while lines:
        source, target, frequency = re.fullmatch(r"(\d+)>(\d+)x(\d+)", lines.pop()).groups()
        edges[Edge(names[int(source)], names[int(target)])] = int(frequency)
    return names, edges


def frequencies(graph):
    return dict(zip(graph.edges, graph.weights[Annotation.FREQUENCY], strict=True))


def test_dfg_carries_every_name_and_frequency(nasty):
    names, edges = read_dfg(map_dfg(nasty))
    assert tuple(names) == nasty.activities
    assert edges == frequencies(nasty)


@SETTINGS
@given(names=NAMES | HARD_NAMES)
def test_dfg_carries_any_text(names, make_graph):
    graph = make_graph(names)
    assert read_dfg(map_dfg(graph)) == (list(graph.activities), frequencies(graph))


def test_dfg_changes_no_name_without_a_line_break(nasty_names, make_graph):
    plain = [name for name in nasty_names if not set(name) & set("\r\n␊␍␦")]
    lines = map_dfg(make_graph(plain)).decode().split("\n")
    assert lines[1 : len(plain) + 1] == plain


def read_graphml(content):
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    root = ET.fromstring(content)
    labels = {}
    for node in root.iterfind(".//g:node", space):
        data = {item.get("key"): item.text for item in node.iterfind("g:data", space)}
        name = restored(data["label"] or "", XML_FORBIDDEN)
        labels[node.get("id")] = None if data["kind"] in {"start", "end"} else name
    edges = {}
    for edge in root.iterfind(".//g:edge", space):
        weights = {
            item.get("key"): Fraction(item.text)
            for item in edge.iterfind("g:data", space)
            if item.get("key") != "edge"
        }
        edges[Edge(labels[edge.get("source")], labels[edge.get("target")])] = weights
    return labels, edges


def test_graphml_carries_every_name_and_weight_exactly(nasty):
    labels, edges = read_graphml(map_graphml(nasty))
    assert tuple(name for name in labels.values() if name is not None) == nasty.activities
    assert edges == all_edges(nasty)


@SETTINGS
@given(names=NAMES | HARD_NAMES)
def test_graphml_carries_any_text(names, make_graph):
    graph = make_graph(names, ALL)
    assert read_graphml(map_graphml(graph))[1] == all_edges(graph)


def test_graphml_opens_in_networkx_with_types(nasty):
    graph = nx.read_graphml(io.BytesIO(map_graphml(nasty)))
    assert graph.is_directed()
    assert not graph.is_multigraph()
    names = [restored(graph.nodes[f"n{place}"]["label"], XML_FORBIDDEN)
             for place in range(len(nasty.activities))]  # fmt: skip
    assert tuple(names) == nasty.activities
    assert graph.nodes["start"]["kind"] == "start"
    assert graph.nodes["n0"]["kind"] == "activity"
    assert graph.number_of_edges() == len(nasty.edges)
    ids = {name: f"n{place}" for place, name in enumerate(nasty.activities)}
    values = {kind: nasty.values(kind) for kind in nasty.annotations}
    for place, (source, target) in enumerate(nasty.edges):
        attributes = graph.edges[ids.get(source, "start"), ids.get(target, "end")]
        for kind, column_values in values.items():
            found = attributes.get(column(kind))
            assert found == column_values[place]
            assert found is None or isinstance(found, float if kind.is_time else int)


def test_a_name_cannot_become_markup_in_yed(make_graph):
    content = map_graphml(make_graph(["<HTML><img src='https://example.org'>"]))
    drawn = [
        label.text
        for label in ET.fromstring(content).iter("{http://www.yworks.com/xml/graphml}NodeLabel")
    ]
    assert len(drawn) == 3
    assert not any(text.lower().startswith("<html") for text in drawn)


def test_a_name_adds_no_element_to_graphml(nasty):
    root = ET.fromstring(map_graphml(nasty))
    nodes = root.findall(".//{http://graphml.graphdrawing.org/xmlns}node")
    assert len(nodes) == len(nasty.activities) + 2
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {
        "graphml", "key", "graph", "node", "edge", "data", "ShapeNode", "Geometry", "Fill",
        "NodeLabel", "Shape", "PolyLineEdge", "Arrows", "EdgeLabel",
    }  # fmt: skip


def dot_tokens(text):
    """The tokens of DOT as Graphviz' scanner makes them; quoted strings as one-element lists."""
    tokens, place = [], 0
    while place < len(text):
        if text[place].isspace():
            place += 1
        elif text[place] == '"':
            string, place = [], place + 1
            while text[place] != '"':
                if text[place] == "\\" and text[place + 1] == '"':
                    string.append('"')
                    place += 2
                elif text[place] == "\\" and text[place + 1] == "\\":
                    string.append("\\\\")
                    place += 2
                else:
                    string.append(text[place])
                    place += 1
            tokens.append(["".join(string)])
            place += 1
        else:
            match = re.compile(r"->|-?[0-9]+(\.[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*|[{}\[\];,=]").match(
                text, place
            )
            assert match, text[place : place + 20]
            tokens.append(match.group())
            place = match.end()
    return tokens


def dot_label(string):
    """What Graphviz draws for a label: \\N and its like, then entities, then \\n and \\\\."""
    assert not re.search(r"(?<!\\)(\\\\)*\\[NGETHLlr]", string), "a substitution"
    string = html.unescape(string)
    return re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), string)


def read_dot(content):
    tokens = dot_tokens(content.decode())
    assert tokens[:3] == ["digraph", "map", "{"]
    assert tokens[-1] == "}"
    statements, statement = [], []
    for token in tokens[3:-1]:
        if token == ";":
            statements.append(statement)
            statement = []
        else:
            statement.append(token)
    assert statement == []
    labels, edges = {}, {}
    for statement in statements[3:]:
        parts, attributes = statement, {}
        if "[" in parts:
            opened = parts.index("[")
            assert parts[-1] == "]"
            inner = parts[opened + 1 : -1]
            parts = parts[:opened]
            for at in range(0, len(inner), 4):
                name, equals, value = inner[at : at + 3]
                assert equals == "="
                assert inner[at + 3 : at + 4] in ([","], [])
                attributes[name] = value
        if len(parts) == 1:
            (text,) = attributes.pop("label")
            labels[parts[0]] = restored(dot_label(text), DOT_ESCAPED)
            assert attributes in ({}, {"shape": "circle"})
        else:
            source, arrow, target = parts
            assert arrow == "->"
            attributes.pop("label", None)
            edges[source, target] = {name: Fraction(number) for name, number in attributes.items()}
    assert labels.pop("start", "▶") == "▶"
    assert labels.pop("end", "■") == "■"
    return labels, {
        Edge(labels.get(source), labels.get(target)): weights
        for (source, target), weights in edges.items()
    }


def test_dot_carries_every_name_and_weight_exactly(nasty):
    labels, edges = read_dot(map_dot(nasty))
    assert tuple(labels.values()) == nasty.activities
    assert list(labels) == [f"n{place}" for place in range(len(labels))]
    assert edges == all_edges(nasty)


@SETTINGS
@given(names=NAMES | HARD_NAMES)
def test_dot_carries_any_text(names, make_graph):
    graph = make_graph(names, ALL)
    labels, edges = read_dot(map_dot(graph))
    assert tuple(labels.values()) == graph.activities
    assert edges == all_edges(graph)


def test_dot_labels_are_for_people(make_graph):
    graph = ReleasedGraph(
        ("A",),
        (Edge("A", "A"),),
        {Annotation.FREQUENCY: (12,), Annotation.MEAN: (276_480,)},
        1_000_000,
    )
    assert b'n0 -> n0 [label="12\\nmean 3.2 d", frequency=12, mean_seconds=276480.0];' in map_dot(
        graph
    )


@SETTINGS
@given(text=st.text(alphabet=CONTROLS) | st.text())
@pytest.mark.parametrize(
    "escaped", [LINE_BREAKS, XML_FORBIDDEN, DOT_ESCAPED], ids=["lines", "xml", "dot"]
)
def test_what_is_made_visible_can_be_restored(text, escaped):
    shown = visible(text, escaped)
    assert restored(shown, escaped) == text
    assert not set(shown) & set(escaped)


@SETTINGS
@given(names=NAMES)
def test_the_order_that_is_checked_is_the_canonical_one(names, make_graph):
    graph = make_graph(names)
    assert canonical_order(graph.edges) == list(range(len(graph.edges)))
