"""What an XES log comes to: one integer code per event and column, and what was noticed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import compress
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from hushmap.exceptions import ColumnError
from hushmap.log.xes_times import UNREADABLE_TIME

if TYPE_CHECKING:
    import numpy.typing as npt

Code = TypeVar("Code", np.int16, np.int32, np.int64)

MISSING = -1
"""The code of an activity or a lifecycle step that an event does not have."""
MAX_LIFECYCLES = 2**15 - 1


@dataclass(frozen=True, slots=True)
class XesKeys:
    """Which attributes are read: ``case`` of a trace, the others of an event."""

    case: str = "concept:name"
    activity: str = "concept:name"
    timestamp: str = "time:timestamp"
    lifecycle: str = "lifecycle:transition"


@dataclass(frozen=True, slots=True)
class XesQuality:
    """What was noticed in a log. Counts are the owner's alone."""

    traces: int
    traces_without_id: int
    """Traces with events that have no id: each became a case of its own."""
    traces_merged: int
    """Traces with events whose id an earlier trace has: they became one case with it."""
    traces_without_event: int
    """They make no case."""
    events_outside_traces: int
    """Events directly under ``<log>``: they belong to no case and were dropped."""
    events_without_activity: int
    events_without_lifecycle: int
    events_without_timestamp: int
    events_with_unreadable_timestamp: int
    timestamps_without_offset: int
    """Naive times: they were read as UTC."""
    timestamps_truncated: int
    """Times whose digits beyond the microsecond were not zero and were cut off."""


@dataclass(frozen=True, slots=True)
class XesEvents:
    """The events of one or more XES files, in their order. Owner only.

    ``repr`` shows the shape and no value of the log.
    """

    case: npt.NDArray[np.int32]
    """Code of the event's case, 0 up to ``case_count - 1``, in the order of first traces."""
    activity: npt.NDArray[np.int32]
    """Index into ``activities``; -1 where the event has none."""
    time: npt.NDArray[np.int64]
    """Microseconds since 1970 UTC; ``NO_TIME`` where missing, else ``UNREADABLE_TIME``."""
    lifecycle: npt.NDArray[np.int16] | None
    """Index into ``lifecycles``; -1 where the event has none; None where no event has one."""
    activities: tuple[str, ...]
    lifecycles: tuple[str, ...]
    case_count: int
    quality: XesQuality

    @property
    def time_unit(self) -> str | None:
        """The coarsest of second, millisecond and microsecond that holds every time."""
        times = self.time[self.time > UNREADABLE_TIME]
        if not len(times):
            return None
        for unit, size in (("second", 1_000_000), ("millisecond", 1_000)):
            if not (times % size).any():
                return unit
        return "microsecond"

    def __repr__(self) -> str:
        return (
            f"XesEvents({len(self.case)} events, {self.case_count} cases,"
            f" {len(self.activities)} activities)"
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """A part of a log: the events read, and the traces that ended, since the last batch.

    A trace may begin in one batch and end in a later one. Codes are of this batch alone.
    """

    trace_ids: list[str | None]
    trace_lengths: npt.NDArray[np.int64]
    activity: npt.NDArray[np.int32]
    activities: list[str]
    lifecycle: npt.NDArray[np.int32]
    lifecycles: list[str]
    time: npt.NDArray[np.int64]
    events_outside_traces: int
    events_without_timestamp: int
    events_with_unreadable_timestamp: int
    timestamps_without_offset: int
    timestamps_truncated: int


_SUMMED = (
    "events_outside_traces",
    "events_without_timestamp",
    "events_with_unreadable_timestamp",
    "timestamps_without_offset",
    "timestamps_truncated",
)


class EventsBuilder:
    """Puts batches together; codes are shared by all of them, over several files too."""

    def __init__(self) -> None:
        self._cases: dict[str, int] = {}
        self._activities: dict[str, int] = {}
        self._lifecycles: dict[str, int] = {}
        self._case_of_trace: list[npt.NDArray[np.int32]] = []
        self._length_of_trace: list[npt.NDArray[np.int64]] = []
        self._activity: list[npt.NDArray[np.int32]] = []
        self._lifecycle: list[npt.NDArray[np.int16]] = []
        self._time: list[npt.NDArray[np.int64]] = []
        self._case_count = 0
        self._counts = dict.fromkeys((field.name for field in fields(XesQuality)), 0)

    def add(self, batch: Batch) -> None:
        """Append a batch."""
        self._add_traces(batch.trace_ids, batch.trace_lengths)
        self._activity.append(_recode(batch.activity, batch.activities, self._activities))
        lifecycle = _recode(batch.lifecycle, batch.lifecycles, self._lifecycles)
        if len(self._lifecycles) > MAX_LIFECYCLES:
            raise ColumnError(
                f"The lifecycle attribute has more than {MAX_LIFECYCLES} distinct values.",
                hint="It should name steps such as 'start' and 'complete'; check its key.",
            )
        self._lifecycle.append(lifecycle.astype(np.int16))
        self._time.append(batch.time)
        for name in _SUMMED:
            self._counts[name] += getattr(batch, name)

    def _add_traces(self, ids: list[str | None], lengths: npt.NDArray[np.int64]) -> None:
        counts, known, count = self._counts, self._cases, self._case_count
        counts["traces"] += len(ids)
        some = lengths > 0
        if not some.all():
            counts["traces_without_event"] += len(ids) - int(np.count_nonzero(some))
            ids = list(compress(ids, some.tolist()))
            lengths = lengths[some]
        without_id = ids.count(None)
        if without_id or not known.keys().isdisjoint(ids) or len(set(ids)) < len(ids):
            cases = []
            for trace_id in ids:
                case = count if trace_id is None else known.setdefault(trace_id, count)
                cases.append(case)
                count += case == count
            counts["traces_without_id"] += without_id
            counts["traces_merged"] += len(ids) - (count - self._case_count)
            self._case_of_trace.append(np.array(cases, dtype=np.int32))
        else:  # all are new, as they nearly always are
            count += len(ids)
            new = range(self._case_count, count)
            known.update(zip(ids, new, strict=True))  # type: ignore[arg-type]  # none is None
            self._case_of_trace.append(np.arange(self._case_count, count, dtype=np.int32))
        self._case_count = count
        self._length_of_trace.append(lengths)

    def finish(self) -> XesEvents:
        """Join all that was added."""
        case = np.repeat(
            _join(self._case_of_trace, np.int32), _join(self._length_of_trace, np.int64)
        )
        activity = _join(self._activity, np.int32)
        lifecycle = _join(self._lifecycle, np.int16)
        time = _join(self._time, np.int64)
        assert len(case) == len(activity) == len(lifecycle) == len(time)
        self._counts["events_without_activity"] = int(np.count_nonzero(activity == MISSING))
        self._counts["events_without_lifecycle"] = int(np.count_nonzero(lifecycle == MISSING))
        return XesEvents(
            case=case,
            activity=activity,
            time=time,
            lifecycle=lifecycle if self._lifecycles else None,
            activities=tuple(self._activities),
            lifecycles=tuple(self._lifecycles),
            case_count=self._case_count,
            quality=XesQuality(**self._counts),
        )


def _recode(
    codes: npt.NDArray[np.int32], names: list[str], known: dict[str, int]
) -> npt.NDArray[np.int32]:
    """Translate the codes of a batch into those of the log; an empty name is a missing one."""
    table = [known.setdefault(name, len(known)) if name else MISSING for name in names]
    # The code of a missing name is -1, which takes the last of the table.
    return np.array([*table, MISSING], dtype=np.int32).take(codes)


def _join(parts: list[npt.NDArray[Code]], dtype: type[Code]) -> npt.NDArray[Code]:
    joined = np.concatenate([np.empty(0, dtype=dtype), *parts])
    parts.clear()
    return joined
