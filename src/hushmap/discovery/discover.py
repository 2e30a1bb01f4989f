"""`discover`: from an event log to the exact graph, whatever engine holds the log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hushmap.discovery.assemble import EdgeTotals, assemble
from hushmap.discovery.bounds import declared_bounds
from hushmap.discovery.query import aggregate_query, decoded
from hushmap.graph import Edge
from hushmap.log.engine import watched
from hushmap.timespan import parse_timespan

if TYPE_CHECKING:
    from hushmap.discovery.assemble import HistogramOfEdges
    from hushmap.discovery.bounds import DeclaredBounds, MaxDuration
    from hushmap.graph import ExactGraph
    from hushmap.log import EventLog
    from hushmap.log.engine import Engine, OnProgress

DEFAULT_RESOLUTION = "1s"
# No edge: what is declared of it is what is declared of every edge without a bound of its own.
_NO_EDGE = Edge(None, None)


def discover(
    log: EventLog | object,
    *,
    resolution: str = DEFAULT_RESOLUTION,
    max_duration: MaxDuration | None = None,
    histograms: bool = True,
    on_progress: OnProgress | None = None,
) -> ExactGraph:
    """Discover the exact directly-follows graph of a log. The result is the owner's.

    Args:
        log: The event log, or a Spark data frame whose columns are recognised by their names
            (else: `from_frame`).
        resolution: The tick in which durations are counted, such as ``1s`` or ``10ms``; public,
            never read off the data (method.md §1).
        max_duration: A public bound on durations, such as ``30d``, or a CSV with one per edge;
            longer durations are clipped and counted.
        histograms: Whether to keep every edge's distribution of durations, which the attackers
            `empirical` and `paper` need; `any` does not.
        on_progress: Called now and then with the events done and the events in all, as the engine
            reckons: what it has done of the query, or of its stage, as a share of the events.

    Raises:
        UsageError: The resolution or the bound cannot be read.
        EngineError: The engine could not finish.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"), resolution="1min")
        >>> graph.durations.of(graph.edge("A", "B"))[0].tolist()
        [12, 180, 480, 720, 960]
    """
    from hushmap.log import EventLog, from_frame

    if not isinstance(log, EventLog):
        log = from_frame(log)
    tick = parse_timespan(resolution, "--resolution")
    declared = None if max_duration is None else declared_bounds(max_duration)
    if log.on_spark:
        from hushmap.discovery import spark as engine
    else:
        from hushmap.discovery import duckdb_engine as engine  # type: ignore[no-redef]
    names, events = engine.coded_events(log)
    found: HistogramOfEdges | None = None
    with watched(log.engine, log.kept, on_progress):
        if histograms:
            totals, found, longest = engine.histogram(log, names, events, tick, declared)
        else:
            totals, longest = _aggregates(log.engine, names, events, tick, declared)
    bounds = None
    if declared is not None:  # refuses an edge without a bound
        timed = [edge for edge, timed in zip(totals.edges, totals.timed, strict=True) if timed]
        bounds = declared.ticks(timed, [True] * len(timed), tick)
    _add_starts(totals)
    graph = assemble(
        totals, found, resolution=tick, bounds=bounds, declared=declared, conserved=True
    )
    return replace(graph, longest_case=longest, origin=tuple(log.sentences()))


def _aggregates(
    engine: Engine, names: list[str], events: str, tick: int, declared: DeclaredBounds | None
) -> tuple[EdgeTotals, int]:
    """Per edge what its durations add up to, and how many events the longest case has.

    Nothing but one row per edge leaves the engine.
    """
    bound, join = None, ""
    if declared is not None:
        bound = str(declared.of(_NO_EDGE, tick))
        place = {name: number for number, name in enumerate(names)}
        own = {
            place[edge.source] * (len(names) + 1) + place[edge.target]: declared.of(edge, tick)
            for edge in declared.by_edge
            if edge.source in place and edge.target in place
        }
        if own:
            table = engine.table(
                {
                    "edge": np.fromiter(own.keys(), np.int64),
                    "most": np.fromiter(own.values(), np.int64),
                }
            )
            bound, join = f"coalesce(most, {bound})", f"LEFT JOIN {table} USING (edge)"
    query = aggregate_query(events, len(names), tick, engine.dialect, bound=bound, bounds=join)
    rows = sorted(engine.rows(query))
    timed = [row for row in rows if row[3] >= 0]
    ends = [row for row in rows if row[3] < 0]
    edges = [decoded(row[0], names) for row in timed]
    _, counts, sums, minima, maxima, clipped_sums, clipped = (
        [list(column) for column in zip(*timed, strict=True)] if timed else [[] for _ in range(7)]
    )
    has_durations = [True] * len(timed)
    totals = EdgeTotals(edges, counts, has_durations, sums, minima, maxima, clipped_sums, clipped)
    for row in ends:
        totals.add_untimed(decoded(row[0], names), row[1])
    return totals, max(-row[3] for row in ends)


def _add_starts(totals: EdgeTotals) -> None:
    """Cases that start with an activity: what flows out of it less what flows in from others."""
    balance: dict[str, int] = {}
    for (source, target), count in zip(totals.edges, totals.counts, strict=True):
        assert source is not None
        balance[source] = balance.get(source, 0) + count
        if target is not None:
            balance[target] = balance.get(target, 0) - count
    for name in sorted(balance):
        if balance[name]:
            totals.add_untimed(Edge(None, name), balance[name])
