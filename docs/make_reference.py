"""Write `docs/cli.md` from the program's own help, so that no option is missing there.

python docs/make_reference.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent / "cli.md"
VERBS = {
    "inspect": "Statistics and quality of a log, for its owner.",
    "plan": "What each limit costs, before anything is drawn. For the owner.",
    "release": "Draws once and writes the bundle.",
    "show": "Reads a public bundle back and checks its hashes.",
    "audit": "Attacks the mechanisms, and compares what they lose with what is promised.",
    "serve": "The wizard, on this machine alone.",
    "datasets": "Lists the public logs of the paper, and recognises a downloaded one.",
}
INTRODUCTION = """# The command line

`hushmap VERB`. Exit status: 0 done; 1 the work failed (unreadable log, …); 2 wrong usage; 3 refused
(a limit that cannot be met, a combination that would leak, times without a named range); 130
interrupted. An error is one to three lines on standard error: what, where, what to do. It never
quotes the log unless `--owner-details` is given. With `--json` nothing but JSON is printed on
standard output.

This page is made from the program's own help by `docs/make_reference.py`; a test compares them.
"""


def help_of(*words: str) -> str:
    """The help of the program or of one verb, 100 columns wide."""
    done = subprocess.run(
        [sys.executable, "-m", "hushmap", *words, "--help"],
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"},
    )
    # Run as a module, so that no installed command is needed; called by its name.
    said = done.stdout.replace("Usage: python -m hushmap", "Usage: hushmap", 1)
    lines = [line.rstrip() for line in said.strip("\n").splitlines()]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION, f"```text\n{help_of()}\n```\n"]
    for verb, sentence in VERBS.items():
        parts.append(f"## hushmap {verb}\n\n{sentence}\n\n```text\n{help_of(verb)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
