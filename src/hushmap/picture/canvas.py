"""A drawing as a list of shapes, and how it is written as SVG.

Everything that is drawn, maps and plots alike, is made of these few shapes. All text of the
outside passes through one function that escapes it, so nothing in a name can become markup. The
colours are written as attributes (which every program reads) and as classes (which the style
sheet overrides in the dark).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from hushmap.picture.lettering import FONTS, plain
from hushmap.picture.palette import PALETTE, Theme, fill_class, stroke_class, style_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points, or cubic Bézier curves (3n + 1 points); closed ones can be filled."""

    points: tuple[Point, ...]
    stroke: str | None = None
    width: float = 1.0
    fill: str | None = None
    curved: bool = False
    closed: bool = False
    dash: tuple[float, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with rounded corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 1.0
    opacity: float = 1.0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc or a ring."""

    x: float
    y: float
    radius: float
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 1.0
    opacity: float = 1.0
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; ``y`` is its baseline."""

    x: float
    y: float
    text: str
    size: float = 12.0
    anchor: str = "middle"
    fill: str = "ink"
    bold: bool = False
    turned: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together, with a title to read when one points at them."""

    items: tuple[Shape, ...]
    title: str | None = None
    kind: str = ""
    marks: tuple[tuple[str, str], ...] = ()
    opacity: float = 1.0


Shape: TypeAlias = Path | Box | Circle | Text | Group


@dataclass(frozen=True, slots=True)
class Drawing:
    """A finished picture.

    Attributes:
        width: In pixels.
        height: In pixels.
        items: From back to front.
        title: What it is, in a few words.
        description: The same in sentences, for those who cannot see it.
        padding: Empty space around it.
    """

    width: float
    height: float
    items: tuple[Shape, ...]
    title: str
    description: str
    padding: float = 0.0

    def walk(self) -> Iterator[Path | Box | Circle | Text]:
        """All shapes from back to front."""
        return _walk(self.items)


def _walk(items: Sequence[Shape]) -> Iterator[Path | Box | Circle | Text]:
    for item in items:
        if isinstance(item, Group):
            yield from _walk(item.items)
        else:
            yield item


def number(value: float) -> str:
    """A coordinate: one decimal is finer than a screen.

    Example:
        >>> number(12.04), number(-0.01), number(3.96)
        ('12', '0', '4')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def text(value: str) -> str:
    """Text of the outside as text of a document; the one place where it enters a picture."""
    return escape(plain(value), quote=True)


def svg(drawing: Drawing, theme: Theme = "auto") -> bytes:
    """A drawing as a file of its own.

    Args:
        drawing: The drawing.
        theme: Colours; ``auto`` follows the reader's setting.
    """
    body = [svg_element(shape) for shape in drawing.items]
    style = style_rules(_tokens(drawing), theme, ".hushmap ")
    sheet = f"<style>{style}</style>\n" if style else ""
    return (f"{svg_head(drawing)}{sheet}{_paper(drawing)}\n{_lines(body)}</svg>\n").encode()


def _paper(drawing: Drawing) -> str:
    start, paint = number(-drawing.padding), _paint("paper", None)
    return f'<rect x="{start}" y="{start}" width="100%" height="100%"{paint}/>'


def svg_head(drawing: Drawing, marks: str = "") -> str:
    """The opening of an SVG element with its title and description."""
    start = number(-drawing.padding)
    width = number(drawing.width + 2 * drawing.padding)
    height = number(drawing.height + 2 * drawing.padding)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hushmap" role="img" '
        f'aria-label="{text(drawing.title)}" width="{width}" height="{height}" '
        f'viewBox="{start} {start} {width} {height}" font-family="{text(FONTS)}"{marks}>\n'
        f"<title>{text(drawing.title)}</title>\n<desc>{text(drawing.description)}</desc>\n"
    )


def svg_inline(drawing: Drawing, marks: str = "") -> str:
    """A drawing as part of a page, whose style sheet has the rules of `palette.all_rules`."""
    return f"{svg_head(drawing, marks)}{_lines(map(svg_element, drawing.items))}</svg>\n"


def _lines(elements: Iterator[str] | list[str]) -> str:
    return "".join(f"{element}\n" for element in elements)


def _tokens(drawing: Drawing) -> set[str]:
    used = {"paper"}
    for shape in drawing.walk():
        used |= {token for token in (shape.fill, getattr(shape, "stroke", None)) if token}
    return used


def _paint(fill: str | None, stroke: str | None, width: float = 1.0, kind: str = "") -> str:
    classes = [kind] if kind else []
    attributes = ""
    if fill is None:
        attributes += ' fill="none"'
    else:
        attributes += f' fill="{PALETTE[fill][0]}"'
        classes.append(fill_class(fill))
    if stroke is not None:
        attributes += f' stroke="{PALETTE[stroke][0]}" stroke-width="{number(width)}"'
        classes.append(stroke_class(stroke))
    return f' class="{" ".join(classes)}"{attributes}' if classes else attributes


def _opacity(value: float) -> str:
    return "" if value == 1 else f' opacity="{value:g}"'


def svg_element(shape: Shape) -> str:
    """One shape as an SVG element."""
    if isinstance(shape, Group):
        marks = "".join(f' data-{name}="{text(value)}"' for name, value in shape.marks)
        kind = f' class="{shape.kind}"' if shape.kind else ""
        title = f"<title>{text(shape.title)}</title>" if shape.title else ""
        inner = "".join(map(svg_element, shape.items))
        return f"<g{kind}{marks}{_opacity(shape.opacity)}>{title}{inner}</g>"
    if isinstance(shape, Text):
        return _text_element(shape)
    if isinstance(shape, Circle):
        paint = _paint(shape.fill, shape.stroke, shape.stroke_width)
        title = f"><title>{text(shape.title)}</title></circle>" if shape.title else "/>"
        return (
            f'<circle cx="{number(shape.x)}" cy="{number(shape.y)}" r="{number(shape.radius)}"'
            f"{paint}{_opacity(shape.opacity)}{title}"
        )
    if isinstance(shape, Box):
        radius = f' rx="{number(shape.radius)}"' if shape.radius else ""
        paint = _paint(shape.fill, shape.stroke, shape.stroke_width, shape.kind)
        return (
            f'<rect x="{number(shape.x)}" y="{number(shape.y)}" width="{number(shape.width)}" '
            f'height="{number(shape.height)}"{radius}{paint}{_opacity(shape.opacity)}/>'
        )
    dash = f' stroke-dasharray="{" ".join(map(number, shape.dash))}"' if shape.dash else ""
    paint = _paint(shape.fill, shape.stroke, shape.width, shape.kind)
    return f'<path d="{path_data(shape)}"{paint}{dash}/>'


def path_data(path: Path) -> str:
    """The ``d`` attribute of a path."""
    points = [f"{number(x)},{number(y)}" for x, y in path.points]
    joint = "C" if path.curved else "L"
    end = "Z" if path.closed else ""
    return f"M{points[0]}{joint}{' '.join(points[1:])}{end}"


def _text_element(shape: Text) -> str:
    weight = ' font-weight="600"' if shape.bold else ""
    anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
    x, y = number(shape.x), number(shape.y)
    turn = f' transform="rotate(-90 {x} {y})"' if shape.turned else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{number(shape.size)}"{anchor}{weight}{turn}'
        f"{_paint(shape.fill, None, kind=shape.kind)}>{text(shape.text)}</text>"
    )
