"""The attacks that every audit makes: on each kind of weight, goal and attacker of a promise."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hushmap.audit.blackbox import Neighbours, WholeNumbers
from hushmap.audit.games import how_long, how_long_empirical, whether
from hushmap.audit.worlds import TARGET, World
from hushmap.graph import Edge
from hushmap.planning.parameters import PlanParameters
from hushmap.risk import epsilon_any

if TYPE_CHECKING:
    import numpy as np

    from hushmap.audit.checks import Check
    from hushmap.audit.mechanism import Mechanism
    from hushmap.graph import ExactGraph

HOUR = 3600
BOUND = 10 * HOUR
EVERYTHING = ("frequency", "sum", "mean", "min", "max")
# Three edges of the paper's worked example: durations in hours.
_EXAMPLE = {"A → C": (1, 6, 15), "A → B": (0.2, 3, 8, 12, 16), "B → C": (1, 5, 11, 15, 20)}
_ALL, _SOME = 0.4, 0.1


class Attack(Protocol):
    """Something that is tried on a mechanism."""

    @property
    def name(self) -> str:
        """What is attacked, and with what question."""
        ...

    def __call__(
        self, mechanism: Mechanism, draws: int, rng: np.random.Generator, alpha: float
    ) -> list[Check]:
        """Try it.

        Args:
            mechanism: What is attacked.
            draws: How many releases.
            rng: The attack's own chance, seeded; never that of the noise.
            alpha: How likely each confidence limit may be wrong.
        """
        ...


def wish(
    risk: float,
    annotate: str | tuple[str, ...] = "frequency",
    **options: Any,  # noqa: ANN401 - of PlanParameters.of
) -> PlanParameters:
    """What an owner asks for who limits the risk; times with a declared range."""
    kinds = (annotate,) if isinstance(annotate, str) else annotate
    if kinds != ("frequency",):
        options.setdefault("range_kind", "declared")
    return PlanParameters.of(max_risk=str(risk), annotate=list(kinds), **options)


def attacks() -> list[Attack]:
    """All attacks on what is promised."""
    return [*_strong_attackers(), *_on_the_worked_example(), *_black_boxes()]


def _strong_attackers() -> list[Attack]:
    """Every belief, at the worst two-point prior: on each kind of weight alone, and together."""
    alone, never = World({TARGET: ()}, BOUND), World({TARGET: (0,)}, BOUND)
    # The mean's edge stands beside others, of which there are more than it has occurrences.
    beside = World({TARGET: (0,), **{Edge("B", name): (5, 9) for name in "CDE"}}, BOUND)
    top = World({TARGET: (BOUND, BOUND)}, BOUND)
    five = World({TARGET: 5})
    how = {"sum": never, "mean": beside, "min": top, "max": never}
    return [
        whether("frequency: was it there?", wish(_ALL), five, limit=_ALL),
        whether(
            "frequency at a low risk: was it there?", wish(_SOME), five, limit=_SOME, every=2
        ),
        whether(
            "frequency, noise drawn release by release: was it there?", wish(_ALL), five,
            limit=_ALL, one_by_one=True, every=40,
        ),
        *(
            how_long(f"{kind}: how long did it take?", wish(_ALL, kind), others,
                     limit=_ALL, longest=BOUND, every=2)
            for kind, others in how.items()
        ),
        whether(
            "frequency and mean: was it there?", wish(_ALL, ("frequency", "mean")), never,
            limit=_ALL, took=BOUND, every=2,
        ),
        whether(
            "all five: was it there?", wish(_ALL, EVERYTHING), never,
            limit=_ALL, took=BOUND, every=2,
        ),
        how_long(
            "all five: how long did it take?", wish(_ALL, EVERYTHING), alone,
            limit=_ALL, longest=BOUND, every=2,
        ),
    ]  # fmt: skip


def _on_the_worked_example() -> list[Attack]:
    """Those who know how long such steps usually take, on edges of the paper's example."""
    found: list[Attack] = []
    for edge, hours in _EXAMPLE.items():
        actual = World({TARGET: tuple(round(HOUR * hour) for hour in hours)})
        for attacker in ("empirical", "paper"):
            asked = wish(_ALL, "mean", attacker=attacker, precision="0.1", range_kind="observed")
            name = f"mean of {edge} in the paper's example, attacker {attacker}"
            found.append(replace(how_long_empirical(name, asked, actual, limit=_ALL), every=2))
    return found


def _black_boxes() -> list[Attack]:
    """Pairs of neighbouring logs, and nothing known of the mechanism."""
    never = World({TARGET: (0,)}, BOUND)
    beside = World({TARGET: (0,), **{Edge("B", name): (5, 9) for name in "CDE"}}, BOUND)
    observed = World({TARGET: (BOUND, BOUND)})
    loss = epsilon_any(_ALL)
    return [
        Neighbours(
            name="black box, frequency: one occurrence more",
            parameters=wish(_SOME),
            graphs=(World({TARGET: 5}).graph(), World({TARGET: 6}).graph()),
            edges=(TARGET,),
            claimed=epsilon_any(_SOME),
        ),
        _moved("sum of the only occurrence, declared range", World({}, BOUND), 2 * BOUND,
               wish(_ALL, "sum", attacker="empirical"), loss),
        _moved("mean, declared range", beside, 2 * BOUND, wish(_ALL, "mean"), loss),
        *(
            replace(
                _moved(f"{kind}, observed range that stays", observed, BOUND,
                       wish(_ALL, kind, range_kind="observed"), loss),
                every=2,
            )
            for kind in ("sum", "min")
        ),
        Neighbours(
            name="black box, frequency and mean: one occurrence more",
            parameters=wish(_SOME, ("frequency", "mean")),
            graphs=(never.graph(), never.having((0,)).graph()),
            edges=(TARGET,),
            claimed=epsilon_any(_SOME),
        ),
        Neighbours(
            name="black box, all five: one occurrence more",
            parameters=wish(_ALL, EVERYTHING),
            graphs=(never.graph(), never.having((BOUND,)).graph()),
            edges=(TARGET,),
            claimed=loss,
            every=2,
        ),
        _one_event_more(),
        _one_timestamp_moved(),
        WholeNumbers(
            name="all five: releases that are not whole numbers from 1 on",
            parameters=wish(_ALL, EVERYTHING),
            graph=beside.graph(),
            edges=(TARGET,),
        ),
    ]  # fmt: skip


def _moved(
    name: str, others: World, longest: int, parameters: PlanParameters, loss: float
) -> Neighbours:
    return Neighbours(
        name=f"black box, {name}: a duration moved",
        parameters=parameters,
        graphs=(others.having((0,)).graph(), others.having((longest,)).graph()),
        edges=(TARGET,),
        claimed=loss,
    )


def _one_event_more() -> Neighbours:
    """Three occurrences change, so three times the loss; from the log's own rows on."""
    rest = ["ABC", "ABC", "ABC", "AC", "AC", "AC"]
    return Neighbours(
        name="black box, frequency: one event more, read from a file",
        parameters=wish(_SOME),
        graphs=(discovered([*rest, "AC"]), discovered([*rest, "ABC"])),
        edges=(Edge("A", "B"), Edge("B", "C"), Edge("A", "C")),
        claimed=3 * epsilon_any(_SOME),
        every=2,
    )


def _one_timestamp_moved() -> Neighbours:
    """Two durations change, so twice the loss."""
    rest, bound = [("ABC", 0), ("ABC", HOUR)], f"{HOUR}s"
    return Neighbours(
        name="black box, sum: one timestamp moved, read from a file",
        parameters=wish(_SOME, "sum"),
        graphs=(
            discovered([*rest, ("ABC", 0)], bound),
            discovered([*rest, ("ABC", HOUR)], bound),
        ),
        edges=(Edge("A", "B"), Edge("B", "C")),
        claimed=2 * epsilon_any(_SOME),
        every=2,
    )


def discovered(cases: list[Any], max_duration: str | None = None) -> ExactGraph:
    """The exact graph of a small log, by way of a file and the reader.

    Args:
        cases: Per case its activities, one letter each, at the hour; or these with the second at
            which the second one happens.
        max_duration: The declared bound.
    """
    from hushmap.discovery import discover
    from hushmap.log import read_log

    rows = ["case,activity,timestamp"]
    for number, case in enumerate(cases):
        letters, second = case if isinstance(case, tuple) else (case, HOUR)
        for place, letter in enumerate(letters):
            seconds = (0, second, HOUR)[place] if isinstance(case, tuple) else place * HOUR
            hour, rest = divmod(seconds, HOUR)
            rows.append(f"{number},{letter},2026-01-05T{hour:02}:{rest // 60:02}:{rest % 60:02}Z")
    with tempfile.TemporaryDirectory(prefix="hushmap-") as folder:
        path = Path(folder) / "log.csv"
        path.write_text("\n".join([*rows, ""]), encoding="utf-8")
        return discover(read_log(path), max_duration=max_duration)
