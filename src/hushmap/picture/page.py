"""A page that is one file: it loads nothing, and runs nothing but what its policy names by hash."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from html import escape, unescape
from importlib.resources import files
from typing import TYPE_CHECKING

from hushmap.picture.canvas import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# In a script element these could end it, or start a comment; as escapes they are plain JSON.
_INERT = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@cache
def asset(name: str) -> str:
    """A style sheet or script that comes with the package."""
    return files("hushmap.picture").joinpath("assets", name).read_text(encoding="utf-8")


def inert_json(value: object) -> str:
    r"""JSON that can stand in a script element whatever it holds.

    Example:
        >>> inert_json({"name": "</script>"})
        '{"name":"\\u003c/script\\u003e"}'
    """
    dumped = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return dumped.translate(_INERT).encode("utf-8", "replace").decode()


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def page(
    title: str,
    body: str,
    *,
    style: str,
    script: str = "",
    blocks: Mapping[str, object] | None = None,
) -> bytes:
    """A page.

    Args:
        title: Of the window.
        body: HTML made by the caller from escaped text.
        style: The style sheet.
        script: The script, if any; it finds the data by their ids.
        blocks: Data by id.
    """
    scripts = f"script-src {_hash(script)}; " if script else ""
    policy = (
        f"default-src 'none'; {scripts}style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    inlined = "".join(
        f'<script type="application/json" id="{name}">{inert_json(value)}</script>\n'
        for name, value in (blocks or {}).items()
    )
    run = f"<script>{script}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=True)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}{inlined}{run}</body>\n</html>\n"
    ).encode()


def policy_of(content: bytes) -> str:
    """The policy that a page of ours states in its head, for the header that it is served with.

    Raises:
        ValueError: It states none.

    Example:
        >>> policy_of(page("x", "", style="")).split(";")[0]
        "default-src 'none'"
    """
    stated = re.search(rb'http-equiv="Content-Security-Policy" content="([^"]+)"', content)
    if stated is None:
        raise ValueError("this page states no policy")
    return unescape(stated.group(1).decode())


def listed(sentences: Iterable[str], kind: str) -> str:
    """Sentences as a list."""
    items = "".join(f"<li>{text(sentence)}</li>\n" for sentence in sentences)
    return f'<ul class="{kind}">\n{items}</ul>\n'


def options(choices: Iterable[tuple[str, str]], chosen: str) -> str:
    """The options of a select element."""
    return "".join(
        f'<option value="{text(value)}"{" selected" if value == chosen else ""}>{text(label)}'
        "</option>"
        for value, label in choices
    )
