"""Colours: every one has a name, a light and a dark value, and a place on a scale of lightness.

The scales run from light to dark (in the dark theme from dark to light), so they can be told
apart by the colour-blind and in a grey print. Teal says how often, ochre to brown how long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Theme = Literal["auto", "light", "dark"]

NODE_LEVELS = 7
EDGE_LEVELS = 5

PALETTE: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#14181b"),
    "ink": ("#1d2329", "#e4e8ea"),
    "muted": ("#5c6670", "#9aa5ad"),
    "faint": ("#75808a", "#808b93"),
    "rule": ("#e1e5e8", "#2c3338"),
    "wash": ("#f4f7f7", "#1b2125"),
    "accent": ("#0b6b63", "#62c4b8"),
    "outline": ("#7f9c9a", "#57706f"),
    # Activities, by how often: a filling and the text on it.
    "n0": ("#f2f8f7", "#1a2427"),
    "n1": ("#dcefec", "#1c3033"),
    "n2": ("#bfe1dc", "#1e4042"),
    "n3": ("#97cdc6", "#215452"),
    "n4": ("#5fb0a7", "#2c7a73"),
    "n5": ("#2b8b82", "#46a498"),
    "n6": ("#0b6b63", "#7fd6ca"),
    "t0": ("#1d2329", "#e4e8ea"),
    "t1": ("#1d2329", "#e4e8ea"),
    "t2": ("#1d2329", "#e4e8ea"),
    "t3": ("#1d2329", "#ffffff"),
    "t4": ("#14181b", "#ffffff"),
    "t5": ("#ffffff", "#0c1513"),
    "t6": ("#ffffff", "#0c1513"),
    # Edges, by how often.
    "w0": ("#b3bdc3", "#57636b"),
    "w1": ("#97a3aa", "#6a7780"),
    "w2": ("#76848c", "#82909a"),
    "w3": ("#55636b", "#9dabb2"),
    "w4": ("#36434a", "#c6d1d6"),
    # Edges, by how long.
    "d0": ("#d3b684", "#6b5a40"),
    "d1": ("#c48f45", "#93713f"),
    "d2": ("#b0681f", "#bd8842"),
    "d3": ("#8f4214", "#e2a95c"),
    "d4": ("#5e200c", "#ffd9a3"),
    # Lines and dots of plots; never told apart by colour alone.
    "p0": ("#0b6b63", "#62c4b8"),
    "p1": ("#b0681f", "#e2a95c"),
    "p2": ("#5b4a9c", "#b3a5ec"),
}
PREFIX = "hm-"


def fill_class(token: str) -> str:
    """The class of what is filled with a colour."""
    return f"{PREFIX}f-{token}"


def stroke_class(token: str) -> str:
    """The class of what is drawn with a colour."""
    return f"{PREFIX}s-{token}"


def _rules(tokens: Iterable[str], theme: int, scope: str) -> str:
    return "".join(
        f"{scope}.{fill_class(token)}{{fill:{PALETTE[token][theme]}}}"
        f"{scope}.{stroke_class(token)}{{stroke:{PALETTE[token][theme]}}}"
        for token in sorted(set(tokens))
    )


def style_rules(tokens: Iterable[str], theme: Theme, scope: str = "") -> str:
    """The style sheet of a picture. Its attributes hold the light colours already.

    Printing is always light. In ``auto`` the dark colours follow the reader's setting.

    Args:
        tokens: The colours used.
        theme: Which colours.
        scope: What the rules are limited to.
    """
    if theme == "light":
        return ""
    dark = _rules(tokens, 1, scope)
    if theme == "dark":
        return dark
    return f"@media screen and (prefers-color-scheme:dark){{{dark}}}"


def all_rules() -> str:
    """Light and dark rules of every colour, for a page whose pictures change their colours."""
    light = _rules(PALETTE, 0, "")
    dark = _rules(PALETTE, 1, "")
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"
