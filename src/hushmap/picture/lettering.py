"""Text in pictures: how wide it is, where it breaks, what is shown of a very long name.

Widths are those of Helvetica (Arial, Liberation Sans and Nimbus Sans are cut to them), so that no
font is needed to lay a picture out and the layout is the same on every machine. Where another
font is substituted, the boxes have room to spare.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from hushmap.bundle.visible import XML_FORBIDDEN, visible

if TYPE_CHECKING:
    from collections.abc import Callable

FONTS = "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', sans-serif"
ELLIPSIS = "…"
_TAIL = 8

# Thousandths of the font size, for the characters from U+0020 to U+007E.
_WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 "
    "556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 "
    "1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 "
    "667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 "
    "333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 "
    "556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
_ASCII = {chr(32 + place): int(width) for place, width in enumerate(_WIDTHS.split())}
_ASCII["\u00a0"] = _ASCII[" "]
_WIDE, _OTHER, _JOINER = 1200, 680, "\u200d"
_FORBIDDEN = XML_FORBIDDEN + "\n\r\t"
_LEFT_TO_RIGHT = frozenset(("L", "EN", "ES", "ET", "CS", "ON", "WS", "B", "S", "NSM"))
_BREAK_AFTER = re.compile(r"(?<=[\s_\-/.,;:+&])(?=[^\s_\-/.,;:+&])")


def _character_width(character: str) -> int:
    width = _ASCII.get(character)
    if width is not None:
        return width
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return _WIDE if unicodedata.east_asian_width(character) in {"W", "F"} else _OTHER


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a line of text is, in the unit of the font size.

    Example:
        >>> text_width("Register", 10)
        37.23
    """
    return sum(map(_character_width, text)) * size / 1000 * (1.07 if bold else 1)


def plain(text: str) -> str:
    """A name as one line that XML can carry: control characters are made visible, all else kept.

    Example:
        >>> plain("Check" + chr(10) + "invoice")
        'Check␊invoice'
    """
    return visible(text, _FORBIDDEN).encode("utf-8", "replace").decode()


def isolated(text: str) -> str:
    """A name to stand beside others in a line: its direction of writing stays its own."""
    if all(unicodedata.bidirectional(character) in _LEFT_TO_RIGHT for character in text):
        return text
    return f"\u2068{text}\u2069"


def wrapped(name: str, size: float, width: float, lines: int, *, bold: bool = False) -> list[str]:
    """A name in at most so many lines of at most such a width; what is too long is elided.

    The end of an elided name is kept, since names that begin alike often differ there.

    Example:
        >>> wrapped("Send the invoice to the insurer", 12, 100, 2)
        ['Send the invoice', 'to the insurer']
        >>> wrapped("x" * 300, 12, 60, 1)
        ['xxxxx…xxx']
    """

    def fits(text: str) -> bool:
        return text_width(text, size, bold=bold) <= width

    text = " ".join(name.split())
    rows = _rows(text, fits)
    if len(rows) <= lines:
        return rows or [" "]
    last = _clusters(rows[lines - 1])
    end = _clusters(text)[-min(_TAIL, len(last) // 3) :] if len(last) > 2 else []
    tail = "".join(end).strip()
    while last and not fits("".join(last).rstrip() + ELLIPSIS + tail):
        last.pop()
    return [*rows[: lines - 1], "".join(last).rstrip() + ELLIPSIS + tail]


def _rows(text: str, fits: Callable[[str], bool]) -> list[str]:
    rows: list[str] = []
    row = ""
    for word in _BREAK_AFTER.split(text):
        if fits((row + word).rstrip()):
            row += word
            continue
        if row:
            rows.append(row.rstrip())
        row = ""
        for cluster in _clusters(word):
            if row and not fits((row + cluster).rstrip()):
                rows.append(row)
                row = ""
            row += cluster
    if row.strip():
        rows.append(row.rstrip())
    return rows


def _clusters(text: str) -> list[str]:
    """The text in pieces that must not be torn: a letter with its marks, a joined emoji."""
    pieces: list[str] = []
    for character in text:
        joins = pieces and (
            character == _JOINER
            or pieces[-1].endswith(_JOINER)
            or unicodedata.category(character) in {"Mn", "Me", "Mc"}
            or "\U0001f3fb" <= character <= "\U0001f3ff"
        )
        if joins:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces
