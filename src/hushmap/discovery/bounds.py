"""Declared bounds on durations (method.md §1.5): one for all edges, or one per edge from a CSV.

A bound is public: it comes from knowledge of the process, never from this log.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hushmap.exceptions import UsageError
from hushmap.graph import Edge
from hushmap.timespan import LONGEST, MICROSECONDS_PER_SECOND, parse_timespan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hushmap.graph import IntArray

MaxDuration = str | Path | timedelta | Mapping[tuple[str | None, str | None], str | timedelta]
ANY_EDGE = "*"


def in_ticks(microseconds: int, resolution: int) -> int:
    """A span in ticks, rounded half up (method.md §1).

    Example:
        >>> in_ticks(1_500_000, 1_000_000)
        2
    """
    return (microseconds + resolution // 2) // resolution


@dataclass(frozen=True, slots=True)
class DeclaredBounds:
    """The longest duration that the owner declares, in microseconds.

    Attributes:
        default: For every edge that has no bound of its own; None if there is none.
        by_edge: Bounds of single edges.
    """

    default: int | None
    by_edge: Mapping[Edge, int]

    def of(self, edge: Edge, resolution: int) -> int:
        """The bound of an edge with durations in ticks; one where it has none, to be refused."""
        microseconds = self.by_edge.get(edge, self.default)
        return 1 if microseconds is None else max(1, in_ticks(microseconds, resolution))

    def ticks(self, edges: Sequence[Edge], timed: Sequence[bool], resolution: int) -> IntArray:
        """The bound of every edge in ticks, at least one; zero where an edge has no duration.

        Raises:
            UsageError: An edge with durations has no bound.
        """
        bounds = np.zeros(len(edges), dtype=np.int64)
        missing = []
        for place, (edge, has_durations) in enumerate(zip(edges, timed, strict=True)):
            microseconds = self.by_edge.get(edge, self.default)
            if not has_durations:
                continue
            if microseconds is None:
                missing.append(str(edge))
            else:
                bounds[place] = self.of(edge, resolution)
        if missing:
            raise UsageError(
                "The table of --max-duration has no bound for some edges of the log.",
                hint=f"Add a row {ANY_EDGE},{ANY_EDGE},SECONDS for all edges that are not listed.",
                owner_details=f"without a bound: {'; '.join(missing)}",
            )
        return bounds


def declared_bounds(given: MaxDuration) -> DeclaredBounds:
    """Read ``--max-duration``: a span such as ``30d``, or a CSV of source, target, seconds.

    Raises:
        UsageError: It is neither, or a row of the CSV cannot be read.

    Example:
        >>> declared_bounds("1h").default
        3600000000
    """
    if isinstance(given, Mapping):
        spans = {Edge(*key): parse_timespan(span, "max_duration") for key, span in given.items()}
        return _of_table(spans, where=None)
    if isinstance(given, Path) or (isinstance(given, str) and given.lower().endswith(".csv")):
        return _bounds_from_csv(Path(given))
    return DeclaredBounds(parse_timespan(given, "--max-duration"), {})


def _bounds_from_csv(path: Path) -> DeclaredBounds:
    by_edge: dict[Edge, int] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            rows = csv.DictReader(stream)
            if not {"source", "target", "seconds"} <= set(rows.fieldnames or ()):
                raise UsageError(
                    "The table of --max-duration needs the columns source, target, seconds.",
                    where=str(path),
                    hint="Leave source (target) empty for the start (end) of a case.",
                )
            for row in rows:
                edge = Edge(row["source"] or None, row["target"] or None)
                if edge in by_edge:
                    raise UsageError(
                        "The table of --max-duration lists an edge twice.",
                        where=f"{path}, row {rows.line_num}",
                        hint="Keep one row per edge.",
                    )
                by_edge[edge] = _row_microseconds(row["seconds"], f"{path}, row {rows.line_num}")
    except UnicodeDecodeError:
        raise UsageError(
            "The table of --max-duration is not encoded as UTF-8.",
            where=str(path),
            hint="Save it as CSV in UTF-8.",
        ) from None
    except csv.Error:
        raise UsageError(
            "The table of --max-duration is not written as a CSV should be (RFC 4180).",
            where=str(path),
            hint="Quotes may be unbalanced, or the file is no CSV.",
        ) from None
    except OSError as error:
        raise UsageError(
            "The table of --max-duration cannot be read.",
            where=str(path),
            hint=f"{error.strerror}. Give a span such as 30d, or a CSV of source,target,seconds.",
        ) from None
    return _of_table(by_edge, where=str(path))


def _of_table(by_edge: dict[Edge, int], where: str | None) -> DeclaredBounds:
    default = by_edge.pop(Edge(ANY_EDGE, ANY_EDGE), None)
    if any(ANY_EDGE in edge for edge in by_edge):
        raise UsageError(
            f"In the table of --max-duration, {ANY_EDGE} stands for one end of an edge alone.",
            where=where,
            hint=f"Write {ANY_EDGE},{ANY_EDGE},SECONDS for all edges that are not listed, and "
            "every other edge by both its names.",
        )
    return DeclaredBounds(default, by_edge)


def _row_microseconds(text: str | None, where: str) -> int:
    try:
        microseconds = round(float(text or "") * MICROSECONDS_PER_SECOND)
    except (ValueError, OverflowError):
        microseconds = 0
    if not 0 < microseconds <= LONGEST:
        raise UsageError(
            "A bound of --max-duration is no positive number of seconds.",
            where=where,
            hint="Write seconds, for example 86400, and no more than 10,000 years of them.",
        )
    return microseconds
