"""What one case stands to lose: the limit is for one occurrence, and a case walks many (§2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hushmap.graph import ExactGraph


@dataclass(frozen=True, slots=True, repr=False)
class CaseStakes(OwnerOnly):
    """The sum of e over the occurrences of one case, and the risk that it means. Owner only.

    Attributes:
        mean_occurrences: Occurrences of a case, start and end included, on average.
        mean: The sum of e, on average; None where the graph knows no cases, or nothing limits it.
        most_occurrences: Occurrences of the longest case; None where it is not known.
        largest: The largest sum of e of any case. Exact where all edges between activities have
            the same e (so for every release with a frequency, and for the attacker any), else the
            longest case at the largest e of an edge: no case has more.
    """

    mean_occurrences: float | None
    mean: float | None
    most_occurrences: int | None
    largest: float | None

    def summary(self) -> dict[str, float | int | None]:
        """Named figures, for ``summary.release`` of plans and reports.

        Example:
            >>> round(CaseStakes(3.0, 1.2, 5, 2.0).summary()["risk_of_the_largest_case"], 3)
            0.462
        """
        return {
            "mean_occurrences_per_case": self.mean_occurrences,
            "mean_epsilon_of_a_case": self.mean,
            "risk_of_a_mean_case": _risk(self.mean),
            "most_occurrences_of_a_case": self.most_occurrences,
            "largest_epsilon_of_a_case": self.largest,
            "risk_of_the_largest_case": _risk(self.largest),
        }


def case_stakes(graph: ExactGraph, stakes: NDArray[np.float64] | None) -> CaseStakes:
    """What one case of a log stands to lose.

    Args:
        graph: The exact graph.
        stakes: Per edge the e that one occurrence has at stake; None where nothing limits it, as
            beside a mean over the exact number of occurrences.
    """
    walked = occurrences = longest = largest = None
    if graph.cases:
        walked = float(graph.counts.sum()) / graph.cases
        if stakes is not None:
            occurrences = float(graph.counts @ stakes) / graph.cases
    if graph.longest_case is not None:
        # A case of L events walks L - 1 edges between activities, one start and one end.
        longest = graph.longest_case + 1
    if graph.longest_case is not None and stakes is not None:
        kinds = np.array(
            [(edge.source is None) + 2 * (edge.target is None) for edge in graph.edges]
        )
        most = [float(stakes[kinds == kind].max(initial=0.0)) for kind in range(3)]
        largest = (graph.longest_case - 1) * most[0] + most[1] + most[2]
    return CaseStakes(walked, occurrences, longest, largest)


def _risk(epsilon: float | None) -> float | None:
    """tanh(Σe/4): the risk against any belief (§2)."""
    return None if epsilon is None else math.tanh(epsilon / 4)
