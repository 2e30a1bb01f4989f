"""The published JSON Schemas of the files of a bundle."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Literal


def schema(kind: Literal["map", "certificate", "report"]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``map.json``, ``certificate.json`` or ``report.json``.

    Example:
        >>> schema("map")["properties"]["format"]
        {'const': 'hushmap/map/1'}
    """
    text = (files("hushmap.bundle") / "schemas" / f"{kind}.schema.json").read_text("utf-8")
    read: dict[str, Any] = json.loads(text)
    return read
