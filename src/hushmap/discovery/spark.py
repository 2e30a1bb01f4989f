"""Discovery on a cluster: Spark counts, and only one row per edge comes to this process.

The query is the one of every engine (query.py). It shuffles twice: the events once, so that every
case lies on one machine for the window, and the edges with their durations once, already counted
per machine, for the histogram (or for the sums, where no histogram is asked for). Where an attacker
needs the histogram, it is moved once more, to bring every edge to one machine, and stays there:
priors and risks are computed where the durations lie.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hushmap.discovery.assemble import EdgeTotals, Histogram
from hushmap.discovery.query import decoded, histogram_query
from hushmap.log.spark_session import SparkEngine, attended, spark_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hushmap.discovery.bounds import DeclaredBounds
    from hushmap.graph import IntArray
    from hushmap.log import EventLog
    from hushmap.log.spark_session import SparkFrame

_TOTALS = (
    "edge BIGINT, occurrences BIGINT, total STRING, shortest BIGINT, longest BIGINT, "
    "clipped_total STRING, clipped BIGINT, sizes BIGINT"
)


def coded_events(log: EventLog) -> tuple[list[str], str]:
    """The activities in code-point order, and the events with codes for names."""
    names = sorted(
        name
        for (name,) in log.engine.rows(
            f"SELECT DISTINCT activity FROM ({log.events_sql}) AS events"
        )
    )
    # A table of names is sent to every executor: this join moves no event.
    table = log.engine.table(
        {"name": np.array(names, dtype=object), "a": np.arange(len(names), dtype=np.int64)}
    )
    return names, (
        f"SELECT case_id, a, t, seq FROM ({log.events_sql}) AS named "
        f"JOIN {table} ON named.activity = {table}.name"
    )


def histogram(
    log: EventLog, names: list[str], events: str, tick: int, declared: DeclaredBounds | None
) -> tuple[EdgeTotals, SparkHistogram, int]:
    """The durations of all edges, what they add up to, and the events of the longest case.

    The durations stay on the cluster.
    """
    assert isinstance(log.engine, SparkEngine)
    query = histogram_query(events, len(names), tick, log.engine.dialect)
    session, totals_of = log.engine.session, _totals_of(names, tick, declared)

    def counted() -> tuple[SparkFrame, list[tuple[Any, ...]]]:
        kept = session.sql(query).repartition("edge").persist()
        found = kept.groupBy("edge").applyInArrow(totals_of, _TOTALS).collect()
        return kept, sorted(tuple(row) for row in found)

    with spark_errors():
        frame, rows = attended(session, counted)
    timed = [row for row in rows if row[3] >= 0]
    ends = [row for row in rows if row[3] < 0]
    totals = EdgeTotals(
        edges=[decoded(row[0], names) for row in timed],
        counts=[row[1] for row in timed],
        timed=[True] * len(timed),
        sums=[int(row[2]) for row in timed],
        minima=[row[3] for row in timed],
        maxima=[row[4] for row in timed],
        clipped_sums=[int(row[5]) for row in timed],
        clipped=[row[6] for row in timed],
    )
    for row in ends:
        totals.add_untimed(decoded(row[0], names), row[1])
    codes = np.array([row[0] for row in timed], dtype=np.int64)
    sizes = np.array([row[7] for row in timed], dtype=np.int64)
    longest = max(-row[3] for row in ends)
    return totals, SparkHistogram(log.engine, frame, codes, sizes), longest


def _totals_of(
    names: list[str], tick: int, declared: DeclaredBounds | None
) -> Callable[[Any, Any], Any]:
    """What an executor makes of the durations of an edge: one row."""

    def totals(key: Any, table: Any) -> Any:  # noqa: ANN401 - tables of PyArrow
        import pyarrow as pa

        code = key[0].as_py()
        edge = decoded(code, names)
        if edge.target is None:
            cases = int(table["occurrences"].to_numpy().sum())
            least = int(table["duration"].to_numpy().min())
            row: list[object] = [code, cases, None, least, *[None] * 3, 0]
        else:
            bounds = None if declared is None else np.array([declared.of(edge, tick)])
            mine = _histogram(table)
            sums = mine.totals([edge], bounds)
            row = [
                code, sums.counts[0], str(sums.sums[0]), sums.minima[0], sums.maxima[0],
                str(sums.clipped_sums[0]), sums.clipped[0],
                len(mine.durations([0], bounds, 1).values),
            ]  # fmt: skip
        kinds = [pa.int64(), pa.int64(), pa.string(), *[pa.int64()] * 2, pa.string()]
        kinds += [pa.int64()] * 2
        names_of = [column.split()[0] for column in _TOTALS.split(", ")]
        return pa.table(
            [pa.array([value], kind) for value, kind in zip(row, kinds, strict=True)], names_of
        )

    return totals


def _histogram(table: Any) -> Histogram:  # noqa: ANN401 - a table of PyArrow
    """The durations of one edge, sorted: Spark gives them in any order."""
    ticks = table["duration"].to_numpy()
    order = np.argsort(ticks)
    count = table["occurrences"].to_numpy()[order]
    return Histogram(np.zeros(len(order), dtype=np.int64), ticks[order], count)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SparkHistogram:
    """The durations of the timed edges as a Spark table: edge, duration, occurrences."""

    engine: SparkEngine
    frame: SparkFrame
    codes: IntArray
    sizes: IntArray

    def durations(
        self, places: Sequence[int], bounds: IntArray | None, size: int
    ) -> SparkDurations:
        """The histogram in canonical order, clipped; ``places[i]`` is the new place of edge i."""
        mine = np.asarray(places, dtype=np.int64)[: len(self.codes)]
        sizes = np.zeros(size, dtype=np.int64)
        sizes[mine] = self.sizes
        of_code = dict(zip(self.codes.tolist(), mine.tolist(), strict=True))
        limits = None if bounds is None else dict(zip(mine.tolist(), bounds.tolist(), strict=True))
        return SparkDurations(self.engine, self.frame, of_code, limits, sizes)


@dataclass(frozen=True, eq=False, repr=False)
class SparkDurations:
    """The durations of all edges on the machines of a cluster. Owner only.

    Attributes:
        sizes: How many distinct durations each edge has, clipped.
    """

    engine: SparkEngine
    frame: SparkFrame
    places: dict[int, int]
    bounds: dict[int, int] | None
    sizes: IntArray = field()

    def __post_init__(self) -> None:
        # What was kept on the cluster is given back when nobody can ask any more.
        weakref.finalize(self, _forget, self.frame)

    def each(
        self, answer: Callable[[int, IntArray, IntArray], float], edges: Sequence[int]
    ) -> dict[int, float]:
        """Answer for some edges, each on the machine that holds its durations.

        Args:
            answer: A pure function of an edge's place in the graph, its distinct durations in
                ticks, ascending, and their multiplicities. It is sent to the executors.
            edges: The places of the edges.

        Returns:
            The answers by place.

        Raises:
            EngineError: Spark could not finish.
        """
        places, bounds, asked = self.places, self.bounds, set(edges)

        def answered(key: Any, table: Any) -> Any:  # noqa: ANN401 - tables of PyArrow
            import pyarrow as pa

            place = places.get(key[0].as_py(), -1)
            found: list[float] = []
            if place in asked:
                bound = None if bounds is None else np.array([bounds[place]])
                mine = _histogram(table).durations([0], bound, 1)
                found = [answer(place, mine.values, mine.counts)]
            return pa.table(
                [pa.array([place] * len(found), pa.int64()), pa.array(found, pa.float64())],
                ["place", "answer"],
            )

        def asked_for() -> dict[int, float]:
            rows = self.frame.groupBy("edge").applyInArrow(answered, "place BIGINT, answer DOUBLE")
            return dict(map(tuple, rows.collect()))

        with spark_errors():
            return attended(self.engine.session, asked_for)

    def __repr__(self) -> str:
        return f"SparkDurations({len(self.sizes)} edges, owner only)"


def _forget(frame: SparkFrame) -> None:
    # At the end of the process the session may be gone before its tables.
    try:
        frame.unpersist()
    except Exception:  # noqa: BLE001
        return
