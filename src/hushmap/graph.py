"""The process map before and after protection: `ExactGraph` is the owner's, `ReleasedGraph` public.

Edges stand in one canonical order everywhere: start edges first, then by the names of source and
target in code-point order, the end of the case last among the targets. The order tells nothing
beyond the names themselves (pitfalls.md, 13).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hushmap.exceptions import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from hushmap.interop import Backend, Pm4pyGraph

    IntArray = NDArray[np.int64]

START_LABEL = "▶"
END_LABEL = "■"


class Annotation(StrEnum):
    """What a weight of an edge says: how often it was walked, or how long it took.

    Example:
        >>> [annotation.value for annotation in Annotation if annotation.is_time]
        ['sum', 'mean', 'min', 'max']
    """

    FREQUENCY = "frequency"
    SUM = "sum"
    MEAN = "mean"
    MIN = "min"
    MAX = "max"

    @property
    def is_time(self) -> bool:
        """Whether the weight is a duration."""
        return self is not Annotation.FREQUENCY

    @property
    def unit(self) -> str:
        """The unit of the weight in the files of a bundle."""
        return "seconds" if self.is_time else "occurrences"


class Edge(NamedTuple):
    """One activity directly followed by another; ``None`` is the start or the end of a case.

    Example:
        >>> str(Edge(None, "Register"))
        '▶ → Register'
    """

    source: str | None
    target: str | None

    def __str__(self) -> str:
        source = START_LABEL if self.source is None else self.source
        target = END_LABEL if self.target is None else self.target
        return f"{source} → {target}"


def canonical_order(edges: Sequence[Edge]) -> list[int]:
    """The places of the edges in canonical order.

    Example:
        >>> canonical_order([Edge("B", None), Edge("A", "B"), Edge(None, "A")])
        [2, 1, 0]
    """

    def key(place: int) -> tuple[bool, str, bool, str]:
        source, target = edges[place]
        return (source is not None, source or "", target is None, target or "")

    return sorted(range(len(edges)), key=key)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Durations:
    """The durations of all edges: per edge the sorted distinct ticks and how often each occurred.

    Owner only. One shared buffer: edge ``i`` owns ``values[offsets[i]:offsets[i + 1]]``.
    """

    offsets: IntArray
    values: IntArray
    counts: IntArray

    def of(self, edge: int) -> tuple[IntArray, IntArray]:
        """The distinct durations (ticks) of one edge, and their multiplicities."""
        part = slice(int(self.offsets[edge]), int(self.offsets[edge + 1]))
        return self.values[part], self.counts[part]

    def __repr__(self) -> str:
        return f"Durations({len(self.offsets) - 1} edges, owner only)"


class DurationsElsewhere(Protocol):
    """The durations of all edges where they were counted: on the machines of a cluster.

    Owner only. Whoever asks sends a function there and receives one number per edge.
    """

    @property
    def sizes(self) -> IntArray:
        """How many distinct durations each edge has."""

    def each(
        self, answer: Callable[[int, IntArray, IntArray], float], edges: Sequence[int]
    ) -> dict[int, float]:
        """Answer for some edges, each on the machine that holds its durations.

        Args:
            answer: A pure function of an edge's place in the graph, its distinct durations in
                ticks, ascending, and their multiplicities. It is sent to the other machines.
            edges: The places of the edges.

        Returns:
            The answers by place.
        """


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExactGraph:
    """The exact directly-follows graph of a log. Owner only: no writer, no picture.

    All durations are whole ticks of ``resolution`` microseconds (method.md §1), clipped at
    ``bounds`` where the owner declared one. Edges without durations (start and end edges of an
    event log) have ``timed`` false and zeros in ``sums``, ``minima`` and ``maxima``.

    Attributes:
        activities: Names in code-point order.
        edges: In canonical order.
        counts: Occurrences per edge.
        timed: Whether the edge has durations.
        sums: Total of the clipped durations per edge, in ticks; exact, of any size.
        minima: Shortest clipped duration per edge, in ticks.
        maxima: Longest clipped duration per edge, in ticks.
        resolution: Microseconds per tick.
        durations: The histogram, here or on the cluster that made it; None where only the attacker
            `any` follows.
        bounds: The declared bound per edge in ticks, or None where none was declared.
        declared: The bound in microseconds, where one holds for all edges.
        clipped: Occurrences per edge whose duration exceeded the bound.
        unclipped_sums: Totals before clipping.
        unclipped_minima: Shortest durations before clipping.
        unclipped_maxima: Longest durations before clipping.
        conserved: Whether inflow must equal outflow (not so for tables of transitions).
        longest_case: Events of the longest case; None where it is not known (as for tables of
            transitions).
        warnings: What the owner should know about how the graph was made; holds no exact value.
        origin: How the log was read, in sentences; holds no exact value either.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> graph
        ExactGraph(4 activities, 8 edges, resolution 1s, owner only)
    """

    activities: tuple[str, ...]
    edges: tuple[Edge, ...]
    counts: IntArray
    timed: NDArray[np.bool_]
    sums: tuple[int, ...]
    minima: IntArray
    maxima: IntArray
    resolution: int
    durations: Durations | DurationsElsewhere | None = None
    bounds: IntArray | None = None
    declared: int | None = None
    clipped: IntArray | None = None
    unclipped_sums: tuple[int, ...] = ()
    unclipped_minima: IntArray | None = None
    unclipped_maxima: IntArray | None = None
    conserved: bool = True
    longest_case: int | None = None
    warnings: tuple[str, ...] = field(default=())
    origin: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name in ("counts", "timed", "minima", "maxima", "bounds", "clipped"):
            array = getattr(self, name)
            if array is not None:
                array.flags.writeable = False
        if self.bounds is None:
            object.__setattr__(self, "unclipped_sums", self.sums)
            object.__setattr__(self, "unclipped_minima", self.minima)
            object.__setattr__(self, "unclipped_maxima", self.maxima)
        if self.conserved:
            self._check_flow()

    def _check_flow(self) -> None:
        """Every occurrence of an activity is entered once and left once (method.md §1)."""
        balance = dict.fromkeys(self.activities, 0)
        for (source, target), count in zip(self.edges, self.counts.tolist(), strict=True):
            if source is not None:
                balance[source] -= count
            if target is not None:
                balance[target] += count
        if any(balance.values()):
            raise AssertionError("inflow differs from outflow; this is a defect in discovery")

    @property
    def size(self) -> int:
        """How many edges there are, start and end edges included."""
        return len(self.edges)

    @property
    def cases(self) -> int:
        """How many cases the graph was made from (owner only)."""
        return int(self.counts[[edge.source is None for edge in self.edges]].sum())

    @property
    def means(self) -> tuple[Fraction | None, ...]:
        """The exact mean of the clipped durations per edge, in ticks; None without durations."""
        return tuple(
            Fraction(total, int(count)) if timed else None
            for total, count, timed in zip(self.sums, self.counts, self.timed, strict=True)
        )

    def edge(self, source: str | None, target: str | None) -> int:
        """The place of an edge.

        Raises:
            UsageError: There is no such edge.
        """
        try:
            return self.edges.index(Edge(source, target))
        except ValueError:
            raise UsageError(
                "The graph has no such edge.", hint="See the attribute edges."
            ) from None

    def __repr__(self) -> str:
        from hushmap.timespan import exact_timespan

        return (
            f"ExactGraph({len(self.activities)} activities, {self.size} edges, "
            f"resolution {exact_timespan(self.resolution)}, owner only)"
        )


@dataclass(frozen=True, slots=True, repr=False)
class _DrawnGraph:
    """What released and simulated graphs share: names, edges and noisy weights in whole units."""

    activities: tuple[str, ...]
    edges: tuple[Edge, ...]
    weights: Mapping[Annotation, tuple[int | None, ...]]
    resolution: int

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """The annotations in canonical order."""
        return tuple(annotation for annotation in Annotation if annotation in self.weights)

    def values(self, annotation: Annotation | str) -> list[int | float | None]:
        """The weights of all edges: occurrences, or seconds; None where an edge has none."""
        chosen = Annotation(annotation)
        ticks = self.weights[chosen]
        if not chosen.is_time:
            return list(ticks)
        return [None if tick is None else tick * self.resolution / 1_000_000 for tick in ticks]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per edge: source, target, and each annotation the edge has."""
        rows: list[dict[str, Any]] = [
            {"source": edge.source, "target": edge.target} for edge in self.edges
        ]
        for annotation in self.annotations:
            for row, value in zip(rows, self.values(annotation), strict=True):
                if value is not None:
                    row[annotation.value] = value
        return rows

    def __repr__(self) -> str:
        kinds = ", ".join(annotation.value for annotation in self.annotations)
        return (
            f"{type(self).__name__}({len(self.activities)} activities, {len(self.edges)} edges; "
            f"{kinds})"
        )


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedGraph(_DrawnGraph):
    """A process map that may be shown to anyone: every weight is noisy.

    Made by `hushmap.release` and read back by `hushmap.read_release`.

    Attributes:
        activities: Names in code-point order, as observed.
        edges: In canonical order, as observed.
        weights: Per annotation one whole number per edge: occurrences, or ticks; None where the
            edge has no duration (start and end of a case).
        resolution: Microseconds per tick, public.

    Example:
        >>> ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", None)),
        ...               {Annotation.FREQUENCY: (12, 11)}, 1_000_000).records()
        [{'source': None, 'target': 'A', 'frequency': 12},
         {'source': 'A', 'target': None, 'frequency': 11}]
    """

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The map as a picture, for notebooks."""
        del include, exclude
        from hushmap.picture import mime_bundle

        return mime_bundle(self)

    def to_pm4py(self, annotation: Annotation | str = "frequency") -> Pm4pyGraph:
        """The three dictionaries that pm4py's functions on directly-follows graphs take.

        Example:
            >>> graph = ReleasedGraph(("A",), (Edge(None, "A"), Edge("A", None)),
            ...                       {Annotation.FREQUENCY: (12, 11)}, 1_000_000)
            >>> graph.to_pm4py()
            ({}, {'A': 12}, {'A': 11})
        """
        from hushmap.interop import to_pm4py

        return to_pm4py(self, annotation)

    def to_networkx(self) -> Any:  # noqa: ANN401 - NetworkX is not imported for its type
        """A `networkx.DiGraph`; start and end of a case are nodes of their own."""
        from hushmap.interop import to_networkx

        return to_networkx(self)

    def to_frame(self, backend: Backend | None = None) -> Any:  # noqa: ANN401 - of any library
        """A data frame with one row per edge.

        Args:
            backend: ``pandas``, ``polars``, ``arrow`` or ``dict``; pandas where None.
        """
        from hushmap.interop import to_frame

        return to_frame(self, backend)


@dataclass(frozen=True, slots=True, repr=False)
class SimulatedGraph(_DrawnGraph):
    """A draw of seeded noise for planning. Not protected: owner only, and nothing writes it.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> hm.simulate(hm.plan(graph, max_risk=0.2), seed=1)
        SimulatedGraph(4 activities, 8 edges; frequency)
    """
