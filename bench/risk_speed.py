"""How long the exact risks take. Run: ``python bench/risk_speed.py``.

Synthetic graphs of the size of the Sepsis log and of one huge edge, and Sepsis itself where
``../shared/data`` exists. Targets on two cores: one δ for all edges of Sepsis within 0.2 s, 40 δ
within 1 s, both with the windows; one edge of a million distinct durations within 10 s and 1 GB.
"""

from __future__ import annotations

import json
import resource
import sys
import xml.etree.ElementTree as ET
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np

from hushmap.risk import RiskCurves

SEPSIS = Path(__file__).resolve().parents[2] / "shared" / "data" / "Sepsis.xes"
RISKS = np.linspace(0.01, 0.9, 40).round(4).tolist()


def synthetic(edges: int, occurrences: int, seed: int = 0):
    """Edges of very different sizes, durations over several orders of magnitude."""
    rng = np.random.default_rng(seed)
    shares = rng.pareto(0.7, edges) + 0.01
    sizes = np.maximum(2, (shares / shares.sum() * occurrences).astype(int))
    histograms = [
        np.unique(rng.lognormal(10, 2, size).astype(np.int64), return_counts=True) for size in sizes
    ]
    return concatenate(histograms)


def concatenate(histograms):
    offsets = np.cumsum([0, *(values.size for values, _ in histograms)])
    values = np.concatenate([values for values, _ in histograms])
    counts = np.concatenate([counts for _, counts in histograms])
    ranges = [max(1, int(values[-1])) for values, _ in histograms]
    return offsets, values, counts, ranges


def sepsis():
    """The histograms of Sepsis, durations in seconds."""
    durations: dict[tuple[str, str], list[int]] = {}
    for trace in ET.parse(SEPSIS).getroot().iterfind("{*}trace"):
        events = []
        for event in trace.iterfind("{*}event"):
            field = {child.get("key"): child.get("value") for child in event}
            events.append((datetime.fromisoformat(field["time:timestamp"]), field["concept:name"]))
        events.sort(key=lambda event: event[0])
        for (then, source), (now, target) in pairwise(events):
            seconds = round((now - then).total_seconds())
            durations.setdefault((source, target), []).append(seconds)
    return concatenate([np.unique(times, return_counts=True) for times in durations.values()])


def measure(name: str, graph, attacker: str, precision: str) -> dict[str, float]:
    offsets, values, counts, ranges = graph
    how = {"attacker": attacker, "precision": Fraction(precision)}

    start = perf_counter()
    curves = RiskCurves(offsets, values, counts, ranges, **how)
    built = perf_counter() - start
    curves.epsilon(0.1)
    one = perf_counter() - start

    found = {f"{name}, one δ": one}
    curve = "        –"
    if values.size < 500_000:
        start = perf_counter()
        curves = RiskCurves(offsets, values, counts, ranges, **how)
        for risk in RISKS:
            curves.epsilon(risk)
        found[f"{name}, 40 δ"] = perf_counter() - start
        curve = f"{found[f'{name}, 40 δ']:7.3f} s"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name:<22} {len(ranges):>5} edges {values.size:>8} values {attacker:<9} p={precision:<5}"
        f" windows {built:7.3f} s, one δ {one:7.3f} s, 40 δ {curve}, peak {peak:5.0f} MB"
    )
    return found


def main() -> None:
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}; 'one δ' includes the windows")
    graphs = {"like Sepsis": synthetic(115, 15_000), "many edges": synthetic(4_000, 60_000)}
    if SEPSIS.exists():
        graphs["Sepsis"] = sepsis()
    slowest: dict[str, float] = {}

    def note(found: dict[str, float]) -> None:
        slowest.update({name: max(took, slowest.get(name, 0)) for name, took in found.items()})

    for name, graph in graphs.items():
        for attacker, precision in (("empirical", "0.5"), ("empirical", "0.1"), ("paper", "0.5")):
            note(measure(name, graph, attacker, precision))
    rng = np.random.default_rng(1)
    values = np.unique((rng.lognormal(0, 1, 1_100_000) * 1e9).astype(np.int64))[:1_000_000]
    huge = concatenate([(values, rng.integers(1, 4, values.size))])
    for attacker, precision in (("empirical", "0.5"), ("empirical", "0.01"), ("paper", "0.5")):
        note(measure("one huge edge", huge, attacker, precision))
    print("FIGURES " + json.dumps({"steps": slowest}))


if __name__ == "__main__":
    main()
