"""Graphviz at arm's length: a limited process of its own, whose failure is an answer like another.

dot can take minutes and gigabytes on a dense graph, so it never runs inside the caller's process.
Its standard error, with the warnings of the bundled fontconfig, is taken and thrown away.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MEGABYTES = 1024
_PATIENCE = 3  # by the clock, where the system itself limits the processor time
_WORKER = Path(__file__).with_name("dot_process.py")


def has_graphviz() -> bool:
    """Whether pygraphviz is installed; it is not imported."""
    return find_spec("pygraphviz") is not None


def run_graphviz(
    source: str,
    *,
    program: str,
    output: str,
    seconds: float,
    megabytes: int = MEGABYTES,
    attributes: Mapping[str, str] | None = None,
) -> bytes | None:
    """What Graphviz makes of a graph; None if it failed, or was stopped at a limit.

    Args:
        source: The graph in DOT.
        program: ``dot``, or ``nop2`` where the positions are given.
        output: A format of Graphviz.
        seconds: How much processor time it may take. On a busy machine that may be a few times as
            long by the clock, so that the picture does not depend on what else is running.
        megabytes: How much memory it may take.
        attributes: Of the graph, where they are too long for DOT.
    """
    if not sys.executable or not has_graphviz():
        return None
    request = json.dumps(
        {
            "dot": source,
            "attributes": dict(attributes or {}),
            "program": program,
            "format": output,
            "megabytes": megabytes,
            "seconds": math.ceil(seconds),
        }
    )
    # The same modules as here, whether they come from the environment or from sys.path.
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - our own file, run by our own interpreter
            [sys.executable, "-s", str(_WORKER)],
            input=request.encode(),
            capture_output=True,
            timeout=seconds * (_PATIENCE if find_spec("resource") else 1),
            check=False,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 and done.stdout else None
