"""How a log is to be read: one validated place for the command line, the API and the wizard."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.exceptions import UsageError

if TYPE_CHECKING:
    from hushmap.log.engine import EngineName
    from hushmap.log.event_log import Lifecycle

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)\s*", re.IGNORECASE)
_SIZE_UNITS = {
    "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip

# A shell does not make it easy to write the sign itself.
_TABS = ("tab", r"\t")


def parse_size(text: str, parameter: str) -> int:
    """Read a size such as ``2GB``; returns bytes.

    Example:
        >>> parse_size("2GB", "--memory-limit")
        2000000000
    """
    match = _SIZE.fullmatch(text)
    size = int(float(match.group(1)) * _SIZE_UNITS[match.group(2).lower()]) if match else 0
    if size <= 0:
        raise UsageError(
            f"{parameter} is {text!r}, which is no size.",
            hint="Write a number and a unit: B, KB, MB, GB, TB or KiB, MiB, GiB, TiB, "
            "for example 2GB.",
        )
    return size


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How a log is read; every field is checked when it is made.

    Attributes:
        case: Column of the case; None recognises it by its name.
        activity: Column of the activity; None recognises it.
        timestamp: Column of the time; None recognises it.
        lifecycle: ``all`` events, or only ``complete`` ones; None keeps the completes where the
            log has any, else all.
        lifecycle_column: Column of the lifecycle transition; None recognises it.
        timestamp_format: How times are written; None recognises it where that is certain.
        table: Table of a database.
        query: SELECT on a database, instead of a table.
        delimiter: Between the columns of a CSV, also as ``tab``; None recognises it.
        encoding: Of a CSV; None takes UTF-8, or what a byte order mark says.
        memory_limit: For the engine, such as ``2GB``; None leaves the engine's own.
        max_unpacked: Largest size a compressed file may unpack to; None allows 8 GiB, and above
            256 MiB no more than 200 times the packed size. Not for Spark, which streams.
        engine: What runs the queries: ``duckdb``, on this machine, or ``spark``.
        master: Where Spark runs, as ``spark-submit --master`` takes it; None takes the session
            that is there, or this machine.

    Example:
        >>> ReadOptions(max_unpacked="100GB").max_unpacked_bytes
        100000000000
    """

    case: str | None = None
    activity: str | None = None
    timestamp: str | None = None
    lifecycle: Lifecycle | None = None
    lifecycle_column: str | None = None
    timestamp_format: str | None = None
    table: str | None = None
    query: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    memory_limit: str | None = None
    max_unpacked: str | None = None
    engine: EngineName = "duckdb"
    master: str | None = None

    def __post_init__(self) -> None:
        if self.engine not in {"duckdb", "spark"}:
            raise UsageError(f"--engine is {self.engine!r}.", hint="Write duckdb or spark.")
        if self.master is not None and self.engine != "spark":
            raise UsageError(
                "--master says where Spark runs, and the engine is DuckDB.",
                hint="Add --engine spark, or leave --master out.",
            )
        if self.lifecycle not in {None, "all", "complete"}:
            raise UsageError(f"--lifecycle is {self.lifecycle!r}.", hint="Write all or complete.")
        if self.table is not None and self.query is not None:
            raise UsageError("Both --table and --query are given.", hint="Give one of them.")
        if self.delimiter in _TABS:
            object.__setattr__(self, "delimiter", "\t")
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise UsageError(
                f"--delimiter is {self.delimiter!r}.",
                hint="Write one character, such as ';', or tab.",
            )
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                raise UsageError(
                    f"--encoding is {self.encoding!r}, which is not known.",
                    hint="Write for example utf-8, utf-16 or cp1252.",
                ) from None
        if self.memory_limit is not None:
            parse_size(self.memory_limit, "--memory-limit")
        if self.max_unpacked is not None:
            parse_size(self.max_unpacked, "--max-unpacked")

    @property
    def max_unpacked_bytes(self) -> int | None:
        """The limit on unpacked size in bytes; None leaves the default ones."""
        if self.max_unpacked is None:
            return None
        return parse_size(self.max_unpacked, "--max-unpacked")
