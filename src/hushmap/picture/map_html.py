"""`map.html`: the released map to explore, in one file that works offline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hushmap.bundle.weights import column, weight_text
from hushmap.graph import Annotation, ReleasedGraph
from hushmap.picture.canvas import Drawing, number, svg_inline, text
from hushmap.picture.composition import (
    FAINT,
    LABEL_LINE,
    LABEL_SIZE,
    SECOND_SIZE,
    PlacedMap,
    map_shapes,
    place_map,
)
from hushmap.picture.legend import legend_entries
from hushmap.picture.map_svg import EDGE_LIMIT, map_description, map_title
from hushmap.picture.page import asset, listed, options, page
from hushmap.picture.palette import PALETTE, all_rules
from hushmap.picture.promise import origin_line, promise_line
from hushmap.picture.scales import WORDS
from hushmap.picture.view import NO_SECOND, MapFacts, View, choose_view

if TYPE_CHECKING:
    from hushmap.release.certificate import Certificate

_MARGIN = 16.0


def map_html(
    graph: ReleasedGraph, certificate: Certificate, *, limit_edges: int = EDGE_LIMIT
) -> bytes:
    """The map as a page: pan, zoom, hide, search, sort, download; and what it promises.

    The page holds every released number; where there are many edges, only the picture is thinned.

    Args:
        graph: The released graph.
        certificate: What it promises.
        limit_edges: How many edges the picture shows at most; the table holds all.
    """
    if type(graph) is not ReleasedGraph:
        raise TypeError("only a ReleasedGraph is drawn")
    facts = MapFacts(graph, certificate)
    view = choose_view(graph, None, None, intervals=False)
    room = [View(kind, _other(graph, kind, view), intervals=True) for kind in graph.annotations]
    placed = place_map(facts, room or [view], limit_edges)
    body = "".join(
        [
            _header(facts, certificate),
            _explorer(placed, view),
            _table(facts),
            _certificate(certificate),
        ]
    )
    return page(
        f"{map_title(facts)} · hushmap",
        f'<a class="skip" href="#table">Skip to the table of edges</a>\n<main>\n{body}</main>\n',
        style=asset("base.css") + asset("map.css") + all_rules(),
        script=f"(() => {{\n{asset('map.js')}{asset('map_table.js')}}})();\n",
        blocks={"data": _data(placed, view), "look": _look()},
    )


def _other(graph: ReleasedGraph, kind: Annotation, view: View) -> Annotation | None:
    """Some second number: it decides the height of a label, not its width."""
    rest = [other for other in graph.annotations if other is not kind]
    return view.secondary if view.secondary in rest else next(iter(rest), None)


def _header(facts: MapFacts, certificate: Certificate) -> str:
    return (
        '<header>\n<p class="brand">hushmap</p>\n'
        f"<h1>{text(map_title(facts))}</h1>\n"
        f'<p class="promise">{text(promise_line(certificate))} '
        '<a href="#certificate">What is and is not promised</a></p>\n</header>\n'
    )


def _explorer(placed: PlacedMap, view: View) -> str:
    facts = placed.facts
    missing = placed.selection.sentence()
    note = f'<p class="note">{text(missing)}.</p>\n' if missing else ""
    return (
        '<section aria-label="Map">\n'
        f"{_controls(placed, view)}"
        '<div class="stage">\n'
        '<div id="map" class="viewport" tabindex="0" role="application" '
        'aria-label="Process map. Arrow keys move it, plus and minus zoom, 0 fits it. '
        'Tab goes on to the activities." aria-describedby="details">\n'
        f"{svg_inline(_bare(placed, view))}</div>\n"
        '<div class="zoom" role="group" aria-label="Zoom">'
        '<button type="button" id="zoom-in" aria-label="Zoom in">+</button>'
        '<button type="button" id="zoom-out" aria-label="Zoom out">−</button>'
        '<button type="button" id="zoom-fit" aria-label="Fit the whole map">Fit</button></div>\n'
        '</div>\n<p id="details" class="details" role="status" aria-live="polite">'
        "Point at an activity or an edge, or press Tab, to read its numbers.</p>\n"
        f"{_legends(placed)}{note}"
        f'<p class="note">{text(origin_line(facts.certificate))}.</p>\n</section>\n'
    )


def _controls(placed: PlacedMap, view: View) -> str:
    kinds = [(kind.value, WORDS[kind]) for kind in placed.facts.graph.annotations]
    numbers = ""
    if len(kinds) > 1:
        second = view.secondary.value if view.secondary else NO_SECOND
        numbers = (
            f'<label>First number <select id="primary">{options(kinds, kinds[0][0])}</select>'
            '</label>\n<label>Second number <select id="secondary">'
            f"{options([(NO_SECOND, 'none'), *kinds], second)}</select></label>\n"
        )
    intervals = ""
    if any(map(placed.facts.has_intervals, placed.facts.graph.annotations)):
        intervals = (
            '<label class="check"><input type="checkbox" id="intervals"> 95 % intervals</label>\n'
        )
    selection, graph = placed.selection, placed.facts.graph
    activities = _slider(
        "activities", "Activities", len(selection.activities), len(graph.activities)
    )
    paths = _slider("paths", "Paths", len(selection.edges), len(graph.edges))
    hidden = (
        "infrequent activities and paths"
        if placed.facts.flow
        else "activities and paths with short times"
    )
    return (
        '<form class="controls" id="controls">\n'
        f"{activities}{paths}{numbers}{intervals}"
        '<label>Search <input type="search" id="search" autocomplete="off" '
        'spellcheck="false" placeholder="an activity"></label>\n'
        '<span class="downloads" role="group" aria-label="Download">'
        '<button type="button" id="get-svg">SVG</button>'
        '<button type="button" id="get-csv">CSV</button>'
        '<button type="button" id="get-json">JSON</button></span>\n'
        f'<p class="note">The sliders hide {hidden} in this view only; '
        "what ties an activity in goes last. "
        "The released map stays whole: table, CSV and JSON hold every edge.</p>\n"
        "</form>\n"
    )


def _slider(name: str, label: str, most: int, whole: int) -> str:
    """A slider over what is drawn, which may be less than the whole map."""
    text = f"all {whole:,}" if most == whole else f"{most:,} of {whole:,}"
    shown = f'<output id="{name}-shown" for="{name}">{text}</output>'
    return (
        f'<label class="slider" for="{name}"><span>{label} {shown}</span>'
        f'<input type="range" id="{name}" min="1" max="{most}" value="{most}"></label>\n'
    )


def _bare(placed: PlacedMap, view: View) -> Drawing:
    """The map without legend and foot."""
    return Drawing(
        placed.layout.width + 2 * _MARGIN,
        placed.layout.height + 2 * _MARGIN,
        tuple(map_shapes(placed.moved(_MARGIN, _MARGIN), view)),
        map_title(placed.facts),
        map_description(placed),
    )


def _legends(placed: PlacedMap) -> str:
    """One legend per colouring; the script shows the one that applies."""
    facts = placed.facts
    dashed = any(None in facts.graph.edges[place] for place in placed.selection.edges)
    parts = []
    for kind in facts.graph.annotations:
        faint = any(facts.edge_faint(place, kind) for place in placed.selection.edges)
        entries = legend_entries(facts, View(kind, None), faint=faint, dashed=dashed)
        pictures = "".join(
            svg_inline(Drawing(entry.width + 2, 34, entry.items, "Legend", "Legend of the map"))
            for entry in entries
        )
        parts.append(f'<div class="legend" data-kind="{kind.value}">\n{pictures}</div>\n')
    return "".join(parts)


def _table(facts: MapFacts) -> str:
    """The head of the table; the script fills in the rows."""
    heads = [("source", "From"), ("target", "To")]
    for kind in facts.graph.annotations:
        heads.append((kind.value, WORDS[kind].capitalize()))
        if facts.has_intervals(kind):
            heads.append((kind.value, ""))
    cells = "".join(
        f'<th scope="col" data-column="{name}" data-label="{label}">'
        f'<button type="button">{label}</button></th>'
        if label
        else f'<th scope="col" data-column="interval" data-of="{name}">95 % interval</th>'
        for name, label in heads
    )
    edges = f"{len(facts.graph.edges):,} edges"
    return (
        f'<section id="table" tabindex="-1" aria-label="Table">\n<h2>All {edges}</h2>\n'
        '<p class="note" id="rows" role="status" aria-live="polite"></p>\n'
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table of edges">'
        f"<table><thead><tr>{cells}</tr></thead><tbody></tbody></table></div>\n</section>\n"
    )


def _certificate(certificate: Certificate) -> str:
    return (
        '<section id="certificate">\n<h2>What is promised</h2>\n'
        f"{listed(certificate.promised, 'promised')}<h2>What is not promised</h2>\n"
        f"{listed(certificate.not_promised, 'not-promised')}</section>\n"
    )


def _data(placed: PlacedMap, view: View) -> dict[str, Any]:
    """What the script needs. Numbers are text: some are larger than a float can hold."""
    facts, graph = placed.facts, placed.facts.graph
    places = {name: place for place, name in enumerate(graph.activities)}
    every = range(len(graph.edges))
    metrics = [
        {
            "key": kind.value,
            "words": WORDS[kind],
            "column": column(kind),
            "unit": kind.unit,
            "time": kind.is_time,
            "raw": [
                None if weight is None else weight_text(kind, weight, graph.resolution)
                for weight in graph.weights[kind]
            ],
            "text": [facts.edge_text(place, kind) for place in every],
            "colour": [facts.edge_colour(place, kind) for place in every],
            "faint": [int(facts.number_faint(place, kind)) for place in every],
            **_intervals(facts, kind),
        }
        for kind in graph.annotations
    ]
    return {
        "activities": list(graph.activities),
        "edges": [
            [
                None if source is None else places[source],
                None if target is None else places[target],
            ]
            for source, target in graph.edges
        ],
        "metrics": metrics,
        "titles": [facts.edge_title(place) for place in placed.selection.edges],
        "drawn": list(placed.selection.edges),
        "shown": list(placed.selection.activities),
        "flow": [facts.flow.get(name, 0) for name in graph.activities],
        "secondary": view.secondary.value if view.secondary else NO_SECOND,
        "foot": [promise_line(facts.certificate), origin_line(facts.certificate)],
    }


def _intervals(facts: MapFacts, kind: Annotation) -> dict[str, list[str]]:
    """How far each number may be off, where that is public: for labels, and for the table."""
    if not facts.has_intervals(kind):
        return {}
    every = range(len(facts.graph.edges))
    return {
        "off": [facts.off_text(place, kind) for place in every],
        "interval": [facts.interval_text(place, kind) for place in every],
    }


def _look() -> dict[str, Any]:
    """How the script draws labels, as here; and the style sheet of a downloaded picture."""
    return {
        "light": {token: light for token, (light, _) in PALETTE.items()},
        "style": all_rules(),
        "line": number(LABEL_LINE),
        "size": number(LABEL_SIZE),
        "second": number(SECOND_SIZE),
        "faint": FAINT,
    }
