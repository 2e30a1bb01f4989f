"""What ``make bench`` found, as bench/RESULTS.md: ratios first, then every figure.

python bench/results.py        # the page again, from bench/out/results.json
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
SIZES = (1_000_000, 10_000_000, 50_000_000, 200_000_000)
"""What is to be measured; what was not is said."""
LARGEST = SIZES[-1]
LIMITED = "hushmap release, --memory"
Found = dict[str, Any]


@dataclass(frozen=True)
class Aim:
    """Something that is to hold.

    Attributes:
        text: What is measured.
        most: What it may be at most; at least, where ``at_least``.
        measured: The figure, None where it was not measured.
        unit: Written behind both.
        at_least: Whether more is better.
    """

    text: str
    most: float
    measured: float | None
    unit: str = ""
    at_least: bool = False

    @property
    def holds(self) -> bool:
        if self.measured is None:
            return False
        return self.measured >= self.most if self.at_least else self.measured <= self.most


class Results:
    """The groups, to be asked."""

    def __init__(self, found: Found) -> None:
        self.groups = found["groups"]

    def sizes(self, key: str) -> list[int]:
        return sorted(group["events"] for group in self.groups if group["key"] == key)

    def row(self, key: str, name: str, events: int | None = None) -> Found | None:
        """The first row whose name begins so."""
        for group in self.groups:
            if group["key"] == key and events in (None, group["events"]):
                for row in group["rows"]:
                    if row["name"].startswith(name):
                        return row
        return None

    def get(
        self, key: str, name: str, events: int | None = None, kind: str = "seconds"
    ) -> float | None:
        row = self.row(key, name, events)
        return None if row is None else row[kind]

    def step(self, key: str, name: str, step: str) -> float | None:
        row = self.row(key, name)
        return None if row is None else row["steps"].get(step)

    def fastest_peer(self, key: str, events: int | None = None) -> float | None:
        times = [self.get(key, name, events) for name in ("rustxes", "r4pm", "pm4py")]
        return min((time for time in times if time is not None), default=None)


def ratio(top: float | None, bottom: float | None) -> float | None:
    return None if top is None or not bottom else top / bottom


def aims(found: Results) -> Iterator[Aim]:
    """Everything that is to hold, with what was measured."""
    for size in found.sizes("xes"):
        peer, own = found.fastest_peer("xes", size), found.get("xes", "hushmap", size)
        if peer is not None:
            yield Aim(
                f"XES of {size:,} events: times faster than the fastest of r4pm, rustxes, pm4py",
                3, ratio(peer, own), at_least=True,
            )  # fmt: skip
            memory = ratio(
                found.get("xes", "hushmap", size, "peak_mb"),
                found.get("xes", "r4pm", size, "peak_mb"),
            )
            yield Aim(f"XES of {size:,} events: memory beside r4pm's", 0.33, memory)
    for size in found.sizes("xes"):
        peak = found.get("xes", "in 200MB", size, "peak_mb")
        yield Aim(
            f"XES of {size:,} events with --memory-limit 200MB: peak memory", 400, peak, " MB"
        )
    for size in found.sizes("graph"):
        if size < 10_000_000:
            continue
        plain = found.get("graph", "plain DuckDB", size)
        own = found.get("graph", "hushmap, counts", size)
        yield Aim(f"Graph of {size:,} events: beside the plain query", 1.2, ratio(own, plain))
        own = found.get("graph", "hushmap, with", size)
        yield Aim("… with the histogram of every edge: likewise", 2, ratio(own, plain))
    for size in found.sizes("release"):
        if size < 10_000_000:
            continue
        plain = found.get("release", "plain DuckDB", size)
        start = found.get("release", "hushmap release of 33", size)
        own = found.get("release", "hushmap release of frequency", size)
        net = None if own is None or start is None else own - start
        yield Aim(
            f"Release of frequency and mean of {size:,} events: beside the plain query, "
            "start-up taken off",
            1.3, ratio(net, plain),
        )  # fmt: skip
    for size in found.sizes("plan-us"):
        own, other = found.get("plan-us", "empirical", size), found.get("plan-us", "any", size)
        yield Aim(
            f"Attacker empirical on {size:,} events, all durations distinct: beside any",
            3, ratio(own, other),
        )  # fmt: skip
    yield from growth(found)
    for size in sorted({LARGEST, *found.sizes("release-large")}):
        peak = found.get("release-large", LIMITED, size, "peak_mb")
        yield Aim(
            f"Release of {size:,} events with --memory-limit 2GB: peak memory", 4_096, peak, " MB"
        )
    for key in ("real-BPI12", "real-Traffic_fines"):
        peer, own = found.fastest_peer(key), found.get(key, "hushmap release")
        limit = None if peer is None else 1.2 * peer + 0.6
        name = key.removeprefix("real-")
        yield Aim(
            f"{name}.xes.gz, whole release: beside 1.2 times the fastest peer's reading + 0.6 s",
            1, ratio(own, limit),
        )  # fmt: skip
    yield Aim("import hushmap", 0.3, found.get("start", "import hushmap"), " s")
    yield Aim("hushmap --help", 0.5, found.get("start", "hushmap --help"), " s")
    sepsis = found.get("real-Sepsis", "hushmap release")
    yield Aim("Sepsis, release of all five annotations", 1.5, sepsis, " s")
    memory = found.get("real-Sepsis", "hushmap release", kind="peak_mb")
    yield Aim("… its memory", 300, memory, " MB")
    for text, most, script, step in (
        ("Exact risks of all edges of Sepsis, one δ", 0.2, "risks", "Sepsis, one δ"),
        ("… 40 δ", 1, "risks", "Sepsis, 40 δ"),
        ("… one edge of a million distinct durations", 10, "risks", "one huge edge, one δ"),
        ("Noise of 5,000 edges of distinct scales", 1, "noise", "of distinct scales"),
        ("SVG of Sepsis", 1, "pictures", "Sepsis.xes.gz svg"),
    ):
        yield Aim(text, most, found.step("parts", script, step), " s")


def growth(found: Results) -> Iterator[Aim]:
    """Ten times the events take at most eleven times as long."""
    for keys, name, text, always in (
        (("xes",), "hushmap", "XES read", ()),
        (("graph",), "hushmap, counts", "Parquet to the graph", ()),
        (("graph",), "hushmap, with", "Parquet to the graph with histograms", ()),
        (("csv",), "hushmap, counts", "CSV to the graph", ()),
        (("release",), "hushmap release of frequency", "Parquet to a released map", ()),
        (
            ("release", "release-large"), LIMITED,
            "Parquet to a released map with --memory-limit 2GB", SIZES,
        ),
    ):  # fmt: skip
        times = {size: found.get(key, name, size) for key in keys for size in found.sizes(key)}
        sizes = sorted({size for size, time in times.items() if time is not None} | {*always})
        for small, large in pairwise(sizes):
            yield Aim(
                f"{text}, {small:,} to {large:,} events: times the time, at {large / small:g} times "
                "the events",
                1.1 * large / small, ratio(times.get(large), times.get(small)),
            )  # fmt: skip


def number(value: float) -> str:
    """Three digits that say something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def aims_table(found: Results) -> list[str]:
    lines = ["| | asked | measured | |", "|---|---:|---:|---|"]
    for aim in aims(found):
        asked = f"{'≥' if aim.at_least else '≤'} {number(aim.most)}{aim.unit}"
        if aim.measured is None:
            lines.append(f"| {aim.text} | {asked} | not measured | |")
        else:
            verdict = "holds" if aim.holds else "**missed**"
            lines.append(f"| {aim.text} | {asked} | {number(aim.measured)}{aim.unit} | {verdict} |")
    return lines


def group_table(group: Found) -> list[str]:
    """One group: ratios to its first row, then the seconds themselves."""
    if not group["rows"]:
        return []
    base = group["rows"][0]["seconds"]
    lines = [
        f"### {group['title']}", "",
        "| | ratio | seconds | CPU seconds | peak MB |", "|---|---:|---:|---:|---:|",
    ]  # fmt: skip
    lines += [
        f"| {row['name']} | {number(row['seconds'] / base)} | {number(row['seconds'])} "
        f"| {number(row['cpu_seconds'])} | {row['peak_mb']:,.0f} |"
        for row in group["rows"]
    ]
    lines += [f"| {name} | | could not be run | | |" for name in group["missing"]]
    if not group["agree"]:
        lines += ["", "**The answers of these programs differ.**"]
    stepped = [row for row in group["rows"] if row["steps"]]
    if stepped:
        lines += ["", "Seconds within the process:", ""]
        for row in stepped:
            steps = ", ".join(f"{name} {number(value)}" for name, value in row["steps"].items())
            lines.append(f"- {row['name']}: {steps}")
    return [*lines, ""]


def spoken(seconds: float) -> str:
    """Seconds as people say them.

    Example:
        >>> spoken(12), spoken(600), spoken(20_000)
        ('12 s', '10 min', '5.6 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_200 else f"{seconds / 3_600:,.1f} h"


WORKERS = (1, 4, 16, 64)
CLUSTER_EVENTS = (10**9, 10**10, 10**11)


def cluster(found: Results) -> list[str]:
    """What k workers give, reckoned from what one core was measured at; nothing if it was not."""
    size = max(found.sizes("spark"), default=0)
    lines: list[str] = []
    for attacker in ("any", "empirical"):
        name = f"{attacker}, local[1]"
        whole = found.get("spark", name, size, "cpu_seconds")
        start = found.get("spark-start", name, kind="cpu_seconds")
        wait = found.get("spark-start", name)
        if whole is None or start is None or wait is None or whole <= start:
            continue
        each = (whole - start) / size
        lines += [
            "",
            _measured_on_one_core(attacker, each, size, wait),
            "",
            "| events | " + " | ".join(f"{workers} cores" for workers in WORKERS) + " |",
            "|---:|" + "---:|" * len(WORKERS),
        ]
        for events in CLUSTER_EVENTS:
            times = [spoken(wait + each * events / workers) for workers in WORKERS]
            lines.append(f"| {events:,} | " + " | ".join(times) + " |")
    if not lines:
        return []
    return [
        "## A cluster, by arithmetic",
        "",
        "None of the times in these tables was measured. They are the start, and the processor time",
        "of one core shared evenly by k: a floor, without what the network adds to a shuffle.",
        *lines,
        "",
    ]


def _measured_on_one_core(attacker: str, each: float, size: int, wait: float) -> str:
    return (
        f"Attacker {attacker}: {number(each * 1e6)} processor seconds per million events, measured "
        f"on {size:,} with one core, the start taken off; {number(wait)} s to start."
    )


def page(found: Found) -> str:
    """The whole page."""
    machine, results = found["machine"], Results(found)
    versions = "; ".join(
        f"{name}: " + ", ".join(f"{package} {number_}" for package, number_ in packages.items())
        for name, packages in found["versions"].items()
        if packages
    )
    lines = [
        f"""# Measured

Made by `make bench` in one run on one machine, {found["date"]}. Every figure is the median of its
runs, each in a fresh process with its start; the programs of a group took turns. Ratios hold on
other machines, seconds do not.

{machine["cores"]} cores ({machine["model"]}), {machine["memory_gb"]} GB, {machine["system"]},
Python {machine["python"]}; load of the machine before the run {machine["load_before"]}.

Each peer in an environment of its own. {versions}.

## What is to hold
""",
        *aims_table(results),
        "",
        *cluster(results),
        """## Every figure

Ratios are to the first row of each table.
""",
    ]
    for group in found["groups"]:
        lines += group_table(group)
    return "\n".join(lines)


if __name__ == "__main__":
    made = page(json.loads((HERE / "out" / "results.json").read_text()))
    (HERE / "RESULTS.md").write_text(made)
    print(made)
