"""The page of a map: one file, inert data, a policy that names what may run."""

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

from hushmap.bundle.map_csv import map_csv
from hushmap.picture import map_html
from hushmap.picture.page import inert_json


class Page(HTMLParser):
    """Elements with attributes, and the text of scripts and styles."""

    def __init__(self, content):
        super().__init__()
        self.elements, self.code, self.open = [], [], None
        self.feed(content.decode())

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in {"script", "style"}:
            self.open = (tag, dict(attrs))
            self.code.append([self.open, ""])

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open:
            self.code[-1][1] += data


def check_policy(content):
    page = Page(content)
    (policy,) = (attrs["content"] for tag, attrs in page.elements if attrs.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for (tag, attrs), code in page.code:
        if attrs.get("type") == "application/json":
            json.loads(code)
            continue
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    for tag, attrs in page.elements:
        assert not [name for name in attrs if name.startswith("on") or name in {"style", "src"}]
        assert attrs.get("href", "#").startswith("#")
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "foreignobject"}
    return page


def data_of(page):
    return next(json.loads(code) for (_, attrs), code in page.code if attrs.get("id") == "data")


def test_the_policy_names_all_that_runs(nasty, certificate_of):
    content = map_html(nasty, certificate_of(nasty, range_kind="declared"))
    page = check_policy(content)
    assert content.count(b"<script") == 3  # two blocks of data and one script
    assert data_of(page)["activities"] == [name.replace("\ud800", "?") for name in nasty.activities]


def test_the_page_holds_every_released_number(sepsis_like, certificate_of):
    content = map_html(sepsis_like, certificate_of(sepsis_like, range_kind="declared"))
    data = data_of(check_policy(content))
    lines = map_csv(sepsis_like).decode().splitlines()[1:]
    raw = [metric["raw"] for metric in data["metrics"]]
    for place, line in enumerate(lines):
        assert line.split(",")[2:] == ["" if row[place] is None else row[place] for row in raw]


def test_large_numbers_stay_exact(make_map, certificate_of):
    graph = make_map(["A"], [(None, "A"), ("A", None)])
    huge = 9**40
    graph = type(graph)(graph.activities, graph.edges, {"frequency": (huge, 1)}, 1)
    graph = type(graph)(
        graph.activities, graph.edges, {next(iter(sorted(graph.annotations))): (huge, 1)}, 1
    )
    data = data_of(Page(map_html(graph, certificate_of(graph))))
    assert data["metrics"][0]["raw"][0] == str(huge)


def test_it_is_small_and_the_same_every_time(sepsis_like, certificate_of):
    certificate = certificate_of(sepsis_like, range_kind="declared")
    content = map_html(sepsis_like, certificate)
    assert len(content) < 500_000
    assert content == map_html(sepsis_like, certificate)


def test_it_says_that_the_view_alone_is_thinned(make_dense, certificate_of):
    graph = make_dense(40, 900)
    content = html.unescape(map_html(graph, certificate_of(graph), limit_edges=100).decode())
    assert "in this view only" in content
    assert "The released map stays whole" in content
    assert "100 of 900 edges drawn" in content
    assert len(data_of(Page(content.encode()))["edges"]) == 900


def test_a_slider_says_all_only_of_the_whole_map(small, make_dense, certificate_of):
    def shown(graph):
        page = map_html(graph, certificate_of(graph)).decode()
        return re.findall(r'<output id="[a-z]+-shown"[^>]*>([^<]+)<', page)

    assert all(text.startswith("all ") for text in shown(small))
    _, paths = shown(make_dense(40, 500))
    assert re.fullmatch(r"\d+ of 500", paths)


def test_one_activity_is_called_one_activity(make_path, certificate_of):
    graph = make_path(["Again"])
    page = map_html(graph, certificate_of(graph)).decode()
    assert "Process map of 1 activity and " in page


def test_the_certificate_is_in_it(small, certificate_of):
    certificate = certificate_of(small, range_kind="declared")
    content = html.unescape(map_html(small, certificate).decode())
    for sentence in (*certificate.promised, *certificate.not_promised):
        assert sentence in content


def test_every_control_has_a_label(small, certificate_of):
    content = map_html(small, certificate_of(small, range_kind="declared")).decode()
    for control in re.findall(r"<(?:input|select)\b[^>]*>", content):
        start = content.index(control)
        assert content.rfind("<label", 0, start) > content.rfind("</label>", 0, start)
    ids = re.findall(r'\bid="([^"]+)"', content)
    assert len(ids) == len(set(ids))


def test_inert_json_is_json_and_ends_no_script():
    value = ["</script>", "<!--", "]]>", "\u2028\u2029", "&amp;", "\ud800", '"\\']
    dumped = inert_json(value)
    assert not set("<>&\u2028\u2029") & set(dumped)
    assert json.loads(dumped)[:5] == value[:5]
