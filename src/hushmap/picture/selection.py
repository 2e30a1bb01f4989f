"""Which edges a picture shows when there are too many: the most frequent, every activity tied in.

The choice is made from released numbers alone. The released graph stays whole: only the picture
is thinned, and it says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.graph import Annotation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hushmap.graph import Edge, _DrawnGraph

_FOR_THE_BACKBONE = 0.8


@dataclass(frozen=True, slots=True)
class Selection:
    """What is drawn.

    Attributes:
        edges: Places in ``graph.edges``, in canonical order.
        activities: Places in ``graph.activities``.
        all_edges: How many edges the graph has.
        all_activities: How many activities the graph has.
        by: What the edges were chosen by.
    """

    edges: tuple[int, ...]
    activities: tuple[int, ...]
    all_edges: int
    all_activities: int
    by: Annotation | None

    @property
    def complete(self) -> bool:
        """Whether everything is drawn."""
        return len(self.edges) == self.all_edges and len(self.activities) == self.all_activities

    def sentence(self) -> str:
        """What is missing from the picture, in words; nothing if it is complete."""
        if self.complete:
            return ""
        chosen = "the most frequent" if self.by is Annotation.FREQUENCY else "the longest"
        if self.by is None:
            chosen = "the first by name"
        some = f"{len(self.edges):,} of {self.all_edges:,} edges"
        if len(self.activities) < self.all_activities:
            some += f" and {len(self.activities):,} of {self.all_activities:,} activities"
        return f"{some} drawn, {chosen}; the released map holds all"


def select(graph: _DrawnGraph, limit: int) -> Selection:
    """Choose at most so many edges.

    Of every activity drawn, the best edge that enters it and the best that leaves it are kept, and
    what holds the map together; the rest are the best of all. Where even that is too much, the
    activities with the least flow are left out.

    Args:
        graph: The released graph.
        limit: How many edges at most; at least 1.
    """
    limit = max(1, limit)
    by = next(iter(graph.annotations), None)
    names = len(graph.activities)
    if len(graph.edges) <= limit:
        everything = tuple(range(len(graph.edges)))
        return Selection(everything, tuple(range(names)), len(graph.edges), names, by)
    weights = [0] * len(graph.edges) if by is None else graph.weights[by]
    order = sorted(range(len(graph.edges)), key=lambda place: (-(weights[place] or 0), place))
    ranked = _ranked_activities(graph, weights)
    shown = len(ranked)
    while True:
        allowed = set(ranked[:shown])
        possible = [place for place in order if _within(graph.edges[place], allowed)]
        backbone = _backbone(graph.edges, possible)
        if len(backbone) <= max(1, limit * _FOR_THE_BACKBONE) or shown <= 1:
            break
        shown = min(shown - 1, int(shown * 0.9))
    possible = possible or order  # the most frequent activities may have no edge between them
    chosen = set([place for place in possible if place in backbone][:limit])
    for place in possible:
        if len(chosen) >= limit:
            break
        chosen.add(place)
    drawn = {name for place in chosen for name in graph.edges[place] if name is not None}
    return Selection(
        tuple(sorted(chosen)),
        tuple(place for place, name in enumerate(graph.activities) if name in drawn),
        len(graph.edges),
        names,
        by,
    )


def activity_flow(graph: _DrawnGraph) -> dict[str, int]:
    """How often each activity happened: the sum of the released edges that enter it.

    It is made of public numbers, so it costs nothing. Empty for a map without frequencies.

    Example:
        >>> from hushmap.graph import Edge, ReleasedGraph
        >>> activity_flow(ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", "A")),
        ...                             {Annotation.FREQUENCY: (12, 3)}, 1_000_000))
        {'A': 15}
    """
    if Annotation.FREQUENCY not in graph.weights:
        return {}
    flow = dict.fromkeys(graph.activities, 0)
    for edge, weight in zip(graph.edges, graph.weights[Annotation.FREQUENCY], strict=True):
        if edge.target is not None:
            flow[edge.target] += weight or 0
    return flow


def _ranked_activities(graph: _DrawnGraph, weights: Sequence[int | None]) -> list[str]:
    flow = dict.fromkeys(graph.activities, 0)
    for edge, weight in zip(graph.edges, weights, strict=True):
        if edge.target is not None:
            flow[edge.target] += weight or 0
    return sorted(graph.activities, key=lambda name: (-flow[name], name))


def _within(edge: Edge, allowed: set[str]) -> bool:
    return all(name is None or name in allowed for name in edge)


def _backbone(edges: Sequence[Edge], order: Iterable[int]) -> set[int]:
    """The best way into and out of each activity, and what ties the parts together."""
    kept: set[int] = set()
    entered: set[str | None] = {None}
    left: set[str | None] = {None}
    group: dict[tuple[str, str | None], tuple[str, str | None]] = {}

    def root(node: tuple[str, str | None]) -> tuple[str, str | None]:
        group.setdefault(node, node)
        while group[node] != node:
            group[node] = group[group[node]]
            node = group[node]
        return node

    for place in order:
        source, target = edges[place]
        if source == target:
            continue
        one = root(("start" if source is None else "activity", source))
        other = root(("end" if target is None else "activity", target))
        if target not in entered or source not in left or one != other:
            kept.add(place)
            entered.add(target)
            left.add(source)
            group[one] = other
    return kept
