"""The text of a block of XES: which characters it has, and which values are the same.

Values of the same bytes are given the same code by a hash whose collisions are found and
resolved, so that each distinct name becomes a Python string once per block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Words = npt.NDArray[np.uint64]

_REFERENCE = re.compile(rb"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
_NAMED = {b"amp": 38, b"lt": 60, b"gt": 62, b"quot": 34, b"apos": 39}
_SPECIAL = re.compile(rb"[&\r\n\t]")
_LINE_BREAK = re.compile(rb"\r\n|[\r\n\t]")
_HASHED_LENGTH = 256
"""Names longer than this are rare, and not worth a column per eight bytes."""
PADDING = bytes(_HASHED_LENGTH)
_SLOTS_BITS = 12
_SLOTS_MASK = np.uint64((1 << _SLOTS_BITS) - 1)
_MIX = np.uint64(0x9E3779B97F4A7C15)
FIRST_BYTES = [np.uint64((1 << 8 * count) - 1) for count in range(9)]


class Text:
    """The bytes of a block, seen one by one and as rows of words of eight from any place.

    Zeros stand behind the text, so that there is a whole row from every place of it on.
    """

    def __init__(self, padded: bytes) -> None:
        """``padded`` is the text with ``PADDING`` behind it."""
        self.padded = padded
        self.size = len(padded) - len(PADDING)
        self.bytes = np.frombuffer(padded, dtype=np.uint8, count=self.size)

    def rows(self, at: Ints, words: int) -> Words:
        """Answer so many words of eight bytes from each of the places on, a row for each.

        The first byte of a word is its lowest. A row of any width costs about as much as a word.
        """
        width = 8 * words
        windows = np.ndarray(
            (len(self.padded) - width + 1,),
            dtype=np.dtype((np.void, width)),
            buffer=self.padded,
            strides=(1,),
        )
        return windows[at].view(np.dtype("<u8")).reshape(len(at), words)

    def are(self, expected: bytes, at: Ints) -> npt.NDArray[np.bool_]:
        """Whether ``expected`` stands at each of the places."""
        words = -(-len(expected) // 8)
        rows = self.rows(at, words)
        same = np.ones(len(at), dtype=np.bool_)
        for place in range(words):
            part = expected[8 * place : 8 * place + 8]
            word = rows[:, place]
            if len(part) < 8:
                word = word & FIRST_BYTES[len(part)]
            same &= word == np.uint64(int.from_bytes(part, "little"))
        return same

    def is_clean(self) -> bool:
        """No control characters, no invalid UTF-8, no end of a CDATA section."""
        seen, raw = self.bytes, self.padded
        if not self.size or seen.min() < ord("\t"):
            return False
        # Counted from the line feed's successor on, space is the first that may follow.
        if (seen - np.uint8(11)).min() < ord(" ") - 11 and any(
            np.count_nonzero(seen == byte) for byte in range(11, 32) if byte != ord("\r")
        ):
            return False
        if b"]" in raw and b"]]>" in raw:
            return False
        if seen.max() > 127:
            try:
                raw.decode()
            except UnicodeDecodeError:
                return False
            return b"\xef\xbf\xbe" not in raw and b"\xef\xbf\xbf" not in raw
        return True

    def line_count(self) -> int:
        """Count the line breaks as XML does: line feeds, and carriage returns without one."""
        breaks = int(np.count_nonzero(self.bytes == ord("\n")))
        if b"\r" in self.padded:
            breaks += self.padded.count(b"\r") - self.padded.count(b"\r\n")
        return breaks

    def last_column(self) -> int:
        """Count the characters after the last line break."""
        last = max(self.padded.rfind(b"\n"), self.padded.rfind(b"\r"))
        return len(self.padded[last + 1 : self.size].decode())

    def references(self) -> Ints | None:
        """Answer where references such as ``&amp;`` begin; None if one is not as XML allows."""
        if b"&" not in self.padded:
            return np.empty(0, dtype=np.int64)
        at = np.flatnonzero(self.bytes == ord("&"))
        found = _REFERENCE.findall(self.padded)
        if len(found) != len(at) or not all(map(_is_legal, set(found))):
            return None
        return at


@dataclass(frozen=True, slots=True, repr=False)
class Values(OwnerOnly):
    """Attribute values in a text."""

    starts: Ints
    lengths: Ints


def _referred(reference: bytes) -> int:
    """Answer the number of the character that is meant by a reference such as ``&amp;``."""
    name = reference[1:-1]
    if name.startswith(b"#x"):
        return int(b"0" + name[1:], base=0)
    return int(name[1:]) if name.startswith(b"#") else _NAMED[name]


def _is_legal(reference: bytes) -> bool:
    """Whether XML allows the character that is meant."""
    number = _referred(reference)
    return (
        number in {0x9, 0xA, 0xD}
        or 0x20 <= number <= 0xD7FF
        or 0xE000 <= number <= 0xFFFD
        or 0x10000 <= number <= 0x10FFFF
    )


def distinct_values(text: Text, values: Values) -> tuple[npt.NDArray[np.int32], list[bytes]]:
    """Number the distinct values as they come; answer the number of each, and the values."""
    raw = text.padded
    if not len(values.starts):
        return np.empty(0, dtype=np.int32), []
    rows = _masked_rows(text, values)
    found = None if rows is None else _by_slots(rows) or _by_sorting(rows)
    if found is not None:
        codes, first = found
        starts = values.starts[first]
        ends = starts + values.lengths[first]
        places = zip(starts.tolist(), ends.tolist(), strict=True)
        return codes, [raw[at:end] for at, end in places]
    known: dict[bytes, int] = {}
    ends = values.starts + values.lengths
    places = zip(values.starts.tolist(), ends.tolist(), strict=True)
    listed = [known.setdefault(raw[at:end], len(known)) for at, end in places]
    return np.array(listed, dtype=np.int32), list(known)


def _masked_rows(text: Text, values: Values) -> Words | None:
    """The bytes of every value as words, zeros after its end; None if some are very long.

    No value holds a zero (``Text.is_clean``), so that equal rows are equal values.
    """
    longest = int(values.lengths.max())
    if longest > _HASHED_LENGTH:
        return None
    words = -(-longest // 8)
    rows = text.rows(values.starts, words)
    rows &= _masks(words)[values.lengths]
    return rows


@lru_cache
def _masks(words: int) -> Words:
    """For every length of a value up to so many words, which bits of its row are its own."""
    left = np.arange(8 * words + 1)[:, np.newaxis] - 8 * np.arange(words)
    masks: Words = np.array(FIRST_BYTES, dtype=np.uint64)[np.clip(left, 0, 8)]
    return masks


def _hashed(rows: Words) -> Words:
    hashed: Words = rows[:, 0] * _MIX
    for place in range(1, rows.shape[1]):
        hashed ^= hashed >> np.uint64(29)
        hashed += rows[:, place]
        hashed *= _MIX
    return hashed


def _by_slots(rows: Words) -> tuple[npt.NDArray[np.int32], Ints] | None:
    """Number equal rows without sorting them; None if too many that differ meet in one slot."""
    hashed = _hashed(rows)
    everyone = np.arange(len(rows))
    found = everyone
    left = None
    for shift in (64 - _SLOTS_BITS, 64 - 2 * _SLOTS_BITS, 64 - 3 * _SLOTS_BITS):
        which = everyone if left is None else left
        slot = ((hashed[which] >> np.uint64(shift)) & _SLOTS_MASK).view(np.int64)
        first = np.empty(1 << _SLOTS_BITS, dtype=np.int64)
        # Of several assignments to one place, NumPy keeps the last: here the first of the slot.
        first[slot[::-1]] = which[::-1]
        model = first[slot]
        differs = rows[which] != rows[model]
        if left is None:
            found = model
        else:
            found[left] = model
        if not differs.any():
            break
        left = which[differs.any(axis=1)]
    else:
        return None
    is_first = found == everyone
    number = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
    return number[found], np.flatnonzero(is_first)


def _by_sorting(rows: Words) -> tuple[npt.NDArray[np.int32], Ints] | None:
    """Number equal rows by sorting their hashes; None if two that differ have one hash."""
    _, first, codes = np.unique(_hashed(rows), return_index=True, return_inverse=True)
    if not np.array_equal(rows, rows[first[codes]]):
        return None
    order = np.argsort(first)
    number = np.empty(len(first), dtype=np.int32)
    number[order] = np.arange(len(first), dtype=np.int32)
    return number[codes], first[order]


def meant(raw: bytes) -> bytes:
    """Answer the value that an XML parser would: white space and references resolved."""
    if _SPECIAL.search(raw) is None:
        return raw
    return _REFERENCE.sub(
        lambda reference: chr(_referred(reference[0])).encode(), _LINE_BREAK.sub(b" ", raw)
    )


def all_meant(text: Text, values: Values) -> list[str]:
    """Answer all values, one after the other, as an XML parser would."""
    ends = (values.starts + values.lengths).tolist()
    places = zip(values.starts.tolist(), ends, strict=True)
    found = [text.padded[at:end] for at, end in places]
    joined = b"\0".join(found)
    if _SPECIAL.search(joined):
        joined = b"\0".join(map(meant, found))
    return joined.decode().split("\0") if found else []
