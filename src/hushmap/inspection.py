"""Statistics of a log for its owner: the descriptive table, uniqueness, the resolution it asks for.

Everything here is exact and private. Nothing of it may be published.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from hushmap.log import EventLog, QualityReport

# Resolutions that are proposed, coarsest first, in microseconds.
_RESOLUTIONS = (
    ("1s", 10**6), ("100ms", 10**5), ("10ms", 10**4), ("1ms", 10**3),
    ("100us", 100), ("10us", 10), ("1us", 1),
)  # fmt: skip
_FINEST = {"d": 10**6, "h": 10**6, "min": 10**6, "s": 10**6, "ms": 10**3, "us": 1}
# A duration of fewer ticks than this is off by more than 5 % through rounding alone.
_FEW_TICKS = 10
# A resolution is fine enough if at most this share of the positive durations has so few ticks.
_TOLERATED_SHARE = 0.05


@dataclass(frozen=True, slots=True, repr=False)
class Spread(OwnerOnly):
    """Smallest, largest and mean of something counted per case."""

    min: float
    max: float
    mean: float


@dataclass(frozen=True, slots=True, repr=False)
class Uniqueness(OwnerOnly):
    """What makes cases recognisable.

    Attributes:
        cases_with_a_variant_of_their_own: Cases whose sequence of activities nobody else has.
        share_of_cases: The same as a share of all cases.
        edges_seen_in_one_case: Edges (start and end included) that only one case walks: showing
            the edge shows that somebody took it.
        edges_walked_once: Edges with a single occurrence.
        edges_per_case: How many occurrences one case brings: what one person has at stake.
    """

    cases_with_a_variant_of_their_own: int
    share_of_cases: float
    edges_seen_in_one_case: int
    edges_walked_once: int
    edges_per_case: Spread


@dataclass(frozen=True, slots=True, repr=False)
class Inspection(OwnerOnly):
    """What `hushmap inspect` shows. Owner only.

    Attributes:
        cases: Cases kept.
        activities: Distinct activities.
        events: Events kept.
        edges: Distinct edges between activities.
        edges_with_start_end: The same with the distinct start and end edges.
        variants: Distinct sequences of activities.
        trace_length: Events per case.
        case_duration_seconds: From the first to the last event of a case.
        uniqueness: What makes cases recognisable.
        resolution: The coarsest tick that keeps the durations apart, for ``--resolution``.
        columns: What was taken for case, activity, time and lifecycle, in sentences.
        quality: What was read and what was dropped.
    """

    cases: int
    activities: int
    events: int
    edges: int
    edges_with_start_end: int
    variants: int
    trace_length: Spread
    case_duration_seconds: Spread
    uniqueness: Uniqueness
    resolution: str
    columns: tuple[str, ...]
    quality: QualityReport

    def as_json(self) -> dict[str, Any]:
        """The same as plain dictionaries, for ``--json``."""
        return asdict(self)


def inspect(log: EventLog) -> Inspection:
    """Compute the statistics of a log. The result is the owner's.

    Args:
        log: The event log.

    Raises:
        EngineError: The engine could not finish.

    Example:
        >>> import hushmap as hm
        >>> table = hm.inspect(hm.read_log("examples/hospital.csv"))
        >>> table.cases, table.edges, table.edges_with_start_end, table.variants
        (11, 5, 8, 4)
    """
    work = log.engine
    ordered = "WINDOW w AS (PARTITION BY case_id ORDER BY t, seq)"
    activities, events = work.row(
        f"SELECT count(DISTINCT activity), count(*) FROM ({log.events_sql}) AS events"
    )
    variants, alone, cases, shortest, longest, low, high, total = work.row(
        "SELECT count(*), count(*) FILTER (WHERE cases = 1), sum(cases), min(n), max(n), "
        f"min(low), max(high), {work.dialect.total.format('d')} FROM ({_variants(log)}) AS variants"
    )
    inner, all_edges, one_case, once = work.row(
        "SELECT count(*) FILTER (WHERE source IS NOT NULL AND target IS NOT NULL), count(*), "
        "count(*) FILTER (WHERE first_case = last_case), count(*) FILTER (WHERE n = 1) FROM ("
        "SELECT source, target, min(case_id) AS first_case, max(case_id) AS last_case, "
        "count(*) AS n FROM ("
        "SELECT case_id, activity AS source, lead(activity) OVER w AS target "
        f"FROM ({log.events_sql}) AS events {ordered} UNION ALL "
        "SELECT case_id, NULL, min_by(activity, (t, seq)) "
        f"FROM ({log.events_sql}) AS events GROUP BY case_id) AS steps "
        "GROUP BY source, target) AS edges"
    )
    lengths = Spread(shortest, longest, events / int(cases))
    return Inspection(
        cases=int(cases),
        activities=activities,
        events=events,
        edges=inner,
        edges_with_start_end=all_edges,
        variants=variants,
        trace_length=lengths,
        case_duration_seconds=Spread(low / 1e6, high / 1e6, int(total) / int(cases) / 1e6),
        uniqueness=Uniqueness(
            cases_with_a_variant_of_their_own=alone,
            share_of_cases=alone / int(cases),
            edges_seen_in_one_case=one_case,
            edges_walked_once=once,
            edges_per_case=Spread(shortest + 1, longest + 1, lengths.mean + 1),
        ),
        resolution=_resolution(log),
        columns=tuple(log.columns.sentences()),
        quality=log.quality,
    )


def _variants(log: EventLog) -> str:
    """SQL of the variants: how many cases, their events, and their durations together.

    Lists of activities would have to fit into memory. Two sums of 64-bit hashes of which activity
    stands at which place do not: they spill, and two variants of a million are taken for one with a
    chance below 1e-25.
    """
    dialect = log.engine.dialect
    one, two = (
        dialect.total.format(dialect.hashed.format(order))
        for order in ("activity, place", "place, activity")
    )
    places = (
        "SELECT case_id, activity, t, row_number() OVER (PARTITION BY case_id ORDER BY t, seq) "
        f"AS place FROM ({log.events_sql}) AS events"
    )
    cases = (
        f"SELECT count(*) AS n, max(t) - min(t) AS d, {one} AS one, {two} AS two "
        f"FROM ({places}) AS places GROUP BY case_id"
    )
    return (
        "SELECT count(*) AS cases, n, min(d) AS low, max(d) AS high, "
        f"{dialect.total.format('d')} AS d FROM ({cases}) AS cases GROUP BY n, one, two"
    )


def _resolution(log: EventLog) -> str:
    """The coarsest tick that rounds few durations by more than 5 %, none finer than the log's."""
    finest = _FINEST[log.quality.finest_unit]
    short = ", ".join(
        f"count(*) FILTER (WHERE gap < {_FEW_TICKS * size})" for _, size in _RESOLUTIONS
    )
    total, *too_short = log.engine.row(
        f"SELECT count(*), {short} FROM (SELECT lead(t) OVER (PARTITION BY case_id "
        f"ORDER BY t, seq) - t AS gap FROM ({log.events_sql}) AS events) AS gaps WHERE gap > 0"
    )
    for (name, size), few in zip(_RESOLUTIONS, too_short, strict=True):
        if size <= finest or few <= _TOLERATED_SHARE * total:
            return name
    return _RESOLUTIONS[-1][0]
