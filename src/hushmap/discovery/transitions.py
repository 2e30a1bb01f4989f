"""`from_transitions`: a graph from a table of transitions instead of an event log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hushmap.discovery.assemble import Histogram, assemble
from hushmap.discovery.bounds import declared_bounds
from hushmap.discovery.discover import DEFAULT_RESOLUTION
from hushmap.discovery.query import ticks
from hushmap.exceptions import ColumnError, LogError
from hushmap.graph import Edge
from hushmap.timespan import LONGEST, MICROSECONDS_PER_SECOND, parse_timespan

if TYPE_CHECKING:
    from hushmap.discovery.bounds import MaxDuration
    from hushmap.graph import ExactGraph
    from hushmap.log.event_log import Workspace

_REQUIRED = ("source", "target", "duration_seconds")
_HINT = (
    "Give one row per occurrence: source, target (empty for the start and the end of a case), "
    "duration_seconds (zero or more), and if you like count."
)
_LONGEST_SECONDS = LONGEST // MICROSECONDS_PER_SECOND
# Counts are added up in 64 bits.
_MOST_OCCURRENCES = 2**63 - 1


def from_transitions(
    frame: object,
    *,
    resolution: str = DEFAULT_RESOLUTION,
    max_duration: MaxDuration | None = None,
    histograms: bool = True,
) -> ExactGraph:
    """Make an exact graph from a table of transitions. The result is the owner's.

    Args:
        frame: A data frame, or the path of a CSV, with the columns ``source``, ``target``,
            ``duration_seconds`` (no more than 10,000 years) and, if one row stands for several
            occurrences, ``count``, a whole number. A missing source is the start of a case, a
            missing target its end. An edge may do without durations, if it does so in all its rows.
        resolution: As for `discover`.
        max_duration: As for `discover`.
        histograms: As for `discover`.

    Raises:
        LogError: A row cannot be read.
        UsageError: This is no data frame.

    Example:
        >>> import hushmap as hm
        >>> hm.from_transitions("examples/hospital_transitions.csv")
        ExactGraph(4 activities, 8 edges, resolution 1s, owner only)
    """
    from hushmap.log.event_log import Workspace

    tick = parse_timespan(resolution, "--resolution")
    declared = None if max_duration is None else declared_bounds(max_duration)
    workspace = Workspace()
    relation, where = _attach(workspace, frame)
    _load(workspace, relation, where)
    _check(workspace, where)
    codes = workspace.rows(
        "SELECT source, target, min(place) AS first, sum(count)::BIGINT AS occurrences, "
        "count(gap) AS timed, row_number() OVER (ORDER BY min(place)) - 1 AS code "
        "FROM transitions GROUP BY source, target ORDER BY first"
    )
    timed = [row for row in codes if row[4]]
    edges = [Edge(row[0], row[1]) for row in timed]
    bounds = None if declared is None else declared.ticks(edges, [True] * len(edges), tick)
    histogram = _histogram(workspace, tick)
    totals = histogram.totals(edges, bounds)
    for source, target, _, occurrences, has_durations, _ in codes:
        if not has_durations:
            totals.add_untimed(Edge(source, target), occurrences)
    return assemble(
        totals,
        histogram if histograms else None,
        resolution=tick,
        bounds=bounds,
        declared=declared,
        conserved=False,
    )


def _attach(workspace: Workspace, frame: object) -> tuple[str, str]:
    from hushmap.log.tables import register_frame

    if isinstance(frame, (str, Path)):
        from hushmap.log.csv_files import csv_dialect
        from hushmap.log.options import ReadOptions
        from hushmap.log.reading import expand
        from hushmap.log.rows import quoted

        path, *more = expand(str(frame))
        if more:
            raise LogError(
                "Several files match, and a table of transitions is one.",
                where=str(frame),
                hint="Name one CSV, or put the tables together in a data frame.",
            )
        dialect = csv_dialect(path, workspace, ReadOptions())
        named = ", ".join(
            f"c{place} AS {quoted(name)}" for place, name in enumerate(dialect.columns)
        )
        return f"(SELECT {named} FROM {dialect.sql()})", str(path)
    register_frame(workspace, frame)
    return "frame", f"a {type(frame).__name__}"


def _load(workspace: Workspace, relation: str, where: str) -> None:
    """The rows with names as text and durations in whole microseconds, in their order."""
    columns = {
        name: kind for name, kind, *_ in workspace.rows(f"DESCRIBE SELECT * FROM {relation}")
    }
    missing = [name for name in _REQUIRED if name not in columns]
    if missing:
        raise ColumnError(
            f"The table of transitions lacks the column {missing[0]}.", where=where, hint=_HINT
        )
    kind = columns["duration_seconds"]
    seconds = "duration_seconds"
    if kind == "VARCHAR":
        seconds = "nullif(trim(duration_seconds), '')"
    elif kind in {"DOUBLE", "FLOAT"}:
        seconds = "CASE WHEN isnan(duration_seconds) THEN NULL ELSE duration_seconds END"
    number = f"try_cast({seconds} AS DOUBLE)"
    count, whole = "1", "1"
    if "count" in columns:  # a cast to a whole number would round
        count = "try_cast(count AS DECIMAL(38, 18))"
        whole = f"CASE WHEN {count} = floor({count}) THEN try_cast({count} AS BIGINT) END"
    workspace.run(
        "CREATE TABLE transitions AS SELECT "
        "nullif(source::VARCHAR, '') AS source, nullif(target::VARCHAR, '') AS target, "
        f"({seconds}) IS NOT NULL AS given, {number} AS seconds, "
        f"CASE WHEN abs({number}) <= {_LONGEST_SECONDS} THEN "
        f"(try_cast({seconds} AS DECIMAL(38, 6)) * {MICROSECONDS_PER_SECOND})::BIGINT END AS gap, "
        f"{whole} AS count, row_number() OVER () AS place FROM {relation}"
    )


def _check(workspace: Workspace, where: str) -> None:
    too_long = f"isfinite(seconds) AND abs(seconds) > {_LONGEST_SECONDS}"
    checks = (
        ("source IS NULL AND target IS NULL", "A row has neither a source nor a target."),
        (f"given AND gap IS NULL AND NOT coalesce({too_long}, false)", "A duration is no number."),
        ("gap < 0 OR seconds < -1", "A duration is negative."),
        (too_long, "A duration is longer than 10,000 years."),
        ("count IS NULL OR count < 1", "A count is no positive whole number."),
    )
    for test, what in checks:
        (place,) = workspace.row(f"SELECT min(place) FROM transitions WHERE {test}")
        if place is not None:
            raise LogError(what, where=f"{where}, row {place} of the table", hint=_HINT)
    (mixed,) = workspace.row(
        "SELECT min(first) FROM (SELECT min(place) AS first FROM transitions "
        "GROUP BY source, target HAVING count(gap) NOT IN (0, count(*)))"
    )
    if mixed is not None:
        raise LogError(
            "An edge has a duration in some of its rows and none in others.",
            where=f"{where}, the edge of row {mixed} of the table",
            hint=_HINT,
        )
    rows, occurrences = workspace.row("SELECT count(*), sum(count) FROM transitions")
    if rows == 0:
        raise LogError("The table of transitions is empty.", where=where, hint=_HINT)
    if occurrences > _MOST_OCCURRENCES:
        raise LogError(
            "The counts add up to more than 64 bits hold.",
            where=where,
            hint="Check the column count: it says how many occurrences a row stands for.",
        )


def _histogram(workspace: Workspace, tick: int) -> Histogram:
    table = workspace.arrays(
        "WITH edges AS (SELECT source, target, "
        "row_number() OVER (ORDER BY min(place)) - 1 AS edge FROM transitions "
        "WHERE gap IS NOT NULL GROUP BY source, target) "
        f"SELECT edge, {ticks(tick)} AS duration, sum(count)::BIGINT AS occurrences "
        "FROM transitions JOIN edges ON transitions.source IS NOT DISTINCT FROM edges.source "
        "AND transitions.target IS NOT DISTINCT FROM edges.target "
        "GROUP BY edge, duration ORDER BY edge, duration"
    )
    return Histogram(
        *(
            np.ma.getdata(table[name]).astype(np.int64)
            for name in ("edge", "duration", "occurrences")
        )
    )
