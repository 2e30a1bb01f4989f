"""The legend and the foot of a map: what colours, widths and dashes mean, and what is promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.graph import Annotation
from hushmap.picture.canvas import Box, Path, Shape, Text
from hushmap.picture.composition import dashes
from hushmap.picture.lettering import text_width, wrapped
from hushmap.picture.palette import EDGE_LEVELS, NODE_LEVELS
from hushmap.picture.scales import WORDS, human_count, human_weight
from hushmap.picture.view import stroke_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hushmap.picture.view import MapFacts, View

_SIZE, _ROW, _GAP = 10.5, 40.0, 30.0
_SWATCH = 16.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One explanation: shapes around the origin, and how wide they are."""

    width: float
    items: tuple[Shape, ...]


def legend_entries(facts: MapFacts, view: View, *, faint: bool, dashed: bool) -> list[Entry]:
    """What the legend of this view explains.

    Args:
        facts: The released numbers.
        view: What is shown.
        faint: Whether some edge is drawn faint.
        dashed: Whether an edge from the start or to the end is drawn.
    """
    entries = []
    if facts.flow_scale is not None:
        low, high = facts.flow_scale.low, facts.flow_scale.high
        colours = [f"n{level}" for level in range(NODE_LEVELS)]
        entries.append(_ramp("activity: how often", colours, human_count(low), human_count(high)))
    widths = facts.scales.get(Annotation.FREQUENCY)
    if widths is not None:
        entries.append(_widths(widths.low, widths.high))
    kind = view.coloured_by
    if kind is not None and kind in facts.scales:
        letter = "d" if kind.is_time else "w"
        colours = [f"{letter}{level}" for level in range(EDGE_LEVELS)]
        scale = facts.scales[kind]
        low_text = human_weight(kind, scale.low, facts.graph.resolution)
        high_text = human_weight(kind, scale.high, facts.graph.resolution)
        entries.append(_ramp(f"edge colour: {WORDS[kind]}", colours, low_text, high_text))
    if len(view.shown) > 1:
        entries.append(_words("numbers on an edge", " / ".join(WORDS[kind] for kind in view.shown)))
    if dashed:
        entries.append(_line("start or end of a case", "w3", dashes(1.0)))
    if faint:
        entries.append(_line("faint: the noise may exceed the number", "w0", ()))
    if view.intervals and any(map(facts.has_intervals, view.shown)):
        entries.append(_words("± how far a number may be off", "with a probability of 95 %"))
    return entries


def _heading(words: str) -> Text:
    return Text(0, 10, words, _SIZE, "start", "muted")


def _ramp(words: str, colours: Sequence[str], low: str, high: str) -> Entry:
    items: list[Shape] = [_heading(words), Text(0, 27, low, _SIZE, "start")]
    x = text_width(low, _SIZE) + 6
    for colour in colours:
        items.append(Box(x, 17, _SWATCH, 12, 0, colour, "outline", 0.5))
        x += _SWATCH
    items.append(Text(x + 6, 27, high, _SIZE, "start"))
    width = max(x + 6 + text_width(high, _SIZE), text_width(words, _SIZE))
    return Entry(width, tuple(items))


def _widths(low: int, high: int) -> Entry:
    words = "edge width: how often"
    items: list[Shape] = [_heading(words)]
    x = 0.0
    for weight in dict.fromkeys((low, max(low, round(high / 4)), high)):
        label = human_count(weight)
        items.append(Path(((x, 23), (x + 22, 23)), "w3", stroke_width(weight, high)))
        items.append(Text(x + 26, 27, label, _SIZE, "start"))
        x += 26 + text_width(label, _SIZE) + 12
    return Entry(max(x - 12, text_width(words, _SIZE)), tuple(items))


def _words(heading: str, words: str) -> Entry:
    width = max(text_width(heading, _SIZE), text_width(words, _SIZE))
    return Entry(width, (_heading(heading), Text(0, 27, words, _SIZE, "start")))


def _line(words: str, colour: str, dash: tuple[float, ...]) -> Entry:
    line = Path(((0, 23), (34, 23)), colour, 2, dash=dash)
    return Entry(max(34, text_width(words, _SIZE)), (_heading(words), line))


def flowed(
    entries: Sequence[Entry], width: float
) -> tuple[list[tuple[float, float, Entry]], float]:
    """The entries in rows of at most such a width, and the height of all rows."""
    placed = []
    x = y = 0.0
    for entry in entries:
        if x and x + entry.width > width:
            x, y = 0.0, y + _ROW
        placed.append((x, y, entry))
        x += entry.width + _GAP
    return placed, y + _ROW if entries else 0.0


def foot_lines(sentences: Sequence[str], width: float) -> list[str]:
    """The sentences of the foot, broken to a width."""
    return [line for sentence in sentences for line in wrapped(sentence, 11, width, 12) if sentence]
