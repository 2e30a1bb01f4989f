"""A form with a file, written to the private folder as it arrives, within its limits."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from hushmap.exceptions import HushmapError, LogTooLargeError, UsageError
from hushmap.log.reading import ending

if TYPE_CHECKING:
    from starlette.requests import Request

    from hushmap.web.limits import Limits

_LONGEST_FIELD = 16 * 1024
_MOST_PARTS = 8
_LONGEST_NAME = 120


@dataclass(slots=True)
class Received:
    """What a form held.

    Attributes:
        fields: Its texts by name.
        file: Where its file was written; None where none was chosen.
        name: The name of that file, for people only: no path is ever made of it.
        error: Why the file was not taken; the rest of it was read and thrown away.
    """

    fields: dict[str, str] = field(default_factory=dict)
    file: Path | None = None
    name: str = ""
    error: HushmapError | None = None

    def discard(self) -> None:
        """Wipe the file."""
        if self.file is not None:
            self.file.unlink(missing_ok=True)
            self.file = None


def plain_name(given: str) -> str:
    r"""The last part of a file's name, cut to a length for people.

    Example:
        >>> plain_name("../../etc/passwd"), plain_name("C:\\logs\\a.csv"), plain_name("a\x00b.csv")
        ('passwd', 'a.csv', 'ab.csv')
    """
    last = given.replace("\\", "/").rpartition("/")[2]
    shown = "".join(character for character in last if character.isprintable())
    return shown[-_LONGEST_NAME:]


class _Form:
    """Takes the parts of a form as the parser finds them."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.received = Received()
        self._folder = folder
        self._limit = limit
        self._parts = 0
        self._headers: dict[str, str] = {}
        self._header = b""
        self._value = b""
        self._name = ""
        self._text: bytearray | None = None
        self._file: IO[bytes] | None = None
        self._size = 0
        self.ended = False

    def on_part_begin(self) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise UsageError("The form has too many parts.")
        self._headers = {}

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        self._headers[self._header.decode("latin-1").lower()] = self._value.decode("latin-1")
        self._header = self._value = b""

    def on_headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", ""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        filename = options.get(b"filename")
        if filename is None:
            self._text = bytearray()
            return
        self._text = None
        self._open(plain_name(filename.decode("utf-8", "replace")))

    def _open(self, name: str) -> None:
        if not name:
            return
        if self.received.file is not None:
            raise UsageError("The form has more than one file.")
        self.received.name = name
        try:
            suffix = ending(Path(name))
        except UsageError as error:
            self.received.error = UsageError(error.what, where=name, hint=error.hint)
            return
        # A name of its own: the log that is there may still be read from its file.
        self.received.file = self._folder / f"log-{secrets.token_hex(8)}{suffix}"
        self._file = self.received.file.open("xb")
        self._size = 0

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._text is not None:
            self._text += data[start:end]
            if len(self._text) > _LONGEST_FIELD:
                raise UsageError("A field of the form is too long.")
            return
        self._size += end - start
        if self._file is None:
            return
        if self._size > self._limit:
            self.received.error = too_large(self._limit)
            self.discard()
            return
        self._file.write(data[start:end])

    def on_part_end(self) -> None:
        if self._text is not None:
            self.received.fields[self._name] = self._text.decode("utf-8", "replace")
            self._text = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def on_end(self) -> None:
        self.ended = True

    def discard(self) -> None:
        """Throw away what was written of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.received.discard()


def size(amount: int) -> str:
    """A number of bytes for people.

    Example:
        >>> size(2 * 10**9), size(500_000_000)
        ('2 GB', '500 MB')
    """
    unit, name = (10**9, "GB") if amount >= 10**9 else (10**6, "MB")
    return f"{amount / unit:.3g} {name}"


def too_large(limit: int) -> LogTooLargeError:
    """The refusal of a file above the limit."""
    return LogTooLargeError(
        f"The file is larger than the limit for uploads, {size(limit)}.",
        hint="Name its path on this machine instead: then it is read where it is. Or start "
        "hushmap serve with a larger --max-upload.",
    )


async def receive_form(request: Request, folder: Path, limits: Limits) -> Received:
    """Read a form with a file; the file goes to disk as it arrives.

    Args:
        request: The request.
        folder: Where the file is written.
        limits: How large it may be, how long it may take.

    Raises:
        HushmapError: It is no such form, it stalled, it took too long, or the disk is full.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise UsageError("This is no form with a file.")
    form = _Form(folder, limits.upload)
    parser = MultipartParser(
        boundary,
        {
            "on_part_begin": form.on_part_begin,
            "on_part_data": form.on_part_data,
            "on_part_end": form.on_part_end,
            "on_header_field": form.on_header_field,
            "on_header_value": form.on_header_value,
            "on_header_end": form.on_header_end,
            "on_headers_finished": form.on_headers_finished,
            "on_end": form.on_end,
        },
    )
    stream = aiter(request.stream())
    try:
        async with asyncio.timeout(limits.upload_time):
            while True:
                async with asyncio.timeout(limits.stalled):
                    chunk = await anext(stream, None)
                if chunk is None:
                    break
                parser.write(chunk)
        parser.finalize()
    except TimeoutError:
        form.discard()
        raise UsageError(
            "The upload came to a stop, or took too long, and was given up.",
            hint="Try again, or name the file's path on this machine.",
        ) from None
    except OSError as error:  # no room, most often
        form.discard()
        raise HushmapError(
            f"The file cannot be kept in the private folder: {error.strerror}.",
            hint="Free space on the disk of the temporary folder (TMPDIR), or name the file's path "
            "on this machine: then it is read where it is.",
        ) from None
    except MultipartParseError:
        form.discard()
        raise UsageError(
            "The form cannot be read.", hint="Reload the page and try again."
        ) from None
    except BaseException:
        form.discard()
        raise
    if not form.ended:
        form.discard()
        raise UsageError("The upload broke off.", hint="Try again.")
    return form.received
