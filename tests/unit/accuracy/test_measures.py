"""Realised errors and their means over a graph (method.md §6)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from hushmap.accuracy import GraphError, ape, mape, smape, smape_edge
from hushmap.exceptions import UsageError


def test_errors_of_an_edge():
    assert ape([4, 8], [5, 8]).tolist() == [0.25, 0.0]
    assert smape_edge([3, 8], [5, 8]).tolist() == [0.25, 0.0]


def test_an_edge_of_zero_has_no_ape_and_is_counted_and_left_out():
    apes = ape([0, 0, 4], [0, 1, 5])
    assert np.isnan(apes).tolist() == [True, True, False]
    assert mape(apes) == GraphError(mean=0.25, edges=1, undefined=2)


def test_the_smape_of_an_edge_of_zero_is_zero_if_released_so_and_else_one():
    assert smape_edge([0, 0], [0, 1]).tolist() == [0.0, 1.0]
    assert smape(smape_edge([0, 0], [0, 1])) == GraphError(mean=0.5, edges=2, undefined=0)


def test_the_mean_is_not_twice_the_mean():
    """The prototype's published MAPE and SMAPE are, by a doubled `+=`."""
    assert mape([0.1, 0.3]).mean == pytest.approx(0.2)
    assert smape([0.1, 0.3]).mean == pytest.approx(0.2)


def test_weights_beyond_floats_are_compared_exactly():
    actual, released = [2**70, Fraction(2**60 + 1, 3)], [2**70 + 1, Fraction(2**60, 3)]
    assert ape(actual, released).tolist() == [2.0**-70, float(Fraction(1, 2**60 + 1))]
    assert smape_edge(actual, released)[0] == pytest.approx(2.0**-71)


def test_lists_and_arrays_of_any_number_type_are_read():
    expected = ape([4, 8], [5, 9]).tolist()
    for kind in (np.int64, np.int32, np.uint8, np.float64, np.float32, object):
        assert ape(np.array([4, 8], dtype=kind), np.array([5, 9], dtype=kind)).tolist() == expected


def test_a_graph_without_a_weight_has_no_mape():
    nothing = mape([math.nan])
    assert math.isnan(nothing.mean)
    assert (nothing.edges, nothing.undefined) == (0, 1)
    assert mape([]).edges == 0


@pytest.mark.parametrize(
    ("actual", "released"),
    [
        ([1], [1, 2]),
        ([1, 2], [1]),
        ([-1], [1]),
        ([1], [-1]),
        ([math.nan], [1]),
        ([1], [math.inf]),
        (["1"], [1]),
        ([None], [1]),
    ],
)
def test_what_is_not_a_weight_is_refused(actual, released):
    with pytest.raises(UsageError):
        ape(actual, released)
    with pytest.raises(UsageError):
        smape_edge(actual, released)
