"""A risk and the errors it costs in one sentence each, with places for the figures.

The words depend on the owner's parameters alone; ``{risk}`` and the like are filled in where the
figures are known: on a page while a slider moves, or once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.graph import Annotation
from hushmap.planning.draws import draws_of

if TYPE_CHECKING:
    from hushmap.planning.parameters import PlanParameters

_NUMBERS = {
    Annotation.FREQUENCY: "edge frequencies",
    Annotation.SUM: "total times",
    Annotation.MEAN: "mean times",
    Annotation.MIN: "shortest times",
    Annotation.MAX: "longest times",
}


def risk_sentence(parameters: PlanParameters) -> str:
    """What a risk means, with ``{risk}`` in percentage points.

    Example:
        >>> from hushmap.planning.parameters import PlanParameters
        >>> risk_sentence(PlanParameters.of()).format(risk="20")
        "Nobody's chance of being found out in a single step rises by more than 20 percentage
        points."
    """
    whom = (
        "Against someone who knows no more than how long such steps take in this log: nobody's"
        if not parameters.against_any
        else "Nobody's"
    )
    where = "in a single step"
    if not parameters.has_frequency:
        where = "in how long a single step took"
    alone = ""
    if parameters.scope == "annotation" and len(draws_of(parameters.annotations)) > 1:
        alone = ", through each kind of number alone"
    uncovered = ""
    if parameters.range_kind == "observed":
        uncovered = " The longest time of each edge is not covered."
    return (
        f"{whom} chance of being found out {where} rises by more than {{risk}} percentage "
        f"points{alone}.{uncovered}"
    )


def error_sentence(annotation: Annotation) -> str:
    """What it costs, with ``{error}``, ``{far}`` and ``{edges}``.

    Example:
        >>> from hushmap.graph import Annotation
        >>> error_sentence(Annotation.FREQUENCY).format(error="9 %", far="3", edges="135")
        'Expect edge frequencies to be off by 9 % on average; 3 of 135 edges are worse than 50 %.'
    """
    return (
        f"Expect {_NUMBERS[annotation]} to be off by {{error}} on average; {{far}} of {{edges}} "
        "edges are worse than 50 %."
    )
