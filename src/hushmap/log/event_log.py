"""An event log that can be asked: where its rows are, what was kept, what was dropped and why.

An `EventLog` is the owner's. It holds one relation of normalised rows, in DuckDB or in Spark,

    case_id, activity, t (microseconds UTC), seq (the row's place in the source)[, lifecycle]

so that every reader, whatever its format, ends in the same shape and discovery in the same query.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from hushmap.exceptions import EmptyLogError, EngineError, EngineMemoryError, UsageError
from hushmap.log.engine import DUCKDB, Dialect
from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from hushmap.log.columns import ColumnChoice
    from hushmap.log.engine import Engine

Lifecycle = Literal["all", "complete"]
T = TypeVar("T")
_SECONDS_TO_HEAR = 0.1
# What the engine says where it heard of Ctrl-C itself, in the thread that hears of it.
_HEARD = "Query interrupted"


class Workspace:
    """A DuckDB connection with a private folder to spill into; both vanish with the last user."""

    dialect: Dialect = DUCKDB

    def __init__(self, memory_limit: str | None = None, threads: int | None = None) -> None:
        import duckdb

        self.folder = Path(tempfile.mkdtemp(prefix="hushmap-"))
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.connection = duckdb.connect()
        self._tables = 0
        self.connection.execute("SET TimeZone = 'UTC'")
        # It keeps count of a query's progress for `share`, and draws nothing itself.
        self.connection.execute("SET enable_progress_bar = true")
        self.connection.execute("SET enable_progress_bar_print = false")
        self.connection.execute("SET temp_directory = ?", [str(self.folder)])
        if threads is not None:
            self.connection.execute("SET threads = ?", [threads])
        if memory_limit is not None:
            self.connection.execute("SET memory_limit = ?", [memory_limit])

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query for its rows."""
        return self.attended(lambda: self.connection.execute(sql, list(parameters)).fetchall())

    def arrays(self, sql: str) -> dict[str, NDArray[Any]]:
        """Run a query for its columns."""
        return self.attended(lambda: self.connection.execute(sql).fetchnumpy())

    def row(self, sql: str, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
        """Run a query that has exactly one row."""
        (row,) = self.rows(sql, parameters)
        return row

    def share(self) -> float | None:
        """How much of the query under way is done, as DuckDB has it; None where none is."""
        percent = self.connection.query_progress()
        return percent / 100 if percent >= 0 else None

    def table(self, columns: Mapping[str, NDArray[Any]]) -> str:
        """Give the engine a small table; returns its name in SQL."""
        self._tables += 1
        name = f"given_{self._tables}"
        self.connection.register(name, dict(columns))
        return name

    def run(self, sql: str, parameters: Sequence[object] = ()) -> None:
        """Run a statement for its effect."""
        self.attended(lambda: self.connection.execute(sql, list(parameters)))

    def attended(self, work: Callable[[], T], stop: Callable[[], object] | None = None) -> T:
        """Let the engine work while this thread stays awake for Ctrl-C and SIGTERM.

        The engine looks for a signal only between its own tasks, and not while it waits for
        another of its threads. What is attended within something attended is simply done.

        Args:
            work: What is done.
            stop: Tells whomever the engine waits for to stop; called until the work has ended.
        """
        with engine_errors():
            if threading.current_thread() is not threading.main_thread():
                return work()
            with ThreadPoolExecutor(1, "hushmap-engine") as executor:
                task = executor.submit(work)
                try:
                    return task.result()
                except BaseException:
                    while not task.done():  # before its first task the engine would not hear it
                        self.connection.interrupt()
                        if stop is not None:
                            with suppress(Exception):  # it had not begun, or cannot
                                stop()
                        wait([task], timeout=_SECONDS_TO_HEAR)
                    raise


class engine_errors:  # noqa: N801 - reads as a statement: with engine_errors():
    """Turn DuckDB's errors, which may quote rows of the log, into ours, which do not.

    A query that was interrupted is Ctrl-C, whatever the engine calls it.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        import duckdb

        if kind is None:
            return
        heard = issubclass(kind, RuntimeError) and str(error) == _HEARD
        if heard or issubclass(kind, duckdb.InterruptException):
            raise KeyboardInterrupt from None
        if not issubclass(kind, duckdb.Error):
            return
        details = str(error)
        if issubclass(kind, duckdb.OutOfMemoryException):
            raise EngineMemoryError(
                "The memory limit is too small for this log.",
                hint="Raise --memory-limit, or free space in the temporary folder (TMPDIR).",
                owner_details=details,
            ) from None
        raise EngineError(
            "The engine could not finish.",
            hint="Run again with --owner-details for its own words.",
            owner_details=details,
        ) from None


@dataclass(frozen=True, slots=True, repr=False)
class QualityReport(OwnerOnly):
    """What a log is made of and what was left out. Exact counts: owner only.

    Attributes:
        rows_read: Rows (events) in the source.
        dropped: Rows left out, by reason; the reasons are tried in this order.
        lifecycle: ``complete`` if only completed events were kept, else ``all``.
        lifecycle_column: Whether the log says anything of its lifecycle.
        events: Rows kept.
        cases: Cases with at least one row kept.
        ties: Rows with the same time as the row before them in their case; kept in row order.
        out_of_order: Neighbours in time whose rows stand the other way round in the source.
        first: First time kept, ISO 8601 in UTC.
        last: Last time kept.
        finest_unit: The finest unit of time seen: d, h, min, s, ms or us.
        notes: What the reader decided or met, in sentences.
    """

    rows_read: int
    dropped: dict[str, int]
    lifecycle: Lifecycle
    lifecycle_column: bool
    events: int
    cases: int
    ties: int
    out_of_order: int
    first: str
    last: str
    finest_unit: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Intake(OwnerOnly):
    """What the reader counted while reading: rows, and rows dropped by reason."""

    rows_read: int
    dropped: dict[str, int]


@dataclass(frozen=True, repr=False)
class EventLog:
    """An event log, ready for discovery. Owner only: its repr shows where it came from, no more.

    Attributes:
        source: Where it came from, in words.
        columns: The columns that were taken, and why.
        lifecycle: ``complete`` if only completed events are kept, else ``all``.
        notes: What the reader decided or met, in sentences without exact values.
        intake: What the reader counted.
        engine: What runs the queries over the rows.
        relation: SQL of the rows, within the engine.
        numbered: Whether the rows have an order of their own; a Spark frame has none.

    Example:
        >>> import hushmap as hm
        >>> log = hm.read_log("examples/hospital.csv")
        >>> log.quality.cases, log.quality.events
        (11, 33)
    """

    source: str
    columns: ColumnChoice
    lifecycle: Lifecycle
    lifecycle_column: bool
    notes: tuple[str, ...]
    intake: Intake = field(repr=False)
    engine: Engine = field(repr=False)
    relation: str = field(repr=False)
    numbered: bool = True

    @property
    def on_spark(self) -> bool:
        """Whether the rows are in Spark."""
        return not isinstance(self.engine, Workspace)

    @property
    def workspace(self) -> Workspace:
        """DuckDB's side of the log.

        Raises:
            UsageError: The log is in Spark, and what was asked for needs DuckDB.
        """
        if isinstance(self.engine, Workspace):
            return self.engine
        raise UsageError(
            "This cannot be done on Spark.", hint="Read the log with DuckDB (--engine duckdb)."
        )

    @property
    def events_sql(self) -> str:
        """SQL of the rows kept: case_id, activity, t, seq."""
        if not any(self.intake.dropped.values()):  # nothing to test again for every query
            return f"SELECT case_id, activity, t, seq FROM {self.relation}"
        keep = "case_id IS NOT NULL AND activity IS NOT NULL AND t IS NOT NULL"
        if self.lifecycle == "complete":
            keep += " AND lower(lifecycle) = 'complete'"
        return f"SELECT case_id, activity, t, seq FROM {self.relation} WHERE {keep}"

    @property
    def kept(self) -> int:
        """How many rows are kept (owner only)."""
        return self.intake.rows_read - sum(self.intake.dropped.values())

    @cached_property
    def quality(self) -> QualityReport:
        """The full quality report; sorts the log once, so it takes a moment on a large one."""
        turned = "seq < lag(seq) OVER w" if self.numbered else "false"
        ordered = (
            f"SELECT t, t - lag(t) OVER w AS gap, {turned} AS turned, "
            "lag(t) OVER w IS NULL AS opens "
            f"FROM ({self.events_sql}) AS events "
            "WINDOW w AS (PARTITION BY case_id ORDER BY t, seq)"
        )
        units = ("s", 10**6), ("min", 60 * 10**6), ("h", 3600 * 10**6), ("d", 86400 * 10**6)
        coarse = ", ".join(f"bool_and(t % {size} = 0)" for _, size in units)
        events, cases, ties, out_of_order, first, last, milli, *whole = self.engine.row(
            "SELECT count(*), count(*) FILTER (WHERE opens), count(*) FILTER (WHERE gap = 0), "
            "count(*) FILTER (WHERE turned), min(t), max(t), "
            f"bool_and(t % 1000 = 0), {coarse} FROM ({ordered}) AS ordered"
        )
        finest = "ms" if milli else "us"
        for (unit, _), all_whole in zip(units, whole, strict=True):
            finest = unit if all_whole else finest
        return QualityReport(
            rows_read=self.intake.rows_read,
            dropped=dict(self.intake.dropped),
            lifecycle=self.lifecycle,
            lifecycle_column=self.lifecycle_column,
            events=events,
            cases=cases,
            ties=ties,
            out_of_order=out_of_order,
            first=_iso(first),
            last=_iso(last),
            finest_unit=finest,
            notes=self.notes,
        )

    def sentences(self) -> list[str]:
        """How the log was read: the choices made, and why rows were left out. No exact value.

        Example:
            >>> import hushmap as hm
            >>> hm.read_log("examples/hospital.csv").sentences()[1]
            "activity: column 'activity' (recognised by its name)"
        """
        lost = [reason for reason, rows in self.intake.dropped.items() if rows]
        dropped = f"rows were dropped: {', '.join(lost)}; hushmap inspect says how many"
        return [*self.columns.sentences(), *self.notes, *([dropped] if lost else [])]

    def require_events(self) -> None:
        """Refuse a log of which nothing is left.

        Raises:
            EmptyLogError: No row has a case, an activity and a readable time.
        """
        if self.kept == 0:
            reasons = ", ".join(reason for reason, rows in self.intake.dropped.items() if rows)
            raise EmptyLogError(
                "No event is left to work on"
                + (
                    f": all rows were dropped ({reasons})." if reasons else "; the log has no rows."
                ),
                where=self.source,
                hint="Check the columns (--case, --activity, --timestamp), --timestamp-format"
                + (" (%y is a year of two digits)" if "unreadable" in reasons else "")
                + " and --lifecycle.",
            )

    def __repr__(self) -> str:
        return f"EventLog({self.source!r}, owner only)"


def _iso(microseconds: int) -> str:
    """A time as ISO 8601 in UTC, without a fraction where there is none."""
    import numpy as np

    return f"{np.datetime64(microseconds, 'us')}Z".replace(".000000Z", "Z")
