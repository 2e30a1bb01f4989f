"""The definitions of method.md §2 and §4, as slowly and plainly as they can be written."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

HOURS = 3600
WORKED_EXAMPLE = {  # edge: durations in hours (the paper's running example)
    ("▶", "A"): ["1", "1", "1", "2", "2", "2", "3", "3", "4", "5", "10"],
    ("A", "B"): ["0.2", "3", "8", "12", "16"],
    ("A", "C"): ["1", "6", "15"],
    ("A", "D"): ["7"],
    ("B", "C"): ["1", "5", "11", "15", "20"],
    ("C", "D"): ["0.2", "0.25", "0.4", "1.5", "2.6", "3.65", "4.7", "6"],
    ("D", "■"): ["0.5", "0.7", "0.9", "0.9", "0.9", "1.3", "1.3", "1.7", "4"],
    ("A", "■"): ["0.5", "3"],
}


def windows_of_all_guesses(values, range_, tolerance, grid=40):
    """Every window that some guess covers: on a fine grid, at each event point and between them."""
    ticks = [Fraction(int(value)) for value in values]
    events = {Fraction(0), Fraction(range_)}
    for tick in ticks:
        for point in (tick - tolerance, tick + tolerance):
            events.add(min(max(point, Fraction(0)), Fraction(range_)))
    guesses = set(events)
    guesses |= {(left + right) / 2 for left, right in pairwise(sorted(events))}
    guesses |= {Fraction(range_ * step, grid) for step in range(grid + 1)}
    windows = set()
    for guess in guesses:
        lo = sum(tick < guess - tolerance for tick in ticks)
        hi = sum(tick <= guess + tolerance for tick in ticks)
        if lo < hi:
            windows.add((lo, hi))
    return windows


def risk_by_definition(values, counts, range_, windows, e):
    """The largest gain over the windows and a fine grid of observations, data values included."""
    ticks, shares = np.array(values, float), np.array(counts) / sum(counts)
    seen = np.concatenate(
        [ticks, (ticks[1:] + ticks[:-1]) / 2, np.linspace(-0.2, 1.2, 71) * range_]
    )
    exponents = -(e / range_) * np.abs(seen[:, None] - ticks[None, :])
    weights = np.exp(exponents - exponents.max(axis=1, keepdims=True)) * shares
    weights /= weights.sum(axis=1, keepdims=True)
    running = np.concatenate([np.zeros((seen.size, 1)), weights.cumsum(axis=1)], axis=1)
    lo, hi = np.array(sorted(windows)).T
    before = np.concatenate([[0.0], np.cumsum(counts)]) / sum(counts)
    return float(((running[:, hi] - running[:, lo]) - (before[hi] - before[lo])).max())


def random_edge(rng, *, largest_range=60, most=9):
    """A histogram, a range and a tolerance with the ties and borders that real logs have."""
    range_ = int(rng.integers(1, largest_range))
    size = min(int(rng.integers(1, most)), range_ + 1)
    values = np.sort(rng.choice(range_ + 1, size, replace=False))
    if rng.random() < 0.4:
        range_ = max(1, int(values[-1]))
    counts = rng.integers(1, 6, size)
    if rng.random() < 0.5:
        precision = rng.choice(["0", "0.05", "0.1", "0.25", "0.3", "0.5", "1"])
        tolerance = Fraction(str(precision)) * range_
    else:
        tolerance = Fraction(int(rng.integers(0, 6 * range_ + 1)), int(rng.choice([1, 2, 3, 6])))
    return values, counts, range_, tolerance


def graph_of(histograms):
    """One histogram per edge, concatenated as `RiskCurves` takes them."""
    offsets = np.cumsum([0, *(len(values) for values, _ in histograms)])
    values = np.concatenate([np.asarray(values, np.int64) for values, _ in histograms])
    counts = np.concatenate([np.asarray(counts, np.int64) for _, counts in histograms])
    return offsets, values, counts


def worked_example():
    """Its edges, histograms in whole seconds and ranges."""
    histograms = [
        np.unique([int(Fraction(hours) * HOURS) for hours in durations], return_counts=True)
        for durations in WORKED_EXAMPLE.values()
    ]
    ranges = [int(values[-1]) for values, _ in histograms]
    return list(WORKED_EXAMPLE), histograms, ranges


@pytest.fixture(scope="session")
def definition():
    return SimpleNamespace(
        windows=windows_of_all_guesses,
        risk=risk_by_definition,
        random_edge=random_edge,
        graph_of=graph_of,
        worked_example=worked_example,
    )
