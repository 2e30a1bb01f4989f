"""Expected errors of every kind of released weight, before the draw, as released (§5, §6).

One class per kind. Each holds what its errors depend on besides ε, so that a planner may ask for
many ε; all results have one element per edge, in the order given. They are the owner's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from hushmap.accuracy.count_grid import Fineness, count_grid
from hushmap.accuracy.rounded import RoundedLaw
from hushmap.exceptions import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = Sequence[int] | NDArray[np.generic]

_SMOOTH = {"error": Fineness(near=128, points=16), "smape": Fineness(near=16, points=8)}
_ROUNDED = {"error": Fineness(near=2048, points=16), "smape": Fineness(near=512, points=16)}
"""How densely noisy counts are taken: densely where the noise of the time is hardly wider than a
tick, for the released mean then jumps from tick to tick as the count grows."""

_HARDLY_A_TICK = 0.25  # ticks of the mean per scale of its noise
_SMAPE_NODES = 16
_BATCH = 64
"""So many edges are worked on at once, which bounds the memory."""


class _OneDraw:
    """Weights made from one noisy integer each, so that one law says everything."""

    __slots__ = ("_law",)
    _law: RoundedLaw

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._law.actual.size} edges)"

    def expected_error(self, epsilon: ArrayLike) -> Floats:
        """E|F - A| per edge, in occurrences or ticks, exact up to the rounding of floats (§5).

        Args:
            epsilon: The rate per occurrence or per tick of what the noise is added to (of the
                sum, for a mean): one for all edges, or one each.
        """
        return self._law.expected_error(_rates(epsilon, self._law.actual.size))

    def expected_ape(self, epsilon: ArrayLike) -> Floats:
        """E|F - A|/A per edge; NaN where A = 0 (§6)."""
        return _relative(self.expected_error(epsilon), self._law.actual)

    def expected_smape(self, epsilon: ArrayLike) -> Floats:
        """E[|A - F|/(A + F)] per edge, to 1e-7; 1 where A = 0 (§6)."""
        return self._law.expected_smape(_rates(epsilon, self._law.actual.size))


@dataclass(frozen=True, eq=False, repr=False)
class IntegerWeights(_OneDraw):
    """Weights that are integers and get their own noise: counts, sums, minima, maxima.

    F = max(1, m + z) is released, in occurrences or ticks, where m is the weight after clipping.

    Args:
        location: m ≥ 0 of each edge, what the noise is added to. Any integers, also beyond 2^63.
        actual: A ≥ m of each edge, the weight before clipping.

    Example:
        >>> weights = IntegerWeights(location=[5, 5, 0], actual=[5, 8, 0])
        >>> weights.expected_error(1.0).round(4)
        array([0.8431, 3.0346, 1.1565])
        >>> weights.expected_ape([1.0, 2.0, 3.0]).round(4)
        array([0.1686, 0.3751,    nan])
    """

    location: Integers
    actual: Integers

    def __post_init__(self) -> None:
        location, actual = _integers(self.location), _integers(self.actual)
        object.__setattr__(self, "_law", _rounded_law(location, actual, [1] * len(location)))


@dataclass(frozen=True, eq=False, repr=False)
class MeanOverExactCount(_OneDraw):
    """Means of durations over a number of occurrences that is not released (§5).

    F = max(1, floor((S + z)/n + ½)) is released, in ticks, where S is the sum after clipping.

    Args:
        total: S ≥ 0 of each edge, the sum that the noise is added to, in ticks.
        actual_total: The sum before clipping, at least S: A is this over n.
        count: n ≥ 1 of each edge.

    Example:
        >>> weights = MeanOverExactCount(total=[500, 7], actual_total=[500, 7], count=[10, 2])
        >>> weights.expected_error(0.01).round(4)
        array([ 9.9588, 26.3402])
    """

    total: Integers
    actual_total: Integers
    count: Integers

    def __post_init__(self) -> None:
        law = _rounded_law(
            _integers(self.total), _integers(self.actual_total), _integers(self.count)
        )
        object.__setattr__(self, "_law", law)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeanOverReleasedCount:
    """Means of durations over the released number of occurrences (§5, §9).

    F = max(1, floor((S + z)/N + ½)) is released, in ticks, with N = max(1, n + z') and the noise
    z' of the frequency. Expected errors have a relative error below 1e-6, an expected SMAPE below
    1e-4; both up to 4e-3 where the noise of the frequency is very wide (ε' below 0.02) and at the
    same time that of the mean is lost in the rounding.

    Args:
        total: S ≥ 0 of each edge, the sum that the noise is added to, in ticks.
        actual_total: The sum before clipping, at least S: A is this over n.
        count: n ≥ 1 of each edge.

    Example:
        >>> weights = MeanOverReleasedCount(total=[500, 7], actual_total=[500, 7], count=[10, 2])
        >>> weights.expected_error(0.01, epsilon_frequency=0.5).round(4)
        array([19.9199, 31.3684])
    """

    total: Integers
    actual_total: Integers
    count: Integers
    _law: RoundedLaw = field(init=False)
    _sums: Floats = field(init=False)
    _counts: list[int] = field(init=False)
    _kinks: list[int] = field(init=False)

    def __post_init__(self) -> None:
        totals, counts = _integers(self.total), _integers(self.count)
        actual_totals = _integers(self.actual_total)
        object.__setattr__(self, "_law", _rounded_law(totals, actual_totals, counts))
        object.__setattr__(self, "_sums", np.array(totals, dtype=np.float64))
        object.__setattr__(self, "_counts", counts)
        # Where the clipped sum over the noisy count meets the actual mean.
        kinks = [
            max(1, round(Fraction(n * total, actual))) if total else n
            for n, total, actual in zip(counts, totals, actual_totals, strict=True)
        ]
        object.__setattr__(self, "_kinks", kinks)

    def __repr__(self) -> str:
        return f"MeanOverReleasedCount({self._law.actual.size} edges)"

    def expected_error(self, epsilon: ArrayLike, epsilon_frequency: ArrayLike) -> Floats:
        """E|F - A| per edge, in ticks; ε per tick of the sum, and that of the frequency (§5)."""
        return self._expected("error", epsilon, epsilon_frequency)

    def expected_ape(self, epsilon: ArrayLike, epsilon_frequency: ArrayLike) -> Floats:
        """E|F - A|/A per edge; NaN where A = 0 (§6)."""
        return _relative(self.expected_error(epsilon, epsilon_frequency), self._law.actual)

    def expected_smape(self, epsilon: ArrayLike, epsilon_frequency: ArrayLike) -> Floats:
        """E[|A - F|/(A + F)] per edge; 1 where A = 0 (§6)."""
        return self._expected("smape", epsilon, epsilon_frequency)

    def _expected(
        self, what: Literal["error", "smape"], epsilon: ArrayLike, epsilon_frequency: ArrayLike
    ) -> Floats:
        """The mean over the noisy counts of what is expected given each."""
        edges = self._law.actual.size
        rates = _rates(epsilon, edges)
        frequency_rates = _rates(epsilon_frequency, edges)
        rounded = rates * self._law.divisor > _HARDLY_A_TICK
        finenesses = [_ROUNDED[what] if matters else _SMOOTH[what] for matters in rounded.tolist()]
        expected = np.empty(edges)
        for start in range(0, edges, _BATCH):
            part = slice(start, start + _BATCH)
            grid = count_grid(
                self._counts[part], self._kinks[part], frequency_rates[part], finenesses[part]
            )
            edge = grid.edge + start
            law = self._law_given(edge, grid.count)
            given = (
                law.expected_error(rates[edge])
                if what == "error"
                else law.expected_smape(rates[edge], _SMAPE_NODES)
            )
            expected[part] = np.bincount(grid.edge, weights=grid.chance * given)
        # The chances of all counts add up to 1 but for the rounding of floats.
        return expected if what == "error" else np.minimum(expected, 1.0)

    def _law_given(self, edge: NDArray[np.intp], divisor: Floats) -> RoundedLaw:
        """The law of the released mean over a noisy count."""
        own = self._law.take(edge)
        total = self._sums[edge]
        centre = np.floor(total / divisor + 0.5)
        # A count that stands for a block stands for even and odd ones: for floor(N/2) on average.
        whole = divisor == np.floor(divisor)
        half = np.where(whole, np.floor(divisor / 2), divisor / 2 - 0.25)
        # Beyond 2^53 ticks the rounding of floats may leave the range by a trifle of 1/ε.
        up = np.clip(divisor * (centre + 1) - half - total, 0, divisor + 1)
        offset = own.centre + own.offset - centre
        return RoundedLaw(divisor, up, centre, offset, own.fraction, own.shortfall, own.actual)


def _rounded_law(totals: list[int], actual_totals: list[int], counts: list[int]) -> RoundedLaw:
    """The law of a rounded quotient, from exact integers; floats hold differences only."""
    if not len(totals) == len(actual_totals) == len(counts):
        raise UsageError("The weights of a graph come in lists of equal length, one per edge.")
    columns = []
    for total, actual, n in zip(totals, actual_totals, counts, strict=True):
        if n < 1 or total < 0 or actual < total:
            raise UsageError(
                "An edge has at least one occurrence, a weight that is not negative, and an actual "
                "weight that clipping can only have lowered."
            )
        centre = (2 * total + n) // (2 * n)
        up = n * (centre + 1) - n // 2 - total
        whole, rest = divmod(max(actual, n), n)
        shortfall = max(n - actual, 0) / n
        columns.append((n, up, centre, whole - centre, rest / n, shortfall, actual / n))
    return RoundedLaw(*np.array(columns, dtype=np.float64).reshape(-1, 7).T)


def _integers(values: Integers) -> list[int]:
    """The values as Python integers, exactly; floats only where they are whole."""
    items = list(values)
    try:
        whole = [int(value) for value in items]
    except (TypeError, ValueError, OverflowError):
        raise UsageError("Counts and ticks are whole numbers.") from None
    if whole != items:
        raise UsageError("Counts and ticks are whole numbers.")
    return whole


def _rates(epsilon: ArrayLike, edges: int) -> Floats:
    """One positive finite rate per edge, from one for all or one each."""
    rates = np.asarray(epsilon, dtype=np.float64)
    if rates.shape not in ((), (edges,)):
        raise UsageError(f"One epsilon for all edges or one each, not of shape {rates.shape}.")
    if not bool(np.all(np.isfinite(rates) & (rates > 0))):
        raise UsageError("An epsilon is a positive finite number.")
    return np.broadcast_to(rates, (edges,))


def _relative(error: Floats, actual: Floats) -> Floats:
    """Errors over actual weights, NaN where the weight is 0."""
    return np.divide(error, actual, out=np.full_like(error, np.nan), where=actual > 0)
