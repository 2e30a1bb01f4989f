"""How tables and figures look in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

_WORTHLESS = 99.99


def percent(share: float | None) -> str:
    """A share for people.

    Example:
        >>> percent(0.0853), percent(4.3), percent(None), percent(75_225.82)
        ('8.5%', '430%', '–', '>9,999%')
    """
    if share is None:
        return "–"
    if share < 1:
        return f"{share:.1%}"
    # Beyond this nobody reads the digits, and they would push others off a narrow terminal.
    return f"{share:,.0%}" if share < _WORTHLESS else f">{_WORTHLESS:,.0%}"


# Control characters, which a terminal would obey, and marks that turn the direction of writing.
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)
_UNSAFE = dict.fromkeys((*range(32), *range(127, 160), *_TURNING), "�")


def plain(text: str) -> str:
    """A name of the log as one harmless piece of text: nothing in it steers the terminal.

    Example:
        >>> plain("Pay" + chr(27) + "[31m")
        'Pay�[31m'
    """
    return text.translate(_UNSAFE)


def print_origin(console: Console, origin: Iterable[str]) -> None:
    """Say how the log was read: what was chosen, and why rows were dropped."""
    for sentence in origin:
        console.print(sentence, markup=False, style="dim")


def print_table(
    console: Console,
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: int = 1,
    whole: bool = False,
) -> None:
    """Print a table under its title; the first columns stand to the left, figures to the right.

    The first columns break where the terminal is narrow, unless they are to stay `whole`.
    """
    table = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0), show_header=any(headings))
    for place, heading in enumerate(headings):
        table.add_column(
            heading, justify="left" if place < left else "right", no_wrap=whole and place < left
        )
    for row in rows:
        table.add_row(*(escape(plain(cell)) for cell in row))
    if title:
        console.print(title, style="bold", markup=False)
    console.print(table)
