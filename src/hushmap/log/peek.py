"""A first look at a file: its columns, and a few rows of which only the shape is shown.

For the owner who has to say which column is which. Every value is masked: letters become ``x``,
digits ``0``, so that a glance over his shoulder, or a picture of his screen, gives nothing away.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.log.columns import recognised
from hushmap.log.event_log import Workspace
from hushmap.log.options import ReadOptions
from hushmap.log.reading import expand, file_format

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_LONGEST = 32
_XES_EVENTS = 200


@dataclass(frozen=True, slots=True, repr=False)
class Peek:
    """What a file looks like from outside.

    Attributes:
        columns: The names of all columns; of XES, its attributes, those of traces as ``case:…``.
        rows: The first rows, masked; None where a row has no value.
        recognised: Per role the column that its name gives away, or None.
        kind: ``xes``, ``csv`` or ``parquet``.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    recognised: Mapping[str, str | None]
    kind: str

    def __repr__(self) -> str:
        return f"Peek({len(self.columns)} columns, {self.kind})"


def peek(source: str | Path, options: ReadOptions | None = None, *, rows: int = 5) -> Peek:
    """Look at the columns and the first rows of a file; of several, of the first.

    Args:
        source: A path or a glob.
        options: How the file is to be read.
        rows: How many rows.

    Raises:
        LogError: The file cannot be read.
        UsageError: Its name does not say its format.

    Example:
        >>> first = peek("examples/hospital.csv", rows=1)
        >>> first.columns, first.rows
        (('case', 'activity', 'timestamp'), (('X0', 'X', '0000-00-00X00:00:00X'),))
    """
    path = expand(str(source))[0]
    kind = file_format(path)
    options = options or ReadOptions()
    if kind == "xes":
        columns, found = _xes(path, rows)
    else:
        columns, found = _table(path, kind, options, rows)
    return Peek(
        tuple(columns),
        tuple(tuple(map(masked, row)) for row in found),
        recognised(columns),
        kind,
    )


def masked(value: object) -> str | None:
    """The shape of a value without the value.

    Example:
        >>> masked("Jane Doe, 1987"), masked(None)
        ('Xxxx Xxx, 0000', None)
    """
    if value is None:
        return None
    text = str(value)
    shape = "".join(map(_mask, text[:_LONGEST]))
    return shape + ("…" if len(text) > _LONGEST else "")


def _mask(character: str) -> str:
    kind = unicodedata.category(character)
    if kind == "Lu":
        return "X"
    if kind[0] in "LM":
        return "x"
    if kind[0] == "N":
        return "0"
    return character if character.isascii() and character.isprintable() else "·"


def _table(
    path: Path, kind: str, options: ReadOptions, rows: int
) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
    from hushmap.exceptions import EngineError, EngineMemoryError
    from hushmap.log.csv_files import csv_dialect, csv_error
    from hushmap.log.tables import parquet_columns, parquet_sql

    workspace = Workspace(options.memory_limit)
    if kind == "parquet":
        relation = parquet_sql([path])
        columns = [name for name, _, _ in parquet_columns(workspace, [path])]
    else:
        dialect = csv_dialect(path, workspace, options)
        relation, columns = dialect.sql(), list(dialect.columns)
    try:
        return columns, workspace.rows(f"SELECT COLUMNS(*)::VARCHAR FROM {relation} LIMIT {rows}")
    except EngineMemoryError:
        raise
    except EngineError as error:
        if kind == "csv":
            raise csv_error(error.owner_details or "", str(path)) from None
        raise


def _xes(path: Path, rows: int) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
    from hushmap.log.xes import xes_first_events

    events = xes_first_events(path, events=_XES_EVENTS)
    # Attributes of traces first, each kind in the order of the file.
    keys = dict.fromkeys(key for event in events for key in event)
    columns = sorted(keys, key=lambda key: not key.startswith("case:"))
    return columns, [[event.get(key) for key in columns] for event in events[:rows]]
