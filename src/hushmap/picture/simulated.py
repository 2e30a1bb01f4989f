"""A simulated draw as a picture: what a release may look like, marked so that none mistakes it.

It is the owner's. There is no file of it: only an element to stand in a page, under a watermark
that cannot be cut off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.graph import SimulatedGraph
from hushmap.picture.canvas import Drawing, Group, Shape, Text, svg_inline
from hushmap.picture.composition import map_shapes, place_map
from hushmap.picture.lettering import text_width
from hushmap.picture.view import MapFacts, choose_view

if TYPE_CHECKING:
    from collections.abc import Iterator

WATERMARK = "simulated · not a release"
_EDGES = 100
_MARGIN, _LEAST = 16.0, 320.0
_SIZE, _ROW = 26.0, 120.0
_STRENGTH = 0.3


def simulated_map(graph: SimulatedGraph, *, limit_edges: int = _EDGES) -> str:
    """A simulated map as an SVG element for a page that has the rules of `palette.all_rules`.

    Args:
        graph: A draw of seeded noise.
        limit_edges: Above this many edges the most frequent are drawn.
    """
    if type(graph) is not SimulatedGraph:
        raise TypeError("only a SimulatedGraph is drawn as simulated")
    view = choose_view(graph, None, None, intervals=False)
    placed = place_map(MapFacts(graph, None), [view], limit_edges)
    width = max(_LEAST, placed.layout.width + 2 * _MARGIN)
    height = max(_ROW, placed.layout.height + 2 * _MARGIN)
    left = (width - placed.layout.width) / 2
    shapes = [*map_shapes(placed.moved(left, _MARGIN), view), *_watermark(width, height)]
    missing = placed.selection.sentence()
    description = "A simulated draw of the noise: the released map will have other numbers. "
    return svg_inline(
        Drawing(
            width,
            height,
            tuple(shapes),
            f"Simulated process map of {len(graph.activities):,} activities",
            description + (f"{missing}." if missing else ""),
        )
    )


def _watermark(width: float, height: float) -> Iterator[Shape]:
    """The same words in staggered rows, so that any part of the picture carries them."""
    step = text_width(WATERMARK, _SIZE) + 60
    rows = max(1, round(height / _ROW))
    words = [
        Text(
            step * (place + (0.0 if row % 2 else 0.5)),
            height * (row + 0.5) / rows,
            WATERMARK,
            _SIZE,
            fill="muted",
        )
        for row in range(rows)
        for place in range(int(width / step) + 2)
    ]
    yield Group(tuple(words), kind="watermark", opacity=_STRENGTH)
