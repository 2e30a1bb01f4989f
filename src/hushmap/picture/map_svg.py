"""The released map as a picture: SVG, and the same as PNG."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hushmap.graph import Annotation, ReleasedGraph
from hushmap.picture.canvas import Box, Circle, Drawing, Group, Path, Shape, Text, svg
from hushmap.picture.composition import PlacedMap, map_shapes, place_map
from hushmap.picture.legend import flowed, foot_lines, legend_entries
from hushmap.picture.promise import origin_line, promise_line
from hushmap.picture.view import MapFacts, View, choose_view

if TYPE_CHECKING:
    from hushmap.picture.palette import Theme
    from hushmap.release.certificate import Certificate

EDGE_LIMIT = 200
_MARGIN, _LEAST_WIDTH, _FOOT_WIDTH, _FOOT_LINE = 20.0, 400.0, 900.0, 16.0
_NAMED_IN_WORDS = 5


def map_svg(
    graph: ReleasedGraph,
    certificate: Certificate | None = None,
    *,
    primary: Annotation | str | None = None,
    secondary: Annotation | str | None = None,
    intervals: bool = False,
    limit_edges: int = EDGE_LIMIT,
    theme: Theme = "auto",
) -> bytes:
    """The map as one SVG file, which loads nothing and runs nothing.

    Args:
        graph: The released graph.
        certificate: What it promises; gives the foot of the picture, and the intervals.
        primary: The first number on an edge; by default the frequency, else the first there is.
        secondary: The second; by default the mean time or another; ``"none"`` for none.
        intervals: Write the 95 % interval beside a number, where its noise is public.
        limit_edges: Above this many edges the most frequent are drawn, and the picture says so.
        theme: ``auto`` follows the reader's light or dark setting.

    Raises:
        UsageError: The map does not show the annotation that is asked for.

    Example:
        >>> from hushmap.graph import Edge
        >>> graph = ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", None)),
        ...                       {Annotation.FREQUENCY: (12, 11)}, 1_000_000)
        >>> map_svg(graph)[:38]
        b'<svg xmlns="http://www.w3.org/2000/svg'
    """
    drawing = map_drawing(
        graph,
        certificate,
        primary=primary,
        secondary=secondary,
        intervals=intervals,
        limit_edges=limit_edges,
    )
    return svg(drawing, theme)


def map_drawing(
    graph: ReleasedGraph,
    certificate: Certificate | None = None,
    *,
    primary: Annotation | str | None = None,
    secondary: Annotation | str | None = None,
    intervals: bool = False,
    limit_edges: int = EDGE_LIMIT,
) -> Drawing:
    """The map as a drawing; the arguments are those of `map_svg`."""
    if type(graph) is not ReleasedGraph:
        raise TypeError("only a ReleasedGraph is drawn")
    view = choose_view(graph, primary, secondary, intervals=intervals)
    facts = MapFacts(graph, certificate)
    placed = place_map(facts, [view], limit_edges)
    return _framed(placed, view)


def _framed(placed: PlacedMap, view: View) -> Drawing:
    """The map with its legend and its foot below."""
    facts, selection, layout = placed.facts, placed.selection, placed.layout
    width = max(layout.width, _LEAST_WIDTH) + 2 * _MARGIN
    inner = width - 2 * _MARGIN
    left = (width - layout.width) / 2
    items = map_shapes(placed.moved(left, _MARGIN), view)
    y = _MARGIN + layout.height + 24
    rule = Path(((_MARGIN, y), (width - _MARGIN, y)), "rule", 1)
    entries = legend_entries(
        facts,
        view,
        faint=any(facts.edge_faint(place, view.coloured_by) for place in selection.edges),
        dashed=any(None in facts.graph.edges[place] for place in selection.edges),
    )
    rows, height = flowed(entries, inner)
    items.append(rule)
    y += 14
    items += [moved(shape, _MARGIN + dx, y + dy) for dx, dy, entry in rows for shape in entry.items]
    y += height + 8
    missing = selection.sentence()
    sentences = [
        promise_line(facts.certificate),
        f"{missing}." if missing else "",
        "" if placed.has_labels or not view.shown else "The numbers are in the table of the map.",
        origin_line(facts.certificate),
    ]
    for line in foot_lines(
        [sentence for sentence in sentences if sentence], min(inner, _FOOT_WIDTH)
    ):
        y += _FOOT_LINE
        items.append(Text(_MARGIN, y, line, 11, "start", "muted"))
    return Drawing(width, y + _MARGIN, tuple(items), map_title(facts), map_description(placed))


def map_title(facts: MapFacts) -> str:
    """What the picture is, in a few words."""
    activities, edges = len(facts.graph.activities), len(facts.graph.edges)
    return (
        f"Process map of {activities:,} {'activity' if activities == 1 else 'activities'} "
        f"and {edges:,} {'edge' if edges == 1 else 'edges'}"
    )


def map_description(placed: PlacedMap) -> str:
    """The map in sentences, for those who cannot see it."""
    facts, graph = placed.facts, placed.facts.graph
    sentences = [promise_line(facts.certificate)]
    if missing := placed.selection.sentence():
        sentences.append(f"{missing}.")
    if facts.flow:
        frequent = sorted(facts.flow, key=lambda name: (-facts.flow[name], name))
        named = "; ".join(map(facts.node_title, frequent[:_NAMED_IN_WORDS]))
        sentences.append(f"Most frequent activities: {named}.")
    kind = next(iter(graph.annotations), None)
    if kind is not None:
        weights = graph.weights[kind]
        order = sorted(range(len(weights)), key=lambda place: (-(weights[place] or 0), place))
        named = "; ".join(map(facts.edge_title, order[:_NAMED_IN_WORDS]))
        top = "Most frequent edges" if kind is Annotation.FREQUENCY else "Longest edges"
        sentences.append(f"{top}: {named}.")
    return " ".join(sentences)


def moved(shape: Shape, dx: float, dy: float) -> Shape:
    """A shape at another place."""
    if isinstance(shape, Group):
        return replace(shape, items=tuple(moved(item, dx, dy) for item in shape.items))
    if isinstance(shape, Path):
        return replace(shape, points=tuple((x + dx, y + dy) for x, y in shape.points))
    assert isinstance(shape, (Box, Circle, Text))
    return replace(shape, x=shape.x + dx, y=shape.y + dy)
