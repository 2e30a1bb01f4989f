"""The one query of discovery, as text: the same SQL for every engine that speaks windows.

Its input is a relation of integers, ``events(case_id, a, t, seq)`` with ``a`` the place of the
activity in code-point order, ``t`` in microseconds and ``seq`` the row's own number. Integers make
every engine give the same answer, ties included (architecture.md, Scale).

An edge is one number, ``source * (activities + 1) + target``, where the target ``activities`` is
the end of the case. How often a case starts with an activity needs no query of its own: it is what
flows out of the activity less what flows in from others.

The end of a case has no duration. In its place stands the number of the case's events, with a minus
before it: how long the longest case is costs no query, and no second look at the events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.graph import Edge
from hushmap.log.engine import DUCKDB

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hushmap.log.engine import Dialect

# The gap is NULL at the end of a case; there, place is how many events the case has.
_SUCCESSIONS = """
SELECT
  a * {stride} + coalesce(lead(a) OVER w, {end}) AS edge,
  (lead(t) OVER w) - t AS gap,
  row_number() OVER w AS place
FROM ({events}) AS events
WINDOW w AS (PARTITION BY case_id ORDER BY t, seq)
"""


def decoded(code: int, names: Sequence[str]) -> Edge:
    """The edge of a number; the names are the activities in code-point order.

    Example:
        >>> decoded(1, ["A", "B"]), decoded(5, ["A", "B"])
        (Edge(source='A', target='B'), Edge(source='B', target=None))
    """
    source, target = divmod(code, len(names) + 1)
    return Edge(names[source], None if target == len(names) else names[target])


def ticks(resolution: int, dialect: Dialect = DUCKDB) -> str:
    """SQL of a gap in ticks, rounded half up (method.md §1); a gap is never negative.

    Example:
        >>> ticks(1_000_000)
        '((gap + 500000) // 1000000)'
    """
    if resolution == 1:
        return "gap"
    return dialect.division.format(f"(gap + {resolution // 2})", resolution)


def aggregate_query(
    events: str,
    activities: int,
    resolution: int,
    dialect: Dialect = DUCKDB,
    *,
    bound: str | None = None,
    bounds: str = "",
) -> str:
    """Per edge: count, sum, min, max of the durations in ticks; clipped sum and count of clipped.

    At ends of cases the least "duration" is that of the longest case.

    Args:
        events: SQL of the events in integers.
        activities: How many activities there are.
        resolution: Microseconds per tick.
        dialect: The engine's words.
        bound: SQL of the declared bound of an edge in ticks, or None where none is declared.
        bounds: SQL that joins the table with the bounds, where each edge has its own.
    """
    total = dialect.total.format("duration")
    clipped = f"{total}, 0"
    if bound is not None:
        shorter = dialect.total.format(f"least(duration, {bound})")
        clipped = f"{shorter}, count_if(duration > {bound})"
    durations = _durations(events, activities, resolution, dialect)
    return (
        f"SELECT edge, count(*), {total}, min(duration), max(duration), {clipped} "
        f"FROM ({durations}) AS durations {bounds} GROUP BY edge"
    )


def histogram_query(
    events: str, activities: int, resolution: int, dialect: Dialect = DUCKDB
) -> str:
    """Per edge and duration in ticks: how often, in no order.

    Args:
        events: SQL of the events in integers.
        activities: How many activities there are.
        resolution: Microseconds per tick.
        dialect: The engine's words.
    """
    durations = _durations(events, activities, resolution, dialect)
    return (
        "SELECT edge, duration, count(*) AS occurrences "
        f"FROM ({durations}) AS durations GROUP BY edge, duration"
    )


def _durations(events: str, activities: int, resolution: int, dialect: Dialect) -> str:
    successions = _SUCCESSIONS.format(events=events, stride=activities + 1, end=activities)
    in_ticks = ticks(resolution, dialect)
    return (
        f"SELECT edge, coalesce({in_ticks}, -place) AS duration FROM ({successions}) AS successions"
    )
