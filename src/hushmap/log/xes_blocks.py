"""XES without an XML parser: many traces at once, as columns of NumPy.

Nearly every tool writes XES in one way: ``<event>``, ``<string key="k" value="v"/>`` and no more.
``read_block`` takes the bytes of whole traces, *proves* that they are written in that way and
nothing else, and answers what an XML parser would have. Where it cannot, it answers None, and
the block goes to expat. It never guesses, and it never raises for what is in the file.

The proof. In XML a ``<`` can only begin a tag, a comment, a CDATA section or an instruction. So:

1. every ``<`` begins one of the known tags, spelt exactly so (``_TAGS``);
2. the ``"`` of the block, taken by fours, are exactly those of the tags that carry a key and a
   value, at the places where these have theirs, in ``key="…" value="…"``, closed at once;
3. the structural tags follow one another as XES says (``_MAY_FOLLOW``), whole traces only, and
   attributes of attributes are closed inside one another, with the right names;
4. every ``&`` is a whole reference inside a value; there is no control character, no ``]]>`` and
   no invalid UTF-8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushmap.log.xes_events import MISSING, Batch
from hushmap.log.xes_text import (
    FIRST_BYTES,
    PADDING,
    Text,
    Values,
    all_meant,
    distinct_values,
    meant,
)
from hushmap.log.xes_times import NO_TIME, read_times
from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    import numpy.typing as npt

    from hushmap.log.xes_events import XesKeys

    Ints = npt.NDArray[np.int64]

# Tags and their kinds; of those that carry a value all up to their key.
_TRACE, _EVENT, _END_EVENT, _END_TRACE = 1, 2, 3, 4
_VALUED = (b"string", b"date", b"int", b"float", b"boolean", b"id")
_FIRST_VALUED = 5
_FIRST_END = _FIRST_VALUED + len(_VALUED)
_TAGS = {
    b"<trace>": _TRACE,
    b"<event>": _EVENT,
    b"</event>": _END_EVENT,
    b"</trace>": _END_TRACE,
    **{b'<%b key="' % name: _FIRST_VALUED + number for number, name in enumerate(_VALUED)},
    **{b"</%b>" % name: _FIRST_END + number for number, name in enumerate(_VALUED)},
}
_LENGTH = np.zeros(_FIRST_END + len(_VALUED), dtype=np.int64)
"""How long the beginning of a tag of each kind is."""
_HEAD = np.ones((2, len(_LENGTH)), dtype=np.uint64)
"""The beginning of a tag of each kind as two words."""
_HEAD_BITS = np.zeros((2, len(_LENGTH)), dtype=np.uint64)
"""Which bits of these words it has; kind 0 has none, and so no tag is of that kind."""
for _tag, _kind in _TAGS.items():
    _LENGTH[_kind] = len(_tag)
    for _place in (0, 1):
        _part = _tag[8 * _place : 8 * _place + 8]
        _HEAD[_place, _kind] = int.from_bytes(_part, "little")
        _HEAD_BITS[_place, _kind] = FIRST_BYTES[len(_part)]


def _slot(head: npt.NDArray[np.uint64]) -> Ints:
    """Hash the second to fourth byte of tags, in which no two of the known ones agree."""
    return (((head & _HASHED_BYTES) * _HASH) >> np.uint64(58)).view(np.int64)


_HASHED_BYTES = np.uint64(0xFFFFFF00)
_HASH = np.uint64(0x2ADF559A11CBC289)
_KIND_OF_SLOT = np.zeros(64, dtype=np.int64)
_KIND_OF_SLOT[_slot(_HEAD[0, 1:])] = np.arange(1, len(_LENGTH))
assert np.count_nonzero(_KIND_OF_SLOT) == len(_TAGS)
_LAST = b"</trace>" + PADDING
_TO_VALUE = np.uint64(int.from_bytes(b'" value=', "little"))

_DEEP = 30
"""Attributes nested deeper than this are left to expat, which has a limit of its own."""
_MAY_FOLLOW = np.zeros(25, dtype=np.bool_)
for _first, _second in (
    (_TRACE, _EVENT),
    (_TRACE, _END_TRACE),
    (_EVENT, _END_EVENT),
    (_END_EVENT, _EVENT),
    (_END_EVENT, _END_TRACE),
    (_END_TRACE, _TRACE),
):
    _MAY_FOLLOW[5 * _first + _second] = True


@dataclass(frozen=True, slots=True, repr=False)
class Block(OwnerOnly):
    """What a block of whole traces holds."""

    batch: Batch
    lines: int
    """Line breaks in the block."""
    columns: int
    """Characters after the last line break."""


def can_read(keys: XesKeys) -> bool:
    """Whether these keys are written in a file just as they are."""
    names = (keys.case, keys.activity, keys.timestamp, keys.lifecycle)
    return all(name.isprintable() and not set(name) & set('&<" ') for name in names)


def read_block(block: bytes, keys: XesKeys) -> Block | None:
    """Read whole traces, or answer None where these bytes are not surely what they seem.

    Args:
        block: Bytes that begin between two traces and end with ``</trace>``, and ``PADDING``.
        keys: What to read; ``can_read`` says yes to them.
    """
    text = Text(block)
    tags = _Tags.found(text)
    if tags is None:
        return None
    nesting = _nesting(tags)
    if nesting is None:
        return None
    return _Extraction(tags, nesting, keys).block()


@dataclass(frozen=True, slots=True, repr=False)
class _Tags(OwnerOnly):
    """Every tag of a block, in order, after steps 1, 2 and 4 of the proof."""

    text: Text
    kind: Ints
    valued: Ints
    """Which of the tags carry a key and a value."""
    quotes: Ints
    """Four rows of places, one for each of these: around the key, around the value."""
    is_open: npt.NDArray[np.bool_] | None
    """Which of these have content and an end tag; None: none has."""

    @staticmethod
    def found(text: Text) -> _Tags | None:
        if not text.is_clean() or not text.padded.endswith(_LAST):
            return None
        at = np.flatnonzero(text.bytes == ord("<"))
        kind = _kinds(text, at)
        if kind is None:
            return None
        valued = np.flatnonzero((kind >= _FIRST_VALUED) & (kind < _FIRST_END))
        every_quote = np.flatnonzero(text.bytes == ord('"'))
        if len(every_quote) != 4 * len(valued):
            return None
        quotes = np.ascontiguousarray(every_quote.reshape(-1, 4).T)
        before_key, after_key, before_value, after_value = quotes
        if not (
            np.array_equal(before_key, at[valued] + (_LENGTH - 1)[kind[valued]])
            and np.array_equal(before_value, after_key + 8)
            and (text.rows(after_key, 1) == _TO_VALUE).all()
            and (after_value < at[valued + 1]).all()  # the last tag has no value
            and _are_in_values(text.references(), quotes)
        ):
            return None
        is_open = _opens(text, after_value + 1)
        if is_open is None:
            return None
        return _Tags(text, kind, valued, quotes, is_open if is_open.any() else None)


def _kinds(text: Text, at: Ints) -> Ints | None:
    """What kind of tag begins at each of the places; None if something else does."""
    head = text.rows(at, 2)
    kind = _KIND_OF_SLOT.take(_slot(head[:, 0]))
    for place in (0, 1):
        if ((head[:, place] & _HEAD_BITS[place].take(kind)) != _HEAD[place].take(kind)).any():
            return None
    return kind


def _opens(text: Text, after_value: Ints) -> npt.NDArray[np.bool_] | None:
    """Whether the tags go on with ``>`` or end with ``/>``; None if some do neither."""
    after, second = text.bytes[after_value], text.bytes[after_value + 1]
    ends: npt.NDArray[np.bool_] = (after == ord("/")) & (second == ord(">"))
    if ends.all():
        return np.zeros(len(ends), dtype=np.bool_)
    blank = after == ord(" ")
    if blank.any():
        after_value = after_value + blank
        after, second = text.bytes[after_value], text.bytes[after_value + 1]
        ends = (after == ord("/")) & (second == ord(">"))
    is_open: npt.NDArray[np.bool_] = after == ord(">")
    return is_open if (is_open | ends).all() else None


def _are_in_values(references: Ints | None, quotes: Ints) -> bool:
    if references is None:
        return False
    if not len(references):
        return True
    _, _, before_value, after_value = quotes
    after = np.searchsorted(after_value, references)  # the first value that ends after it
    if (after == len(after_value)).any():
        return False
    return bool((before_value[after] < references).all())


@dataclass(frozen=True, slots=True, repr=False)
class _Nesting(OwnerOnly):
    """Where attributes stand, after step 3 of the proof."""

    order: Ints
    """The kinds of the structural tags, which begin or end a trace or an event."""
    owner: Ints
    """For each valued tag the structural one before it, as a place in ``order``."""
    inner: npt.NDArray[np.bool_] | None
    """Which of the valued tags are attributes of attributes; None: none is."""


def _nesting(tags: _Tags) -> _Nesting | None:
    kind = tags.kind
    order = kind[kind < _FIRST_VALUED]
    if not len(order) or order[0] != _TRACE or order[-1] != _END_TRACE:
        return None
    if not _MAY_FOLLOW[5 * order[:-1] + order[1:]].all():
        return None
    # A valued tag before the first trace gets -1, which is the last tag: the end of a trace.
    # Such attributes belong to the log, and so do those that follow the end of a trace.
    owner = tags.valued - np.arange(1, len(tags.valued) + 1)
    ends = kind >= _FIRST_END
    if tags.is_open is None and not ends.any():
        return _Nesting(order, owner, None)

    begins = np.zeros(len(kind), dtype=np.bool_)
    if tags.is_open is not None:
        begins[tags.valued[tags.is_open]] = True
    change = begins.astype(np.int64) - ends
    after = np.cumsum(change)
    before = after - change
    if after.min() < 0 or after.max() > _DEEP or after[kind < _FIRST_VALUED].any():
        return None
    for level in range(1, int(after.max()) + 1):
        opened = kind[begins & (after == level)] - _FIRST_VALUED
        closed = kind[ends & (before == level)] - _FIRST_END
        if not np.array_equal(opened, closed):
            return None
    return _Nesting(order, owner - np.cumsum(ends)[tags.valued], before[tags.valued] > 0)


class _Extraction:
    """Picks the values that are wanted out of a block that is proven."""

    def __init__(self, tags: _Tags, nesting: _Nesting, keys: XesKeys) -> None:
        self._tags = tags
        self._text = tags.text
        self._keys = keys
        self._found: dict[str, tuple[Ints, Ints]] = {}
        self._nesting = nesting
        before_key, after_key, _, _ = tags.quotes
        self._key_lengths = after_key - before_key - 1
        self._order = nesting.order
        is_event = self._order == _EVENT
        self._events_so_far = np.cumsum(is_event)
        self._traces_so_far = np.cumsum(self._order == _TRACE)
        self._event_count = int(self._events_so_far[-1])
        self._trace_count = int(self._traces_so_far[-1])
        self._trace_lengths = np.bincount(
            self._traces_so_far[is_event] - 1, minlength=self._trace_count
        )

    def block(self) -> Block:
        activity, activities = self._coded(self._keys.activity)
        lifecycle, lifecycles = self._coded(self._keys.lifecycle)

        which, values = self._of_events(self._keys.timestamp)
        read = read_times(self._text.bytes, values.starts, values.lengths, decode=meant)
        time = np.full(self._event_count, NO_TIME, dtype=np.int64)
        time[which] = read.microseconds

        batch = Batch(
            trace_ids=self._trace_ids(),
            trace_lengths=self._trace_lengths,
            activity=activity,
            activities=activities,
            lifecycle=lifecycle,
            lifecycles=lifecycles,
            time=time,
            events_outside_traces=0,
            events_without_timestamp=self._event_count - len(which),
            events_with_unreadable_timestamp=read.unreadable,
            timestamps_without_offset=read.naive,
            timestamps_truncated=read.truncated,
        )
        return Block(batch, self._text.line_count(), self._text.last_column())

    def _with_key(self, key: str) -> tuple[Ints, Ints]:
        """Which of the valued tags have this key and are direct, and the structural tag before."""
        if key not in self._found:
            self._found[key] = self._looked_up(key.encode())
        return self._found[key]

    def _looked_up(self, raw: bytes) -> tuple[Ints, Ints]:
        which = np.flatnonzero(self._key_lengths == len(raw))
        which = which[self._text.are(raw, self._tags.quotes[0, which] + 1)]
        if self._nesting.inner is not None:
            which = which[~self._nesting.inner[which]]
        return which, self._nesting.owner[which]

    def _last_values(self, which: Ints, owner: Ints, count: int) -> tuple[Ints, Values]:
        """Owners that have a value that is not empty, and the last value of each."""
        if len(owner) != count or not np.array_equal(owner, np.arange(count)):
            last = np.full(count, -1, dtype=np.int64)
            last[owner] = which  # of several assignments to one place, NumPy keeps the last
            owner = np.flatnonzero(last >= 0)
            which = last[owner]
        _, _, before_value, after_value = self._tags.quotes
        starts = before_value[which] + 1
        lengths = after_value[which] - starts
        some = lengths > 0
        if some.all():
            return owner, Values(starts, lengths)
        return owner[some], Values(starts[some], lengths[some])

    def _of_events(self, key: str) -> tuple[Ints, Values]:
        which, before = self._with_key(key)
        of_event = self._order[before] == _EVENT
        owner = self._events_so_far[before[of_event]] - 1
        return self._last_values(which[of_event], owner, self._event_count)

    def _coded(self, key: str) -> tuple[npt.NDArray[np.int32], list[str]]:
        which, values = self._of_events(key)
        codes = np.full(self._event_count, MISSING, dtype=np.int32)
        codes[which], distinct = distinct_values(self._text, values)
        return codes, [meant(raw).decode() for raw in distinct]

    def _trace_ids(self) -> list[str | None]:
        which, before = self._with_key(self._keys.case)
        order = self._order[before]
        of_trace = (order == _TRACE) | (order == _END_EVENT)
        owner = self._traces_so_far[before[of_trace]] - 1
        owner, values = self._last_values(which[of_trace], owner, self._trace_count)
        ids: list[str | None] = [None] * self._trace_count
        for trace, trace_id in zip(owner.tolist(), all_meant(self._text, values), strict=True):
            ids[trace] = trace_id
        return ids
