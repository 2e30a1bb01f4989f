"""A released map in the shapes of other libraries: pm4py, NetworkX, data frames.

Nothing is imported that is not asked for; pm4py not even then, for it is spoken in plain
dictionaries. Columns and attributes are named as in `map.csv`, the unit in the name:
``frequency``, ``mean_seconds``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hushmap.bundle.weights import column
from hushmap.exceptions import UsageError
from hushmap.graph import END_LABEL, START_LABEL, Annotation

if TYPE_CHECKING:
    from hushmap.graph import ReleasedGraph

Backend = Literal["pandas", "polars", "arrow", "dict"]
Pm4pyGraph: TypeAlias = tuple[
    dict[tuple[str, str], int | float], dict[str, int | float], dict[str, int | float]
]

_MODULES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}


def to_pm4py(graph: ReleasedGraph, annotation: Annotation | str = "frequency") -> Pm4pyGraph:
    """The map as pm4py keeps one: edges, start activities and end activities, as dictionaries.

    Args:
        graph: A released map.
        annotation: Which weights the edges get: occurrences, or seconds for a time. Start and end
            activities always get their frequencies, as in pm4py; where the map has none, they are
            left empty rather than given a number that was not released.

    Raises:
        UsageError: The map does not show this annotation.

    Example:
        >>> from hushmap.graph import Edge, ReleasedGraph
        >>> graph = ReleasedGraph(
        ...     ("A", "B"), (Edge(None, "A"), Edge("A", "B"), Edge("B", None)),
        ...     {Annotation.FREQUENCY: (11, 12, 9)}, 1_000_000)
        >>> to_pm4py(graph)
        ({('A', 'B'): 12}, {'A': 11}, {'B': 9})
    """
    chosen = _released(graph, annotation)
    between = {
        (source, target): value
        for (source, target), value in zip(graph.edges, graph.values(chosen), strict=True)
        if source is not None and target is not None and value is not None
    }
    starts: dict[str, int | float] = {}
    ends: dict[str, int | float] = {}
    if Annotation.FREQUENCY in graph.annotations:
        frequencies = graph.values(Annotation.FREQUENCY)
        for (source, target), frequency in zip(graph.edges, frequencies, strict=True):
            if source is None and target is not None and frequency is not None:
                starts[target] = frequency
            if target is None and source is not None and frequency is not None:
                ends[source] = frequency
    return between, starts, ends


def _released(graph: ReleasedGraph, annotation: Annotation | str) -> Annotation:
    shown = [kind.value for kind in graph.annotations]
    if annotation not in shown:
        raise UsageError(
            f"The map does not show {str(annotation)!r}.",
            hint=f'It shows {", ".join(shown)}: write for example to_pm4py("{shown[0]}").',
        )
    return Annotation(annotation)


def to_networkx(graph: ReleasedGraph) -> Any:  # noqa: ANN401  (a networkx.DiGraph)
    """The map as a `networkx.DiGraph`.

    Nodes are the activities by name, and ``▶`` and ``■`` for the start and the end of a case (with
    more of the same sign where an activity has that very name); their attribute ``kind`` tells
    ``activity``, ``start`` and ``end`` apart. Edges have ``frequency`` and ``mean_seconds`` etc.

    Raises:
        UsageError: NetworkX is not installed.

    Example:
        >>> from hushmap.graph import Edge, ReleasedGraph
        >>> graph = ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", None)),
        ...                       {Annotation.FREQUENCY: (12, 11)}, 1_000_000)
        >>> to_networkx(graph).edges["▶", "A"]
        {'frequency': 12}
    """
    networkx = _imported("networkx", "to_networkx")
    names = set(graph.activities)
    start, end = _free(START_LABEL, names), _free(END_LABEL, names)
    result = networkx.DiGraph()
    if any(edge.source is None for edge in graph.edges):
        result.add_node(start, kind="start")
    result.add_nodes_from(graph.activities, kind="activity")
    if any(edge.target is None for edge in graph.edges):
        result.add_node(end, kind="end")
    for edge in graph.edges:
        result.add_edge(
            start if edge.source is None else edge.source,
            end if edge.target is None else edge.target,
        )
    for annotation in graph.annotations:
        for edge, value in zip(graph.edges, graph.values(annotation), strict=True):
            if value is not None:
                source = start if edge.source is None else edge.source
                target = end if edge.target is None else edge.target
                result.edges[source, target][column(annotation)] = value
    return result


def _free(label: str, names: set[str]) -> str:
    """The label, repeated until no activity has it."""
    free = label
    while free in names:
        free += label
    return free


def to_frame(graph: ReleasedGraph, backend: Backend | None = None) -> Any:  # noqa: ANN401
    """The map as a data frame: one row per edge, in the columns of `map.csv`.

    Args:
        graph: A released map.
        backend: ``pandas``, ``polars``, ``arrow`` (a `pyarrow.Table`) or ``dict`` (lists by
            column). Without it, pandas.

    Raises:
        UsageError: The library is not installed, or there is no such backend.

    Example:
        >>> from hushmap.graph import Edge, ReleasedGraph
        >>> graph = ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", "A")),
        ...                       {Annotation.MEAN: (None, 90)}, 1_000_000)
        >>> to_frame(graph, backend="dict")
        {'source': [None, 'A'], 'target': ['A', 'A'], 'mean_seconds': [None, 90.0]}
    """
    chosen = "pandas" if backend is None else backend
    columns: dict[str, list[Any]] = {
        "source": [edge.source for edge in graph.edges],
        "target": [edge.target for edge in graph.edges],
    }
    for annotation in graph.annotations:
        columns[column(annotation)] = graph.values(annotation)
    if chosen == "dict":
        return columns
    if chosen not in _MODULES:
        raise UsageError(
            f"backend is {chosen!r}.", hint=f"Write one of {', '.join([*_MODULES, 'dict'])}."
        )
    library = _imported(_MODULES[chosen], "to_frame")
    if chosen == "pandas":
        return _pandas(library, columns)
    if chosen == "polars":
        types = {
            name: library.String if name in {"source", "target"} else library.Float64
            for name in columns
            if name != "frequency"
        }
        return library.DataFrame(columns, schema_overrides=types)
    types = {name: library.float64() for name in columns} | {
        "source": library.string(),
        "target": library.string(),
        "frequency": library.int64(),
    }
    return library.table(
        {name: library.array(values, types[name]) for name, values in columns.items()}
    )


def _pandas(library: Any, columns: dict[str, list[Any]]) -> Any:  # noqa: ANN401
    """Times as floats even where no edge has one."""
    return library.DataFrame(
        {
            name: library.Series(values, dtype="float64" if name.endswith("_seconds") else None)
            for name, values in columns.items()
        }
    )


def _imported(module: str, what: str) -> Any:  # noqa: ANN401
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(
            f"{what} needs {module}, which is not installed.",
            hint=f"Install it: pip install {module}"
            + (", or write backend='dict'." if what == "to_frame" else "."),
        ) from None
