"""How far released weights are from the actual ones: expected, before a draw, and realised (§6).

Expected errors come from the law of the noise and of the release rule, clamped and rounded as
released (§5): one class per kind of weight, asked again for every ε that a planner tries. Where
clipping lowers a weight close to one, an expected error need not fall as ε grows: noise that is
clamped at one moves the weight upwards, towards the actual one.
"""

from hushmap.accuracy.law import (
    continuous_epsilon_for_tail,
    expected_absolute,
    least_epsilon_for_tail,
    tail,
)
from hushmap.accuracy.measures import GraphError, ape, mape, smape, smape_edge
from hushmap.accuracy.weights import IntegerWeights, MeanOverExactCount, MeanOverReleasedCount

__all__ = [
    "GraphError",
    "IntegerWeights",
    "MeanOverExactCount",
    "MeanOverReleasedCount",
    "ape",
    "continuous_epsilon_for_tail",
    "expected_absolute",
    "least_epsilon_for_tail",
    "mape",
    "smape",
    "smape_edge",
    "tail",
]
