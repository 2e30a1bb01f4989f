"""XES files as an `EventLog`: the reader's codes become rows, its findings sentences."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from hushmap.exceptions import ColumnError
from hushmap.log.columns import ColumnChoice, no_such_column
from hushmap.log.rows import NO_CASE, finish
from hushmap.log.xes import MISSING, NO_TIME, UNREADABLE_TIME, read_xes, xes_attributes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from hushmap.log.event_log import EventLog, Workspace
    from hushmap.log.options import ReadOptions
    from hushmap.log.xes import XesEvents, XesQuality

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
    events = read_xes(
        list(paths),
        case=keys["case"],
        activity=keys["activity"],
        timestamp=keys["timestamp"],
        lifecycle=keys["lifecycle"],
        max_unpacked_bytes=options.max_unpacked_bytes,
        on_progress=on_bytes,
    )
    _require_keys(events, keys, wishes, paths)
    source = ", ".join(map(str, paths))
    choice = ColumnChoice(
        case=f"case:{keys['case']}",
        activity=keys["activity"],
        timestamp=keys["timestamp"],
        lifecycle=None if events.lifecycle is None else keys["lifecycle"],
        reasons=MappingProxyType({role: _NAMED if wishes[role] else _STANDARD for role in keys}),
    )
    relation = _rows(workspace, events)
    outside = {NO_CASE: events.quality.events_outside_traces}
    return finish(workspace, source, relation, choice, options, _notes(events.quality), outside)


def _rows(workspace: Workspace, events: XesEvents) -> str:
    """Copy the codes into the engine and give the activities their names."""
    number = len(events.case)
    columns = {
        "case_id": events.case,
        "activity_code": events.activity,
        "time": events.time,
        "seq": np.arange(number, dtype=np.int64),
    }
    lifecycle = "NULL"
    if events.lifecycle is not None:
        columns["lifecycle_code"] = events.lifecycle
        lifecycle = "lifecycles.name"
    connection = workspace.connection
    connection.register("codes", columns)
    _names(workspace, "activities", events.activities)
    _names(workspace, "lifecycles", events.lifecycles)
    missing = f"time IN ({NO_TIME}, {UNREADABLE_TIME})"
    workspace.run(
        "CREATE TABLE events AS SELECT case_id, activities.name AS activity, "
        f"CASE WHEN {missing} THEN NULL ELSE time END AS t, time <> {NO_TIME} AS given, "
        f"{lifecycle} AS lifecycle, seq FROM codes "
        "LEFT JOIN activities ON activity_code = activities.code "
        + ("LEFT JOIN lifecycles ON lifecycle_code = lifecycles.code" * (lifecycle != "NULL"))
    )
    connection.unregister("codes")
    return "events"


def _names(workspace: Workspace, table: str, names: tuple[str, ...]) -> None:
    workspace.run(
        f"CREATE TABLE {table} AS SELECT unnest(range(?))::BIGINT AS code, unnest(?::VARCHAR[]) "
        "AS name",
        [len(names), list(names)],
    )


def _require_keys(
    events: XesEvents, keys: dict[str, str], wishes: dict[str, str | None], paths: Sequence[Path]
) -> None:
    """An attribute that no event (or trace) has is a wrong name, and the error lists the others."""
    count = len(events.case)
    quality = events.quality
    absent = {
        "activity": not (events.activity != MISSING).any(),
        "timestamp": not (events.time != NO_TIME).any(),
        "case": bool(wishes["case"]) and quality.traces_without_id == quality.traces,
        "lifecycle": bool(wishes["lifecycle"]) and events.lifecycle is None,
    }
    for role, is_absent in absent.items():
        if count and is_absent:
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


def _notes(quality: XesQuality) -> list[str]:
    notes = ["XES"]
    if quality.traces_without_id:
        notes.append("some traces have no id; each became a case of its own")
    if quality.traces_merged:
        notes.append("some traces have the id of an earlier one; traces of one id are one case")
    if quality.traces_without_event:
        notes.append("some traces have no event; they make no case")
    if quality.timestamps_without_offset:
        notes.append("some times have no time zone and are read as UTC")
    if quality.timestamps_truncated:
        notes.append("some times are finer than a microsecond; they were cut")
    return notes
