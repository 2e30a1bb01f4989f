"""The questions of the strong attacker: worst two-point priors, and empirical ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hushmap.audit.bayesian import Game
from hushmap.audit.worlds import TARGET
from hushmap.graph import Durations
from hushmap.planning.calibration import ranges_of
from hushmap.planning.parameters import Attacker
from hushmap.risk import guess_windows, occurrence_windows

if TYPE_CHECKING:
    from hushmap.audit.worlds import World
    from hushmap.graph import Edge, ExactGraph
    from hushmap.planning.parameters import PlanParameters


def two_worlds(
    name: str,
    parameters: PlanParameters,
    worlds: tuple[World, World],
    *,
    limit: float,
    edge: Edge = TARGET,
    scale_of: ExactGraph | None = None,
    one_by_one: bool = False,
    every: int = 1,
) -> Game:
    """Which of two logs is it? With the prior at which the paper's bound is attained (§2).

    The second is believed with ``P* = (1−δ)/2``: there a release can raise the belief most.
    """
    believed = (1 - limit) / 2
    return Game(
        name=name,
        parameters=parameters,
        edge=edge,
        graphs=tuple(world.graph() for world in worlds),
        prior=np.array([1 - believed, believed]),
        windows=(np.array([0, 1]), np.array([1, 2])),
        limit=limit,
        scale_of=scale_of,
        one_by_one=one_by_one,
        every=every,
    )


def whether(
    name: str, parameters: PlanParameters, without: World, *, limit: float, took: int = 0,
    edge: Edge = TARGET, one_by_one: bool = False, every: int = 1,
) -> Game:  # fmt: skip
    """Was it there? One occurrence more or less, its duration chosen to show most.

    Args:
        name: Of the question.
        parameters: What the owner asked for.
        without: The log without it.
        limit: The promised risk.
        took: How long it took, in ticks.
        edge: Of the occurrence.
        one_by_one: Ask for the noise of every release by itself.
        every: Only so many of the draws asked for.
    """
    durations = without.edges[edge]
    if isinstance(durations, int):
        with_it = without.counting(durations + 1, edge)
    else:
        with_it = without.having((took,), edge)
    return two_worlds(
        name, parameters, (without, with_it), limit=limit, edge=edge,
        one_by_one=one_by_one, every=every,
    )  # fmt: skip


def how_long(
    name: str, parameters: PlanParameters, others: World, *, limit: float, longest: int,
    edge: Edge = TARGET, scale_of: ExactGraph | None = None, every: int = 1,
) -> Game:  # fmt: skip
    """No time at all, or the longest that the range allows: two values that attain the worst case.

    Args:
        name: Of the question.
        parameters: What the owner asked for.
        others: The log without the occurrence.
        limit: The promised risk.
        longest: The range in ticks.
        edge: Of the occurrence.
        scale_of: The log at which the noise was calibrated, under an observed range.
        every: Only so many of the draws asked for.
    """
    worlds = others.having((0,), edge), others.having((longest,), edge)
    return two_worlds(
        name, parameters, worlds, limit=limit, edge=edge, scale_of=scale_of, every=every
    )


def how_long_empirical(
    name: str, parameters: PlanParameters, actual: World, *, limit: float, edge: Edge = TARGET
) -> Game:
    """How long did it take? The target is drawn like a random occurrence of its edge (§2).

    All others are as they are; the noise is scaled as for the actual log.

    Args:
        name: Of the question.
        parameters: What the owner asked for.
        actual: The log.
        limit: The promised risk.
        edge: Of the occurrence.
    """
    graph = actual.graph()
    assert isinstance(graph.durations, Durations)
    place = graph.edges.index(edge)
    values, counts = graph.durations.of(place)
    reach = int(ranges_of(graph)[place])
    assert parameters.precision is not None
    tolerance = parameters.precision.tolerance(reach, graph.resolution)
    if parameters.attacker is Attacker.EMPIRICAL:
        windows = guess_windows(values, reach, tolerance)
    else:
        windows = occurrence_windows(values, counts, tolerance)[:2]
    row = actual.edges[edge]
    assert not isinstance(row, int)
    rest = type(actual)(
        {**actual.edges, edge: tuple(sorted(row)[:-1])}, actual.bound, actual.resolution
    )
    return Game(
        name=name,
        parameters=parameters,
        edge=edge,
        graphs=tuple(rest.having((value,), edge).graph() for value in values.tolist()),
        prior=counts / counts.sum(),
        windows=windows,
        limit=limit,
        scale_of=graph,
    )
