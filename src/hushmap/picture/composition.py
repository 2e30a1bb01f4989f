"""The map itself: sizes for the layout, and shapes where the layout puts them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hushmap.graph import END_LABEL, START_LABEL, Annotation
from hushmap.picture.canvas import Box, Circle, Group, Path, Shape, Text
from hushmap.picture.layout import (
    END,
    START,
    EdgeLine,
    EdgeSize,
    Layout,
    NodeSize,
    dot_layout,
    simple_layout,
)
from hushmap.picture.lettering import text_width, wrapped
from hushmap.picture.selection import Selection, select

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hushmap.picture.canvas import Point
    from hushmap.picture.view import MapFacts, View

NAME_SIZE, COUNT_SIZE, LABEL_SIZE, SECOND_SIZE = 12.0, 11.0, 11.0, 10.0
LABEL_LINE = 13.0
_NAME_LINE, _NAME_WIDTH, _NAME_LINES = 15.0, 150.0, 3
_NODE_PADDING, _NODE_LEAST, _END_RADIUS = 26.0, 84.0, 14.0
FAINT = 0.5
_DASH = (4.0, 3.0)  # at width 0; a dash grows with its line, or a thick one is a row of squares
_LOOP = 18.0  # how far a loop stands out
# Seconds for dot and the share of the edges that it may try in them: about ten in all.
_ATTEMPTS = ((6.0, 1.0), (2.5, 0.5), (1.0, 0.25))


@dataclass(frozen=True)
class PlacedMap:
    """A map with a place for everything.

    Attributes:
        facts: The released numbers.
        selection: What is drawn.
        layout: Where.
        names: The lines of each activity's name.
    """

    facts: MapFacts
    selection: Selection
    layout: Layout
    names: Mapping[str, Sequence[str]]

    def moved(self, dx: float, dy: float) -> PlacedMap:
        """The same map at another place."""
        return replace(self, layout=self.layout.moved(dx, dy))

    def with_facts(self, facts: MapFacts) -> PlacedMap:
        """The same places with other numbers."""
        return replace(self, facts=facts)

    def key(self, name: str | None, none: str) -> str:
        """The key of a node in the layout."""
        return none if name is None else f"n{self._places[name]}"

    @property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.facts.graph.activities)}

    @property
    def has_labels(self) -> bool:
        """Whether edges have room for their numbers (not in the simple layout)."""
        return any(line.label is not None for line in self.layout.edges.values())


def place_map(facts: MapFacts, views: Sequence[View], limit: int) -> PlacedMap:
    """Lay a map out with room for the labels of all these views.

    Args:
        facts: The released numbers.
        views: What the labels will have to hold.
        limit: How many edges at most; fewer where dot does not manage.
    """
    names = {
        name: wrapped(name, NAME_SIZE, _NAME_WIDTH, _NAME_LINES) for name in facts.graph.activities
    }
    selection = select(facts.graph, limit)
    for seconds, share in _ATTEMPTS:
        if share < 1:
            selection = select(facts.graph, max(1, int(min(limit, len(facts.graph.edges)) * share)))
        nodes, edges = _sizes(facts, views, selection, names)
        layout = dot_layout(nodes, edges, seconds=seconds)
        if layout is not None:
            return PlacedMap(facts, selection, layout, names)
    nodes, edges = _sizes(facts, views, selection, names)
    return PlacedMap(facts, selection, simple_layout(nodes, edges), names)


def _sizes(
    facts: MapFacts, views: Sequence[View], selection: Selection, names: Mapping[str, list[str]]
) -> tuple[list[NodeSize], list[EdgeSize]]:
    graph = facts.graph
    ends = [graph.edges[place] for place in selection.edges]
    nodes = []
    if any(edge.source is None for edge in ends):
        nodes.append(NodeSize(START, 2 * _END_RADIUS, 2 * _END_RADIUS))
    for place in selection.activities:
        name = graph.activities[place]
        nodes.append(NodeSize(f"n{place}", *_node_size(facts, name, names[name])))
    if any(edge.target is None for edge in ends):
        nodes.append(NodeSize(END, 2 * _END_RADIUS, 2 * _END_RADIUS))
    places = {name: place for place, name in enumerate(graph.activities)}
    ranking = facts.scales.get(Annotation.FREQUENCY)
    edges = []
    for place in selection.edges:
        source, target = graph.edges[place]
        weight = facts.weight(place, Annotation.FREQUENCY) if ranking else None
        pull = 0.0 if ranking is None or weight is None else weight / ranking.high
        edges.append(
            EdgeSize(
                place,
                START if source is None else f"n{places[source]}",
                END if target is None else f"n{places[target]}",
                *_label_room(facts, place, views, loop=source == target),
                pull=min(1.0, pull),
                head=head_length(facts.edge_width(place)),
            )
        )
    return nodes, edges


def _node_size(facts: MapFacts, name: str, lines: Sequence[str]) -> tuple[float, float]:
    width = max(text_width(line, NAME_SIZE) for line in lines)
    count = facts.node_text(name)
    width = max(width, text_width(count, COUNT_SIZE)) + _NODE_PADDING
    height = _NAME_LINE * (len(lines) + bool(count)) + 10
    return max(_NODE_LEAST, math.ceil(width)), height


def _label_room(
    facts: MapFacts, place: int, views: Sequence[View], *, loop: bool
) -> tuple[float, float]:
    width = height = 0.0
    for view in views:
        lines = facts.edge_lines(place, view)
        for line in lines:
            width = max(width, text_width(line, LABEL_SIZE) + 8)
        height = max(height, LABEL_LINE * len(lines) + 2)
    return (width + (_LOOP if loop else 0), height) if width else (0.0, 0.0)


def head_length(width: float) -> float:
    """How long the arrow head of a line is.

    Example:
        >>> head_length(1.0), head_length(6.0)
        (6.5, 14.0)
    """
    return 5.0 + 1.5 * width


def dashes(width: float) -> tuple[float, float]:
    """The dashes of an edge from the start or to the end.

    Example:
        >>> dashes(1.0), dashes(5.0)
        ((5.0, 3.6), (9.0, 6.0))
    """
    return _DASH[0] + width, _DASH[1] + 0.6 * width


def map_shapes(placed: PlacedMap, view: View) -> list[Shape]:
    """The shapes of a map: edges, over them their labels, over them the activities."""
    graph = placed.facts.graph
    lines: list[Shape] = []
    labels: list[Shape] = []
    # Faint and thin ones first, so that the frequent ones lie above.
    order = sorted(
        placed.selection.edges, key=lambda place: (placed.facts.edge_width(place), place)
    )
    for place in order:
        line = placed.layout.edges.get(place)
        if line is None:
            continue
        if graph.edges[place].source == graph.edges[place].target:
            line = _loop(placed, place, line)
        lines.append(_edge(placed.facts, place, line, view))
        if line.label is not None:
            labels.append(_label(placed.facts, place, line.label, view))
    nodes: list[Shape] = []
    for place in placed.selection.activities:
        middle = placed.layout.nodes.get(f"n{place}")
        if middle is not None:
            nodes.append(_node(placed, place, graph.activities[place], middle))
    for key, words in ((START, f"{START_LABEL} start of a case"), (END, f"{END_LABEL} end")):
        if key in placed.layout.nodes:
            nodes.append(_end(key, placed.layout.nodes[key], words))
    return [
        Group(tuple(lines), kind="edges"),
        Group(tuple(labels), kind="labels"),
        Group(tuple(nodes), kind="nodes"),
    ]


def _loop(placed: PlacedMap, place: int, line: EdgeLine) -> EdgeLine:
    """A loop that can be seen: dot's own is no larger than an arrow head."""
    name = placed.facts.graph.edges[place].source
    assert name is not None
    x, y = placed.layout.nodes[placed.key(name, START)]
    right = x + _node_size(placed.facts, name, placed.names[name])[0] / 2
    head = head_length(placed.facts.edge_width(place))
    out = right + max(_LOOP, head + 6) * 1.2
    points = ((right, y - 10), (out, y - 16), (out, y + 14), (right + head * 0.9, y + 9))
    label = line.label
    if label is not None:
        label = (label[0] + _LOOP / 2, label[1])
    return EdgeLine(points, (right, y + 7), label)


def _edge(facts: MapFacts, place: int, line: EdgeLine, view: View) -> Group:
    colour = facts.edge_colour(place, view.coloured_by)
    width = facts.edge_width(place)
    dash = dashes(width) if None in facts.graph.edges[place] else ()
    stroke = Path(line.points, colour, width, curved=True, dash=dash, kind="line")
    return Group(
        (stroke, *_head(line, width, colour)),
        facts.edge_title(place),
        kind="edge",
        marks=(("e", str(place)),),
        opacity=FAINT if facts.edge_faint(place, view.coloured_by) else 1.0,
    )


def _head(line: EdgeLine, width: float, colour: str) -> list[Shape]:
    (x0, y0), (x1, y1) = line.points[-1], line.tip
    length = math.hypot(x1 - x0, y1 - y0)
    if length < 0.5:
        return []
    half = max(3.0, 1.25 * width)
    nx, ny = -(y1 - y0) / length * half, (x1 - x0) / length * half
    corners = ((x0 + nx, y0 + ny), (x1, y1), (x0 - nx, y0 - ny))
    return [Path(corners, fill=colour, closed=True, kind="head")]


def _label(facts: MapFacts, place: int, middle: Point, view: View) -> Group:
    """The numbers of an edge on a patch of paper, so that lines below do not disturb."""
    kinds = [kind for kind in view.shown if facts.edge_text(place, kind)]
    lines = facts.edge_lines(place, view)
    x, y = middle
    width = max((text_width(line, LABEL_SIZE) for line in lines), default=0.0)
    height = LABEL_LINE * len(lines)
    items: list[Shape] = []
    if lines:
        box = Box(x - width / 2 - 2, y - height / 2, width + 4, height, 3, "paper", opacity=0.8)
        items.append(box)
    baseline = y - height / 2 + LABEL_LINE - 3
    for number, (kind, line) in enumerate(zip(kinds, lines, strict=True)):
        size, colour = (LABEL_SIZE, "ink") if number == 0 else (SECOND_SIZE, "muted")
        if facts.number_faint(place, kind):
            colour = "faint"
        items.append(Text(x, baseline + number * LABEL_LINE, line, size, fill=colour))
    marks = (("e", str(place)), ("at", f"{x:.1f},{y:.1f}"))
    return Group(tuple(items), facts.edge_title(place), "label", marks)


def _node(placed: PlacedMap, place: int, name: str, middle: Point) -> Group:
    facts, lines = placed.facts, placed.names[name]
    width, height = _node_size(facts, name, lines)
    x, y = middle
    level = facts.node_level(name)
    box = Box(x - width / 2, y - height / 2, width, height, 6, f"n{level}", "outline", kind="face")
    count = facts.node_text(name)
    baseline = y - height / 2 + 5 + _NAME_LINE - 3.5
    items: list[Shape] = [box]
    for number, line in enumerate(lines):
        at = baseline + number * _NAME_LINE
        items.append(Text(x, at, line, NAME_SIZE, fill=f"t{level}", bold=True))
    if count:
        at = baseline + len(lines) * _NAME_LINE
        items.append(Text(x, at, count, COUNT_SIZE, fill=f"t{level}"))
    return Group(tuple(items), facts.node_title(name), "node", (("a", str(place)),))


def _end(key: str, middle: Point, words: str) -> Group:
    x, y = middle
    ring = Circle(x, y, _END_RADIUS - 1, "paper", "ink", 1.5)
    corners: tuple[Point, ...]
    if key == START:
        corners = ((x - 3.5, y - 5.5), (x + 6, y), (x - 3.5, y + 5.5))
    else:
        corners = ((x - 4.5, y - 4.5), (x + 4.5, y - 4.5), (x + 4.5, y + 4.5), (x - 4.5, y + 4.5))
    sign = Path(corners, fill="ink", closed=True)
    return Group((ring, sign), words, "terminal", (("a", key),))
