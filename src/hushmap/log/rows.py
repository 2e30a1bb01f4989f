"""From any table of rows to an `EventLog`: one shape for all readers, a reason for each loss."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from hushmap.exceptions import ColumnError
from hushmap.log.columns import choose_columns
from hushmap.log.engine import watched
from hushmap.log.event_log import EventLog, Intake
from hushmap.log.timestamps import EARLIEST, LATEST, read_timestamps

if TYPE_CHECKING:
    from hushmap.log.columns import ColumnChoice
    from hushmap.log.engine import Engine, OnProgress
    from hushmap.log.event_log import Lifecycle, Workspace
    from hushmap.log.options import ReadOptions
    from hushmap.log.timestamps import CountAll

# Rows of one file in front of those of the next: no file has 2^40 rows.
ROWS_PER_FILE_BITS = 40
NO_CASE = "no case"
NO_ACTIVITY = "no activity"
NO_TIMESTAMP = "no timestamp"
UNREADABLE_TIMESTAMP = "unreadable timestamp"
NOT_COMPLETE = "lifecycle not complete"
_FLOATS = frozenset({"DOUBLE", "FLOAT"})


@dataclass(frozen=True, slots=True)
class RawRows:
    """A table as a reader finds it.

    Attributes:
        source: Where it came from, in words.
        relation: SQL of the table.
        columns: Per column its name for people, its SQL and its type in DuckDB's words.
        sequence: SQL of the row's own number where the source has one; None where rows must be
            copied, in order, to be numbered.
        notes: What the reader recognised.
        size: Bytes of the source, where they are known.
    """

    source: str
    relation: str
    columns: tuple[tuple[str, str, str], ...]
    sequence: str | None = None
    notes: list[str] = field(default_factory=list)
    size: int = 0


def quoted(name: str) -> str:
    """A name as SQL, whatever is in it.

    Example:
        >>> print(quoted('case"id'))
        "case""id"
    """
    return '"' + name.replace('"', '""') + '"'


class Normalising(NamedTuple):
    """How the rows of a table become those of a log.

    Attributes:
        choice: The columns taken.
        select: DuckDB's SQL of case_id, activity, t, given (whether a time was), lifecycle.
        untested: The same where every row is known to have a case, an activity and a time. Of bare
            columns the engine has statistics, and it sorts them in half the memory.
        time_is_text: Whether the times are read from text.
        notes: What was recognised.
    """

    choice: ColumnChoice
    select: str
    untested: str
    time_is_text: bool
    notes: list[str]


def normalising(
    raw: RawRows,
    options: ReadOptions,
    workspace: Workspace,
    count_all: CountAll | None = None,
) -> Normalising:
    """Choose the columns and find out how the times are written.

    Args:
        raw: The table; its relation may be a sample where ``count_all`` counts in the whole.
        options: The owner's wishes.
        workspace: Where the relation lives.
        count_all: As for `read_timestamps`.
    """
    choice = chosen_columns(raw, options)
    by_name = {name: (sql, kind) for name, sql, kind in raw.columns}
    time_sql, time_type = by_name[choice.timestamp]
    times = read_timestamps(
        workspace.row,
        raw.relation,
        time_sql,
        time_type,
        options.timestamp_format,
        where=raw.source,
        count_all=count_all,
    )
    lifecycle_sql = "NULL"
    if choice.lifecycle is not None:
        lifecycle_sql = by_name[choice.lifecycle][0]
    given = f"trim({time_sql})" if time_type == "VARCHAR" else time_sql
    time = f"({times.expression})"
    select = (
        f"{_value(*by_name[choice.case])} AS case_id, "
        f"{_text(*by_name[choice.activity])} AS activity, "
        f"CASE WHEN {time} BETWEEN {EARLIEST} AND {LATEST} THEN {time} END AS t, "
        f"{_value(given, time_type)} IS NOT NULL AS given, {lifecycle_sql}::VARCHAR AS lifecycle"
    )
    untested = (
        f"{by_name[choice.case][0]} AS case_id, {_as_text(*by_name[choice.activity])} AS activity, "
        f"{time} AS t, true AS given, {lifecycle_sql}::VARCHAR AS lifecycle"
    )
    notes = [*raw.notes, f"times: {times.description}"]
    if times.zoned is False:
        notes.append("times have no time zone and are read as UTC; changes of the clock remain")
    if times.zoned is None:
        notes.append("times without a time zone, if there are any, are read as UTC")
    return Normalising(choice, select, untested, time_type == "VARCHAR", notes)


def chosen_columns(raw: RawRows, options: ReadOptions) -> ColumnChoice:
    """The columns that the owner named, or that their names tell."""
    return choose_columns(
        [name for name, _, _ in raw.columns],
        case=options.case,
        activity=options.activity,
        timestamp=options.timestamp,
        lifecycle=options.lifecycle_column,
        where=raw.source,
    )


def event_log(
    workspace: Workspace,
    raw: RawRows,
    options: ReadOptions,
    on_progress: OnProgress | None = None,
) -> EventLog:
    """Choose the columns, read the times, count what is dropped."""
    chosen = set(chosen_columns(raw, options).taken)
    taken = [(sql, kind) for name, sql, kind in raw.columns if name in chosen]
    if raw.sequence is not None and any(kind in _FLOATS for _, kind in taken):
        # A Parquet file's statistics leave NaN out, and the engine believes them: isnan is never
        # true there. In a table of its own it is.
        copied = ", ".join(sql for sql, _ in taken)
        workspace.run(f"CREATE TABLE fetched AS SELECT {copied} FROM {raw.relation}")
        raw = replace(raw, relation="fetched", sequence=None)

    how = normalising(raw, options, workspace)
    if raw.sequence is not None and not how.time_is_text:
        relation, untested = (
            f"(SELECT {select}, {raw.sequence} AS seq FROM {raw.relation})"
            for select in (how.select, how.untested)
        )
        with watched(workspace, raw.size, on_progress):
            return finish(
                workspace, raw.source, relation, how.choice, options, how.notes, untested=untested
            )
    with watched(workspace, raw.size, on_progress):
        workspace.run(f"CREATE TABLE events AS SELECT {how.select} FROM {raw.relation}")
    relation = "(SELECT *, rowid AS seq FROM events)"
    return finish(workspace, raw.source, relation, how.choice, options, how.notes)


def _value(sql: str, kind: str) -> str:
    """A value that is there: empty text and NaN (a missing number in pandas) are missing."""
    if kind == "VARCHAR":
        return f"nullif({sql}, '')"
    if kind in _FLOATS:
        return f"CASE WHEN isnan({sql}) THEN NULL ELSE {sql} END"
    return sql


def _text(sql: str, kind: str) -> str:
    return _as_text(_value(sql, kind), kind)


def _as_text(sql: str, kind: str) -> str:
    return sql if kind == "VARCHAR" else f"({sql})::VARCHAR"


def finish(
    engine: Engine,
    source: str,
    relation: str,
    choice: ColumnChoice,
    options: ReadOptions,
    notes: list[str],
    dropped_before: dict[str, int] | None = None,
    *,
    untested: str | None = None,
    numbered: bool = True,
) -> EventLog:
    """Decide the lifecycle, count the rows dropped by reason and make the `EventLog`.

    Args:
        engine: Where the relation lives.
        source: Where the rows came from, in words.
        relation: SQL of case_id, activity, t, given, lifecycle, seq.
        choice: The columns taken.
        options: The owner's wishes.
        notes: What was recognised.
        dropped_before: Rows that the reader left out of the relation, by reason.
        untested: The relation where every row of it has a case, an activity and a time.
        numbered: Whether the rows have an order of their own.
    """
    reasons = (
        (NO_CASE, "case_id IS NULL"),
        (NO_ACTIVITY, "activity IS NULL"),
        (NO_TIMESTAMP, "t IS NULL AND NOT given"),
        (UNREADABLE_TIMESTAMP, "t IS NULL"),
    )
    # One pass: the first reason that holds counts; the rest are split by their lifecycle.
    tests = " ".join(f"WHEN {test} THEN {place}" for place, (_, test) in enumerate(reasons))
    rows = engine.rows(
        f"SELECT CASE {tests} END AS reason, lower(lifecycle) = 'complete' AS complete, "
        f"lifecycle IS NOT NULL AS has_lifecycle, count(*) FROM {relation} AS log GROUP BY ALL"
    )
    dropped = {reason: 0 for reason, _ in reasons} | {NOT_COMPLETE: 0}
    for place, _, _, number in rows:
        if place is not None:
            dropped[reasons[place][0]] += number
    if untested is not None and not any(dropped.values()):
        relation = untested
    for reason, number in (dropped_before or {}).items():
        dropped[reason] += number
    kept = [(complete, number) for place, complete, _, number in rows if place is None]
    has_column = any(has for _, _, has, _ in rows)
    lifecycle = _decide_lifecycle(options.lifecycle, kept, has_column, source, notes)
    if lifecycle == "complete":
        dropped[NOT_COMPLETE] = sum(number for complete, number in kept if not complete)
    rows_read = sum(row[3] for row in rows) + sum((dropped_before or {}).values())
    return EventLog(
        source=source,
        columns=choice,
        lifecycle=lifecycle,
        lifecycle_column=has_column,
        notes=tuple(notes),
        intake=Intake(rows_read, dropped),
        engine=engine,
        relation=relation,
        numbered=numbered,
    )


def _decide_lifecycle(
    wanted: Lifecycle | None,
    kept: list[tuple[bool | None, int]],
    has_column: bool,
    source: str,
    notes: list[str],
) -> Lifecycle:
    has_complete = any(complete for complete, _ in kept)
    if wanted == "complete" and not has_column:
        raise ColumnError(
            "--lifecycle complete is asked for, but the log has no lifecycle.",
            where=source,
            hint="Leave it out, or name the column with --lifecycle-column.",
        )
    chosen: Lifecycle = wanted or ("complete" if has_complete else "all")
    if not has_column:
        notes.append("lifecycle: the log has none; all events are kept")
    elif chosen == "complete":
        why = (
            "as you asked" if wanted else "the log has completed events; --lifecycle all keeps all"
        )
        notes.append(f"lifecycle: only completed events are kept ({why})")
    else:
        why = "as you asked" if wanted else "the log has no completed events"
        notes.append(f"lifecycle: all events are kept ({why})")
    return chosen
