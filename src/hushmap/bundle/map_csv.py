"""`map.csv`: one row per edge, after RFC 4180, with names exactly as they are.

A name that begins with ``=`` is not changed either: whoever opens the file in a spreadsheet tells
it to import the columns ``source`` and ``target`` as text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hushmap.bundle.weights import column, weight_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hushmap.graph import ReleasedGraph

# RFC 4180 asks for quotes around these; outer blanks and control characters are safer inside, too.
_NEEDS_QUOTES = re.compile(r'[",\x00-\x1f\x7f]|^\s|\s$|^$')


def csv_field(text: str | None) -> str:
    """One field; nothing at all for a missing one.

    Example:
        >>> csv_field('say "hi", A'), csv_field("=1+1"), csv_field(None)
        ('"say ""hi"", A"', '=1+1', '')
    """
    if text is None:
        return ""
    if _NEEDS_QUOTES.search(text):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def csv_file(rows: Iterable[Iterable[str | None]]) -> bytes:
    """Rows of fields as a file: commas, CRLF, UTF-8 without a mark."""
    return "".join(",".join(map(csv_field, row)) + "\r\n" for row in rows).encode()


def map_csv(graph: ReleasedGraph) -> bytes:
    r"""The map as CSV; source and target are empty for the start and the end of a case.

    Example:
        >>> from hushmap.graph import Annotation, Edge, ReleasedGraph
        >>> map_csv(ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", "A")),
        ...                       {Annotation.MEAN: (None, 90)}, 1_000_000))
        b'source,target,mean_seconds\r\n,A,\r\nA,A,90.0\r\n'
    """
    rows: list[list[str | None]] = [["source", "target", *map(column, graph.annotations)]]
    for place, edge in enumerate(graph.edges):
        row: list[str | None] = [edge.source, edge.target]
        for annotation in graph.annotations:
            weight = graph.weights[annotation][place]
            row.append(
                None if weight is None else weight_text(annotation, weight, graph.resolution)
            )
        rows.append(row)
    return csv_file(rows)
