"""The plots of an owner: the frontier, the paper's heat map, distributions, exact against released.

They are made of plain records that the caller hands over; this room computes nothing of a log.
All but the frontier of public simulations are for the owner only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from hushmap.graph import Annotation
from hushmap.picture.canvas import Box, Circle, Drawing, Path, Shape, Text, svg
from hushmap.picture.charts import (
    LINES,
    Axis,
    Panel,
    end_labels,
    finished,
    fitted,
    left_margin,
    percent,
    short,
)
from hushmap.picture.lettering import text_width
from hushmap.picture.palette import NODE_LEVELS
from hushmap.picture.scales import WORDS

if TYPE_CHECKING:
    from hushmap.picture.palette import Theme

Record = Mapping[str, Any]
_TOP, _BOTTOM, _RIGHT = 44.0, 48.0, 24.0
_BINS = 24
_SMALL = 340.0  # the width of a plot that stands beside others


def _record(point: object) -> Record:
    """A record of the caller, whether dictionary or dataclass."""
    if isinstance(point, Mapping):
        return point
    assert is_dataclass(point)
    assert not isinstance(point, type)
    return asdict(point)


def frontier_svg(
    points: Sequence[object],
    *,
    chosen: Sequence[object] = (),
    theme: Theme = "auto",
) -> bytes:
    """What each risk costs in error, one panel per annotation, one line per attacker.

    Args:
        points: Records (dictionaries or dataclasses) with ``annotation``, ``attacker``, ``risk``
            and ``expected_mape``: the ``risks`` of a frontier.
        chosen: Records with ``annotation``, ``risk``, ``expected_mape``: where the plan stands.
        theme: Colours.

    Example:
        >>> points = [{"annotation": "frequency", "attacker": "any", "risk": risk,
        ...            "expected_mape": 0.1 / risk} for risk in (0.1, 0.5, 0.9)]
        >>> frontier_svg(points).count(b"<path")
        12
    """
    return svg(frontier_drawing(points, chosen=chosen), theme)


def frontier_drawing(
    points: Sequence[object], *, chosen: Sequence[object] = (), width: float = 640.0
) -> Drawing:
    """The frontier as a drawing of a width; the other arguments are those of `frontier_svg`."""
    records = [_record(point) for point in points]
    marks = [_record(point) for point in chosen]
    annotations = list(dict.fromkeys(record["annotation"] for record in records))
    attackers = list(dict.fromkeys(record["attacker"] for record in records))
    panel_height = 240.0
    items: list[Shape] = []
    y = 0.0
    for annotation in annotations:
        own = [record for record in records if record["annotation"] == annotation]
        here = [mark for mark in marks if mark["annotation"] == annotation]
        errors = [record["expected_mape"] for record in (*own, *here)]
        up = Axis.over(
            (error for error in errors if error is not None),
            "expected error (MAPE), on average over the edges",
            log=True,
            write=percent,
        )
        across = Axis(0.0, 1.0, "risk: how much a guess may gain", write=short)
        left = left_margin(up) + 12
        right = max(text_width(name, 11) for name in attackers) + 24
        panel = Panel(left, y + _TOP, width - left - right, panel_height, across, up)
        items += panel.frame() + panel.heading(_heading(annotation))
        items += _frontier_lines(panel, own, attackers)
        items += _chosen(panel, here)
        y += _TOP + panel_height + _BOTTOM
    title = "Frontier: expected error against risk"
    return finished(width, max(y, 60.0), items, title, _frontier_words(records, marks))


def _heading(annotation: str) -> str:
    return WORDS[Annotation(annotation)].capitalize()


def _frontier_lines(
    panel: Panel, records: Sequence[Record], attackers: Sequence[str]
) -> list[Shape]:
    items: list[Shape] = []
    ends = []
    for place, attacker in enumerate(attackers):
        colour, dash = LINES[place % len(LINES)]
        own = sorted(
            (
                (record["risk"], record["expected_mape"])
                for record in records
                if record["attacker"] == attacker and record["expected_mape"] is not None
            ),
        )
        line = tuple(panel.point(risk, error) for risk, error in own)
        if not line:
            continue
        if len(line) > 1:
            items.append(Path(line, colour, 2, dash=dash))
        for (x, y), (risk, error) in zip(line, own, strict=True):
            words = f"{attacker}: risk {short(risk)}, expected error {percent(error)}"
            items.append(Circle(x, y, 3, colour, title=words))
        ends.append((line[-1], attacker, colour))
    return items + end_labels(ends, (panel.y, panel.y + panel.height - 10))


def _chosen(panel: Panel, marks: Sequence[Record]) -> list[Shape]:
    items: list[Shape] = []
    for mark in marks:
        if mark["expected_mape"] is None:
            continue
        x, y = panel.point(mark["risk"], mark["expected_mape"])
        words = (
            f"chosen: risk {short(round(mark['risk'], 3))}, {percent(_two(mark['expected_mape']))}"
        )
        span = text_width(words, 11)
        beyond = x + 11 + span > panel.x + panel.width
        items += [
            Path(((x, y), (x, panel.y + panel.height)), "ink", 1, dash=(2.0, 3.0)),
            Circle(x, y, 6.5, None, "ink", 2, title=words),
            Box(x - 13 - span if beyond else x + 9, y - 20, span + 4, 15, 3, "paper", opacity=0.85),
            Text(x - 11 if beyond else x + 11, y - 9, words, 11, "end" if beyond else "start"),
        ]
    return items


def _two(value: float) -> float:
    return float(f"{value:.2g}")


def _frontier_words(records: Sequence[Record], marks: Sequence[Record]) -> str:
    parts = [
        f"{record['annotation']}, {record['attacker']}: risk {short(record['risk'])} costs "
        f"{percent(_two(record['expected_mape']))}"
        for record in records
        if record["expected_mape"] is not None
    ]
    parts += [f"chosen for {mark['annotation']}: risk {short(mark['risk'])}" for mark in marks]
    return "; ".join(parts) + "."


def heat_map_svg(
    rows: Sequence[object],
    *,
    title: str = "Error and noise of every log at every risk",
    area: tuple[str, str] = ("smape", "expected SMAPE"),
    across: tuple[str, str] = ("risk", "risk δ"),
    colour: str = "ε",
    theme: Theme = "auto",
) -> bytes:
    """The paper's bubble heat map: a row per log, a column per limit.

    Args:
        rows: Records with ``log`` (its name), ``risk``, ``smape`` (0 to 1: the area of the bubble)
            and ``epsilon`` (its colour); None where a risk was not computed.
        title: What is shown.
        area: The field that makes the area of the bubbles, from 0 to 1, and what it is called.
        across: The field of the limit, and what it is called.
        colour: What ``epsilon`` is called: ε, or ε·r where it has no unit.
        theme: Colours.

    Example:
        >>> heat_map_svg([{"log": "Sepsis", "risk": 0.1, "smape": 0.5, "epsilon": 0.4}])[:4]
        b'<svg'
    """
    records = [_record(row) for row in rows]
    return svg(heat_map_drawing(records, title, area=area, across=across, colour=colour), theme)


def heat_map_drawing(
    records: Sequence[Record],
    title: str,
    *,
    area: tuple[str, str],
    across: tuple[str, str],
    colour: str,
) -> Drawing:
    """The heat map as a drawing; the arguments are those of `heat_map_svg`."""
    size, limit = area[0], across[0]
    logs = list(dict.fromkeys(str(record["log"]) for record in records))
    risks = sorted({float(record[limit]) for record in records})
    known = [r for r in records if r[size] is not None and r["epsilon"] is not None]
    cell, top = 46.0, 58.0
    names = [fitted(name, 170) for name in logs]
    left = max((text_width(name, 11) for name in names), default=0) + 16
    width = max(420.0, left + cell * len(risks) + 12)
    bottom = top + cell * len(logs)
    epsilons = [math.log(r["epsilon"]) for r in known if r["epsilon"] > 0] or [0.0]
    low, high = min(epsilons), max(epsilons)
    items: list[Shape] = [
        Text(0, 16, title, 13, "start", bold=True),
        Text(0, 34, f"area: {area[1]}; colour: median {colour}", 11, "start", "muted"),
    ]
    for row, name in enumerate(names):
        y = top + cell * (row + 0.5)
        items.append(Text(left - 12, y + 4, name, 11, "end"))
        items.append(Path(((left, y), (left + cell * len(risks), y)), "rule", 1))
    for column, risk in enumerate(risks):
        x = left + cell * (column + 0.5)
        items.append(Text(x, bottom + 18, short(risk), 10.5, fill="muted"))
    items.append(Text(left + cell * len(risks) / 2, bottom + 36, across[1], 11))
    for record in known:
        x = left + cell * (risks.index(float(record[limit])) + 0.5)
        y = top + cell * (logs.index(str(record["log"])) + 0.5)
        share = 0.0
        if record["epsilon"] > 0 and high > low:
            share = (math.log(record["epsilon"]) - low) / (high - low)
        level = min(NODE_LEVELS - 1, int(share * NODE_LEVELS))
        radius = max(1.5, (cell / 2 - 2) * math.sqrt(min(1.0, record[size])))
        words = _bubble_words(record, area, across, colour)
        items.append(Circle(x, y, radius, f"n{level}", "outline", 1, title=words))
    items += _heat_legend(bottom + 56, (math.exp(low), math.exp(high)), cell, area[1], colour)
    description = "; ".join(_bubble_words(record, area, across, colour) for record in known)
    return finished(width, bottom + 100, items, title, description)


def _bubble_words(
    record: Record, area: tuple[str, str], across: tuple[str, str], colour: str
) -> str:
    return (
        f"{record['log']}, {across[1]} {short(record[across[0]])}: {area[1]} "
        f"{percent(_two(record[area[0]]))}, {colour} {short(_two(record['epsilon']))}"
    )


def _heat_legend(
    y: float, ends: tuple[float, float], cell: float, area: str, colour: str
) -> list[Shape]:
    low, high = (short(_two(end)) for end in ends)
    name = area.removeprefix("expected ")
    items: list[Shape] = [Text(0, y + 24, name, 10.5, "start", "muted")]
    x = text_width(name, 10.5) + 16
    for share in (0.1, 0.5, 1.0):
        radius = (cell / 2 - 2) * math.sqrt(share)
        items.append(Circle(x + radius, y + 20, radius, "paper", "muted", 1))
        items.append(Text(x + 2 * radius + 5, y + 24, percent(share), 10.5, "start"))
        x += 2 * radius + 46
    items.append(Text(x, y + 24, f"{colour}  {low}", 10.5, "start"))
    x += text_width(f"{colour}  {low}", 10.5) + 8
    for level in range(NODE_LEVELS):
        items.append(Box(x, y + 14, 14, 12, 0, f"n{level}", "outline", 0.5))
        x += 14
    items.append(Text(x + 8, y + 24, high, 10.5, "start"))
    return items


def histogram_svg(
    values: Sequence[float | None],
    *,
    title: str,
    label: str,
    shares: bool = False,
    limit: float | None = None,
    theme: Theme = "auto",
) -> bytes:
    """How many edges have which value, on a logarithmic scale.

    Args:
        values: One per edge; None is left out, 0 is counted beside the axis.
        title: What is shown.
        label: Of the axis.
        shares: Write the values as percentages.
        limit: A line at this value, such as the limit on the risk.
        theme: Colours.

    Example:
        >>> histogram_svg([0.1, 0.2, 0.2], title="Errors", label="APE")[:4]
        b'<svg'
    """
    return svg(histogram_drawing(values, title, label, shares=shares, limit=limit), theme)


def histogram_drawing(
    values: Sequence[float | None],
    title: str,
    label: str,
    *,
    shares: bool = False,
    limit: float | None = None,
) -> Drawing:
    """The histogram as a drawing; the arguments are those of `histogram_svg`."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    positive = [value for value in known if value > 0]
    write = percent if shares else short
    if positive and max(positive) <= min(positive) * 1.0001 and len(positive) == len(known):
        return _all_equal(len(known), write(_two(positive[0])), title, label)
    across = Axis.over([*positive, *([limit] if limit else [])], label, log=True, write=write)
    counts = [0] * _BINS
    for value in positive:
        counts[min(_BINS - 1, int(across.place(value) * _BINS))] += 1
    up = Axis(0.0, float(max(*counts, 1)), "edges", whole=True)
    left = left_margin(up) + 12
    width, height = _SMALL, 150.0
    panel = Panel(left, _TOP, width - left - _RIGHT, height, across, up)
    items = panel.frame() + panel.heading(title)
    step = panel.width / _BINS
    ratio = across.high / across.low
    for place, count in enumerate(counts):
        if count:
            top = panel.point(across.low, count)[1]
            x = panel.x + place * step
            bottom = panel.y + panel.height
            items.append(Box(x + 0.5, top, step - 1, bottom - top, 0, "p0"))
    if limit:
        x = panel.point(limit, 0)[0]
        items.append(Path(((x, panel.y), (x, panel.y + height)), "p1", 1.5, dash=(4.0, 3.0)))
        words, room = f"limit {write(limit)}", x - panel.x
        beside = room > text_width(words, 10.5) + 10
        anchor = "end" if beside else "start"
        items.append(Text(x - 5 if beside else x + 5, panel.y + 4, words, 10.5, anchor, "p1"))
    zero = len(known) - len(positive)
    if zero:
        items.append(Text(width - _RIGHT, 33, f"and {zero:,} at 0", 10.5, "end", "muted"))
    spans = [
        f"{count} from {write(_two(across.low * ratio ** (place / _BINS)))}"
        for place, count in enumerate(counts)
        if count
    ]
    return finished(
        width, _TOP + height + _BOTTOM, items, title, f"{label}: {'; '.join(spans)}; {zero} at 0."
    )


def _all_equal(count: int, value: str, title: str, label: str) -> Drawing:
    """What needs no plot: the same value everywhere."""
    items: list[Shape] = [
        Text(0, 16, title, 13, "start", bold=True),
        Text(0, 33, label, 11, "start", "muted"),
        Text(0, 92, value, 34, "start", "accent", bold=True),
        Text(0, 114, f"on all {count:,} edges", 12, "start"),
    ]
    return finished(_SMALL, 130.0, items, title, f"{label}: {value} on all {count:,} edges.")


def scatter_drawing(
    pairs: Sequence[tuple[float, float, str]], title: str, *, across: str, up: str, titles: bool
) -> Drawing:
    """Two numbers per edge on logarithmic scales, and the line where they are equal.

    Args:
        pairs: Both numbers, positive, and the words for the dot.
        title: What is shown.
        across: Name of the first.
        up: Name of the second.
        titles: Whether every dot carries its words.
    """
    reach = [value for one, other, _ in pairs for value in (one, other)]
    first = Axis.over(reach, across, log=True)
    second = Axis(first.low, first.high, up, log=True)
    left = left_margin(second) + 12
    panel = Panel(left, _TOP, _SMALL - left - _RIGHT, 270.0, first, second)
    items = panel.frame() + panel.heading(title)
    diagonal = (panel.point(first.low, first.low), panel.point(first.high, first.high))
    items.append(Path(diagonal, "muted", 1, dash=(4.0, 3.0)))
    for one, other, words in pairs:
        x, y = panel.point(one, other)
        items.append(Circle(x, y, 3, "p0", opacity=0.55, title=words if titles else None))
    return finished(
        _SMALL,
        _TOP + 270.0 + _BOTTOM,
        items,
        title,
        f"{len(pairs):,} edges, {up} against {across}; the dashed line is where they are equal.",
    )
