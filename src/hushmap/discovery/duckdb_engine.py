"""Discovery on one machine: DuckDB streams, sorts and spills; only the result comes to Python."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from hushmap.discovery.assemble import Histogram
from hushmap.discovery.query import decoded, histogram_query

if TYPE_CHECKING:
    from hushmap.discovery.assemble import EdgeTotals
    from hushmap.discovery.bounds import DeclaredBounds
    from hushmap.log import EventLog


def coded_events(log: EventLog) -> tuple[list[str], str]:
    """The activities in code-point order, and the events with codes for names."""
    workspace = log.workspace
    workspace.run("DROP TYPE IF EXISTS activity_name")
    workspace.run(
        "CREATE TYPE activity_name AS ENUM "
        f"(SELECT DISTINCT activity FROM ({log.events_sql}) ORDER BY activity)"
    )
    (names,) = workspace.row("SELECT enum_range(NULL::activity_name)")
    kind = "INTEGER" if (len(names) + 1) ** 2 < 2**31 else "BIGINT"
    code = f"enum_code(activity::activity_name)::{kind}"
    return names, f"SELECT case_id, {code} AS a, t, seq FROM ({log.events_sql})"


def histogram(
    log: EventLog, names: list[str], events: str, tick: int, declared: DeclaredBounds | None
) -> tuple[EdgeTotals, Histogram, int]:
    """The durations of all edges, what they add up to, and the events of the longest case.

    Only distinct durations come to Python.
    """
    table = log.workspace.arrays(histogram_query(events, len(names), tick))
    code, ticks = table["edge"], table["duration"].astype(np.int64, copy=False)
    count = table["occurrences"].astype(np.int64, copy=False)
    ends = ticks < 0
    codes, found = Histogram.of_rows(code[~ends], ticks[~ends], count[~ends])
    edges = [decoded(value, names) for value in codes.tolist()]
    bounds = None if declared is None else declared.ticks(edges, [True] * len(edges), tick)
    totals = found.totals(edges, bounds)
    cases: Counter[int] = Counter()
    for value, number in zip(code[ends].tolist(), count[ends].tolist(), strict=True):
        cases[value] += number
    for value, number in cases.items():
        totals.add_untimed(decoded(value, names), number)
    return totals, found, -int(ticks.min())
