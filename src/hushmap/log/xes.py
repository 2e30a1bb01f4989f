"""Event logs in XES (IEEE 1849), plain or compressed with gzip, one or many files.

Only what is asked for is kept: which case, which activity, when, and the lifecycle step. The
file flows through, and its events leave in parts; memory holds one part and a few blocks.

Two readers give the same answers. ``xes_blocks`` reads whole traces at once with NumPy, where
the file is written the way nearly all are; ``xes_expat`` reads whatever is XML. The one parser
of expat sees every byte but the blocks that were proven well-formed and balanced without it: these
it is told to have passed, so that a document is accepted by both together exactly if expat alone
would accept it, and an error names the right line.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias

import numpy as np

from hushmap.log.xes_blocks import Block, can_read, read_block
from hushmap.log.xes_events import (
    MISSING,
    PartsBuilder,
    XesKeys,
    XesNames,
    XesPart,
    XesQuality,
)
from hushmap.log.xes_expat import VALUE_ELEMENTS, XesParser, XmlReader
from hushmap.log.xes_source import Unpacker, opened
from hushmap.log.xes_text import PADDING
from hushmap.log.xes_times import NO_TIME, UNREADABLE_TIME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = [
    "MISSING",
    "NO_TIME",
    "UNREADABLE_TIME",
    "XesAttributes",
    "XesNames",
    "XesPart",
    "XesQuality",
    "read_xes",
    "xes_attributes",
    "xes_first_events",
]

Source: TypeAlias = "str | Path | BinaryIO"

_WORKERS = min(2, os.cpu_count() or 1)
"""More threads wait for one another (for Python's lock) more than they read."""
_END = b"</trace>"
_MAX_BLOCK = 16 << 20
"""A trace longer than this is read by expat, in pieces."""
_ENOUGH_FAILURES = 4
"""After so many blocks in a row that were not written the usual way, expat reads the rest."""
_MANY = 50_000
"""So many events and traces that expat has read are coded at once."""
_LARGEST_KEPT = (32 << 20) - 8192
"""Arrays up to this size are kept; the C library's limit is 32 MiB with its own bytes."""


def read_xes(
    sources: Source | Sequence[Source],
    take: Callable[[XesPart], None],
    *,
    case: str = "concept:name",
    activity: str = "concept:name",
    timestamp: str = "time:timestamp",
    lifecycle: str = "lifecycle:transition",
    max_unpacked_bytes: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> XesNames:
    """Read the events of one log from its files.

    Args:
        sources: A path or a binary stream, or several, which become one log.
        take: Given the events, part by part, in their order.
        case: Key of the trace's attribute that is the case id.
        activity: Key of the event's attribute that names the activity.
        timestamp: Key of the event's attribute that is the time.
        lifecycle: Key of the event's attribute that is the step in the activity's life.
        max_unpacked_bytes: How much each gzip file may unpack to. By default 8 GiB, and above
            256 MiB no more than 200 times its packed size. Plain files have no limit.
        on_progress: Called with the bytes read so far, of all files together, as they are on
            disk.

    Returns:
        What the codes in the parts mean, and what was noticed.

    Raises:
        LogError: A file cannot be opened or read, or is not XES; says where.
        LogTooLargeError: A gzip file unpacks to more than it may.
    """
    keys = XesKeys(case=case, activity=activity, timestamp=timestamp, lifecycle=lifecycle)
    builder = PartsBuilder(take)
    done = 0
    for source in _listed(sources):

        def on_packed(packed: int, before: int = done) -> None:
            if on_progress is not None:
                on_progress(before + packed)

        with opened(source) as (stream, name):
            pieces = Unpacker(
                stream, name, max_unpacked_bytes=max_unpacked_bytes, on_packed=on_packed
            )
            _FileReader(XesParser(keys, name), keys, builder).read(pieces)
        done += pieces.packed
    return builder.finish()


def _listed(sources: Source | Sequence[Source]) -> Sequence[Source]:
    if isinstance(sources, Sequence) and not isinstance(sources, str):
        return sources
    return [sources]


class _FileReader:
    """Reads one file: cuts it into blocks, has them read in parallel, and keeps their order."""

    def __init__(self, parser: XesParser, keys: XesKeys, builder: PartsBuilder) -> None:
        self._parser = parser
        self._keys = keys
        self._builder = builder
        self._uses_blocks = can_read(keys)
        self._failures = 0
        self._waiting: deque[tuple[bytes, Future[Block | None]]] = deque()
        self._pool: ThreadPoolExecutor | None = None

    def read(self, pieces: Unpacker) -> None:
        try:
            self._read(pieces)
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)
        self._parser.xml.close()
        self._builder.add(self._parser.take())

    def _read(self, pieces: Unpacker) -> None:
        held = b""
        for piece in pieces:
            cut = piece.rfind(_END) + len(_END)
            if not self._uses_blocks:
                self._feed(held + piece)
                held = b""
            elif cut < len(_END):
                held += piece
                if len(held) > _MAX_BLOCK:
                    self._feed(held)
                    held = b""
            else:
                block = b"".join((held, memoryview(piece)[:cut], PADDING))
                held = piece[cut:]
                # Unpacking keeps one core busy.
                self._read_traces(block, workers=1 if pieces.is_gzip else _WORKERS)
        self._feed(held)

    def _read_traces(self, block: bytes, *, workers: int) -> None:
        """Have a padded block read that ends with a trace, and probably begins with one."""
        if self._parser.xml.fed == 0:  # the head of the file, and its first trace
            head = block.find(_END) + len(_END)
            self._feed(block[:head])
            block = block[head:]
            if len(block) == len(PADDING):
                return
        if self._pool is None:
            _keep_freed_memory()
            self._pool = ThreadPoolExecutor(workers, thread_name_prefix="hushmap-xes")
        self._waiting.append((block, self._pool.submit(read_block, block, self._keys)))
        if len(self._waiting) > workers:
            self._settle()

    def _settle(self) -> None:
        """Take the oldest block that is being read: as it is, or through expat."""
        block, future = self._waiting.popleft()
        read = future.result()
        parser = self._parser
        if read is not None and parser.is_between_traces and parser.xml.is_plain_utf8:
            self._failures = 0
            if parser.collected:
                self._builder.add(parser.take())
            self._builder.add(read.batch)
            parser.skip(read.lines, read.columns)
        else:
            self._failures += 1
            self._uses_blocks = self._failures < _ENOUGH_FAILURES
            self._give_to_expat(memoryview(block)[: -len(PADDING)])

    def _feed(self, piece: bytes | memoryview) -> None:
        """Have expat read a piece, after all that comes before it."""
        while self._waiting:
            self._settle()
        self._give_to_expat(piece)

    def _give_to_expat(self, piece: bytes | memoryview) -> None:
        self._parser.xml.feed(piece)
        if self._parser.collected > _MANY:
            self._builder.add(self._parser.take())


def _keep_freed_memory() -> None:
    """Have the memory of one block's arrays used again for the next.

    The C library of Linux gives large arrays back to the system one by one, and the system
    clears each page anew; having freed one very large array, it keeps them (mallopt(3),
    M_MMAP_THRESHOLD). Nothing is touched, and elsewhere nothing happens.
    """
    np.empty(_LARGEST_KEPT, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class XesAttributes:
    """Which attributes occur: their key and the element that held it first (``date``, …)."""

    of_traces: dict[str, str]
    of_events: dict[str, str]


def xes_attributes(source: Source, *, events: int = 10_000) -> XesAttributes:
    """Look which attributes the traces and the first ``events`` events of a file have.

    Raises:
        LogError: As ``read_xes``, for the part that is looked at.
    """
    found = XesAttributes({}, {})

    def on_value(element: str, key: str, _value: str, *, of_event: bool) -> None:
        (found.of_events if of_event else found.of_traces).setdefault(key, element)

    _look(source, events, on_value)
    return found


def xes_first_events(source: Source, *, events: int) -> list[dict[str, str]]:
    """The first events of a file with their attributes; those of the trace as ``case:KEY``.

    Attributes of a trace that stand behind its events are not seen.

    Raises:
        LogError: As ``read_xes``, for the part that is looked at.
    """
    trace: dict[str, str] = {}
    found: list[dict[str, str]] = []

    def on_value(_element: str, key: str, value: str, *, of_event: bool) -> None:
        if of_event:
            found[-1][key] = value
        else:
            trace[f"case:{key}"] = value

    _look(source, events, on_value, lambda: found.append(dict(trace)), trace.clear)
    return found[:events]


class _OnValue(Protocol):
    def __call__(self, element: str, key: str, value: str, /, *, of_event: bool) -> None: ...


def _look(
    source: Source,
    events: int,
    on_value: _OnValue,
    on_event: Callable[[], None] = lambda: None,
    on_trace: Callable[[], None] = lambda: None,
) -> None:
    """Read a file until so many events were seen, and say what stands in it."""
    path: list[str] = []
    seen = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal seen
        xml.tags += 1
        path.append(name.rpartition(":")[2])
        xml.check_depth(len(path))
        if len(path) == 1:
            xml.check_root(path[0])
        elif path[1:] == ["trace"]:
            on_trace()
        elif path[1:] == ["trace", "event"]:
            seen += 1
            on_event()
        elif path[1:-1] in (["trace"], ["trace", "event"]) and (
            path[-1] in VALUE_ELEMENTS and {"key", "value"} <= attributes.keys()
        ):
            on_value(path[-1], attributes["key"], attributes["value"], of_event=len(path) == 4)

    def end(_name: str) -> None:
        path.pop()

    with opened(source) as (stream, name):
        xml = XmlReader(name, start, end)
        for piece in Unpacker(stream, name, piece=1 << 18):
            xml.feed(piece)
            if seen >= events:
                return
        xml.close()
