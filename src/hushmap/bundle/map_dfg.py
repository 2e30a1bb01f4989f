"""`map.dfg`: the text format of ProM and pm4py, whole numbers only.

Line by line: how many activities, and their names; how many start activities, and ``index x
frequency`` of each; the same of the end activities; then ``source>targetxfrequency`` per edge,
where activities are named by their place, from 0 on. The format has no escapes. A line break in a
name would end the line, so it is written as its control picture (``␊``, ``␍``; see
`hushmap.bundle.visible`); all else stands as it is. pm4py's reader drops blanks around a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.bundle.visible import LINE_BREAKS, visible
from hushmap.graph import Annotation

if TYPE_CHECKING:
    from hushmap.graph import ReleasedGraph


def map_dfg(graph: ReleasedGraph) -> bytes:
    """The frequencies of the map as a .dfg file.

    Example:
        >>> from hushmap.graph import Edge, ReleasedGraph
        >>> map_dfg(ReleasedGraph(("A", "B"), (Edge(None, "A"), Edge("A", "B"), Edge("B", None)),
        ...                       {Annotation.FREQUENCY: (3, 4, 5)}, 1_000_000)).split()
        [b'2', b'A', b'B', b'1', b'0x3', b'1', b'1x5', b'0>1x4']
    """
    index = {name: place for place, name in enumerate(graph.activities)}
    starts, ends, between = [], [], []
    frequencies = graph.weights[Annotation.FREQUENCY]
    for (source, target), frequency in zip(graph.edges, frequencies, strict=True):
        if source is None and target is not None:
            starts.append(f"{index[target]}x{frequency}")
        elif source is not None and target is None:
            ends.append(f"{index[source]}x{frequency}")
        elif source is not None and target is not None:
            between.append(f"{index[source]}>{index[target]}x{frequency}")
    lines = [
        str(len(index)),
        *(visible(name, LINE_BREAKS) for name in graph.activities),
        str(len(starts)),
        *starts,
        str(len(ends)),
        *ends,
        *between,
    ]
    return "".join(f"{line}\n" for line in lines).encode()
