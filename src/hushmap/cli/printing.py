"""What programs read on standard output, whatever the encoding of the terminal."""

from __future__ import annotations

import json
import sys


def print_json(document: object) -> None:
    """Print a document as JSON; in escapes where standard output cannot hold every letter."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    print(json.dumps(document, ensure_ascii=encoding != "utf8", indent=2))  # noqa: T201
