"""The guessing advantage: what a release can add to an attacker's probability of being right.

Pure functions of arrays (method.md §2–§4). `prior` counts what a guess covers, `bound` holds the
worst case and the paper's bound, `exact` the exact posterior, and `RiskCurves` answers for all
edges of a graph at once.
"""

from hushmap.risk.bound import epsilon_any, epsilon_bound, repeated_risk, risk_any, risk_bound
from hushmap.risk.curves import Attacker, RiskCurves, informed_edges
from hushmap.risk.exact import exact_risk
from hushmap.risk.prior import Exact, as_fraction, guess_windows, occurrence_windows, window_counts

__all__ = [
    "Attacker",
    "Exact",
    "RiskCurves",
    "as_fraction",
    "epsilon_any",
    "epsilon_bound",
    "exact_risk",
    "guess_windows",
    "informed_edges",
    "occurrence_windows",
    "repeated_risk",
    "risk_any",
    "risk_bound",
    "window_counts",
]
