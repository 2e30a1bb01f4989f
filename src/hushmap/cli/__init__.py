"""The command line: ``hushmap VERB``. One file per verb, no logic."""

from __future__ import annotations

import signal
import sys


def main(arguments: list[str] | None = None) -> None:
    """Run the program; exits 0 done, 1 failed, 2 wrong usage, 3 refused or 130 interrupted."""
    try:
        from hushmap.cli.app import run
    except KeyboardInterrupt:  # while it starts
        print("hushmap: interrupted; nothing was written.", file=sys.stderr)  # noqa: T201
        sys.exit(130)
    status = run(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:  # all is done: what comes too late must not look like a failure
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)


__all__ = ["main"]
