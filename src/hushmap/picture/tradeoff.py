"""Risk against error as a picture with a point on it that a script can move. Owner only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.graph import Annotation
from hushmap.picture.canvas import Circle, Drawing, Group, Path, Shape, svg_inline
from hushmap.picture.charts import LINES, Axis, Panel, end_labels, left_margin, percent
from hushmap.picture.lettering import text_width
from hushmap.picture.scales import WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hushmap.picture.canvas import Point

_TOP, _BOTTOM, _RIGHT = 28.0, 44.0, 10.0
EVERY_EDGE = "every edge"
NO_ERROR = 0.001


@dataclass(frozen=True, slots=True)
class TradeoffPicture:
    """The picture and what a script needs to move its point.

    Attributes:
        svg: An element for a page that has the rules of `palette.all_rules`.
        x: Where risk 0 stands, in the picture's own pixels.
        width: How far it is to risk 1.
        y: The upper end of the upright axis.
        height: How far it reaches down.
        low: The error at its lower end; the axis is logarithmic.
        high: The error at its upper end.
    """

    svg: str
    x: float
    width: float
    y: float
    height: float
    low: float
    high: float

    @property
    def frame(self) -> dict[str, float]:
        """All but the picture."""
        names = ("x", "width", "y", "height", "low", "high")
        return {name: round(getattr(self, name), 6) for name in names}


def tradeoff_picture(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    chosen: Mapping[str, tuple[float, float]],
    *,
    size: tuple[float, float] = (640.0, 320.0),
    name: str,
) -> TradeoffPicture:
    """One line per annotation, from small risks to large, and where the owner stands.

    Args:
        curves: Per annotation (or `EVERY_EDGE`) its points: risk and error.
        chosen: Per line the point that is chosen.
        size: In pixels.
        name: What the picture is called.

    Example:
        >>> line = [(0.1, 0.5), (0.5, 0.1), (0.9, 0.02)]
        >>> picture = tradeoff_picture({"frequency": line}, {"frequency": (0.5, 0.1)}, name="x")
        >>> picture.low, picture.high, 'data-line="frequency"' in picture.svg
        (0.02, 0.5, True)
    """
    curves = {line: _worth_showing(points) for line, points in curves.items()}
    errors = [error for line in curves.values() for _, error in line]
    up = Axis.over(errors, "expected error", log=True, write=percent)
    across = Axis(0.0, 1.0, "risk (percentage points)", write=lambda risk: f"{risk * 100:.0f}")
    labels = {line: _label(line) for line in curves}
    left = left_margin(up) + 4
    longest = max((text_width(label, 11) for label in labels.values()), default=0)
    right = longest + 20 if len(curves) > 1 else _RIGHT
    width, height = size
    panel = Panel(left, _TOP, width - left - right, height - _TOP - _BOTTOM, across, up)
    # The upright axis is named above it, where it needs no turning.
    items: list[Shape] = [*panel.frame(), panel.heading("")[1]]
    ends: list[tuple[Point, str, str]] = []
    for place, (line, points) in enumerate(curves.items()):
        colour, dash = LINES[place % len(LINES)]
        drawn = tuple(panel.point(risk, error) for risk, error in points)
        if len(drawn) > 1:
            items.append(Path(drawn, colour, 2.5, dash=dash, kind="curve"))
        if drawn and len(curves) > 1:
            ends.append((drawn[-1], labels[line], colour))
    items += end_labels(ends, (panel.y, panel.y + panel.height - 10))
    for place, (line, (risk, error)) in enumerate(chosen.items()):
        items.append(_mark(panel, line, risk, error, LINES[place % len(LINES)][0]))
    words = "; ".join(
        f"{labels[line]}: risk {risk:.3g}, error {percent(float(f'{error:.2g}'))}"
        for line, points in curves.items()
        for risk, error in points[:: max(1, len(points) // 8)]
    )
    drawing = Drawing(width, height, tuple(items), name, f"{words}.")
    return TradeoffPicture(
        svg_inline(drawing), panel.x, panel.width, panel.y, panel.height, up.low, up.high
    )


def _worth_showing(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """A line down to errors that nobody tells from none: it falls without end."""
    shown = [(risk, error) for risk, error in points if error >= NO_ERROR]
    return shown if len(shown) > 1 else points


def _label(line: str) -> str:
    return line if line == EVERY_EDGE else WORDS[Annotation(line)]


def _mark(panel: Panel, line: str, risk: float, error: float, colour: str) -> Group:
    """The chosen point, a drop line to the risk and one to the error."""
    x, y = panel.point(risk, error)
    guide = ((panel.x, y), (x, y), (x, panel.y + panel.height))
    return Group(
        (
            Path(guide, "muted", 1, dash=(3.0, 3.0), kind="guide"),
            Circle(x, y, 7.0, "paper", colour, 3.0),
        ),
        kind="mark",
        marks=(("line", line),),
    )
