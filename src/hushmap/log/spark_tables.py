"""Logs that Spark holds: files (spark_files.py) and Spark's own data frames.

Times, missing values and names are read by the same DuckDB expressions as on one machine, which
every executor runs over its own rows as they come by: there is one place for each rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hushmap.exceptions import EngineError, EngineMemoryError, UsageError
from hushmap.log.engine import watched
from hushmap.log.event_log import Workspace
from hushmap.log.rows import RawRows, chosen_columns, finish, normalising
from hushmap.log.spark_files import (
    NOT_UTF8,
    SparkRows,
    csv_rows,
    error_of_file,
    files_of,
    parquet_order,
    parquet_rows,
)
from hushmap.log.spark_session import SparkEngine, spark_errors
from hushmap.log.timestamps import SAMPLE_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from duckdb import DuckDBPyConnection

    from hushmap.log.engine import OnProgress
    from hushmap.log.event_log import EventLog
    from hushmap.log.options import ReadOptions
    from hushmap.log.spark_session import SparkFrame, SparkSession

_NO_ORDER = (
    "rows of a Spark frame have no order: events of a case at one time go by the name of the "
    "activity; order= names a column that decides"
)
# Rows of a frame may have been multiplied by a join; what is then still equal goes by the activity.
_BY = "{{'by': {}, 'activity': activity}}"


def read_spark_files(
    session: SparkSession,
    source: str,
    patterns: Sequence[str],
    options: ReadOptions,
    on_progress: OnProgress | None = None,
) -> EventLog:
    """Parquet or CSV files as one log, in the order of their names.

    Args:
        session: The session.
        source: What the owner gave.
        patterns: The same in Spark's way of writing paths.
        options: The owner's wishes.
        on_progress: Called now and then with the bytes read and the bytes in all.

    Raises:
        LogError: The files cannot be read.
    """
    try:
        with spark_errors():
            files = files_of(session, source, patterns)
            read = parquet_rows if files.kind == "parquet" else csv_rows
            rows = read(session, files, options)
        size = sum(path.stat().st_size for path in files.here())
        engine = SparkEngine(session)
        with watched(engine, size, on_progress):
            return _event_log(engine, rows, options)
    except EngineMemoryError:
        raise
    except EngineError as error:
        raise error_of_file(error, source) from None


def read_spark_frame(frame: SparkFrame, options: ReadOptions, order: str | None) -> EventLog:
    """A Spark data frame; nothing of it is copied, so it must stay what it is.

    Args:
        frame: The frame.
        options: The owner's wishes.
        order: The column that orders events of a case at one time.
    """
    names = list(frame.columns)
    if order is not None and order not in names:
        raise UsageError(
            f"There is no column {order!r} to order by.",
            hint=f"The columns are {', '.join(map(repr, names))}.",
        )
    source = "a Spark frame"
    with spark_errors():
        of_files = parquet_order(frame) if order is None else None
        given = frame.toDF(*(f"c{place}" for place in range(len(names))))
    if of_files is not None:
        notes = ["Spark frame, its rows in the order of its files"]
        rows = SparkRows(of_files, names, source, notes, sequence=_BY.format("seq"))
    elif order is not None:
        by = _BY.format(f"c{names.index(order)}")
        rows = SparkRows(given, names, source, [f"Spark frame, order by {order!r}"], sequence=by)
    else:
        notes = ["Spark frame", _NO_ORDER]
        rows = SparkRows(given, names, source, notes, sequence="activity", numbered=False)
    return _event_log(SparkEngine(frame.sparkSession), rows, options)


def _event_log(engine: SparkEngine, rows: SparkRows, options: ReadOptions) -> EventLog:
    """Choose the columns, read the times, count what is dropped: the rules of every engine."""
    workspace = Workspace(threads=1)
    with spark_errors():
        workspace.connection.register("log", rows.frame.limit(0).toArrow())
        kinds = {name: kind for name, kind, *_ in workspace.rows("DESCRIBE log")}
        columns = tuple(
            (name, f"c{place}", kinds[f"c{place}"]) for place, name in enumerate(rows.names)
        )
        raw = RawRows(rows.source, "log", columns, notes=rows.notes)
        choice = chosen_columns(raw, options)
        sql, kind = {name: (sql, kind) for name, sql, kind in columns}[choice.timestamp]
        times = rows.frame.select(sql)
        if kind == "VARCHAR":
            # A bounded sample of bare times, to see how they are written.
            sample = times.where(f"trim({sql}) <> ''").limit(SAMPLE_ROWS)
            workspace.connection.register("sample", sample.toArrow())
            raw = RawRows(rows.source, "sample", columns, notes=rows.notes)
        how = normalising(raw, options, workspace, _counter(times))
        roles = (choice.case, choice.activity, choice.timestamp, choice.lifecycle)
        text = [sql for name, sql, kind in columns if name in roles and kind == "VARCHAR"]
        refused = [f"contains({sql}, chr(65533))" for sql in text if rows.decoded]
        normalised = _in_batches(
            rows.frame,
            f"SELECT {how.select}, {rows.sequence} AS seq FROM log",
            refused=" OR ".join(refused),
        )
    return finish(
        engine, rows.source, engine.view(normalised), how.choice, options, how.notes,
        numbered=rows.numbered,
    )  # fmt: skip


def _counter(times: SparkFrame) -> Callable[[Sequence[str]], Sequence[int]]:
    """Counts, over all rows, those that meet conditions on the column of times."""

    def count_all(conditions: Sequence[str]) -> Sequence[int]:
        counts = [f"count_if({test})::BIGINT AS n{n}" for n, test in enumerate(conditions)]
        with spark_errors():
            found = _in_batches(times, f"SELECT {', '.join(counts)} FROM log")
            row = found.selectExpr(*(f"sum(n{n})" for n in range(len(counts)))).first()
        return [number or 0 for number in row]

    return count_all


def _duckdb() -> DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def _in_batches(frame: SparkFrame, query: str, *, refused: str = "") -> SparkFrame:
    """A DuckDB query over every batch of rows, on the executor that has them.

    Args:
        frame: The rows.
        query: Over the table ``log``.
        refused: A condition on a row that must not occur: the text is not UTF-8.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    here = _duckdb()
    here.register("log", frame.limit(0).toArrow())
    schema = from_arrow_schema(here.sql(query).to_arrow_table().schema)

    def batches(rows: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        worker = _duckdb()
        for batch in rows:
            worker.register("log", pa.Table.from_batches([batch]))
            if refused and worker.execute(f"SELECT 1 FROM log WHERE {refused} LIMIT 1").fetchall():
                raise ValueError(NOT_UTF8)
            yield from worker.sql(query).to_arrow_table().to_batches()

    return frame.mapInArrow(batches, schema)
