"""A released map in a notebook: a picture where it can be had, text always."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.picture.graphviz import has_graphviz
from hushmap.picture.map_svg import map_svg

if TYPE_CHECKING:
    from hushmap.graph import ReleasedGraph
    from hushmap.release.certificate import Certificate

_EDGES = 100  # a cell is narrower than a page


def mime_bundle(graph: ReleasedGraph, certificate: Certificate | None = None) -> dict[str, str]:
    """What ``ReleasedGraph._repr_mimebundle_`` returns.

    Args:
        graph: The released graph.
        certificate: Its certificate, if at hand.

    Example:
        >>> from hushmap.graph import Annotation, Edge, ReleasedGraph
        >>> graph = ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", None)),
        ...                       {Annotation.FREQUENCY: (12, 11)}, 1_000_000)
        >>> mime_bundle(graph)["text/plain"]
        'ReleasedGraph(1 activities, 2 edges; frequency)'
    """
    bundle = {"text/plain": repr(graph)}
    if has_graphviz():
        # A notebook's own theme is not the reader's system setting, so the colours are fixed.
        picture = map_svg(graph, certificate, limit_edges=_EDGES, theme="light")
        bundle["image/svg+xml"] = picture.decode()
    return bundle
