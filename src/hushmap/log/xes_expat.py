"""XES through expat, the XML parser of Python: slow, and right about every construct of XML.

What counts: an event is a child of a trace, a trace a child of the root ``<log>``; an attribute
is a direct child of either. Everything else is passed over: attributes of attributes, lists,
globals (their defaults are never filled in), classifiers, unknown elements. Where a key occurs
twice the last one with a value counts. Prefixes of element names (``<xes:trace>``) are dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

import numpy as np

from hushmap.exceptions import LogError
from hushmap.log.xes_events import MISSING, Batch
from hushmap.log.xes_times import NO_TIME, read_times

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from hushmap.log.xes_events import XesKeys

VALUE_ELEMENTS = frozenset({"string", "date", "int", "float", "boolean", "id"})
"""The elements that carry one value. Lists and containers do not."""
MAX_SILENCE = 16 << 20
"""More bytes than this without a tag are no event log: expat would have to hold them."""
MAX_DEPTH = 1000

_TRUNCATED = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)


class XmlReader:
    """Feeds expat, guards it, and turns its errors into ours.

    Refused: a DOCTYPE with declarations of its own (entities can blow a small file up without
    end, default attributes can forge values), an endless token, an endless nesting. A DOCTYPE
    that names an external file is passed over and the file not fetched.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None] | None = None,
    ) -> None:
        """``name`` of the file is for messages; ``start`` and ``end`` see every element."""
        self._name = name
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = start
        self._parser.EndElementHandler = end
        self._parser.XmlDeclHandler = self._declaration
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._encoding = "utf-8"
        self._has_doctype = False
        self._silence = 0
        self._skipped_lines = 0
        self._skip_line = 0
        self._skip_shift = 0
        self.fed = 0
        self.tags = 0
        """Start tags seen; the start handler counts them."""

    @property
    def is_plain_utf8(self) -> bool:
        """No declared encoding but UTF-8 and no DOCTYPE, as far as the file has been read."""
        return self._encoding == "utf-8" and not self._has_doctype

    @property
    def position(self) -> int:
        """Where the tag begins that a handler is looking at, in bytes fed."""
        return self._parser.CurrentByteIndex

    def feed(self, piece: bytes | memoryview) -> None:
        """Parse the next bytes."""
        tags = self.tags
        self._parse(piece, last=False)
        self.fed += len(piece)
        self._silence = 0 if self.tags > tags else self._silence + len(piece)
        if self._silence > MAX_SILENCE:
            raise self.error(
                f"{MAX_SILENCE >> 20} MiB follow one another without a tag: this is no event log.",
                hint="Look at the file there; perhaps it is damaged.",
            )

    def skip(self, lines: int, columns: int) -> None:
        """Count text that was read elsewhere, so that positions stay those of the file.

        Args:
            lines: Line breaks in the text.
            columns: Characters after the last of them.
        """
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber
        if lines:
            self._skip_shift = columns - column
        elif line == self._skip_line:
            self._skip_shift += columns
        else:
            self._skip_shift = columns
        self._skip_line = line
        self._skipped_lines += lines
        self._silence = 0

    def close(self) -> None:
        """Say that the file ends here."""
        self._parse(b"", last=True)

    def check_depth(self, depth: int) -> None:
        """Refuse nesting without end."""
        if depth > MAX_DEPTH:
            raise self.error(f"More than {MAX_DEPTH} elements are nested in one another.")

    def check_root(self, name: str) -> None:
        """Refuse what is not XES."""
        if name != "log":
            raise self.error(
                "This is XML, but not an XES log: its outermost element is not <log>.",
                hint="Check that this is the right file.",
            )

    def error(self, what: str, *, hint: str | None = None) -> LogError:
        """Make an error that names the place that expat is at."""
        return self._error_at(
            what, self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber, hint
        )

    def _error_at(self, what: str, line: int, column: int, hint: str | None) -> LogError:
        if line == self._skip_line:
            column += self._skip_shift
        where = f"{self._name}, line {line + self._skipped_lines}, column {column + 1}"
        return LogError(what, where=where, hint=hint)

    def _parse(self, piece: bytes | memoryview, *, last: bool) -> None:
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            raise self._explained(error) from None
        except (LookupError, ValueError):
            raise self.error(
                "The file declares an encoding that cannot be read here.",
                hint="Convert it to UTF-8 (for example with iconv), its XML declaration too.",
            ) from None

    def _explained(self, error: expat.ExpatError) -> LogError:
        hint = "Check the file with an XML tool such as xmllint."
        if error.code in _TRUNCATED and self.tags:
            what = "The file ends in the middle of the log: a part of it is missing."
            hint = "Get the file again; its export, download or copy was cut short."
        elif not self.tags:
            what = "This is not an XML file."
            hint = "An XES log is XML, plain or compressed with gzip. Check the file."
        else:
            what = f"The XML is malformed: {expat.ErrorString(error.code)}."
        return self._error_at(what, error.lineno, error.offset, hint)

    def _declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self._encoding = (encoding or "utf-8").lower()

    def _doctype(self, _name: str, _system: str | None, _public: str | None, own: int) -> None:
        self._has_doctype = True
        if own:
            raise self.error(
                "The file has a DOCTYPE with declarations of its own, which are not expanded.",
                hint="XES needs none: remove the DOCTYPE, and look where the file is from.",
            )


class XesParser:
    """Collects the events of one file, fed to it in pieces."""

    def __init__(self, keys: XesKeys, name: str) -> None:
        """``name`` of the file is for messages."""
        self.xml = XmlReader(name, self._start, self._end)
        self._keys = keys
        self._event_keys = frozenset({keys.activity, keys.timestamp, keys.lifecycle})
        self._depth = 0
        self._in_trace = False
        self._in_event = False
        self._resting = -1
        self._trace_id: str | None = None
        self._trace_length = 0
        self._activity = ""
        self._time: str | None = None
        self._lifecycle = ""
        self._renew()

    def _renew(self) -> None:
        self._trace_ids: list[str | None] = []
        self._trace_lengths: list[int] = []
        self._activities: dict[str, int] = {"": MISSING}
        self._activity_codes: list[int] = []
        self._lifecycles: dict[str, int] = {"": MISSING}
        self._lifecycle_codes: list[int] = []
        self._times: list[str | None] = []
        self._outside = 0

    @property
    def collected(self) -> int:
        """How many events and traces ``take`` would answer."""
        return len(self._times) + len(self._trace_ids)

    @property
    def is_between_traces(self) -> bool:
        """What was fed ends with the ``</trace>`` of a trace of the log."""
        return self._resting == self.xml.fed

    def skip(self, lines: int, columns: int) -> None:
        """Pass over whole traces that were read elsewhere; only between traces."""
        assert self.is_between_traces
        self.xml.skip(lines, columns)

    def take(self) -> Batch:
        """Answer what was collected since the last call, and forget it."""
        time, missing, unreadable, naive, truncated = _read_texts(self._times)
        batch = Batch(
            trace_ids=self._trace_ids,
            trace_lengths=np.array(self._trace_lengths, dtype=np.int64),
            activity=np.array(self._activity_codes, dtype=np.int32),
            activities=list(self._activities)[1:],
            lifecycle=np.array(self._lifecycle_codes, dtype=np.int32),
            lifecycles=list(self._lifecycles)[1:],
            time=time,
            events_outside_traces=self._outside,
            events_without_timestamp=missing,
            events_with_unreadable_timestamp=unreadable,
            timestamps_without_offset=naive,
            timestamps_truncated=truncated,
        )
        self._renew()
        return batch

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.xml.tags += 1
        self._depth += 1
        if self._depth == 4:
            if self._in_event and attributes.get("key") in self._event_keys:
                self._event_attribute(_local(name), attributes)
        elif self._depth == 3:
            if self._in_trace:
                self._child_of_trace(_local(name), attributes)
        elif self._depth == 2:
            self._child_of_log(_local(name))
        elif self._depth == 1:
            self.xml.check_root(_local(name))
        else:
            self.xml.check_depth(self._depth)

    def _child_of_log(self, name: str) -> None:
        if name == "trace":
            self._in_trace = True
            self._trace_id = None
            self._trace_length = 0
        elif name == "event":
            self._outside += 1

    def _child_of_trace(self, name: str, attributes: dict[str, str]) -> None:
        if name == "event":
            self._in_event = True
            self._activity = ""
            self._time = None
            self._lifecycle = ""
        elif name in VALUE_ELEMENTS and attributes.get("key") == self._keys.case:
            self._trace_id = attributes.get("value", self._trace_id)

    def _event_attribute(self, name: str, attributes: dict[str, str]) -> None:
        value = attributes.get("value")
        if value is None or name not in VALUE_ELEMENTS:
            return
        key = attributes["key"]
        if key == self._keys.activity:
            self._activity = value
        if key == self._keys.timestamp:
            self._time = value
        if key == self._keys.lifecycle:
            self._lifecycle = value

    def _end(self, _name: str) -> None:
        self._depth -= 1
        if self._depth == 2:
            if self._in_event:
                self._in_event = False
                self._end_event()
        elif self._depth == 1 and self._in_trace:
            self._in_trace = False
            self._trace_ids.append(self._trace_id or None)
            self._trace_lengths.append(self._trace_length)
            self._resting = self.xml.position + len("</trace>")

    def _end_event(self) -> None:
        self._trace_length += 1
        # The empty name has the code of a missing one, so a new name's code is one less.
        code = self._activities.setdefault(self._activity, len(self._activities) - 1)
        self._activity_codes.append(code)
        code = self._lifecycles.setdefault(self._lifecycle, len(self._lifecycles) - 1)
        self._lifecycle_codes.append(code)
        self._times.append(self._time)


def _local(name: str) -> str:
    """Answer the name of an element without its prefix."""
    return name.rpartition(":")[2]


def _read_texts(
    texts: list[str | None],
) -> tuple[npt.NDArray[np.int64], int, int, int, int]:
    """Read timestamps; answer them, and how many are missing, unreadable, naive, truncated."""
    values = [text.encode() if text else b"" for text in texts]
    lengths = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
    present = lengths > 0
    ends = np.cumsum(lengths)
    joined = np.frombuffer(b"".join(values), dtype=np.uint8)
    read = read_times(joined, (ends - lengths)[present], lengths[present])
    time = np.full(len(values), NO_TIME, dtype=np.int64)
    time[present] = read.microseconds
    missing = int(np.count_nonzero(~present))
    return time, missing, read.unreadable, read.naive, read.truncated
