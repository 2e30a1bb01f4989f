"""Attacks on the owner's own log: on the edges of a plan whose limit binds. Owner only."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hushmap.audit.games import how_long, how_long_empirical, whether
from hushmap.audit.worlds import World, world_of
from hushmap.exceptions import UsageError
from hushmap.graph import Annotation, Durations
from hushmap.planning.calibration import ranges_of
from hushmap.planning.draws import draw_of
from hushmap.planning.plan import plan_with

if TYPE_CHECKING:
    from hushmap.audit.suite import Attack
    from hushmap.graph import Edge, ExactGraph
    from hushmap.planning.parameters import PlanParameters
    from hushmap.planning.plan import Plan

# Of an empirical prior: preferably so many secrets, in no case more (time and memory grow with the
# square).
_SECRETS = 500
_MOST_SECRETS = 5_000
_NEARLY = 1 - 1e-6


def attacks_on(graph: ExactGraph, parameters: PlanParameters) -> list[Attack]:
    """The strong attacker on the binding edges of a log, by the calibration of its own plan.

    An edge binds where its risk is the largest of all. Of these edges the one with the fewest
    occurrences is taken, the one with the most, and one between. Each is planned by itself, at the
    risk of the whole plan, and gets the same noise as there. An attacker who believes in the edge's
    own distribution is played on edges with at most 500 different durations, as far as there are.

    Args:
        graph: The exact graph, with histograms if times are released.
        parameters: What the owner asks for.

    Raises:
        UsageError: Times are attacked, and the durations of the graph are not in memory, or too
            many differ.

    Example:
        >>> import hushmap as hm
        >>> from hushmap.planning.parameters import PlanParameters
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> for attack in attacks_on(graph, PlanParameters.of(max_risk="0.2")):
        ...     print(attack.name)
        frequency of A → D: was it there?
        frequency of A → B: was it there?
        frequency of ▶ → A: was it there?
    """
    if parameters.times and not isinstance(graph.durations, Durations):
        raise UsageError(
            "The audit of times needs the durations of every edge on one machine.",
            hint="Use --engine duckdb, or discover(…, histograms=True).",
        )
    plan = plan_with(graph, parameters)
    limited = replace(parameters, max_risk=Fraction(plan.risk), max_error=None)
    together = parameters.scope == "release" or len(parameters.annotations) == 1
    wishes = [limited] if together else [_alone(limited, kind) for kind in limited.annotations]
    return [attack for wish in wishes for attack in _on_edges(plan, wish)]


def _alone(wish: PlanParameters, kind: Annotation) -> PlanParameters:
    """The same wish for one annotation; a frequency has no range."""
    range_kind = wish.range_kind if kind.is_time else None
    return replace(wish, annotations=(kind,), range_kind=range_kind)


def _on_edges(plan: Plan, wish: PlanParameters) -> list[Attack]:
    kinds = " and ".join(kind.value for kind in wish.annotations)
    found: list[Attack] = []
    for place, attacker in _binding(plan, wish).items():
        edge = plan.graph.edges[place]
        world = world_of(plan.graph, place, timed=bool(wish.times))
        longest = int(ranges_of(plan.graph)[place])
        limit, name = float(plan.risk), f"{kinds} of {edge}"
        _check_scale(plan, wish, world, edge)
        if wish.has_frequency:
            found.append(
                whether(f"{name}: was it there?", wish, world, limit=limit, took=longest, edge=edge)
            )
        if wish.times:
            name = f"{name}: how long did it take?"
            if attacker == "any":
                scale = world.graph() if world.bound is None else None
                found.append(
                    how_long(
                        name, wish, _without_the_longest(world, edge), limit=limit,
                        longest=longest, edge=edge, scale_of=scale,
                    )
                )  # fmt: skip
            else:
                found.append(how_long_empirical(name, wish, world, limit=limit, edge=edge))
    return found


def _binding(plan: Plan, wish: PlanParameters) -> dict[int, str]:
    """The edges to attack, and the attacker against whom each is calibrated."""
    kind = wish.times[0] if wish.times else Annotation.FREQUENCY
    rows: list[dict[str, Any]] = [row for row in plan.edges if row["annotation"] == kind.value]
    largest = max(row["risk"] for row in rows)
    by_attacker = defaultdict(list)
    for row in rows:
        if row["risk"] >= largest * _NEARLY:
            by_attacker[row["attacker"]].append(row)
    # Those of the attacker asked for come first: `any` is also the fallback of edges that say
    # nothing.
    attacker = wish.attacker.value if by_attacker.get(wish.attacker.value) else min(by_attacker)
    chosen = by_attacker[attacker]
    if attacker != "any":
        chosen = _playable(plan, chosen)
    ordered = sorted(chosen, key=lambda row: row["occurrences"])
    picks = dict.fromkeys((0, (len(ordered) - 1) // 2, len(ordered) - 1))
    return {_place(plan, ordered[pick]): attacker for pick in picks}


def _playable(plan: Plan, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those whose distribution is small enough to be played: one log per distinct duration."""
    durations = plan.graph.durations
    assert isinstance(durations, Durations)
    distinct = np.diff(durations.offsets)
    secrets = [int(distinct[_place(plan, row)]) for row in rows]
    most = max(_SECRETS, min(secrets))
    if most > _MOST_SECRETS:
        raise UsageError(
            "Every edge on which the limit binds has too many different durations to play the "
            "attacker who knows them all.",
            hint="Give a coarser --resolution, or --attacker any.",
        )
    return [row for row, many in zip(rows, secrets, strict=True) if many <= most]


def _place(plan: Plan, row: dict[str, Any]) -> int:
    return plan.graph.edge(row["source"], row["target"])


def _check_scale(plan: Plan, wish: PlanParameters, world: World, edge: Edge) -> None:
    """The edge by itself must have the noise that it has in the plan."""
    place, alone = plan.graph.edges.index(edge), plan_with(world.graph(), wish)
    for kind in wish.annotations:
        draw = draw_of(kind)
        ours, theirs = alone.rates(draw)[0], plan.rates(draw)[place]
        if abs(ours - theirs) > 1e-9 * theirs:
            raise AssertionError("an edge by itself is calibrated otherwise than in its plan")


def _without_the_longest(world: World, edge: Edge) -> World:
    row = world.edges[edge]
    assert not isinstance(row, int)
    return World({**world.edges, edge: tuple(sorted(row)[:-1])}, world.bound, world.resolution)
