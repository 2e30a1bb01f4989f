r"""`map.dot`: the map for Graphviz.

Names stand in labels alone, as plain text: quotes, backslashes (so that ``\N`` is no node's name)
and ampersands (so that ``&lt;`` is no ``<``) are escaped, a line feed starts a new line, and
control characters that a picture could not show are written as control pictures
(`hushmap.bundle.visible`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.bundle.visible import XML_FORBIDDEN, visible
from hushmap.bundle.weights import column, weight_text, weights_for_people
from hushmap.graph import END_LABEL, START_LABEL

if TYPE_CHECKING:
    from hushmap.graph import Edge, ReleasedGraph

# Graphviz reads a label in three steps: \" in the quoted string, entities, \\ and \n in the label.
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;", "\n": "\\n"})
# In a label \r aligns to the right, so a carriage return cannot be written as one.
ESCAPED = XML_FORBIDDEN + "\r"

_HEAD = """\
digraph map {
  rankdir=TB;
  node [shape=box, style=rounded, fontname="Helvetica,Arial,sans-serif", fontsize=12];
  edge [fontname="Helvetica,Arial,sans-serif", fontsize=10];
"""


def map_dot(graph: ReleasedGraph) -> bytes:
    r"""The map as DOT; edges also carry the exact weights as attributes of their own.

    Example:
        >>> from hushmap.graph import Annotation, Edge, ReleasedGraph
        >>> graph = ReleasedGraph(('say "A"',), (Edge(None, 'say "A"'),),
        ...                       {Annotation.FREQUENCY: (12,)}, 1_000_000)
        >>> print(map_dot(graph).decode().split("fontsize=10];")[1])
          start [shape=circle, label="▶"];
          n0 [label="say \"A\""];
          start -> n0 [label="12", frequency=12];
        }
    """
    lines = [_HEAD]
    if any(edge.source is None for edge in graph.edges):
        lines.append(f"  start [shape=circle, label={_quoted(START_LABEL)}];\n")
    lines += [
        f"  n{place} [label={_quoted(name)}];\n" for place, name in enumerate(graph.activities)
    ]
    if any(edge.target is None for edge in graph.edges):
        lines.append(f"  end [shape=circle, label={_quoted(END_LABEL)}];\n")
    ids = {name: f"n{place}" for place, name in enumerate(graph.activities)}
    lines += [_edge(graph, place, edge, ids) for place, edge in enumerate(graph.edges)]
    return "".join([*lines, "}\n"]).encode()


def _quoted(text: str) -> str:
    return f'"{visible(text, ESCAPED).translate(_ESCAPES)}"'


def _edge(graph: ReleasedGraph, place: int, edge: Edge, ids: dict[str, str]) -> str:
    source = "start" if edge.source is None else ids[edge.source]
    target = "end" if edge.target is None else ids[edge.target]
    labels = weights_for_people(graph, place)
    attributes = [f"label={_quoted(chr(10).join(labels))}"] if labels else []
    for annotation in graph.annotations:
        weight = graph.weights[annotation][place]
        if weight is not None:
            number = weight_text(annotation, weight, graph.resolution)
            attributes.append(f"{column(annotation)}={number}")
    listed = f" [{', '.join(attributes)}]" if attributes else ""
    return f"  {source} -> {target}{listed};\n"
