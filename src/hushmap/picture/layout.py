"""Where everything stands: by Graphviz's dot, or simply in rows where dot cannot be had.

dot gets sizes, never names or fonts, so the same graph is laid out alike on every machine.
Coordinates are pixels, from the upper left corner downwards.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hushmap.picture.graphviz import run_graphviz

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hushmap.picture.canvas import Point

START, END = "s", "e"
_POINTS_PER_INCH = 72
_PUSHES, _WIDEST = 8, 400.0  # how often labels are pushed apart; the widest label
_HEAD_UNIT = 10  # Graphviz draws an arrow head of this length at arrowsize 1
_HEADER = (
    "digraph{rankdir=TB;nodesep=0.14;ranksep=0.36;"
    'node[shape=box,fixedsize=true,label=""];edge[arrowhead=normal];'
)
_LABEL = (
    'label=<<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0" FIXEDSIZE="TRUE" '
    'WIDTH="{width}" HEIGHT="{height}"><TR><TD></TD></TR></TABLE>>,'
)


@dataclass(frozen=True, slots=True)
class NodeSize:
    """A node to be placed."""

    key: str
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class EdgeSize:
    """An edge to be drawn.

    Attributes:
        key: Its place in the graph.
        source: Key of a node.
        target: Key of a node.
        label_width: Room for its label.
        label_height: Likewise.
        pull: From 0 to 1, how much it should be short and straight.
        head: Length of its arrow head.
    """

    key: int
    source: str
    target: str
    label_width: float
    label_height: float
    pull: float
    head: float


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """Where an edge runs: Bézier points, the tip of its arrow, the middle of its label."""

    points: tuple[Point, ...]
    tip: Point
    label: Point | None


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything stands; nodes by their middle."""

    width: float
    height: float
    nodes: Mapping[str, Point]
    edges: Mapping[int, EdgeLine]

    def moved(self, dx: float, dy: float) -> Layout:
        """The same layout at another place."""

        def shift(point: Point) -> Point:
            return point[0] + dx, point[1] + dy

        edges = {
            key: EdgeLine(
                tuple(map(shift, line.points)),
                shift(line.tip),
                None if line.label is None else shift(line.label),
            )
            for key, line in self.edges.items()
        }
        nodes = {key: shift(point) for key, point in self.nodes.items()}
        return Layout(self.width, self.height, nodes, edges)


def dot_layout(
    nodes: Sequence[NodeSize], edges: Sequence[EdgeSize], *, seconds: float
) -> Layout | None:
    """The layout of dot; None if it could not be had within the limits.

    Args:
        nodes: What is placed.
        edges: What runs between.
        seconds: The limit.
    """
    answer = run_graphviz(dot_source(nodes, edges), program="dot", output="json0", seconds=seconds)
    if answer is None:
        return None
    try:
        found = _read(json.loads(answer))
    except (ValueError, KeyError, IndexError):
        return None
    return labels_apart(found, edges)


def dot_source(nodes: Sequence[NodeSize], edges: Sequence[EdgeSize]) -> str:
    """The graph for dot: keys, sizes and weights.

    Edges against the main direction are turned round, so that dot's own breaking of cycles, which
    knows no frequencies, has nothing to do.
    """
    order = {key: place for place, key in enumerate(flow_order(nodes, edges))}
    lines = [_HEADER]
    for node in sorted(nodes, key=lambda node: order[node.key]):
        size = (
            f"[width={node.width / _POINTS_PER_INCH:.3f},"
            f"height={node.height / _POINTS_PER_INCH:.3f}]"
        )
        rank = {START: "source", END: "sink"}.get(node.key)
        lines.append(f"{{rank={rank};{node.key}{size}}}" if rank else f"{node.key}{size}")
    for edge in edges:
        label = ""
        if edge.label_width and edge.label_height:
            label = _LABEL.format(
                width=math.ceil(edge.label_width), height=math.ceil(edge.label_height)
            )
        ends, turned = f"{edge.source}->{edge.target}", ""
        if order[edge.source] > order[edge.target]:
            ends, turned = f"{edge.target}->{edge.source}", "dir=back,"
        lines.append(
            f"{ends}[{label}{turned}id={edge.key},"
            f"weight={1 + round(20 * edge.pull)},arrowsize={edge.head / _HEAD_UNIT:.2f}]"
        )
    return "\n".join([*lines, "}"])


def flow_order(nodes: Sequence[NodeSize], edges: Sequence[EdgeSize]) -> list[str]:
    """The nodes in the main direction of the flow: as little as possible runs backwards.

    The heuristic of Eades, Lin and Smyth (1993) with weights: what nothing enters goes to the
    front, what nothing leaves to the back, else whatever sends out most beyond what it receives.

    Example:
        >>> nodes = [NodeSize(key, 1, 1) for key in "bace"]
        >>> ends = [("a", "b", 0.9), ("b", "c", 0.8), ("c", "a", 0.1), ("c", "e", 0.5)]
        >>> flow_order(nodes, [EdgeSize(place, source, target, 0, 0, pull, 1)
        ...                    for place, (source, target, pull) in enumerate(ends)])
        ['a', 'b', 'c', 'e']
    """
    outgoing: dict[str, dict[str, float]] = {node.key: {} for node in nodes}
    incoming: dict[str, dict[str, float]] = {node.key: {} for node in nodes}
    for edge in edges:
        if edge.source != edge.target:
            outgoing[edge.source][edge.target] = incoming[edge.target][edge.source] = (
                edge.pull + 0.001
            )
    front: list[str] = []
    back: list[str] = []

    def surplus(key: str) -> float:
        if key in {START, END}:
            return math.inf if key == START else -math.inf
        return sum(outgoing[key].values()) - sum(incoming[key].values())

    left = [node.key for node in nodes]
    while left:
        sink = next((key for key in left if not outgoing[key] and key != START), None)
        source = next((key for key in left if not incoming[key] and key != END), None)
        chosen = sink or source or max(left, key=surplus)
        (back if sink else front).append(chosen)
        left.remove(chosen)
        for key in outgoing.pop(chosen):
            del incoming[key][chosen]
        for key in incoming.pop(chosen):
            del outgoing[key][chosen]
    return front + back[::-1]


def _read(answer: dict[str, Any]) -> Layout:
    left, bottom, right, top = map(float, answer["bb"].split(","))

    def point(text: str) -> Point:
        x, y = text.split(",")
        return float(x) - left, top - float(y)

    nodes = {item["name"]: point(item["pos"]) for item in answer["objects"] if "pos" in item}
    edges = {}
    for item in answer.get("edges", ()):
        parts = item["pos"].split(";")[0].split()
        tip = next((point(part[2:]) for part in parts if part[0] in "es"), None)
        points = tuple(point(part) for part in parts if part[0] not in "es")
        if parts[0].startswith("s,"):
            points = points[::-1]
        label = point(item["lp"]) if "lp" in item else None
        edges[int(item["id"])] = EdgeLine(points, tip or points[-1], label)
    return Layout(right - left, top - bottom, nodes, edges)


def labels_apart(layout: Layout, edges: Sequence[EdgeSize]) -> Layout:
    """The same layout where no label lies on another: dot sometimes puts two at one place.

    The lower one of two goes down, the upper one up, each by half of what they share.
    """
    sizes = {edge.key: (edge.label_width, edge.label_height) for edge in edges}
    places = {key: line.label for key, line in layout.edges.items() if line.label is not None}
    for _ in range(_PUSHES):
        moved = False
        order = sorted(places, key=lambda key: (places[key], key))
        for at, one in enumerate(order):
            for other in order[at + 1 :]:
                (x0, y0), (x1, y1) = places[one], places[other]
                (w0, h0), (w1, h1) = sizes[one], sizes[other]
                if x1 - x0 >= (w0 + _WIDEST) / 2:
                    break
                shared = (h0 + h1) / 2 - abs(y1 - y0)
                if shared <= 0.5 or abs(x1 - x0) >= (w0 + w1) / 2 - 0.5:
                    continue
                push = shared / 2 if (y1, other) > (y0, one) else -shared / 2
                places[one], places[other] = (x0, y0 - push), (x1, y1 + push)
                moved = True
        if not moved:
            break
    return replace(
        layout,
        edges={
            key: replace(line, label=places.get(key, line.label))
            for key, line in layout.edges.items()
        },
    )


_GAP_X, _GAP_Y, _ROW_WIDTH = 28.0, 64.0, 1600.0


def simple_layout(nodes: Sequence[NodeSize], edges: Sequence[EdgeSize]) -> Layout:
    """A layout in rows, by the number of steps from the start. Always there, never crowded.

    Labels get no place: their numbers are in the titles and in the table.
    """
    rows = _broken(_rows(nodes, edges))
    widest = max((_row_width(row) for row in rows), default=0.0)
    places: dict[str, Point] = {}
    y = 0.0
    for row in rows:
        x = (widest - _row_width(row)) / 2
        height = max(node.height for node in row)
        for node in row:
            places[node.key] = (x + node.width / 2, y + height / 2)
            x += node.width + _GAP_X
        y += height + _GAP_Y
    sizes = {node.key: node for node in nodes}
    lines = {edge.key: _straight(edge, places, sizes) for edge in edges}
    margin = _GAP_X  # loops stick out to the right
    return Layout(widest + margin, max(0.0, y - _GAP_Y), places, lines)


def _row_width(row: Sequence[NodeSize]) -> float:
    return sum(node.width + _GAP_X for node in row) - _GAP_X


def _rows(nodes: Sequence[NodeSize], edges: Sequence[EdgeSize]) -> list[list[NodeSize]]:
    """Breadth first from the start; what cannot be reached follows, the end comes last."""
    following: dict[str, list[str]] = {}
    for edge in sorted(edges, key=lambda edge: (-edge.pull, edge.key)):
        following.setdefault(edge.source, []).append(edge.target)
    keys = [node.key for node in nodes]
    sizes = {node.key: node for node in nodes}
    seen = {END}
    rows: list[list[NodeSize]] = []
    for first in [key for key in keys if key == START] + [key for key in keys if key != START]:
        row = [first] if first not in seen else []
        while row:
            seen.update(row)
            rows.append([sizes[key] for key in row])
            reached = [key for one in row for key in following.get(one, ()) if key not in seen]
            row = list(dict.fromkeys(reached))
    if END in sizes:
        rows.append([sizes[END]])
    return rows


def _broken(rows: list[list[NodeSize]]) -> list[list[NodeSize]]:
    result: list[list[NodeSize]] = []
    for row in rows:
        part: list[NodeSize] = []
        for node in row:
            if part and _row_width([*part, node]) > _ROW_WIDTH:
                result.append(part)
                part = []
            part.append(node)
        result.append(part)
    return result


def _straight(
    edge: EdgeSize, places: Mapping[str, Point], sizes: Mapping[str, NodeSize]
) -> EdgeLine:
    """A line from border to border, slightly bent so that both directions can be seen."""
    (x0, y0), (x1, y1) = places[edge.source], places[edge.target]
    if edge.source == edge.target:
        half, side = sizes[edge.source].width / 2, sizes[edge.source].height / 4
        loop = ((x0 + half, y0 - side), (x0 + half + 24, y0 - side), (x0 + half + 24, y0 + side))
        last = (x0 + half + edge.head, y0 + side)
        return EdgeLine((*loop, last), (x0 + half, y0 + side), None)
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    bend = 0.12 * length
    middle = ((x0 + x1) / 2 - (y1 - y0) / length * bend, (y0 + y1) / 2 + (x1 - x0) / length * bend)
    first = _on_border(places[edge.source], middle, sizes[edge.source])
    tip = _on_border(places[edge.target], middle, sizes[edge.target])
    away = math.hypot(middle[0] - tip[0], middle[1] - tip[1]) or 1.0
    share = min(1.0, edge.head / away)
    last = (tip[0] + (middle[0] - tip[0]) * share, tip[1] + (middle[1] - tip[1]) * share)
    return EdgeLine((first, middle, middle, last), tip, None)


def _on_border(middle: Point, towards: Point, size: NodeSize) -> Point:
    dx, dy = towards[0] - middle[0], towards[1] - middle[1]
    stretch = min(
        size.width / 2 / abs(dx) if dx else math.inf, size.height / 2 / abs(dy) if dy else math.inf
    )
    if math.isinf(stretch):
        return middle
    return middle[0] + dx * min(1.0, stretch), middle[1] + dy * min(1.0, stretch)
