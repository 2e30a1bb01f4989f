"""`map.graphml`: the map for NetworkX, Gephi, igraph and yEd.

Activities are the nodes ``n0``, ``n1``, … in the order of `map.json`, with the attributes ``label``
and ``kind``; the start and the end of a case are the nodes ``start`` and ``end``. Edges carry the
annotations as typed attributes. yEd shows no attribute of its own accord, so nodes and edges also
have the label it draws; its node positions are a plain column, to be laid out by yEd.

Characters that XML 1.0 forbids are written as control pictures (`hushmap.bundle.visible`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from hushmap.bundle.visible import XML_FORBIDDEN, visible
from hushmap.bundle.weights import column, weight_text, weights_for_people
from hushmap.graph import END_LABEL, START_LABEL

if TYPE_CHECKING:
    from hushmap.graph import Annotation, Edge, ReleasedGraph

_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xmlns:y="http://www.yworks.com/xml/graphml" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns \
http://www.yworks.com/xml/schema/graphml/1.1/ygraphml.xsd">
<key id="label" for="node" attr.name="label" attr.type="string"/>
<key id="kind" for="node" attr.name="kind" attr.type="string"/>
"""
_DRAWN_KEYS = """\
<key id="node" for="node" yfiles.type="nodegraphics"/>
<key id="edge" for="edge" yfiles.type="edgegraphics"/>
<graph id="map" edgedefault="directed">
"""
_TAIL = "</graph>\n</graphml>\n"
_NODE_DISTANCE = 60


def map_graphml(graph: ReleasedGraph) -> bytes:
    """The map as GraphML.

    Example:
        >>> from hushmap.graph import Annotation, Edge, ReleasedGraph
        >>> text = map_graphml(ReleasedGraph(("<A>",), (Edge("<A>", "<A>"),),
        ...                                  {Annotation.FREQUENCY: (12,)}, 1_000_000)).decode()
        >>> '<data key="label">&lt;A&gt;</data>' in text
        True
        >>> '<data key="frequency">12</data>' in text
        True
    """
    parts = [_HEAD, *(_key(annotation) for annotation in graph.annotations), _DRAWN_KEYS]
    nodes = [(f"n{place}", "activity", name) for place, name in enumerate(graph.activities)]
    if any(edge.source is None for edge in graph.edges):
        nodes.insert(0, ("start", "start", START_LABEL))
    if any(edge.target is None for edge in graph.edges):
        nodes.append(("end", "end", END_LABEL))
    parts += [_node(place, *node) for place, node in enumerate(nodes)]
    ids = {name: f"n{place}" for place, name in enumerate(graph.activities)}
    parts += [_edge(graph, place, edge, ids) for place, edge in enumerate(graph.edges)]
    return "".join([*parts, _TAIL]).encode()


def _key(annotation: Annotation) -> str:
    kind = "double" if annotation.is_time else "long"
    name = column(annotation)
    return f'<key id="{name}" for="edge" attr.name="{name}" attr.type="{kind}"/>\n'


def _text(name: str) -> str:
    return escape(visible(name, XML_FORBIDDEN), {"\r": "&#13;"})


def _drawn(name: str) -> str:
    """The label that yEd draws: a name beginning with ``<html>`` would be taken for markup."""
    defused = f"\u2060{name}" if name.lower().startswith("<html") else name
    return _text(defused)


def _node(place: int, identifier: str, kind: str, name: str) -> str:
    shape = "roundrectangle" if kind == "activity" else "ellipse"
    width = min(40 + 7 * len(name), 400)
    return (
        f'<node id="{identifier}">'
        f'<data key="node"><y:ShapeNode>'
        f'<y:Geometry height="30.0" width="{width}.0" x="0.0" y="{place * _NODE_DISTANCE}.0"/>'
        f'<y:Fill color="#FFFFFF" transparent="false"/>'
        f'<y:NodeLabel>{_drawn(name)}</y:NodeLabel><y:Shape type="{shape}"/>'
        "</y:ShapeNode></data>"
        # After the drawn label: NetworkX reads both into "label", and the last one stays.
        f'<data key="label">{_text(name)}</data><data key="kind">{kind}</data></node>\n'
    )


def _edge(graph: ReleasedGraph, place: int, edge: Edge, ids: dict[str, str]) -> str:
    source = "start" if edge.source is None else ids[edge.source]
    target = "end" if edge.target is None else ids[edge.target]
    weights, lines = [], weights_for_people(graph, place)
    for annotation in graph.annotations:
        weight = graph.weights[annotation][place]
        if weight is not None:
            number = weight_text(annotation, weight, graph.resolution)
            weights.append(f'<data key="{column(annotation)}">{number}</data>')
    label = f"<y:EdgeLabel>{_text(chr(10).join(lines))}</y:EdgeLabel>" if lines else ""
    return (
        f'<edge source="{source}" target="{target}">{"".join(weights)}'
        f'<data key="edge"><y:PolyLineEdge><y:Arrows source="none" target="standard"/>{label}'
        "</y:PolyLineEdge></data></edge>\n"
    )
