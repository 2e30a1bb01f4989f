"""`map.json`: the map as it is read back, exact to the last tick."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hushmap.bundle.checks import check_graph
from hushmap.bundle.strict_json import as_list, as_record, check_format, shown, strict_json
from hushmap.bundle.weights import weight_of, weight_text
from hushmap.exceptions import BundleError
from hushmap.graph import Annotation, Edge, ReleasedGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

MAP_FORMAT = "hushmap/map/1"
_NAME = "map.json"
_KEYS = frozenset({"format", "activities", "edges", "units"})
_ENDS = frozenset({"source", "target"})


def map_json(graph: ReleasedGraph) -> bytes:
    """The map as JSON: one line per edge, in canonical order.

    Example:
        >>> graph = ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", None)),
        ...                       {Annotation.FREQUENCY: (12, 11)}, 1_000_000)
        >>> print(map_json(graph).decode())
        {"format": "hushmap/map/1",
         "activities": ["A"],
         "edges": [
          {"source": null, "target": "A", "frequency": 12},
          {"source": "A", "target": null, "frequency": 11}],
         "units": {"frequency": "occurrences"}}
        <BLANKLINE>
    """
    edges = [
        "{" + ", ".join([*_ends(edge), *_weights(graph, place)]) + "}"
        for place, edge in enumerate(graph.edges)
    ]
    units = {annotation.value: annotation.unit for annotation in graph.annotations}
    lines = ",\n  ".join(edges)
    return (
        f'{{"format": {_text(MAP_FORMAT)},\n'
        f' "activities": {_text(list(graph.activities))},\n'
        f' "edges": [\n  {lines}],\n'
        f' "units": {_text(units)}}}\n'
    ).encode()


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _ends(edge: Edge) -> tuple[str, str]:
    return f'"source": {_text(edge.source)}', f'"target": {_text(edge.target)}'


def _weights(graph: ReleasedGraph, place: int) -> list[str]:
    """The annotations that the edge has, as members of its object."""
    members = []
    for annotation in graph.annotations:
        weight = graph.weights[annotation][place]
        if weight is not None:
            number = weight_text(annotation, weight, graph.resolution)
            members.append(f"{_text(annotation.value)}: {number}")
    return members


def read_map(content: bytes, resolution: int) -> ReleasedGraph:
    """Read `map.json` back, strictly.

    Args:
        content: The file.
        resolution: Microseconds per tick, from the certificate.

    Raises:
        BundleError: It is no map of this format.
    """
    parsed = strict_json(content, _NAME)
    check_format(parsed, MAP_FORMAT, _NAME)
    record = as_record(parsed, _NAME, _KEYS)
    try:
        annotations = _annotations(record["units"])
        activities = tuple(
            _activity(name) for name in as_list(record["activities"], _NAME, "activities")
        )
        rows = [
            as_record(row, _NAME, _ENDS, frozenset(annotations))
            for row in as_list(record["edges"], _NAME, "edges")
        ]
        graph = ReleasedGraph(
            activities,
            tuple(Edge(_end(row["source"]), _end(row["target"])) for row in rows),
            {
                annotation: tuple(_weight(row, annotation, resolution) for row in rows)
                for annotation in annotations
            },
            resolution,
        )
        check_graph(graph)
    except BundleError as error:
        raise BundleError(error.what, where=_NAME, hint=error.hint) from None
    return graph


def _annotations(units: object) -> Sequence[Annotation]:
    record = as_record(units, _NAME, frozenset(), frozenset(Annotation))
    for name, unit in record.items():
        if unit != Annotation(name).unit:
            raise BundleError(f"The unit of {name} is {shown(unit)}.")
    return [annotation for annotation in Annotation if annotation in record]


def _activity(name: object) -> str:
    if not isinstance(name, str):
        raise BundleError("The name of an activity is no text.")
    return name


def _end(name: object) -> str | None:
    return None if name is None else _activity(name)


def _weight(row: dict[str, object], annotation: Annotation, resolution: int) -> int | None:
    if annotation.value not in row:
        return None
    return weight_of(annotation, row[annotation.value], resolution)
