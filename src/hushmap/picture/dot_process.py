"""The process that runs Graphviz: started by file name, limited, and killed when it takes too long.

It reads one JSON object on standard input and writes the answer to standard output. It imports
nothing of hushmap, so that it starts quickly and could not leak what it does not know; the graph
that it is given holds sizes and numbers, and names only where a bitmap is drawn.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module


def limit_resources(megabytes: int, seconds: int) -> None:
    """Bound memory and processor time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows: the caller's time limit remains
        return
    for kind, amount in ((resource.RLIMIT_AS, megabytes << 20), (resource.RLIMIT_CPU, seconds)):
        _, hard = resource.getrlimit(kind)
        ceiling = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        resource.setrlimit(kind, (ceiling, hard))


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin.buffer)
    limit_resources(request["megabytes"], request["seconds"])
    graph = import_module("pygraphviz").AGraph(string=request["dot"], encoding="UTF-8")
    # The scanner of DOT refuses very long strings; set as an attribute they pass.
    graph.graph_attr.update(request["attributes"])
    answer = graph.draw(format=request["format"], prog=request["program"])
    sys.stdout.buffer.write(answer)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
