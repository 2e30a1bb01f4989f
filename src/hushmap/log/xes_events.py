"""What an XES log comes to: one integer code per event and column, and what was noticed.

A log flows through in parts, so that memory does not grow with it. Codes are the same in all parts;
what they mean is known at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from hushmap.exceptions import ColumnError
from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

MISSING = -1
"""The code of an activity or a lifecycle step that an event does not have."""
MAX_LIFECYCLES = 2**15 - 1
PART = 1 << 18
"""So many events are handed on together."""


@dataclass(frozen=True, slots=True)
class XesKeys:
    """Which attributes are read: ``case`` of a trace, the others of an event."""

    case: str = "concept:name"
    activity: str = "concept:name"
    timestamp: str = "time:timestamp"
    lifecycle: str = "lifecycle:transition"


@dataclass(frozen=True, slots=True, repr=False)
class XesQuality(OwnerOnly):
    """What was noticed in a log. Counts are the owner's alone."""

    traces: int
    traces_without_id: int
    """Traces with events that have no id: each becomes a case of its own."""
    traces_without_event: int
    """They make no case."""
    events: int
    events_outside_traces: int
    """Events directly under ``<log>``: they belong to no case and are dropped."""
    events_without_activity: int
    events_without_lifecycle: int
    events_without_timestamp: int
    events_with_unreadable_timestamp: int
    timestamps_without_offset: int
    """Naive times: they were read as UTC."""
    timestamps_truncated: int
    """Times whose digits beyond the microsecond were not zero and were cut off."""


@dataclass(frozen=True, slots=True, repr=False)
class XesPart:
    """Some events of one or more XES files, in their order. Owner only.

    Traces are numbered from 0 in the order in which they stand; those without an event have no
    number. A trace may have events in several parts. Nothing is said here of which traces are one
    case: that is for those who see all of them.
    """

    trace: npt.NDArray[np.int32]
    """Number of the event's trace."""
    activity: npt.NDArray[np.int32]
    """Index into ``XesNames.activities``; -1 where the event has none."""
    time: npt.NDArray[np.int64]
    """Microseconds since 1970 UTC; ``NO_TIME`` where missing, else ``UNREADABLE_TIME``."""
    lifecycle: npt.NDArray[np.int16]
    """Index into ``XesNames.lifecycles``; -1 where the event has none."""
    first_id: int
    """Number of the first trace in ``ids``."""
    ids: list[str | None]
    """Ids of the traces that ended since the last part; None where a trace has none."""

    def __repr__(self) -> str:
        return f"XesPart({len(self.time)} events, owner only)"


@dataclass(frozen=True, slots=True, repr=False)
class XesNames:
    """What the codes of all parts mean, and what was noticed. Owner only."""

    activities: tuple[str, ...]
    lifecycles: tuple[str, ...]
    """Empty where no event has any."""
    quality: XesQuality

    def __repr__(self) -> str:
        return f"XesNames({len(self.activities)} activities, owner only)"


@dataclass(frozen=True, slots=True, repr=False)
class Batch(OwnerOnly):
    """What a reader answers: the events read, and the traces that ended, since the last batch.

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


class PartsBuilder:
    """Makes parts of batches; codes are shared by all of them, over several files too."""

    def __init__(self, take: Callable[[XesPart], None]) -> None:
        """``take`` is given every part, in order."""
        self._take = take
        self._activities: dict[str, int] = {}
        self._lifecycles: dict[str, int] = {}
        self._counts = dict.fromkeys((field.name for field in fields(XesQuality)), 0)
        self._ended = 0
        """Traces with events that ended in earlier parts: the number of the one that goes on."""
        self._ahead = 0
        """Events of that trace which are in earlier parts."""
        self._renew()

    def _renew(self) -> None:
        self._held = 0
        self._ids: list[str | None] = []
        self._lengths: list[Ints] = []
        self._activity: list[npt.NDArray[np.int32]] = []
        self._lifecycle: list[npt.NDArray[np.int16]] = []
        self._time: list[Ints] = []

    def add(self, batch: Batch) -> None:
        """Append a batch."""
        self._add_traces(batch.trace_ids, batch.trace_lengths)
        activity = _recode(batch.activity, batch.activities, self._activities)
        lifecycle = _recode(batch.lifecycle, batch.lifecycles, self._lifecycles)
        if len(self._lifecycles) > MAX_LIFECYCLES:
            raise ColumnError(
                f"The lifecycle attribute has more than {MAX_LIFECYCLES} distinct values.",
                hint="It should name steps such as 'start' and 'complete'; check its key.",
            )
        self._activity.append(activity)
        self._lifecycle.append(lifecycle.astype(np.int16))
        self._time.append(batch.time)
        counts = self._counts
        counts["events"] += len(batch.time)
        counts["events_without_activity"] += int(np.count_nonzero(activity == MISSING))
        counts["events_without_lifecycle"] += int(np.count_nonzero(lifecycle == MISSING))
        for name in _SUMMED:
            counts[name] += getattr(batch, name)
        self._held += len(batch.time)
        if self._held >= PART:
            self._hand_on()

    def _add_traces(self, ids: list[str | None], lengths: Ints) -> None:
        counts = self._counts
        counts["traces"] += len(ids)
        some = lengths > 0
        if not some.all():
            counts["traces_without_event"] += len(ids) - int(np.count_nonzero(some))
            ids = list(compress(ids, some.tolist()))
            lengths = lengths[some]
        counts["traces_without_id"] += ids.count(None)
        self._ids += ids
        self._lengths.append(lengths)

    def _hand_on(self) -> None:
        """Give away what is held; the last of its events may be of a trace that goes on."""
        lengths = np.concatenate(self._lengths)
        if len(lengths):
            lengths[0] -= self._ahead
            self._ahead = 0
        rest = self._held - int(lengths.sum())
        self._ahead += rest
        first = self._ended
        self._ended += len(lengths)
        numbers = np.arange(first, self._ended + 1, dtype=np.int32)
        part = XesPart(
            trace=np.repeat(numbers, np.append(lengths, rest)),
            activity=np.concatenate(self._activity),
            time=np.concatenate(self._time),
            lifecycle=np.concatenate(self._lifecycle),
            first_id=first,
            ids=self._ids,
        )
        self._renew()
        self._take(part)

    def finish(self) -> XesNames:
        """Hand the rest on, and say what the codes mean."""
        if self._held or self._ids:
            self._hand_on()
        assert not self._ahead
        return XesNames(
            activities=tuple(self._activities),
            lifecycles=tuple(self._lifecycles),
            quality=XesQuality(**self._counts),
        )


def _recode(
    codes: npt.NDArray[np.int32], names: list[str], known: dict[str, int]
) -> npt.NDArray[np.int32]:
    """Translate the codes of a batch into those of the log; an empty name is a missing one."""
    table = [known.setdefault(name, len(known)) if name else MISSING for name in names]
    # The code of a missing name is -1, which takes the last of the table.
    return np.array([*table, MISSING], dtype=np.int32).take(codes)
