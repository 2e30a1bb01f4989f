"""Characters that a format cannot carry, made visible so that they can be restored.

A line break in a line-based format, or a control character in XML, is written as its Unicode
control picture: a line feed as ``␊``, a null character as ``␀``. A picture that a name held
already is marked with ``␦`` before it, so two names never become one. Every other character of a
name stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

MARK = "␦"
# Not characters at all, but Python strings can hold them; XML cannot.
_NONCHARACTERS = {"\ufffe": MARK + "E", "\uffff": MARK + "F"}

LINE_BREAKS = "\n\r"
XML_FORBIDDEN = "".join(map(chr, range(32))).translate({9: None, 10: None, 13: None}) + (
    "\ufffe\uffff"
)


def _shown(character: str) -> str:
    return _NONCHARACTERS.get(character) or chr(0x2400 + ord(character))


@cache
def _table(escaped: str) -> dict[int, str]:
    table = {ord(character): _shown(character) for character in escaped}
    for picture in [shown for shown in table.values() if len(shown) == 1]:
        table[ord(picture)] = MARK + picture
    table[ord(MARK)] = MARK + MARK
    return table


def visible(text: str, escaped: str) -> str:
    """The text with the characters of ``escaped`` made visible.

    Args:
        text: A name.
        escaped: What the format cannot carry: control characters below U+0020, U+FFFE, U+FFFF.

    Example:
        >>> visible("Check" + chr(10) + "invoice", LINE_BREAKS)
        'Check␊invoice'
    """
    return text.translate(_table(escaped))


def restored(text: str, escaped: str) -> str:
    """The text that `visible` was given.

    Example:
        >>> restored("Check␊invoice", LINE_BREAKS) == "Check" + chr(10) + "invoice"
        True
    """
    characters = {shown: chr(code) for code, shown in _table(escaped).items()}
    return re.sub(
        f"{MARK}.|.",
        lambda match: characters.get(match.group(), match.group()),
        text,
        flags=re.DOTALL,
    )
