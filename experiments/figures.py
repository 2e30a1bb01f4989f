"""The figures of the evaluation: those of the paper, and ours beside them, drawn by hushmap itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hushmap.graph import Annotation
from hushmap.picture import frontier_svg, heat_map_svg
from hushmap.picture.canvas import Box, Circle, Shape, Text, svg
from hushmap.picture.canvas import Path as Line
from hushmap.picture.charts import LINES, Axis, Panel, finished, percent, short
from hushmap.picture.lettering import text_width
from hushmap.picture.scales import WORDS

Row = Mapping[str, str]
ATTACKERS = ("paper", "empirical", "any")
# The colours that the frontier gives them.
COLOURS = {name: LINES[place][0] for place, name in enumerate(("any", "empirical", "paper"))}
READINGS = {"mean": "on average, best allocation", "paper": "every edge, as in the paper"}
EPSILON_RANGE = "ε·r"
MEASURES = {
    ("risk", "ape"): ("Expected error of the edges", "APE", percent),
    ("risk", "epsilon_range"): ("Noise of the edges", EPSILON_RANGE, short),
    ("error mean", "risk"): ("Risk of the edges, best allocation", "risk δ", short),
    ("error paper", "risk"): ("Risk of the edges, as in the paper", "risk δ", short),
}


def write_figures(out: Path, p1: list[Row], p2: list[Row], spreads: list[Row], times: list[Row],
                  published: Mapping[str, float]) -> dict[str, list[str]]:  # fmt: skip
    """Draw everything into ``<out>/figures``; returns the names by chapter."""
    folder = out / "figures"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    names: dict[str, list[str]] = {}

    def write(chapter: str, name: str, picture: bytes) -> None:
        (folder / f"{name}.svg").write_bytes(picture)
        names.setdefault(chapter, []).append(f"figures/{name}.svg")

    for kind in Annotation:
        for attacker in ATTACKERS:
            if rows := _heat(p1, kind, attacker, "risk", "expected_smape"):
                title = f"P1, {WORDS[kind]}, {attacker}: error and noise at every risk"
                write(
                    "p1",
                    f"p1-{kind.value}-{attacker}",
                    heat_map_svg(rows, title=title, colour=EPSILON_RANGE),
                )
    for kind in Annotation:
        for reading, words in READINGS.items():
            attacker = "any" if kind is Annotation.FREQUENCY else "paper"
            of_reading = [row for row in p2 if row["reading"] == reading]
            if rows := _heat(of_reading, kind, attacker, "error", "max_risk"):
                picture = heat_map_svg(
                    rows,
                    title=f"P2, {WORDS[kind]}, {attacker}: {words}",
                    area=("max_risk", "largest risk of an edge"),
                    across=("error", "error μ"),
                    colour=EPSILON_RANGE,
                )
                write("p2", f"p2-{kind.value}-{reading}", picture)
    for log in dict.fromkeys(row["log"] for row in spreads):
        for (problem, measure), (title, label, number) in MEASURES.items():
            own = [row for row in spreads if (row["log"], row["problem"], row["measure"])
                   == (log, problem, measure)]  # fmt: skip
            if own:
                across = "risk δ" if problem == "risk" else "error μ"
                picture = spread_svg(own, f"{title}: {log}", label, across, number)
                write("spread", f"spread-{log}-{problem.replace(' ', '-')}-{measure}", picture)
        points = [
            {key: row[key] for key in ("annotation", "attacker")}
            | {key: number_of(row[key]) for key in ("risk", "expected_mape")}
            for row in p1
            if row["log"] == log
        ]
        write("frontier", f"frontier-{log}", frontier_svg(points))
    write("times", "times", times_svg(times, published))
    return names


def number_of(text: str | None) -> float | None:
    """A figure of a table; None where there is none."""
    return float(text) if text not in {None, ""} else None


def _heat(
    rows: Iterable[Row], kind: Annotation, attacker: str, limit: str, area: str
) -> list[dict[str, Any]]:
    field = "smape" if area == "expected_smape" else area
    return [
        {"log": row["log"], limit: float(row[limit]), field: number_of(row[area]),
         "epsilon": number_of(row["median_epsilon_range"])}
        for row in rows
        if row["annotation"] == kind.value and row["attacker"] == attacker
    ]  # fmt: skip


def spread_svg(rows: Sequence[Row], title: str, label: str, across: str, number: Any) -> bytes:
    """Boxes over the edges on a logarithmic scale: a panel per annotation, a box per attacker.

    The box holds the middle half of the edges, its line is the median, the whisker holds nine of
    ten edges.
    """
    kinds = [kind for kind in Annotation if any(row["annotation"] == kind.value for row in rows)]
    limits = sorted({float(row["limit"]) for row in rows})
    slot, height, top, gap = 50.0, 130.0, 64.0, 74.0
    items: list[Shape] = [Text(0, 16, title, 13, "start", bold=True)]
    y, width = top, 0.0
    for kind in kinds:
        own = [row for row in rows if row["annotation"] == kind.value]
        values = [float(row[key]) for row in own for key in ("low", "high")]
        floor = max(min((value for value in values if value > 0), default=0.01), 1e-6)
        up = Axis.over([floor, *values], f"{WORDS[kind]}: {label}", log=True, write=number)
        left = 84.0
        panel = Panel(left, y, slot * len(limits), height, Axis(0, 1, ""), up)
        width = left + panel.width + 12
        for value in up.ticks():
            at = panel.point(0, value)[1]
            items.append(Line(((left, at), (left + panel.width, at)), "rule", 1))
            items.append(Text(left - 8, at + 3.5, number(value), 10.5, "end", "muted"))
        items.append(Text(0, y - 10, up.label, 11, "start", "muted"))
        for row in own:
            items += _box(panel, row, limits.index(float(row["limit"])) * slot, slot)
        for place, limit in enumerate(limits):
            x = left + (place + 0.5) * slot
            items.append(Text(x, y + height + 15, short(limit), 10.5, "middle", "muted"))
        y += height + gap
    items.append(Text(84 + slot * len(limits) / 2, y - gap + 32, across, 11))
    attackers = [name for name in ATTACKERS if any(row["attacker"] == name for row in rows)]
    x = 0.0
    for name in attackers:
        colour = COLOURS[name]
        items += [Box(x, 26, 12, 10, 1, colour, opacity=0.55), Text(x + 17, 35, name, 11, "start")]
        x += text_width(name, 11) + 40
    words = "; ".join(
        f"{row['annotation']}, {row['attacker']}, {across} {short(float(row['limit']))}: median "
        f"{number(_two(float(row['median'])))}"
        for row in rows
    )
    return svg(finished(width, y - gap + 40, items, title, words), "auto")


def _box(panel: Panel, row: Row, offset: float, slot: float) -> list[Shape]:
    place, colour = ATTACKERS.index(row["attacker"]), COLOURS[row["attacker"]]
    width = (slot - 14) / 3
    x = panel.x + offset + 7 + place * width
    low, lower, middle, upper, high = (
        panel.point(0, float(row[key]))[1] for key in ("low", "lower", "median", "upper", "high")
    )
    centre = x + width / 2
    return [
        Line(((centre, low), (centre, high)), colour, 1),
        Box(x + 1, upper, width - 2, max(1.0, lower - upper), 0, colour, opacity=0.55),
        Line(((x + 1, middle), (x + width - 1, middle)), "ink", 1.8),
    ]


def _two(value: float) -> float:
    return float(f"{value:.2g}") if math.isfinite(value) else value


def times_svg(times: Sequence[Row], published: Mapping[str, float]) -> bytes:
    """Seconds per log on a logarithmic scale: ours (reading to P2, one attacker) and published."""
    logs = list(dict.fromkeys(row["log"] for row in times))
    ours = {log: seconds_of(times, log, "paper") for log in logs}
    values = [*ours.values(), *(published[log] for log in logs if log in published)]
    across = Axis.over(
        values, "seconds: reading, P1 and P2, five annotations, eleven limits each", log=True
    )
    left, slot = 110.0, 46.0
    panel = Panel(left, 52.0, 430.0, slot * len(logs), across, Axis(0, 1, ""))
    title = "Execution time"
    items: list[Shape] = [Text(0, 16, title, 13, "start", bold=True)]
    items += [Circle(6, 31, 4.5, "p0"), Text(16, 35, "hushmap, processor time", 11, "start"),
              Circle(186, 31, 4.5, None, "p1", 2), Text(196, 35, "published, on 4 cores", 11, "start")]  # fmt: skip
    bottom = panel.y + panel.height
    for value in across.ticks():
        x = panel.point(value, 0)[0]
        items.append(Line(((x, panel.y), (x, bottom)), "rule", 1))
        items.append(Text(x, bottom + 17, short(value), 10.5, "middle", "muted"))
    items.append(Text(left + panel.width / 2, bottom + 35, across.label, 11))
    words = []
    for place, log in enumerate(logs):
        y = panel.y + slot * (place + 0.5)
        items.append(Text(left - 14, y + 4, log, 11, "end"))
        x = panel.point(ours[log], 0)[0]
        words.append(f"{log}: {short(_two(ours[log]))} s")
        if log in published:
            other = panel.point(published[log], 0)[0]
            items.append(Line(((x, y), (other, y)), "muted", 1, dash=(2.0, 3.0)))
            items.append(Circle(other, y, 5, "paper", "p1", 2))
            items.append(Text(other, y + 18, short(round(published[log])), 10.5))
            words[-1] += f", published {short(round(published[log]))} s"
        items.append(Circle(x, y, 5, "p0"))
        items.append(Text(x, y - 9, short(_two(ours[log])), 10.5))
    return svg(finished(left + 470, bottom + 46, items, title, "; ".join(words) + "."), "auto")


def seconds_of(times: Iterable[Row], log: str, attacker: str) -> float:
    """Processor seconds for one log: read and discovered once, P1 and P2 of one attacker.

    On an idle machine it takes no longer than that on the clock, however busy this one is.
    """
    own = [row for row in times if row["log"] == log]
    once = {
        step: min((float(row["cpu_seconds"]) for row in own if row["step"] == step), default=0.0)
        for step in ("read", "discover")
    }
    solving = sum(
        float(row["cpu_seconds"])
        for row in own
        if row["step"] in {"p1", "p2"}
        and row["attacker"] == ("any" if row["part"] == "frequency" else attacker)
    )
    return sum(once.values()) + solving
