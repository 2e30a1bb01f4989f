from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.exceptions import UsageError
from hushmap.risk import guess_windows, occurrence_windows, window_counts

HUGE = 2**62


def pairs(lo, hi):
    return set(zip(lo.tolist(), hi.tolist(), strict=True))


@st.composite
def edges(draw):
    values = sorted(draw(st.sets(st.integers(0, 40), min_size=1, max_size=10)))
    range_ = max(1, values[-1]) + draw(st.sampled_from([0, 0, 0, 1, 7, 100]))
    wide = draw(
        st.one_of(
            st.sampled_from(["0", "0.05", "0.1", "0.25", "0.5", "1"]).map(
                lambda p: Fraction(p) * range_
            ),
            st.fractions(0, 60, max_denominator=6),
            st.just(Fraction(10**30 + 1, 3 * 10**30)),
        )
    )
    return values, range_, wide


@settings(deadline=None, max_examples=400, derandomize=True)
@given(edges())
def test_every_guess_is_counted_and_no_window_twice(definition, edge):
    values, range_, wide = edge
    lo, hi = guess_windows(values, range_, wide)
    ours = pairs(lo, hi)
    assert len(ours) == lo.size <= 2 * len(values)
    assert ours == definition.windows(values, range_, wide)
    assert (np.diff(lo) >= 0).all()
    assert (np.diff(hi) >= 0).all()


@settings(deadline=None, max_examples=200, derandomize=True)
@given(edges())
def test_windows_do_not_depend_on_the_unit(edge):
    values, range_, wide = edge
    factor = (HUGE // range_) if range_ < 200 else 1
    scaled = guess_windows([v * factor for v in values], range_ * factor, wide * factor)
    for ours, theirs in zip(guess_windows(values, range_, wide), scaled, strict=True):
        assert ours.tolist() == theirs.tolist()
    counts = [1] * len(values)
    scaled = occurrence_windows([v * factor for v in values], counts, wide * factor)
    for ours, theirs in zip(occurrence_windows(values, counts, wide), scaled, strict=True):
        assert ours.tolist() == theirs.tolist()


@settings(deadline=None, max_examples=200, derandomize=True)
@given(edges(), st.data())
def test_the_papers_windows_are_closed_and_centred(edge, draw):
    values, _, wide = edge
    counts = draw.draw(st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values)))
    lo, hi, inside = occurrence_windows(values, counts, wide)
    for k, value in enumerate(values):
        covered = [i for i, other in enumerate(values) if abs(other - value) <= wide]
        assert (lo[k], hi[k]) == (covered[0], covered[-1] + 1)
        assert inside[k] == sum(counts[i] for i in covered)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(edges())
def test_the_papers_guesses_are_among_all_guesses(edge):
    values, range_, wide = edge
    lo, hi, _ = occurrence_windows(values, [1] * len(values), wide)
    assert pairs(lo, hi) <= pairs(*guess_windows(values, range_, wide))


def test_a_tie_at_the_border_is_inside_however_fine_the_tolerance():
    just_short = Fraction(10 * 10**40 - 1, 10**40)
    assert occurrence_windows([0, 10], [1, 1], 10)[2].tolist() == [2, 2]
    assert occurrence_windows([0, 10], [1, 1], just_short)[2].tolist() == [1, 1]
    # A guess at 5 reaches both ends exactly; a hair less reaches but one.
    assert (0, 2) in pairs(*guess_windows([0, 10], 10, 5))
    assert pairs(*guess_windows([0, 10], 10, just_short / 2)) == {(0, 1), (1, 2)}


def test_decimal_precision_is_what_the_user_wrote():
    # 0.1·3 is 0.30000000000000004 in doubles, and 0.7·10 is 7.000000000000001 − both must tie.
    assert occurrence_windows([0, 7], [1, 1], Fraction("0.7") * 10)[2].tolist() == [2, 2]
    assert occurrence_windows([0, 7], [1, 1], 7.0)[2].tolist() == [2, 2]


def test_the_largest_ticks_do_not_overflow():
    values = [0, 1, HUGE // 2, HUGE - 1, HUGE]
    for wide in (
        Fraction(HUGE, 3),
        Fraction(HUGE),
        Fraction(5 * HUGE),
        Fraction(0),
        Fraction(1, 2),
    ):
        lo, hi = guess_windows(values, HUGE, wide)
        small = guess_windows([0, 3, 300, 597, 600], 600, Fraction(600, 3))
        assert (lo < hi).all()
        if wide == Fraction(HUGE, 3):
            assert [lo.tolist(), hi.tolist()] == [a.tolist() for a in small]
        if wide >= HUGE:
            assert [lo.tolist(), hi.tolist()] == [[0], [5]]
            assert occurrence_windows(values, [1] * 5, wide)[2].tolist() == [5] * 5


def test_a_million_values_have_at_most_two_million_windows():
    values = np.arange(1_000_000) * 3
    lo, hi = guess_windows(values, int(values[-1]), Fraction(1, 10) * int(values[-1]))
    assert values.size < lo.size < 2 * values.size
    assert window_counts(np.ones(values.size, int), lo, hi).tolist() == (hi - lo).tolist()


def test_an_edge_without_durations_has_no_windows():
    assert guess_windows([], 1, 0)[0].size == 0
    assert occurrence_windows([], [], 0)[2].size == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: guess_windows([0, 10], 9, 1),
        lambda: guess_windows([0], 0, 1),
        lambda: guess_windows([0, 10], 10, -1),
        lambda: guess_windows([0.5, 1.0], 10, 1),
        lambda: guess_windows([[1, 2]], 10, 1),
        lambda: occurrence_windows([2, 1], [1, 1], 1),
        lambda: occurrence_windows([1, 1], [1, 1], 1),
        lambda: occurrence_windows([-1, 1], [1, 1], 1),
        lambda: occurrence_windows([1, 2], [1, 0], 1),
        lambda: occurrence_windows([1, 2], [1], 1),
        lambda: occurrence_windows([1, 2], [1, 1], float("inf")),
    ],
)
def test_illegal_arguments_are_refused(call):
    with pytest.raises(UsageError):
        call()
