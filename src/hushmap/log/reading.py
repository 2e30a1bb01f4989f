"""`read_log` and `from_frame`: from whatever holds the events to an `EventLog`."""

from __future__ import annotations

import glob
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hushmap.exceptions import LogError, UsageError
from hushmap.log.event_log import Workspace
from hushmap.log.options import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hushmap.log.engine import EngineName
    from hushmap.log.event_log import EventLog, Lifecycle

STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "standard input"
_FORMATS = {
    ".xes": "xes", ".xes.gz": "xes", ".xez": "xes",
    ".csv": "csv", ".csv.gz": "csv", ".tsv": "csv", ".tsv.gz": "csv", ".txt": "csv",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip


def read_log(
    source: str | Path,
    *,
    case: str | None = None,
    activity: str | None = None,
    timestamp: str | None = None,
    lifecycle: Lifecycle | None = None,
    lifecycle_column: str | None = None,
    timestamp_format: str | None = None,
    table: str | None = None,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    memory_limit: str | None = None,
    max_unpacked: str | None = None,
    engine: EngineName = "duckdb",
    master: str | None = None,
    standard_input: BinaryIO | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> EventLog:
    """Read an event log.

    Args:
        source: A path (``.xes``, ``.xes.gz``, ``.csv``, ``.csv.gz``, ``.tsv``, ``.parquet``), a
            glob of such (several files are one log, in the order of their names), ``-`` for CSV on
            standard input, or the URL of a database (``postgresql://…``, ``sqlite:///…``). With
            Spark: Parquet or CSV, also a folder of such, or an address that Spark knows.
        case: Column (or XES attribute) of the case; recognised by its name where None.
        activity: Column of the activity; likewise.
        timestamp: Column of the time; likewise.
        lifecycle: ``all`` events or only the ``complete`` ones; None keeps the completes where
            the log has any.
        lifecycle_column: Column of the lifecycle transition; recognised where None.
        timestamp_format: How times are written: iso, day-first, month-first, epoch-s, epoch-ms,
            epoch-us, epoch-ns or codes such as ``%d.%m.%Y %H:%M``; recognised where None and
            certain.
        table: The table of a database.
        query: A SELECT on a database, instead of a table.
        delimiter: Between the columns of a CSV, also as ``tab``; recognised where None.
        encoding: Of a CSV; UTF-8, or what its byte order mark says, where None.
        memory_limit: For the engine, such as ``2GB``.
        max_unpacked: The largest size that a compressed file may unpack to; 8 GiB where None, and
            above 256 MiB no more than 200 times its packed size.
        engine: ``duckdb``, on this machine, or ``spark`` (needs ``hushmap[spark]`` and Java).
        master: Where Spark runs, as ``spark-submit --master`` takes it; the session that is there,
            or this machine, where None.
        standard_input: Where ``-`` reads from; the process's own where None.
        on_progress: Called now and then with the bytes read and the bytes in all (of files).

    Raises:
        LogError: The log cannot be read.
        UsageError: An option is outside its legal range.

    Example:
        >>> import hushmap as hm
        >>> hm.read_log("examples/hospital.csv").columns.activity
        'activity'
    """
    options = ReadOptions(
        case=case,
        activity=activity,
        timestamp=timestamp,
        lifecycle=lifecycle,
        lifecycle_column=lifecycle_column,
        timestamp_format=timestamp_format,
        table=table,
        query=query,
        delimiter=delimiter,
        encoding=encoding,
        memory_limit=memory_limit,
        max_unpacked=max_unpacked,
        engine=engine,
        master=master,
    )
    if options.engine == "spark":
        log = _read_on_spark(str(source), options, on_progress)
    else:
        log = _read(str(source), standard_input, Workspace(memory_limit), options, on_progress)
    log.require_events()
    return log


def from_frame(
    frame: object,
    *,
    case: str | None = None,
    activity: str | None = None,
    timestamp: str | None = None,
    lifecycle: Lifecycle | None = None,
    lifecycle_column: str | None = None,
    timestamp_format: str | None = None,
    memory_limit: str | None = None,
    order: str | None = None,
) -> EventLog:
    """Read an event log from a data frame: pandas, Polars, PyArrow, Spark or any Arrow C stream.

    The frame is copied, not changed; the keyword arguments are those of `read_log`. A Spark frame
    stays where it is and must not change.

    Args:
        frame: One row per event.
        case: As for `read_log`; likewise the next six.
        activity: The column of the activity.
        timestamp: The column of the time.
        lifecycle: Which events to keep.
        lifecycle_column: The column of the lifecycle transition.
        timestamp_format: How times are written.
        memory_limit: For the engine; not for Spark.
        order: For a Spark frame, whose rows have no order unless it was read from Parquet: the
            column that decides between events of a case at one time.

    Raises:
        LogError: The log cannot be read.
        UsageError: This is no data frame, or an option is outside its legal range.

    Example:
        >>> import pandas as pd, hushmap as hm
        >>> frame = pd.DataFrame({"case": [1, 1], "activity": ["a", "b"],
        ...                       "time": pd.to_datetime(["2026-01-05", "2026-01-06"])})
        >>> hm.from_frame(frame).quality.events
        2
    """
    from hushmap.log.spark_session import is_spark_frame
    from hushmap.log.tables import read_frame

    options = ReadOptions(
        case=case,
        activity=activity,
        timestamp=timestamp,
        lifecycle=lifecycle,
        lifecycle_column=lifecycle_column,
        timestamp_format=timestamp_format,
        memory_limit=memory_limit,
    )
    if is_spark_frame(frame):
        from hushmap.log.spark_session import attended
        from hushmap.log.spark_tables import read_spark_frame

        log = attended(
            frame.sparkSession,  # type: ignore[attr-defined]
            lambda: read_spark_frame(frame, options, order),
        )
    elif order is not None:
        raise UsageError(
            "order is for Spark frames; the rows of this one have an order.",
            hint="Leave it out, or sort the frame.",
        )
    else:
        log = read_frame(Workspace(memory_limit), frame, options)
    log.require_events()
    return log


def _read(
    source: str,
    standard_input: BinaryIO | None,
    workspace: Workspace,
    options: ReadOptions,
    on_progress: Callable[[int, int], None] | None,
) -> EventLog:
    from hushmap.log import databases, tables

    if databases.is_database_url(source):
        return databases.read_database(workspace, source, options)
    if "://" in source:
        raise UsageError(
            f"Logs are not fetched from {source.partition('://')[0]}:// addresses.",
            hint="Download the file first, or give postgresql://… or sqlite:///… with --table.",
        )
    if options.table is not None or options.query is not None:
        raise UsageError(
            "--table and --query belong to a database, and the log is a file.",
            hint="Leave them out, or give the URL of a database.",
        )
    if source == STANDARD_INPUT:
        return tables.read_csv_files(workspace, [_spooled(standard_input, workspace)], options)
    paths = expand(source)
    kinds = {file_format(path) for path in paths}
    if len(kinds) > 1:
        raise UsageError(
            f"The files are of several formats: {', '.join(sorted(kinds))}.",
            hint="Several files are read as one log; give those of one format.",
        )
    if kinds == {"xes"}:
        from hushmap.log.xes_log import read_xes_files

        return read_xes_files(workspace, paths, options, on_progress)
    if kinds == {"parquet"}:
        return tables.read_parquet_files(workspace, paths, options, on_progress)
    return tables.read_csv_files(workspace, paths, options, on_progress)


def _read_on_spark(
    source: str, options: ReadOptions, on_progress: Callable[[int, int], None] | None
) -> EventLog:
    from hushmap.log.databases import is_database_url
    from hushmap.log.spark_files import spark_pattern
    from hushmap.log.spark_session import attended, spark_session
    from hushmap.log.spark_tables import read_spark_files

    other = options.table is not None or options.query is not None
    if other or source == STANDARD_INPUT or is_database_url(source):
        raise UsageError(
            "Spark reads files here, no database and no standard input.",
            hint="Give Parquet or CSV files, or use --engine duckdb; in Python, hm.from_frame "
            "takes any Spark frame.",
        )
    path = Path(source)
    elsewhere = "://" in source or not (options.master or "local").startswith("local")
    if elsewhere and not path.exists():
        patterns = [source]
    else:
        paths = [path] if path.is_dir() else expand(source)
        patterns = [spark_pattern(found) for found in paths]
    session = spark_session(options.master, options.memory_limit)
    return attended(
        session, lambda: read_spark_files(session, source, patterns, options, on_progress)
    )


def _spooled(standard_input: BinaryIO | None, workspace: Workspace) -> Path:
    """A copy of standard input, which cannot be read twice, in the private folder."""
    if standard_input is None and sys.stdin is None:
        raise LogError("Standard input is closed.", hint="Pipe a CSV into it, or name a file.")
    spooled = workspace.folder / f"{STANDARD_INPUT_NAME}.csv"
    with spooled.open("wb") as target:
        shutil.copyfileobj(standard_input or sys.stdin.buffer, target)
    return spooled


def expand(source: str) -> Sequence[Path]:
    """The files that a path or a glob names, in the order of their names.

    Raises:
        LogError: There is none, or it is a folder, a pipe or a device.

    Example:
        >>> [path.name for path in expand("examples/hospital.*")]
        ['hospital.csv']
    """
    path = Path(source)
    if path.is_file():
        return [path]
    if source and path.is_dir():
        raise LogError(
            "This is a folder.", where=source, hint=f"Name its files: '{source.rstrip('/')}/*.csv'."
        )
    if source and path.exists():
        raise LogError(
            "This is no regular file, and a log is read more than once.",
            where=source,
            hint="Pipe CSV into -, as in: zcat log.csv.gz | hushmap inspect -. Write anything else "
            "into a file first.",
        )
    found = sorted(Path(name) for name in glob.glob(source, recursive=True))  # noqa: PTH207 - absolute patterns too
    files = [candidate for candidate in found if candidate.is_file()]
    if not files:
        what = "No file matches." if glob.has_magic(source) else "There is no such file."
        raise LogError(what, where=source, hint="Check the path.")
    return files


def file_format(path: Path) -> str:
    """``xes``, ``csv`` or ``parquet``, by the ending of the name.

    Raises:
        UsageError: The name does not say.

    Example:
        >>> file_format(Path("log.XES.gz"))
        'xes'
    """
    return _FORMATS[ending(path)]


def ending(path: Path) -> str:
    """The ending by which the format of a file is known, in lower case.

    Raises:
        UsageError: The name does not end in any.

    Example:
        >>> ending(Path("log.XES.gz"))
        '.xes.gz'
    """
    name = path.name.lower()
    for suffix in sorted(_FORMATS, key=len, reverse=True):
        if name.endswith(suffix):
            return suffix
    raise UsageError(
        "The file's name does not say its format.",
        where=str(path),
        hint="Give it one of the endings .xes, .xes.gz, .csv, .csv.gz, .tsv, .parquet; or pipe CSV "
        "into -.",
    )
