"""Neighbours that no promise covers, attacked all the same: what they lose is measured and said."""

from __future__ import annotations

from hushmap.audit.blackbox import Neighbours
from hushmap.audit.suite import BOUND, HOUR, wish
from hushmap.audit.worlds import TARGET, World
from hushmap.graph import Edge
from hushmap.planning.parameters import PlanParameters

_RISK = 0.1
_CASE = 10


def unpromised() -> list[Neighbours]:
    """All of them; their promise, if there were one, would be a loss of 0.4 (a risk of 0.1).

    Under an error limit it would be that of the risk that the owner is told, 3.7.
    """
    once, twice = World({TARGET: (0,)}, BOUND), World({TARGET: (0, 0)}, BOUND)
    elsewhere = World({Edge("B", "A"): 3})
    crowd = World({Edge("B", f"C{number}"): 40 for number in range(20)})
    empirical = wish(_RISK, "mean", attacker="empirical", precision="0.1")
    spread = World({TARGET: (HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR)}, BOUND)
    return [
        _pair("an edge that appears", ("frequency",), elsewhere, elsewhere.counting(1)),
        _pair(
            "a longest duration that doubles under an observed range", ("max",),
            World({TARGET: (0, BOUND // 2)}), World({TARGET: (0, BOUND)}), range_kind="observed",
        ),
        _pair("whether it was there, from a mean alone", ("mean",), once, twice),
        _pair(
            "whether it was there, under --scope annotation", ("frequency", "sum"),
            once, once.having((BOUND,)), scope="annotation",
        ),
        Neighbours(
            name="not promised: the rule of --attacker empirical taken as evidence",
            parameters=empirical,
            graphs=(spread.having((2 * HOUR,)).graph(), spread.having((BOUND,)).graph()),
            edges=(TARGET,),
            claimed=None,
            every=2,
        ),
        Neighbours(
            name="not promised: the rule of --max-error taken as evidence",
            parameters=PlanParameters.of(max_error="0.3", error_reading="per-edge"),
            graphs=(crowd.counting(3).graph(), crowd.counting(4).graph()),
            edges=(TARGET, *crowd.edges),
            claimed=None,
            every=4,
        ),
        _pair(
            f"a case that walks an edge {_CASE} times", ("frequency",),
            World({TARGET: 5}), World({TARGET: 5 + _CASE}),
        ),
    ]  # fmt: skip


def _pair(
    name: str, annotate: tuple[str, ...], first: World, second: World, **options: str
) -> Neighbours:
    return Neighbours(
        name=f"not promised: {name}",
        parameters=wish(_RISK, annotate, **options),
        graphs=(first.graph(), second.graph()),
        edges=(TARGET,),
        claimed=None,
        every=2,
    )
