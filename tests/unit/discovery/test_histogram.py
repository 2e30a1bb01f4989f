"""Durations sorted and added up with NumPy: against plain Python, from the definition."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmap.discovery.assemble import Histogram
from hushmap.graph import Edge

EDGES = [Edge("A", target) for target in "ABCDEFGH"]
ticks = st.integers(0, 50) | st.integers(0, 2**55)
counts = st.just(1) | st.integers(1, 2**20) | st.just(2**40)


@st.composite
def rows(draw):
    """Distinct (edge, duration) with counts, in any order."""
    keys = draw(st.lists(st.tuples(st.integers(0, 7), ticks), min_size=1, unique=True))
    return [(edge, duration, draw(counts)) for edge, duration in keys]


def histogram_of(rows):
    columns = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Histogram.of_rows(*columns)


@given(rows())
def test_rows_in_any_order_become_one_sorted_table(rows):
    codes, found = histogram_of(rows)
    assert codes.tolist() == sorted({edge for edge, _, _ in rows})
    table = zip(codes[found.edge].tolist(), found.ticks.tolist(), found.count.tolist(), strict=True)
    assert list(table) == sorted(rows)


@pytest.mark.parametrize("repeated", [0, 3, 900])
def test_many_rows_keep_their_counts_however_many_of_them_are_one(repeated):
    generator = np.random.default_rng(1)
    durations = generator.choice(10**9, 1_000, replace=False).tolist()
    rows = [
        (place % 5, duration, place + 2 if place < repeated else 1)
        for place, duration in enumerate(durations)
    ]
    codes, found = histogram_of(rows)
    table = zip(codes[found.edge].tolist(), found.ticks.tolist(), found.count.tolist(), strict=True)
    assert list(table) == sorted(rows)


@given(rows())
def test_totals_are_exact_beyond_64_bits(rows):
    codes, found = histogram_of(rows)
    edges = [EDGES[code] for code in codes.tolist()]
    own = defaultdict(list)
    for edge, duration, count in rows:
        own[edge].append((duration, count))
    totals = found.totals(edges, None)
    for place, code in enumerate(codes.tolist()):
        assert totals.counts[place] == sum(count for _, count in own[code])
        assert totals.sums[place] == sum(duration * count for duration, count in own[code])
        assert totals.clipped_sums[place] == totals.sums[place]
        assert totals.minima[place] == min(own[code])[0]
        assert totals.maxima[place] == max(own[code])[0]
    bounds = np.full(len(codes), 40)
    clipped = found.totals(edges, bounds)
    for place, code in enumerate(codes.tolist()):
        assert clipped.sums == totals.sums
        assert clipped.clipped_sums[place] == sum(
            min(duration, 40) * count for duration, count in own[code]
        )
        assert clipped.clipped[place] == sum(
            count for duration, count in own[code] if duration > 40
        )


@given(rows(), st.permutations(range(8)))
def test_durations_follow_their_edges_to_new_places(rows, places):
    codes, found = histogram_of(rows)
    mine = [places[code] for code in codes.tolist()]
    durations = found.durations(mine, None, 8)
    for code, place in enumerate(places):
        start, end = durations.offsets[place], durations.offsets[place + 1]
        table = zip(
            durations.values[start:end].tolist(), durations.counts[start:end].tolist(), strict=True
        )
        assert list(table) == sorted((d, count) for edge, d, count in rows if edge == code)
