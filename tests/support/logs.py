"""Logs for the tests: made at random, written in every format, and discovered by brute force."""

from __future__ import annotations

import csv
import gzip
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import strategies as st

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
EPOCH = datetime(2026, 1, 5, tzinfo=UTC)

real_logs = pytest.mark.skipif(
    not (SHARED / "data").is_dir(), reason="the real logs of ../shared/data are not here"
)


@dataclass(frozen=True)
class Event:
    case: str
    activity: str
    microseconds: int

    @property
    def time(self) -> datetime:
        return EPOCH + timedelta(microseconds=self.microseconds)


def rounded(microseconds: int, resolution: int) -> int:
    """Half up, from the definition, in exact arithmetic."""
    return int((Fraction(microseconds, resolution) + Fraction(1, 2)) // 1)


def brute_force(events: list[Event], resolution: int = 1_000_000) -> dict:
    """Per edge its sorted durations in ticks; None for the start and the end of a case."""
    cases = defaultdict(list)
    for row, event in enumerate(events):
        cases[event.case].append((event.microseconds, row, event.activity))
    edges = defaultdict(list)
    for rows in cases.values():
        rows.sort()
        edges[None, rows[0][2]].append(None)
        edges[rows[-1][2], None].append(None)
        for (before, _, source), (after, _, target) in pairwise(rows):
            edges[source, target].append(rounded(after - before, resolution))
    return {
        edge: durations if None in durations else sorted(durations)
        for edge, durations in edges.items()
    }


def as_dictionary(graph) -> dict:
    """A graph in the shape of `brute_force`; checks that the aggregates fit the histogram."""
    edges = {}
    for place, edge in enumerate(graph.edges):
        count = int(graph.counts[place])
        if not graph.timed[place]:
            edges[tuple(edge)] = [None] * count
            continue
        values, counts = graph.durations.of(place)
        durations = [
            v for v, c in zip(values.tolist(), counts.tolist(), strict=True) for _ in range(c)
        ]
        assert len(durations) == count
        assert sum(durations) == graph.sums[place]
        assert (durations[0], durations[-1]) == (graph.minima[place], graph.maxima[place])
        assert graph.means[place] == Fraction(sum(durations), count)
        edges[tuple(edge)] = durations
    return edges


ACTIVITIES = ["A", "B", "Ärzte", "a,b", 'say "hi"', "<script>", "🙂", "=1+1", "--", "x y", "\\"]

event_lists = st.lists(
    st.builds(
        Event,
        case=st.sampled_from(["1", "2", "c-3", "🙂", "a;b"]),
        activity=st.sampled_from(ACTIVITIES),
        # Few distinct times make many ties; some are finer than a second.
        microseconds=st.one_of(
            st.integers(0, 5).map(lambda seconds: seconds * 1_000_000),
            st.integers(0, 10**10),
            st.just(500_000),
        ),
    ),
    min_size=1,
    max_size=40,
)


def write_csv(events: list[Event], path: Path, *, delimiter: str = ",", header=None) -> Path:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(header or ["case", "activity", "timestamp"])
        for event in events:
            writer.writerow([event.case, event.activity, event.time.isoformat()])
    return path


def write_xes(events: list[Event], path: Path) -> Path:
    """One trace per run of rows of a case, so that interleaved cases become several traces."""
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", "<log>"]
    open_case = None
    for event in events:
        if event.case != open_case:
            if open_case is not None:
                lines.append("</trace>")
            lines.append(f'<trace><string key="concept:name" value={quoteattr(event.case)}/>')
            open_case = event.case
        lines.append(
            f'<event><string key="concept:name" value={quoteattr(event.activity)}/>'
            f'<date key="time:timestamp" value="{event.time.isoformat()}"/></event>'
        )
    lines += ["</trace>", "</log>"]
    text = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def columns(events: list[Event]) -> dict[str, list]:
    return {
        "case": [event.case for event in events],
        "activity": [event.activity for event in events],
        "timestamp": [event.time for event in events],
    }


def edge_counts(events: list[Event]) -> Counter:
    return Counter({edge: len(durations) for edge, durations in brute_force(events).items()})
