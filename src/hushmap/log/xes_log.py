"""XES files as an `EventLog`: the reader's codes become rows, its findings sentences.

Nothing here grows with the log but the engine's tables, which obey its memory limit: 18 bytes per
event, and an id per trace while it is read.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from hushmap.exceptions import ColumnError
from hushmap.log.columns import ColumnChoice, no_such_column
from hushmap.log.rows import NO_CASE, finish
from hushmap.log.xes import NO_TIME, UNREADABLE_TIME, read_xes, xes_attributes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from hushmap.log.event_log import EventLog, Workspace
    from hushmap.log.options import ReadOptions
    from hushmap.log.xes import XesNames, XesPart, XesQuality

_DEFAULT_KEYS = {
    "case": "concept:name",
    "activity": "concept:name",
    "timestamp": "time:timestamp",
    "lifecycle": "lifecycle:transition",
}
_NAMED, _STANDARD = "named by you", "the XES standard"


def read_xes_files(
    workspace: Workspace,
    paths: Sequence[Path],
    options: ReadOptions,
    on_progress: Callable[[int, int], None] | None = None,
) -> EventLog:
    """XES files as one log; traces of one id are one case, as in every other format."""
    whole = sum(path.stat().st_size for path in paths)

    def on_bytes(done: int) -> None:
        if on_progress is not None:
            on_progress(done, whole)

    if options.timestamp_format is not None:
        raise ColumnError(
            "--timestamp-format does not go with XES, whose times are ISO 8601.",
            where=", ".join(map(str, paths)),
            hint="Leave it out.",
        )
    keys = dict(_DEFAULT_KEYS)
    wishes = {
        "case": options.case,
        "activity": options.activity,
        "timestamp": options.timestamp,
        "lifecycle": options.lifecycle_column,
    }
    # Other tools call a trace's attribute case:NAME; both are understood.
    keys |= {role: wish.removeprefix("case:") for role, wish in wishes.items() if wish is not None}
    into = _Tables(workspace)
    names = read_xes(
        list(paths),
        into.take,
        case=keys["case"],
        activity=keys["activity"],
        timestamp=keys["timestamp"],
        lifecycle=keys["lifecycle"],
        max_unpacked_bytes=options.max_unpacked_bytes,
        on_progress=on_bytes,
    )
    _require_keys(names, keys, wishes, paths)
    source = ", ".join(map(str, paths))
    choice = ColumnChoice(
        case=f"case:{keys['case']}",
        activity=keys["activity"],
        timestamp=keys["timestamp"],
        lifecycle=keys["lifecycle"] if names.lifecycles else None,
        reasons=MappingProxyType({role: _NAMED if wishes[role] else _STANDARD for role in keys}),
    )
    merged = into.merge()
    relation, untested = into.relations(names, merged=merged)
    outside = {NO_CASE: names.quality.events_outside_traces}
    notes = _notes(names.quality, merged=merged)
    return finish(workspace, source, relation, choice, options, notes, outside, untested=untested)


class _Tables:
    """The parts of a log as tables of the engine, which spills them where memory is short."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        workspace.run(
            "CREATE TABLE coded (trace INTEGER, activity INTEGER, time BIGINT, lifecycle SMALLINT)"
        )
        workspace.run("CREATE TABLE traces (trace INTEGER, id VARCHAR)")

    def take(self, part: XesPart) -> None:
        """Append a part."""
        columns: dict[str, npt.NDArray[Any]] = {
            "trace": part.trace,
            "activity": part.activity,
            "time": part.time,
            "lifecycle": part.lifecycle,
        }
        self._append("coded", columns)
        if part.ids:
            numbers = np.arange(part.first_id, part.first_id + len(part.ids), dtype=np.int32)
            ids: npt.NDArray[Any] = np.array(part.ids, dtype=object)
            self._append("traces", {"trace": numbers, "id": ids})

    def _append(self, table: str, columns: dict[str, npt.NDArray[Any]]) -> None:
        self._workspace.connection.register("part", columns)
        self._workspace.run(f"INSERT INTO {table} SELECT * FROM part")
        self._workspace.connection.unregister("part")

    def merge(self) -> bool:
        """Make traces of one id the case of the first of them; answers whether there are any."""
        workspace = self._workspace
        workspace.run(
            "CREATE TABLE merged AS SELECT trace, first FROM traces JOIN (SELECT id, min(trace) AS "
            "first FROM traces WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1) USING (id) "
            "WHERE trace > first"
        )
        (merged,) = workspace.row("SELECT count(*) > 0 FROM merged")
        workspace.run("DROP TABLE traces")
        return bool(merged)

    def relations(self, names: XesNames, *, merged: bool) -> tuple[str, str]:
        """SQL of the rows that `finish` takes: with the tests it needs, and without them."""
        workspace = self._workspace
        _names(workspace, "activities", names.activities)
        rows = "coded LEFT JOIN activities ON activity = activities.code"
        case, lifecycle = "trace", "NULL::VARCHAR"
        if merged:
            rows += " LEFT JOIN merged USING (trace)"
            case = "coalesce(first, trace)"
        if names.lifecycles:
            _names(workspace, "lifecycles", names.lifecycles)
            rows += " LEFT JOIN lifecycles ON lifecycle = lifecycles.code"
            lifecycle = "lifecycles.name"
        tested = f"CASE WHEN time NOT IN ({NO_TIME}, {UNREADABLE_TIME}) THEN time END"
        with_tests, without = (
            f"(SELECT {case} AS case_id, activities.name AS activity, {time} AS t, "
            f"time <> {NO_TIME} AS given, {lifecycle} AS lifecycle, coded.rowid AS seq FROM {rows})"
            for time in (tested, "time")
        )
        return with_tests, without


def _names(workspace: Workspace, table: str, names: tuple[str, ...]) -> None:
    workspace.run(
        f"CREATE TABLE {table} AS SELECT unnest(range(?))::BIGINT AS code, unnest(?::VARCHAR[]) "
        "AS name",
        [len(names), list(names)],
    )


def _require_keys(
    names: XesNames, keys: dict[str, str], wishes: dict[str, str | None], paths: Sequence[Path]
) -> None:
    """An attribute that no event (or trace) has is a wrong name, and the error lists the others."""
    quality = names.quality
    absent = {
        "activity": not names.activities,
        "timestamp": quality.events_without_timestamp == quality.events,
        "case": bool(wishes["case"])
        and quality.traces_without_id + quality.traces_without_event == quality.traces,
        "lifecycle": bool(wishes["lifecycle"]) and not names.lifecycles,
    }
    for role, is_absent in absent.items():
        if quality.events and is_absent:
            found = xes_attributes(paths[0])
            available = list(found.of_traces if role == "case" else found.of_events)
            raise no_such_column(
                available,
                role,
                keys[role],
                str(paths[0]),
                kind="attribute",
                named=wishes[role] is not None,
            )


def _notes(quality: XesQuality, *, merged: bool) -> list[str]:
    notes = ["XES"]
    if quality.traces_without_id:
        notes.append("some traces have no id; each became a case of its own")
    if merged:
        notes.append("some traces have the id of an earlier one; traces of one id are one case")
    if quality.traces_without_event:
        notes.append("some traces have no event; they make no case")
    if quality.timestamps_without_offset:
        notes.append("some times have no time zone and are read as UTC")
    if quality.timestamps_truncated:
        notes.append("some times are finer than a microsecond; they were cut")
    return notes
