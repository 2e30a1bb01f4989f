"""The certificate says the same to machines and to people, and is nothing but text."""

from __future__ import annotations

import dataclasses
import itertools
import json
from html.parser import HTMLParser

import jsonschema
import pytest

from hushmap.bundle.certificate_html import ESCAPED, certificate_html
from hushmap.bundle.certificate_json import certificate_json, read_certificate
from hushmap.bundle.schema import schema
from hushmap.bundle.visible import restored
from hushmap.exceptions import BundleError

HASHES = {"map.json": "ab" * 32, "map.csv": "cd" * 32}
OPTIONS = [
    {"max_risk": "0.2"},
    {"max_risk": "0.2", "range_kind": "declared"},
    {"max_risk": "0.2", "scope": "annotation"},
    {"max_risk": "0.05", "attacker": "empirical"},
    {"max_risk": "0.05", "attacker": "paper", "precision": "30min", "max_risk_any": "0.5"},
    {"max_error": "0.3"},
    {"max_error": "1.5", "error_reading": "per-edge", "confidence": "0.9"},
    {"max_error": "0.3", "attacker": "empirical"},
]
KINDS = [("frequency",), ("mean",), ("frequency", "mean"), ("frequency", "sum", "min", "max")]
CASES = list(itertools.product(OPTIONS, KINDS))


class Page(HTMLParser):
    """The elements and texts of a page, as a browser would see them."""

    void = frozenset({"meta"})

    def __init__(self, content):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts, self.comments = [], [], [], []
        self.feed(content.decode())
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((tuple(self.open), data))

    def handle_comment(self, data):
        self.comments.append(data)

    def inside(self, tag):
        """The text of each element of this name."""
        return [data for path, data in self.texts if tag in path]


@pytest.mark.parametrize(("options", "kinds"), CASES)
def test_certificate_json_comes_back_as_it_went(options, kinds, make_graph, make_certificate_of):
    certificate = dataclasses.replace(
        make_certificate_of(make_graph(["A"], kinds), **options), files=HASHES
    )
    content = certificate_json(certificate)
    assert read_certificate(content) == certificate
    jsonschema.validate(
        json.loads(content), schema("certificate"), cls=jsonschema.Draft202012Validator
    )


def test_the_schemas_are_schemas():
    for kind in ("map", "certificate", "report"):
        jsonschema.Draft202012Validator.check_schema(schema(kind))


def test_certificate_json_has_the_keys_of_the_interface(small_certificate):
    record = json.loads(certificate_json(small_certificate))
    assert list(record) == [
        "format", "version", "date", "problem", "limit", "risk", "annotations", "protects",
        "edge_set", "scope", "goals", "range", "resolution", "max_duration", "attacker",
        "min_occurrences", "epsilon", "unit_limits", "mechanisms", "promised", "not_promised",
        "files",
    ]  # fmt: skip
    assert record["format"] == "hushmap/certificate/1"
    assert record["problem"] == "max_risk"
    assert record["risk"] == record["limit"] == 0.2
    assert record["protects"] == "occurrence"
    assert record["edge_set"] == "observed"
    assert record["goals"] == ["whether", "how long"]
    assert record["range"] == "declared"
    assert list(record["epsilon"]) == ["frequency"]


def test_under_an_error_limit_neither_risk_nor_epsilon_is_stated(make_graph, make_certificate_of):
    certificate = make_certificate_of(make_graph(["A"]), max_error="0.3")
    record = json.loads(certificate_json(certificate))
    assert record["problem"] == "max_error"
    assert record["limit"] == 0.3
    assert not {"risk", "epsilon"} & record.keys()


@pytest.mark.parametrize(
    ("given", "written"),
    [("0.1", 0.1), (0, 0.0), ("1", 1.0), ("0.00001", 1e-05), ("30min", "30min"), ("1.5h", "90min")],
)
def test_a_precision_is_a_number_where_it_is_a_share_and_a_text_where_it_is_a_time(
    given, written, make_graph, make_certificate_of
):
    certificate = make_certificate_of(
        make_graph(["A"], ["mean"]), attacker="empirical", precision=given
    )
    content = certificate_json(certificate)
    record = json.loads(content)
    assert record["precision"] == written
    assert type(record["precision"]) is type(written)
    assert read_certificate(content) == certificate
    jsonschema.validate(record, schema("certificate"), cls=jsonschema.Draft202012Validator)
    # As a text, which is how a share was written before.
    former = json.dumps(record | {"precision": str(written)}).encode()
    assert read_certificate(former) == certificate


@pytest.mark.parametrize(
    "precision", [True, None, -0.1, 1.5, 2, "", "1.5", "x", "nan", "1_0", "\u0663", "30 min", "0min",
                  "1" * 5000 + "s", "1" * 5000, [0.1]], ids=lambda value: repr(value)[:12]
)  # fmt: skip
def test_a_precision_that_is_neither_is_refused(precision, make_graph, make_certificate_of):
    certificate = make_certificate_of(make_graph(["A"], ["mean"]), attacker="empirical")
    record = json.loads(certificate_json(certificate)) | {"precision": precision}
    with pytest.raises(BundleError):
        read_certificate(json.dumps(record).encode())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record, schema("certificate"), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "change",
    [
        {"max_duration": "soon"},
        {"max_duration": "30 days"},
        {"max_risk_any": 1},
        {"confidence": 1.0},
        {"risk": 1, "limit": 1},
        {"format": "hushmap/certificate/2"},
        {"format": "hushmap/map/1"},
        {"format": None},
        {"surprise": 1},
        {"problem": "both"},
        {"limit": "0.2"},
        {"limit": True},
        {"limit": -0.2},
        {"risk": 2},
        {"risk": 0.3},
        {"annotations": ["frequency", "median"]},
        {"annotations": ["frequency", "frequency"]},
        {"annotations": "frequency"},
        {"annotations": []},
        {"attacker": ["any"]},
        {"min_occurrences": 0},
        {"min_occurrences": 2.0},
        {"epsilon": 0.4},
        {"epsilon": {"frequency": 0.4, "mean": 0.4}},
        {"mechanisms": {}},
        {"mechanisms": []},
        {"promised": "all"},
        {"promised": ["\x1b[2J"]},
        {"promised": ["x" * 20_000]},
        {"promised": ["\ud800"]},
        {"version": 1},
        {"goals": ["why"]},
        {"files": {"map.json": "abc"}},
        {"files": ["map.json"]},
        {"unit_limits": {"event": 1.5}},
    ],
    ids=repr,
)
def test_what_is_no_certificate_is_refused(change, small_certificate):
    record = json.loads(certificate_json(small_certificate)) | change
    with pytest.raises(BundleError):
        read_certificate(json.dumps(record).encode())


@pytest.mark.parametrize("key", ["limit", "risk", "files", "promised", "scope", "mechanisms"])
def test_a_certificate_without_a_key_is_refused(key, small_certificate):
    record = json.loads(certificate_json(small_certificate))
    del record[key]
    with pytest.raises(BundleError):
        read_certificate(json.dumps(record).encode())


def test_a_newer_format_says_update(small_certificate):
    record = json.loads(certificate_json(small_certificate)) | {"format": "hushmap/certificate/9"}
    with pytest.raises(BundleError, match="Update hushmap"):
        read_certificate(json.dumps(record).encode())


@pytest.mark.parametrize(("options", "kinds"), CASES)
def test_the_page_says_what_the_certificate_says(options, kinds, make_graph, make_certificate_of):
    graph = make_graph(["A", "B"], kinds)
    certificate = make_certificate_of(graph, **options)
    page = Page(certificate_html(certificate, graph, HASHES))
    assert page.inside("h2") == [
        "What this map shows", "What is promised", "What is not promised", "How it was protected",
        "Parameters", "Files",
    ]  # fmt: skip
    points = page.inside("li")
    for sentence in (*certificate.promised, *certificate.not_promised):
        assert sentence in points
    cells = [text for path, text in page.texts if {"td", "th"} & set(path)]
    for name, digest in HASHES.items():
        assert cells[cells.index(name) + 1] == digest
    for kind, mechanism in certificate.mechanisms.items():
        assert cells[cells.index(kind) + 1] == mechanism
    codes = page.inside("code")
    assert "attacker" in codes
    precise = certificate.precision is not None and not certificate.against_any
    assert ("precision" in codes) is precise
    assert ("max_risk_any" in codes) is (certificate.max_risk_any is not None)
    assert ("epsilon" in codes) is (certificate.epsilon is not None)
    assert "None" not in " ".join(text for _, text in page.texts)


def test_the_page_runs_and_loads_nothing(small, small_certificate):
    page = Page(certificate_html(small_certificate, small, HASHES))
    attributes = [name for _, attrs in page.elements for name in attrs]
    assert not {"src", "href", "action", "style", "srcset", "data"} & set(attributes)
    assert not [name for name in attributes if name.startswith("on")]
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "link", "img", "iframe", "a", "form", "object", "svg", "base"}
    policy = next(
        attrs["content"]
        for tag, attrs in page.elements
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    (style,) = page.inside("style")
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


def test_names_are_plain_text_on_the_page(nasty_names, make_graph, make_certificate_of):
    graph = make_graph(nasty_names)
    certificate = make_certificate_of(graph)
    page = Page(certificate_html(certificate, graph, HASHES))
    assert [restored(text, ESCAPED) for text in page.inside("bdi")] == list(graph.activities)
    harmless = Page(certificate_html(certificate, make_graph([f"A{place:03}" for place in
                    range(len(nasty_names))]), HASHES))  # fmt: skip
    assert page.elements == harmless.elements
    assert page.comments == []


def test_sentences_and_file_names_are_plain_text_on_the_page(small, small_certificate):
    attack = "<script>alert('1')</script>&amp;\"]]>"
    hostile = dataclasses.replace(
        small_certificate,
        promised=(attack,),
        not_promised=(attack,),
        version=attack,
        date=attack,
        resolution=attack,
        max_duration=attack,
        edge_set=attack,
        mechanisms=dict.fromkeys(small_certificate.annotations, attack),
        unit_limits={attack: 0.1},
    )
    page = Page(certificate_html(hostile, small, {attack: attack}))
    assert "script" not in {tag for tag, _ in page.elements}
    assert sum(attack in text for _, text in page.texts) >= 11


def test_many_names_are_folded_away(make_graph, make_certificate_of):
    graph = make_graph([f"Step {place}" for place in range(200)])
    page = Page(certificate_html(make_certificate_of(graph), graph, HASHES))
    assert page.inside("summary") == ["All 200 activities"]


def test_one_activity_is_not_called_activities(make_graph, make_certificate_of):
    graph = make_graph(["A"])
    content = certificate_html(make_certificate_of(graph), graph, HASHES)
    assert b"1 activity and 3 edges" in content
