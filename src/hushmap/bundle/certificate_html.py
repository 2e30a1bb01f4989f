"""`certificate.html`: what the map promises, for people; one page that loads and runs nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from hushmap.bundle.certificate_json import (
    UNKNOWN_HASH,
    certificate_json,
    fingerprint,
    is_share,
)
from hushmap.bundle.certificate_style import STYLE
from hushmap.bundle.visible import XML_FORBIDDEN, visible
from hushmap.release.sentences import points

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hushmap.graph import ReleasedGraph
    from hushmap.release.certificate import Certificate

# The page may use its own style and nothing else: no script, no picture, no address.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
ESCAPED = XML_FORBIDDEN + "\r"
_LISTED_OPENLY = 60
PAGE = "certificate.html"
_MARK = '<meta name="certificate.json" content="{}">'
_MARKED = re.compile(re.escape(_MARK).replace(re.escape("{}"), "([0-9a-f]{64})").encode())

_SHOWN = {
    "frequency": "how often the step was taken",
    "sum": "how long the step took in total",
    "mean": "how long the step took on average",
    "min": "how long the step took at least",
    "max": "how long the step took at most",
}
_ATTACKERS = {
    "any": "any, whatever was believed beforehand",
    "empirical": "believes that durations are distributed as in this log; computed exactly",
    "paper": (
        "believes that durations are distributed as in this log; "
        "bound of Elkoumy, Pankova and Dumas (2020)"
    ),
}
_QUESTIONS = {"whether": "whether a step took place", "how long": "how long a step took"}
_UNITS = {
    "occurrence": "one step of one case (one activity directly followed by another)",
    "case": "one case",
}
_UNIT_LIMITS = {
    "event": "Limit for adding or removing one event",
    "timestamp": "Limit for moving one timestamp",
}


def certificate_html(
    certificate: Certificate, graph: ReleasedGraph, files: Mapping[str, str]
) -> bytes:
    """The certificate as a page.

    Args:
        certificate: What is promised.
        graph: What is shown: its names, and how many they are.
        files: SHA-256 of the files that the page names: all public ones but the certificate's own.
    """
    record = certificate_json(replace(certificate, files={**files, PAGE: UNKNOWN_HASH}))
    body = "".join(
        [
            _header(certificate),
            _section("What this map shows", _shows(certificate, graph)),
            _section("What is promised", _points(certificate.promised, "promised")),
            _section("What is not promised", _points(certificate.not_promised, "not-promised")),
            _section("How it was protected", _mechanisms(certificate)),
            _section("Parameters", _parameters(certificate)),
            _section("Files", _files(files)),
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"{_MARK.format(fingerprint(record, UNKNOWN_HASH))}\n"
        "<title>Certificate of a process map · hushmap</title>\n"
        f"<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    ).encode()


def fingerprint_in(page: bytes) -> str | None:
    """The fingerprint of the `certificate.json` that a page was made with; None if it has none."""
    found = _MARKED.search(page)
    return None if found is None else found.group(1).decode()


def _text(text: str) -> str:
    return escape(visible(text, ESCAPED))


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"


def _chosen(limit: float) -> str:
    """A limit in percent as the owner wrote it; a rounded one might promise more than holds."""
    return f"{limit * 100:.10g}"


def _section(title: str, content: str) -> str:
    return f"<section>\n<h2>{title}</h2>\n{content}</section>\n"


def _header(certificate: Certificate) -> str:
    if certificate.risk is not None:
        figure, unit = _chosen(certificate.risk), "percentage points"
        share = "" if certificate.scope == "release" else ", from each kind of number alone"
        meaning = (
            "is what the attacker described below gains from this map in the chance of guessing "
            f"a secret about one single step of one case{share}."
        )
    else:
        figure, unit = _percent(certificate.limit), "error"
        meaning = (
            "is the limit that the owner set, and the noise is as strong as it leaves room for. "
            "No risk is promised."
        )
    return (
        '<header>\n<p class="brand">hushmap</p>\n<h1>Certificate of a process map</h1>\n'
        f'<p class="when">Released on <time>{_text(certificate.date)}</time> '
        f"by version {_text(certificate.version)}</p>\n"
        f'<div class="limit"><p class="figure">at most <strong>{figure}</strong> {unit}</p>'
        f"<p>{meaning}</p></div>\n</header>\n"
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _shows(certificate: Certificate, graph: ReleasedGraph) -> str:
    activities = _count(len(graph.activities), "activity", "activities")
    edges = _count(len(graph.edges), "edge", "edges")
    kinds = "".join(
        f"<li><b>{_text(kind)}</b>: {_SHOWN[kind]}</li>" for kind in certificate.annotations
    )
    names = "".join(f"<li><bdi>{_text(name)}</bdi></li>" for name in graph.activities)
    listed = f'<ul class="names">{names}</ul>'
    if len(graph.activities) > _LISTED_OPENLY:
        listed = f"<details><summary>All {activities}</summary>{listed}</details>"
    return (
        f"<p>{activities} and {edges}: the steps from one activity directly to the next, from the "
        f"start of a case and to its end. For each edge:</p>\n<ul>{kinds}</ul>\n"
        f"<p>These names stand in the map as they stand in the log:</p>\n{listed}\n"
    )


def _points(sentences: Iterable[str], kind: str) -> str:
    items = "".join(f"<li>{_text(sentence)}</li>\n" for sentence in sentences)
    return f'<ul class="{kind}">\n{items}</ul>\n'


def _table(kind: str, rows: Iterable[tuple[str, str]]) -> str:
    """Rows of a heading and a value, both HTML."""
    lines = "".join(
        f'<tr><th scope="row">{head}</th><td>{value}</td></tr>\n' for head, value in rows
    )
    return f'<table class="{kind}">\n<tbody>\n{lines}</tbody>\n</table>\n'


def _mechanisms(certificate: Certificate) -> str:
    return _table(
        "mechanisms",
        (
            (_text(kind), _text(certificate.mechanisms.get(kind, "")))
            for kind in certificate.annotations
        ),
    )


def _parameters(certificate: Certificate) -> str:
    limited = certificate.risk is not None
    questions = "Questions covered" if limited else "Questions the noise is scaled to"
    rows = [
        *_limit_rows(certificate),
        ("Calibrated for", _scope(certificate), "scope"),
        (questions, "; ".join(_QUESTIONS[goal] for goal in certificate.goals), "goals"),
        ("Protected unit", _UNITS[certificate.protects], "protects"),
        ("Edges and activities", f"as {certificate.edge_set}, not protected", "edge_set"),
        *_attacker_rows(certificate),
        *_time_rows(certificate),
    ]
    if certificate.epsilon is not None:
        rows.append(("ε of every frequency", f"{certificate.epsilon:.4g}", "epsilon"))
    rows += [
        (_UNIT_LIMITS.get(unit, unit), points(limit), "unit_limits")
        for unit, limit in sorted(certificate.unit_limits.items())
    ]
    return _table(
        "parameters",
        ((f"{_text(head)} <code>{key}</code>", _text(value)) for head, value, key in rows),
    )


def _limit_rows(certificate: Certificate) -> list[tuple[str, str, str]]:
    if certificate.risk is not None:
        gain = f"{_chosen(certificate.risk)} percentage points"
        return [("Largest gain in a guess", gain, "risk")]
    if certificate.error_reading == "per-edge":
        reading = "of every edge"
        if certificate.confidence is not None:
            reading += f", with a probability of {_percent(certificate.confidence)}"
    else:
        reading = "expected, on average over the edges"
    return [("Largest error", f"{_percent(certificate.limit)} {reading}", "limit")]


def _scope(certificate: Certificate) -> str:
    if certificate.scope == "release":
        return "everything in this map taken together"
    return "each kind of number alone"


def _attacker_rows(certificate: Certificate) -> list[tuple[str, str, str]]:
    head = "Attacker" if certificate.risk is not None else "Attacker the noise is scaled to"
    if certificate.against_any:
        whom = _ATTACKERS["any"]
        if certificate.attacker != "any":
            whom += f" ({certificate.attacker}, which was chosen, saves no noise here)"
        return [(head, whom, "attacker"), *_cap_rows(certificate)]
    rows = [(head, _ATTACKERS[certificate.attacker], "attacker")]
    if certificate.precision is not None:
        precision = certificate.precision
        near = f"{precision} of the edge's range" if is_share(precision) else precision
        rows.append(("A guess counts as right within", near, "precision"))
    few = f"edges of fewer than {certificate.min_occurrences} occurrences"
    return [
        *rows,
        *_cap_rows(certificate),
        ("Protected against any belief", few, "min_occurrences"),
    ]


def _cap_rows(certificate: Certificate) -> list[tuple[str, str, str]]:
    if certificate.max_risk_any is None:
        return []
    gain = f"{_chosen(certificate.max_risk_any)} percentage points"
    return [("Largest gain with any other belief", gain, "max_risk_any")]


def _time_rows(certificate: Certificate) -> list[tuple[str, str, str]]:
    if certificate.range_kind is None:
        return []
    if certificate.range_kind == "observed":
        longest = "as observed in the log, not protected"
    else:
        longest = f"declared in public: {certificate.max_duration or 'one bound per edge'}"
    return [
        ("Longest time", longest, "range"),
        ("Times are counted in steps of", certificate.resolution, "resolution"),
    ]


def _files(files: Mapping[str, str]) -> str:
    rows = [
        (_text(name), f'<code class="hash">{_text(digest)}</code>')
        for name, digest in sorted(files.items())
    ]
    return (
        "<p>This page belongs to these files and no others; each has the SHA-256 beside it. "
        "<code>hushmap show</code> checks them, and this page, against "
        "<code>certificate.json</code>, and <code>certificate.json</code> against this page.</p>\n"
    ) + _table("files", rows)
