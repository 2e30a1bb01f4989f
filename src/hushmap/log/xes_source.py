"""The bytes of an XES file: plain or gzip, piece by piece, with a limit on what is unpacked.

What a file is, its first bytes say and not its name. Nothing here holds more than two pieces of
the file in memory, whatever a gzip file unpacks to.
"""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hushmap.exceptions import EmptyLogError, LogError, LogTooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLAIN_PIECE = 4 << 20
"""How many bytes of a plain file are handed on at a time."""
UNPACKED_PIECE = 1 << 20
"""How many unpacked bytes of a gzip file; and how many packed ones are read at most."""

_MAX_UNPACKED = 8 << 30
"""A gzip file may unpack to this many bytes when no limit is given."""
_MAX_RATIO = 200
_RATIO_MATTERS_ABOVE = 256 << 20

_GZIP = b"\x1f\x8b"
OTHER_FORMATS = {
    b"PK\x03\x04": "a ZIP archive",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard",
    b"PAR1": "a Parquet file",
}
"""How files of other formats begin, and what they are."""


@contextmanager
def opened(source: str | Path | BinaryIO) -> Iterator[tuple[BinaryIO, str]]:
    """Open a path for reading, or pass a stream through; with the name for messages."""
    if not isinstance(source, str | Path):
        yield source, str(getattr(source, "name", "the stream"))
        return
    name = str(source)
    try:
        stream = Path(source).open("rb", buffering=0)  # noqa: SIM115 - closed below
    except FileNotFoundError:
        raise LogError("There is no such file.", where=name, hint="Check the path.") from None
    except IsADirectoryError:
        hint = "Name the files in it, for example with a pattern such as 'logs/*.xes.gz'."
        raise LogError("This is a folder, not a file.", where=name, hint=hint) from None
    except OSError as error:
        what = f"The file cannot be opened: {error.strerror}."
        raise LogError(what, where=name, hint="Check its permissions.") from None
    with stream:
        yield stream, name


class Unpacker:
    """Iterates over the unpacked bytes of one file.

    Attributes:
        packed: Bytes read from the file so far.
        unpacked: Bytes handed on so far.
        is_gzip: Whether there is something to unpack; known with the first piece.
    """

    def __init__(
        self,
        stream: BinaryIO,
        name: str,
        *,
        max_unpacked_bytes: int | None = None,
        on_packed: Callable[[int], None] | None = None,
        piece: int = PLAIN_PIECE,
    ) -> None:
        """``max_unpacked_bytes`` replaces all default limits, the one on the ratio too."""
        self.packed = 0
        self.unpacked = 0
        self.is_gzip = False
        self._stream = stream
        self._name = name
        self._limit = max_unpacked_bytes
        self._on_packed = on_packed
        self._piece = piece

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces; none of them is empty."""
        first = self._read(min(UNPACKED_PIECE, self._piece))
        while 0 < len(first) < 8:  # a pipe may hand over a byte at a time
            more = self._read()
            if not more:
                break
            first += more
        if not first:
            raise EmptyLogError("The file is empty.", where=self._name)
        for magic, kind in OTHER_FORMATS.items():
            if first.startswith(magic):
                raise LogError(
                    f"The file is {kind}, not XES.",
                    where=self._name,
                    hint="Unpack or convert it first; XES may be plain or compressed with gzip.",
                )
        self.is_gzip = first.startswith(_GZIP)
        pieces = self._gunzip(first) if self.is_gzip else self._plain(first)
        for piece in pieces:
            self.unpacked += len(piece)
            yield piece

    def _read(self, size: int | None = None) -> bytes:
        try:
            piece = self._stream.read(size or self._piece)
        except OSError as error:
            what = f"The file cannot be read: {error.strerror}."
            raise LogError(what, where=self._name) from None
        self.packed += len(piece)
        if piece and self._on_packed is not None:
            self._on_packed(self.packed)
        return piece

    def _plain(self, piece: bytes) -> Iterator[bytes]:
        while piece:
            yield piece
            piece = self._read()

    def _gunzip(self, packed: bytes) -> Iterator[bytes]:
        """Unpack one gzip member after the other, never more than a piece at a time."""
        size = min(UNPACKED_PIECE, self._piece)
        engine = zlib.decompressobj(wbits=31)
        while True:
            if engine.eof:
                packed = packed.lstrip(b"\0")  # padding between and after members is legal
            if not packed:
                packed = self._read(size)
                if not packed:
                    break
                continue
            if engine.eof:
                engine = zlib.decompressobj(wbits=31)
            try:
                piece = engine.decompress(packed, size)
            except zlib.error:
                raise LogError(
                    "The gzip data is damaged, or something else follows it.",
                    where=f"{self._name}, after {self.unpacked} unpacked bytes",
                    hint="Get the file again, or unpack it with gunzip and look at the result.",
                ) from None
            packed = engine.unused_data if engine.eof else engine.unconsumed_tail
            if piece:
                self._check_limit(self.unpacked + len(piece))
                yield piece
        if not engine.eof:
            raise LogError(
                "The gzip file ends too early: a part of it is missing.",
                where=f"{self._name}, after {self.packed} bytes",
                hint="Get the file again; its download or copy was cut short.",
            )

    def _check_limit(self, unpacked: int) -> None:
        if unpacks_too_far(unpacked, self.packed, self._limit):
            raise LogTooLargeError(
                f"The gzip file unpacks to more than {_size(unpacked - 1)}"
                f" (from the first {_size(self.packed)} of it), which is over the limit.",
                where=self._name,
                hint="If you trust the file, name a larger limit: --max-unpacked 100GB.",
            )


def unpacks_too_far(unpacked: int, packed: int, limit: int | None) -> bool:
    """Whether a file of so many packed bytes may not unpack to so many.

    Args:
        unpacked: Bytes unpacked so far.
        packed: Bytes they were unpacked from.
        limit: The owner's limit; None leaves the default ones, on the size and on the ratio.

    Example:
        >>> unpacks_too_far(1 << 30, 1 << 20, None), unpacks_too_far(1 << 30, 1 << 20, 2 << 30)
        (True, False)
    """
    if limit is not None:
        return unpacked > limit
    return unpacked > min(_MAX_UNPACKED, max(_RATIO_MATTERS_ABOVE, _MAX_RATIO * packed))


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
