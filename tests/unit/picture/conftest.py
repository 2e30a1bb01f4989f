"""Maps to draw: small, dense, large, and with names that want to be markup."""

from __future__ import annotations

import itertools
import random

import pytest

from hushmap.graph import Annotation, Edge, ReleasedGraph, canonical_order
from hushmap.planning.parameters import PlanParameters
from hushmap.release.certificate import make_certificate

NASTY = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)//",
    "<img src=x onerror=alert(1)>",
    "</style></svg></title>",
    "<!-- --> ]]> <![CDATA[x]]>",
    "&amp; &lt;b&gt; &#92;n",
    "say \"A\" and 'B'",
    "two\nlines\r\nthree\ttabs",
    "back\\slash \\N \\n \\G",
    '"];x[label="',
    "\x00\x01\x1b[31m\x7f\ufffe\uffff",
    "\u202ertl override",
    "مراجعة الطلب",
    "审核申请表格",
    "🎉👩‍⚕️👍🏽",
    "e\u0301" * 40,
    "x" * 300,
    "a long name of many words that does not end " * 7,
    " ",
    "",
    "start",
    "s",
    "e",
    "n0",
    "▶",
    "javascript:alert(1)",
    "url(https://example.org/x)",
    "${7*7} {{7*7}} %s",
)


def _map(names, pairs, annotations=("frequency",), resolution=1_000_000, seed=7):
    """A map whose weights spread over some orders of magnitude."""
    draw = random.Random(seed)
    edges = [Edge(*pair) for pair in dict.fromkeys(pairs)]
    edges = tuple(edges[place] for place in canonical_order(edges))
    weights = {}
    for kind in map(Annotation, annotations):
        top = 10_000_000 if kind.is_time else 3_000
        weights[kind] = tuple(
            None if kind.is_time and None in edge else int(top ** draw.random()) for edge in edges
        )
    return ReleasedGraph(tuple(sorted(set(names))), edges, weights, resolution)


@pytest.fixture(scope="session")
def make_map():
    return _map


@pytest.fixture(scope="session")
def make_path(make_map):
    """A map over the names: a path through all of them, a loop, a way back."""

    def make(names, annotations=("frequency",)):
        names = sorted(set(names))
        pairs = [(None, names[0]), (names[-1], None), (names[0], names[0]), (names[-1], names[0])]
        pairs += itertools.pairwise(names)
        return make_map(names, pairs, annotations)

    return make


@pytest.fixture(scope="session")
def make_dense(make_map):
    """A random map of so many activities and edges."""

    def make(activities, edges, annotations=("frequency",), seed=1):
        draw = random.Random(seed)
        names = [f"Activity {place:03d}" for place in range(activities)]
        pairs = [(None, names[0]), (names[-1], None), *itertools.pairwise(names)]
        every = [(a, b) for a in names for b in names] + [(a, None) for a in names]
        draw.shuffle(every)
        pairs = list(dict.fromkeys([*pairs, *every]))[:edges]
        return make_map(names, pairs, annotations, seed=seed)

    return make


@pytest.fixture(scope="session")
def certificate_of():
    def make(graph, **options):
        if not options.keys() & {"max_risk", "max_error"}:
            options["max_risk"] = "0.2"
        parameters = PlanParameters.of(
            annotate=[kind.value for kind in graph.annotations], **options
        )
        return make_certificate(
            parameters, version="0.1.0", date="2026-11-30", resolution="1s", max_duration="30d"
        )

    return make


@pytest.fixture(scope="session")
def small(make_path):
    return make_path(["Register", "Triage", "Discharge"], ["frequency", "mean"])


@pytest.fixture(scope="session")
def nasty(make_path):
    return make_path(NASTY, ["frequency", "mean"])


@pytest.fixture(scope="session")
def sepsis_like(make_dense):
    return make_dense(16, 135, ["frequency", "mean"])
