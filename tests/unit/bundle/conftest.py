"""Maps and certificates to write, and names that every format must survive."""

from __future__ import annotations

import contextlib
import os
import tempfile
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import pytest

from hushmap.graph import Annotation, Edge, ReleasedGraph
from hushmap.planning.parameters import PlanParameters
from hushmap.release.certificate import make_certificate
from hushmap.release.report import OwnerReport
from hushmap.timespan import exact_timespan

NASTY_NAMES = (
    "Register, then check",
    'say "A"',
    '"quoted"',
    "two\nlines",
    "carriage\rreturn",
    "both\r\nof them",
    "\nouter\n",
    "\ttab\t",
    "--",
    "-- DROP TABLE",
    "=1+1",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "<script>alert(1)</script>",
    "</script><script>alert(1)//",
    "</style></title>",
    "<!-- comment -->",
    "]]>",
    "<![CDATA[x]]>",
    "&amp; &lt;b&gt; &#92;n",
    "<b>bold</b>",
    "<html><img src='https://example.org/x'>",
    "back\\slash",
    "\\",
    "\\\\",
    "\\N \\G \\L \\E \\n \\l \\r",
    'end\\"',
    '"];x[',
    '"]; node [label="x',
    "n0",
    "start",
    "end",
    "node",
    "▶",
    "■",
    "null",
    "None",
    "nan",
    "0x5",
    "0>1x5",
    "3",
    " ",
    "  two blanks around  ",
    "\u00a0",
    "\u200b",
    "\u202ertl override\u202c",
    "\u200fmark\u200e",
    "مراجعة",
    "审核",
    "🎉👩‍⚕️",
    "e\u0301",
    "\u00e9",
    "\x00",
    "nul\x00inside",
    "\x01\x02\x1f\x7f",
    "\x1b[31mred\x1b[0m",
    "\x0b\x0c\x85\u2028\u2029",
    "\ufeffmark of order",
    "\ufffe\uffff",
    "␊",
    "␦",
    "␦␊",
    "␦E",
    "\\u0041",
    "x" * 10_000,
    "/etc/passwd",
    "../../x",
    "{{ 7*7 }}",
    "${HOME}",
    "%s%n",
    "javascript:alert(1)",
    "a|b|{c}",
)

_NOBODY = 65534
_VERSION = version("hushmap")


@pytest.fixture
def nobody():
    """As somebody whom permissions bind: root may read and write everywhere."""

    @contextlib.contextmanager
    def somebody():
        root = os.getuid() == 0
        if root:
            os.seteuid(_NOBODY)
        try:
            yield
        finally:
            if root:
                os.seteuid(0)

    return somebody


@pytest.fixture
def own_directory():
    """A directory of `nobody`, where every parent can be entered."""
    with tempfile.TemporaryDirectory() as parent:
        if os.getuid() == 0:
            os.chown(parent, _NOBODY, _NOBODY)
        yield Path(parent)


@pytest.fixture(scope="session")
def nasty_names():
    return tuple(sorted(NASTY_NAMES))


@pytest.fixture(scope="session")
def make_graph():
    """A map over the names: a path through all of them, loops, and a way back."""

    def make(names, annotations=("frequency",), resolution=1_000_000):
        names = tuple(sorted(set(names)))
        edges = {Edge(None, names[0]), Edge(names[-1], None), Edge(None, names[-1])}
        edges |= {Edge(*pair) for pair in pairwise(names)}
        edges |= {Edge(names[0], names[0]), Edge(names[-1], names[0])}
        ordered = tuple(
            sorted(edges, key=lambda e: (e[0] is not None, e[0] or "", e[1] is None, e[1] or ""))
        )
        weights = {}
        for kind in map(Annotation, annotations):
            weights[kind] = tuple(
                None
                if kind.is_time and None in edge
                else place * 7919 % 1013 * len(kind.value) ** place_power(place) + 1
                for place, edge in enumerate(ordered)
            )
        return ReleasedGraph(names, ordered, weights, resolution)

    def place_power(place):
        return place % 23  # up to 9**22: more than 64 bits, and far more than a float holds

    return make


@pytest.fixture(scope="session")
def make_certificate_of():
    """The certificate of a map, with any option of a plan."""

    def make(graph, program_version=_VERSION, **options):
        if not options.keys() & {"max_risk", "max_error"}:
            options["max_risk"] = "0.2"
        parameters = PlanParameters.of(
            annotate=[kind.value for kind in graph.annotations], **options
        )
        return make_certificate(
            parameters,
            version=program_version,
            date="2026-11-30",
            resolution=exact_timespan(graph.resolution),
            max_duration="30d" if parameters.range_kind == "declared" else None,
        )

    return make


@pytest.fixture(scope="session")
def report():
    row = {
        "source": "A", "target": None, "annotation": "max", "occurrences": 3, "range": 54000.0,
        "actual": 54000.0, "released": 61234.0, "derived": False, "epsilon": 3.138e-05,
        "epsilon_range": 1.6946, "risk": 0.4, "risk_any": 0.4, "expected_ape": 0.58,
        "realised_ape": 0.13, "attacker": "any",
    }  # fmt: skip
    summary = {"release": {"risk": 0.4, "draws": 1}, "max": {"max_risk": 0.4}}
    return OwnerReport(summary, (row,), ("A note.",))


@pytest.fixture(scope="session")
def small(make_graph):
    return make_graph(["Billing", "Discharge", "Register"], ["frequency", "mean"])


@pytest.fixture(scope="session")
def small_certificate(small, make_certificate_of):
    return make_certificate_of(small, range_kind="declared")
