"""The prior as the prototype of the paper computes it: a walk along all durations for each of them.

For every occurrence the empirical distribution is asked at ``t + p·r`` and at ``t - p·r``, and each
answer walks the sorted durations from their beginning: quadratic in the occurrences of an edge. It
is written here in plain lists, which is kinder to it than the original's array elements.

    python bench/prototype.py prototype 10000      # or: hushmap 10000
"""

from __future__ import annotations

import json
import random
import sys
from fractions import Fraction
from time import perf_counter

PRECISION = Fraction(1, 2)


def durations(count: int) -> list[int]:
    """Log-normal durations of one edge in seconds, sorted."""
    chance = random.Random(1)
    return sorted(int(chance.lognormvariate(8, 2)) for _ in range(count))


def share_up_to(ordered: list[int], bound: float) -> float:
    """The share of durations up to a bound, found from the beginning."""
    passed = 0
    for duration in ordered:
        if duration > bound:
            break
        passed += 1
    return passed / len(ordered)


def quadratic_priors(ordered: list[int], precision: Fraction) -> list[float]:
    """For every occurrence, the share of the edge within the precision of it."""
    reach = float(precision * ordered[-1])
    return [share_up_to(ordered, t + reach) - share_up_to(ordered, t - reach) for t in ordered]


def our_priors(ordered: list[int], precision: Fraction) -> list[float]:
    """The same, closed window, by searching in the histogram."""
    import numpy as np

    from hushmap.risk.prior import occurrence_windows

    values, counts = np.unique(np.array(ordered), return_counts=True)
    _, _, inside = occurrence_windows(values, counts, precision * int(values[-1]))
    return (inside / len(ordered)).tolist()


def main() -> None:
    who, count = sys.argv[1], int(float(sys.argv[2]))
    ordered = durations(count)
    begin = perf_counter()
    found = {"prototype": quadratic_priors, "hushmap": our_priors}[who](ordered, PRECISION)
    seconds = perf_counter() - begin
    print("FIGURES " + json.dumps({"steps": {"prior": seconds}, "check": max(found) > 0}))


if __name__ == "__main__":
    main()
