"""The map as PNG, drawn by the cairo that pygraphviz brings: nothing more has to be installed.

The drawing is the same list of shapes as the SVG's. Lines and boxes go into the background of an
empty graph, as xdot operations; each text is a node that consists of its label alone, because
Graphviz draws no text of a background as PNG. The positions are ours: nothing is laid out again.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from hushmap.exceptions import HushmapError
from hushmap.picture.canvas import Box, Circle, Drawing, Path, Text
from hushmap.picture.graphviz import has_graphviz, run_graphviz
from hushmap.picture.lettering import plain, text_width
from hushmap.picture.map_svg import EDGE_LIMIT, map_drawing
from hushmap.picture.palette import PALETTE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from hushmap.graph import Annotation, ReleasedGraph
    from hushmap.picture.canvas import Point
    from hushmap.release.certificate import Certificate

_SECONDS, _MEGABYTES = 20.0, 2048
_LARGEST_SIDE = 16_000  # pixels; cairo refuses 32,768
_FONTS = "Arial,Liberation Sans,DejaVu Sans,sans-serif"
_ROUND = 0.5523  # of the radius: where the control points of a quarter circle are
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"pHYs")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})


def map_png(
    graph: ReleasedGraph,
    certificate: Certificate | None = None,
    *,
    primary: Annotation | str | None = None,
    secondary: Annotation | str | None = None,
    intervals: bool = False,
    limit_edges: int = EDGE_LIMIT,
    theme: Literal["light", "dark"] = "light",
    scale: float = 2.0,
) -> bytes:
    """The map as a bitmap, for slides; the arguments are those of `map_svg`.

    Args:
        graph: The released graph.
        certificate: What it promises.
        primary: The first number on an edge.
        secondary: The second.
        intervals: Write the 95 % interval beside frequencies.
        limit_edges: How many edges at most.
        theme: Light or dark; a bitmap cannot follow the reader's setting.
        scale: Pixels per pixel of the SVG; less for very large maps.

    Raises:
        HushmapError: pygraphviz is not installed, or failed.
    """
    drawing = map_drawing(
        graph,
        certificate,
        primary=primary,
        secondary=secondary,
        intervals=intervals,
        limit_edges=limit_edges,
    )
    return png(drawing, theme=theme, scale=scale)


def png(drawing: Drawing, *, theme: Literal["light", "dark"] = "light", scale: float) -> bytes:
    """A drawing as a bitmap.

    Args:
        drawing: The drawing.
        theme: Which colours.
        scale: Pixels per unit of the drawing.

    Raises:
        HushmapError: pygraphviz is not installed, or failed.
    """
    scale = min(scale, _LARGEST_SIDE / max(drawing.width, drawing.height))
    source, background = _dot(drawing, 0 if theme == "light" else 1, scale)
    made = run_graphviz(
        source,
        program="nop2",
        output="png",
        seconds=_SECONDS,
        megabytes=_MEGABYTES,
        attributes={"_background": background},
    )
    if made is None or not made.startswith(_SIGNATURE):
        reason = "failed" if has_graphviz() else "is not installed"
        raise HushmapError(
            f"The map cannot be drawn as PNG: pygraphviz {reason}.",
            hint="Install it with: pip install pygraphviz. The SVG needs nothing.",
        )
    return _stripped(made)


def _stripped(image: bytes) -> bytes:
    """The image without any remark: only what a decoder needs is kept."""
    parts, place = [_SIGNATURE], len(_SIGNATURE)
    while place + 12 <= len(image):
        length, kind = struct.unpack_from(">I4s", image, place)
        if kind in _KEPT:
            parts.append(image[place : place + 12 + length])
        place += 12 + length
    return b"".join(parts)


def _dot(drawing: Drawing, theme: int, scale: float) -> tuple[str, str]:
    """The texts as a graph, and all else as its background."""
    height = drawing.height
    operations: list[str] = []
    texts: list[str] = []
    paper = Box(0, 0, drawing.width, drawing.height, fill="paper")
    # A group's opacity is not known to cairo here, so it goes into the colours.
    for shape, opacity in [(paper, 1.0), *_with_opacity(drawing)]:
        if isinstance(shape, Text):
            texts.append(_text_node(shape, opacity, height, theme, len(texts)))
        else:
            operations += _operations(shape, opacity, height, theme)
    corner = 'shape=point,style=invis,label="",width=0,height=0,fixedsize=true'
    source = (
        f"digraph{{graph[pad=0,margin=0,dpi={72 * scale:.3f}];"
        "node[shape=none,fixedsize=true,margin=0];\n"
        f'c0[pos="0,0",{corner}];c1[pos="{drawing.width:.1f},{height:.1f}",{corner}];\n'
        + "\n".join(texts)
        + "}"
    )
    return source, " ".join(operations)


def _with_opacity(drawing: Drawing) -> Iterable[tuple[Path | Box | Circle | Text, float]]:
    from hushmap.picture.canvas import Group

    def walk(items: Iterable[object], opacity: float) -> Iterable[tuple[object, float]]:
        for item in items:
            if isinstance(item, Group):
                yield from walk(item.items, opacity * item.opacity)
            else:
                yield item, opacity * getattr(item, "opacity", 1.0)

    for shape, opacity in walk(drawing.items, 1.0):
        assert isinstance(shape, (Path, Box, Circle, Text))
        yield shape, opacity


def _colour(token: str, opacity: float, theme: int) -> str:
    return f"{PALETTE[token][theme]}{round(255 * opacity):02x}"


def _points(points: Iterable[Point], height: float) -> str:
    listed = list(points)
    return f"{len(listed)} " + " ".join(f"{x:.1f} {height - y:.1f}" for x, y in listed)


def _operations(shape: Path | Box | Circle, opacity: float, height: float, theme: int) -> list[str]:
    """A shape in the language of xdot."""
    found = []
    width = shape.width if isinstance(shape, Path) else shape.stroke_width
    dash = "dashed" if isinstance(shape, Path) and shape.dash else "solid"
    outline = _outline(shape, height)
    if shape.fill is not None:
        colour = _colour(shape.fill, opacity, theme)
        found += [_coded("c", colour[:7] + "00"), _coded("C", colour), outline.filled]
    if shape.stroke is not None:
        found += [
            _coded("c", _colour(shape.stroke, opacity, theme)),
            _coded("S", f"setlinewidth({width:.2f})"),
            _coded("S", dash),
            outline.drawn,
        ]
    return found


def _coded(operation: str, value: str) -> str:
    return f"{operation} {len(value.encode())} -{value}"


class _Outline:
    """One shape as a filled and as a drawn operation."""

    __slots__ = ("drawn", "filled")

    def __init__(self, filled: str, drawn: str) -> None:
        self.filled, self.drawn = filled, drawn


def _outline(shape: Path | Box | Circle, height: float) -> _Outline:
    if isinstance(shape, Circle):
        where = f"{shape.x:.1f} {height - shape.y:.1f} {shape.radius:.1f} {shape.radius:.1f}"
        return _Outline(f"E {where}", f"e {where}")
    if isinstance(shape, Box):
        points = _points(_rounded(shape), height)
        return _Outline(f"b {points}", f"B {points}")
    points = _points(shape.points, height)
    if shape.curved:
        return _Outline(f"b {points}", f"B {points}")
    return _Outline(f"P {points}", f"{'p' if shape.closed else 'L'} {points}")


def _rounded(box: Box) -> list[Point]:
    """A rectangle with round corners as Bézier curves."""
    left, top, right, bottom = box.x, box.y, box.x + box.width, box.y + box.height
    r = min(box.radius, box.width / 2, box.height / 2)
    k = r * (1 - _ROUND)
    corners = (
        ((right - r, top), (right - k, top), (right, top + k), (right, top + r)),
        ((right, bottom - r), (right, bottom - k), (right - k, bottom), (right - r, bottom)),
        ((left + r, bottom), (left + k, bottom), (left, bottom - k), (left, bottom - r)),
        ((left, top + r), (left, top + k), (left + k, top), (left + r, top)),
    )
    points: list[Point] = [corners[-1][-1]]
    for first, *rest in corners:
        points += [points[-1], first, first, *rest]
    return points


def _text_node(text: Text, opacity: float, height: float, theme: int, place: int) -> str:
    shown = plain(text.text)
    half = text_width(shown, text.size, bold=text.bold) / 2 + 2
    x = text.x + {"start": half, "middle": 0.0, "end": -half}[text.anchor]
    y = height - text.y + 0.34 * text.size  # from the baseline to the middle of the line
    line_end = {"start": "\\l", "middle": "", "end": "\\r"}[text.anchor]
    return (
        f't{place}[label="{shown.translate(_ESCAPES)}{line_end}",pos="{x:.1f},{y:.1f}",'
        f'fontsize={text.size:g},fontcolor="{_colour(text.fill, opacity, theme)}",'
        f'fontname="{_FONTS}{" bold" if text.bold else ""}",'
        f"width={half / 36:.3f},height={text.size / 60:.3f}];"
    )
