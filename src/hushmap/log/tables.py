"""Tables of rows: CSV and Parquet files, data frames. Each becomes `RawRows`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from hushmap.exceptions import (
    ColumnError,
    EngineError,
    EngineMemoryError,
    LogError,
    UsageError,
)
from hushmap.log.csv_files import CsvDialect, csv_dialect, csv_error, require_same_columns
from hushmap.log.rows import ROWS_PER_FILE_BITS, RawRows, event_log, quoted
from hushmap.log.xes_source import opened

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hushmap.log.engine import OnProgress
    from hushmap.log.event_log import EventLog, Workspace
    from hushmap.log.options import ReadOptions


def read_csv_files(
    workspace: Workspace,
    paths: Sequence[Path],
    options: ReadOptions,
    on_progress: OnProgress | None = None,
) -> EventLog:
    """CSV or TSV files as one log, in the order given."""
    dialects = [csv_dialect(path, workspace, options) for path in paths]
    require_same_columns(dialects)
    selects = [f"SELECT * FROM {dialect.sql()}" for dialect in dialects]
    raw = RawRows(
        source=", ".join(dialect.name for dialect in dialects),
        relation=f"({' UNION ALL '.join(selects)})",
        columns=_csv_columns(dialects[0]),
        notes=dialects[0].sentences(),
        size=_size(paths),
    )
    try:
        return event_log(workspace, raw, options, on_progress)
    except EngineMemoryError:
        raise
    except EngineError as error:
        raise csv_error(error.owner_details or "", raw.source) from None


def _csv_columns(dialect: CsvDialect) -> tuple[tuple[str, str, str], ...]:
    return tuple((name, f"c{place}", "VARCHAR") for place, name in enumerate(dialect.columns))


def _size(paths: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def read_parquet_files(
    workspace: Workspace,
    paths: Sequence[Path],
    options: ReadOptions,
    on_progress: OnProgress | None = None,
) -> EventLog:
    """Parquet files as one log, in the order given; the row number is the file's own."""
    raw = RawRows(
        source=", ".join(map(str, paths)),
        relation=parquet_sql(paths),
        columns=parquet_columns(workspace, paths),
        sequence="file_row_number"
        if len(paths) == 1
        else f"((file_index::BIGINT << {ROWS_PER_FILE_BITS}) + file_row_number)",
        notes=["Parquet"],
        size=_size(paths),
    )
    try:
        return event_log(workspace, raw, options, on_progress)
    except EngineMemoryError:
        raise
    except EngineError as error:
        raise _parquet_error(error.owner_details or "", raw.source) from None


def parquet_sql(paths: Sequence[Path]) -> str:
    """SQL that reads Parquet files, in the order given."""
    listed = ", ".join("'" + _escape(str(path)) + "'" for path in paths)
    return f"read_parquet([{listed}])"


def parquet_columns(
    workspace: Workspace, paths: Sequence[Path]
) -> tuple[tuple[str, str, str], ...]:
    """Name, SQL and type of every column of Parquet files.

    Raises:
        LogError: The files are no Parquet, or may not be read.
    """
    for path in paths:
        with opened(path):  # what the engine cannot open, it takes for damaged
            pass
    try:
        return described(workspace, parquet_sql(paths))
    except EngineMemoryError:
        raise
    except EngineError as error:
        raise LogError(
            "The file is no Parquet file, or it is damaged.",
            where=", ".join(map(str, paths)),
            hint="Write it again, or name it as what it is (.csv, .xes).",
            owner_details=error.owner_details,
        ) from None


def _parquet_error(text: str, paths: str) -> LogError:
    if "schema mismatch" in text:
        return ColumnError(
            "The files have different columns.",
            where=paths,
            hint="Several files are read as one log; give those of one log only.",
            owner_details=text,
        )
    return LogError(
        "The Parquet file is damaged, or its columns differ in type from those of the first file.",
        where=paths,
        hint="Write it again; --owner-details shows the engine's own words.",
        owner_details=text,
    )


def _escape(path: str) -> str:
    return path.replace("'", "''").replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")


def described(workspace: Workspace, relation: str) -> tuple[tuple[str, str, str], ...]:
    """The columns of a relation: name, SQL and type."""
    rows = workspace.rows(f"DESCRIBE SELECT * FROM {relation}")
    return tuple((name, quoted(name), kind) for name, kind, *_ in rows)


def read_frame(workspace: Workspace, frame: object, options: ReadOptions) -> EventLog:
    """A data frame of pandas, Polars or PyArrow, or anything that speaks the Arrow C stream.

    The columns needed are copied, so that the log stays as it was if the frame changes.
    """
    columns = register_frame(workspace, frame)
    raw = RawRows(f"a {type(frame).__name__}", "frame", columns, notes=["data frame"])
    try:
        log = event_log(workspace, raw, options)
    except ColumnError as error:
        if any(getattr(getattr(frame, "index", None), "names", ())):
            raise ColumnError(
                error.what,
                where=error.where,
                hint=f"{error.hint} What is in the index is no column: call reset_index() first.",
            ) from None
        raise
    workspace.connection.unregister("frame")
    return log


def register_frame(workspace: Workspace, frame: object) -> tuple[tuple[str, str, str], ...]:
    """Make a data frame known as the relation ``frame``; answers its columns.

    Raises:
        UsageError: This is no data frame.
    """
    details = ""
    streams = hasattr(frame, "__arrow_c_stream__")
    for offered in (frame, _Stream(frame)) if streams else (frame,):
        try:
            workspace.connection.register("frame", offered)
            columns = described(workspace, "frame")
        except EngineMemoryError:
            raise
        except EngineError as error:
            details = error.owner_details or ""
            continue
        except (duckdb.Error, RuntimeError, TypeError, ValueError) as error:
            details = str(error)
            continue
        # The engine gives a column that bears the name of another one a new name.
        names = [str(name) for name in _column_names(frame)]
        if len(names) != len(columns):
            return columns
        return tuple((name, sql, kind) for name, (_, sql, kind) in zip(names, columns, strict=True))
    raise UsageError(
        f"A {type(frame).__name__} is no data frame that can be read.",
        hint="Give a pandas, Polars or PyArrow table, or an object with __arrow_c_stream__; a "
        "column of an unusual type may stand in the way, so select the columns needed.",
        owner_details=details,
    )


class _Stream:
    """Any object that speaks the Arrow C stream, reduced to that: the engine knows it then."""

    def __init__(self, frame: object) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The stream of the object itself."""
        return self._frame.__arrow_c_stream__(requested_schema)  # type: ignore[attr-defined]


def _column_names(frame: object) -> Sequence[object]:
    names = getattr(getattr(frame, "schema", None), "names", None)
    if isinstance(names, list):  # PyArrow, whose columns are arrays; in Polars a method
        return names
    return list(getattr(frame, "columns", ()))
