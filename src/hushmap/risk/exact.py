"""The exact posterior of the empirical attacker (method.md §4), for all windows at once.

With ``q_v`` the share of the distinct duration v and W a window with prior P, after seeing y the
attacker's gain is ``P'(y) − P``, where ``P' = Σ_{v∈W} q_v·w_v / Σ_v q_v·w_v`` and
``w_v = exp(−e·|y − v|)``, durations in units of the range. Facts 1 and 2 of §4 name the one value
in the window where the gain is largest; two running sums give the gain there.

Accuracy. Three forms of the same gain are used, so that no digits are lost:

- *near* (``e·span ≤ ½``, the span being that of the edge's durations): with the faded parts
  ``D = Σ q_v·(1 − w_v)``, the gain is ``(D_out − (1−P)·D_all) / (1 − D_all)``. The gain of the
  best window is a fair share of the D, so its relative error stays near 1e-14 even at e = 1e-9.
- *plain*: ``(1−P) − O/Z`` with the mass outside ``O = Σ_out q_v·w_v`` and ``Z = Σ_v q_v·w_v``, both
  from running sums of ``q_v·exp(e·v)`` and ``q_v·exp(−e·v)``. The absolute error is about 1e-15.
- *far* (``e·span > 300``, where these would overflow): the same from sums that fade, with an
  absolute error of ``2e-16·e`` at most through the choice of the value (1e-12 at e = 1e4).

Measured against mpmath in the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hushmap.exceptions import UsageError
from hushmap.risk.prior import histogram, integers, window_counts
from hushmap.risk.running import fading_sums, padded_width, sums_before, sums_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from hushmap.risk.prior import FloatArray, IntArray

    Histogram = tuple[IntArray, IntArray]

_NEAR, _FAR = 0.5, 300.0
_LARGEST = 1e30  # at it the weights of two ticks differ fully; beyond it products overflow
# Halving for each window is faster than a search in the ratios of a whole row where a window is
# asked for among more values than these, and where a row is no longer than this.
_FEW, _SHORT = 8, 64


def exact_risk(
    values: ArrayLike,
    counts: ArrayLike,
    range_: int,
    windows: tuple[ArrayLike, ArrayLike],
    e: float,
) -> float:
    """The exact risk of one edge: the largest gain over windows and observations (§4).

    Args:
        values: Distinct durations in ticks, ascending.
        counts: Occurrences of each.
        range_: The range r in ticks.
        windows: ``lo`` and ``hi`` of the windows, as `prior.guess_windows` gives them: neither
            falls from one window to the next.
        e: ``ε·r``, not negative.

    Returns:
        δ(e), in [0, 1).

    Raises:
        UsageError: An argument is outside its legal range.

    Example:
        >>> from hushmap.risk.prior import guess_windows
        >>> windows = guess_windows([0, 10], 10, 1)
        >>> round(exact_risk([0, 10], [1, 3], 10, windows, 2.0), 4)
        0.4612
    """
    ticks, number = histogram(values, counts)
    if ticks.size == 0:
        return 0.0
    if range_ < max(1, int(ticks[-1])):
        raise UsageError("The range must be at least one tick and at least the longest duration.")
    if not e >= 0:
        raise UsageError(f"e = ε·r must be a number of at least 0, but is {e}.")
    lo, hi = integers(windows[0]), integers(windows[1])
    posterior = ExactPosterior([(ticks, number)], [range_], [(lo, hi)])
    return float(posterior.risk(np.array([0]), np.array([e], float))[0])


class ExactPosterior:
    """The exact risks of several edges, each at its own e, in one pass over all of them.

    The edges are best of similar size: each has a row that is as long as the longest. Windows
    that hold every occurrence gain nothing and are left out at once.

    Args:
        histograms: Distinct durations in ticks, ascending, and the occurrences of each, per edge.
        ranges: r of each edge, in ticks.
        windows: ``lo`` and ``hi`` of the windows of each edge; neither falls.

    Attributes:
        edges: How many there are.
        window_edge: The edge of each window that is kept.

    Example:
        >>> posterior = ExactPosterior([(np.array([0, 10]), np.array([1, 3]))], [10],
        ...                            [(np.array([0, 1]), np.array([1, 2]))])
        >>> posterior.risk(np.array([0]), np.array([2.0])).round(4)
        array([0.4612])
    """

    def __init__(
        self,
        histograms: Sequence[Histogram],
        ranges: Sequence[int],
        windows: Sequence[tuple[IntArray, IntArray]],
    ) -> None:
        self.edges = len(histograms)
        self._ticks = [values for values, _ in histograms]
        self._ranges = np.array(ranges, dtype=np.float64)
        sizes = np.array([values.size for values in self._ticks])
        width = padded_width(int(sizes.max()))
        self._x, self._share = np.zeros((self.edges, width)), np.zeros((self.edges, width))
        kept = []
        for row, ((values, counts), (lo, hi)) in enumerate(zip(histograms, windows, strict=True)):
            place = slice(0, values.size)
            total = int(counts.sum())
            self._x[row, place] = (values - values[0]) / self._ranges[row]
            self._x[row, values.size :] = self._x[row, values.size - 1]
            self._share[row, place] = counts / total
            outside = total - window_counts(counts, lo, hi)
            some = outside > 0
            kept.append((lo[some], hi[some], outside[some] / total))
        self._span = self._x[:, -1]
        number = [lo.size for lo, _, _ in kept]
        self.window_edge = np.repeat(np.arange(self.edges, dtype=np.int32), number)
        self._lo = np.concatenate([lo.astype(np.int32) for lo, _, _ in kept])
        self._hi = np.concatenate([hi.astype(np.int32) for _, hi, _ in kept])
        self._rest = np.concatenate([rest for _, _, rest in kept])

    def windows_of(self, edges: IntArray) -> NDArray[np.intp]:
        """All windows of some edges.

        Args:
            edges: The edges, ascending.

        Returns:
            Their places, ascending.
        """
        if edges.size == self.edges:
            return np.arange(self.window_edge.size)
        asked = np.zeros(self.edges, dtype=bool)
        asked[edges] = True
        return np.flatnonzero(asked[self.window_edge])

    def risk(self, edges: IntArray, e: FloatArray) -> FloatArray:
        """δ(e) of the edges asked for, each at its own e.

        Args:
            edges: The edges, ascending.
            e: ``ε·r`` of each.

        Returns:
            The largest gain of any window of each edge, 0 for an edge without windows.
        """
        windows = self.windows_of(edges)
        return self.largest(edges, windows, self.gains(edges, e, windows))

    def largest(self, edges: IntArray, windows: NDArray[np.intp], gains: FloatArray) -> FloatArray:
        """The largest gain of each edge.

        Args:
            edges: The edges, ascending.
            windows: The windows that were computed, ascending.
            gains: Their gains.

        Returns:
            One gain per edge.
        """
        best = np.zeros(self.edges)
        owner = self.window_edge[windows]
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        if first.size:
            best[owner[first]] = np.maximum.reduceat(gains, first)
        return best[edges]

    def gains(self, edges: IntArray, e: FloatArray, windows: NDArray[np.intp]) -> FloatArray:
        """The largest gain of each window over all observations.

        Args:
            edges: The edges, ascending.
            e: ``ε·r`` of each.
            windows: Windows of these edges, ascending.

        Returns:
            ``sup_y P'(y) − P`` of each window.
        """
        e = np.minimum(e, _LARGEST)
        reach = e * self._span[edges]
        near, far = reach <= _NEAR, reach > _FAR
        gains = np.empty(windows.size)
        for form, chosen in ((self._near, near), (self._plain, ~(near | far)), (self._far, far)):
            if chosen.all():
                gains = form(edges, e, windows)
            elif chosen.any():
                mine = np.zeros(self.edges, dtype=bool)
                mine[edges[chosen]] = True
                of_form = mine[self.window_edge[windows]]
                gains[of_form] = form(edges[chosen], e[chosen], windows[of_form])
        return np.clip(gains, 0.0, self._rest[windows], out=gains)

    def _rows(self, edges: IntArray, windows: NDArray[np.intp]) -> NDArray[np.intp]:
        """In which row of arrays of these edges alone each window is."""
        row = np.zeros(self.edges, dtype=np.intp)
        row[edges] = np.arange(edges.size)
        return row[self.window_edge[windows]]

    def _values(self, edges: IntArray) -> tuple[FloatArray, FloatArray]:
        if edges.size == self.edges:
            return self._x, self._share
        return self._x[edges], self._share[edges]

    def _plain(self, edges: IntArray, e: FloatArray, windows: NDArray[np.intp]) -> FloatArray:
        x, share = self._values(edges)
        growth = np.exp(e[:, None] * x)
        left, right = sums_before(share * growth), sums_from(share / growth)
        row, lo, hi = self._rows(edges, windows), self._lo[windows], self._hi[windows]
        before, after = left[row, lo], right[row, hi]
        best = _best(left, right, row, lo, hi)
        # All weights are exp(−e·v) of what they are: the ratio is the same.
        squared = growth[row, best] ** 2
        outside = before + after * squared
        everything = left[row, best + 1] + right[row, best + 1] * squared
        gains: FloatArray = self._rest[windows] - outside / everything
        return gains

    def _near(self, edges: IntArray, e: FloatArray, windows: NDArray[np.intp]) -> FloatArray:
        x, share = self._values(edges)
        rate = e[:, None]
        growth = np.exp(rate * x)
        left, right = sums_before(share * growth), sums_from(share / growth)
        row, lo, hi = self._rows(edges, windows), self._lo[windows], self._hi[windows]
        best = _best(left, right, row, lo, hi)
        # What fades on the way from a value to the next is a sum of positive terms, too:
        # D_i·exp(e·v_i) grows by Q_{i−1}·(exp(e·v_i) − exp(e·v_{i−1})).
        up_to, from_on = sums_before(share.copy()), sums_from(share.copy())
        gap = np.diff(x, axis=1)
        grown, shrunk = np.zeros_like(x), np.zeros_like(x)
        grown[:, 1:] = up_to[:, 1:-1] * growth[:, :-1] * np.expm1(rate * gap)
        shrunk[:, :-1] = from_on[:, 1:-1] / growth[:, :-1] * -np.expm1(-rate * gap)
        faded_left = sums_before(grown)[:, 1:] / growth
        faded_right = sums_from(shrunk)[:, :-1] * growth
        # An empty place has no mass, so its neighbour does for it.
        before, after = np.maximum(lo - 1, 0), np.minimum(hi, x.shape[1] - 1)
        here, each = x[row, best], e[row]
        # What is beyond a gap has lost its share of the gap besides what it had lost already.
        left_fades = -np.expm1(-each * (here - x[row, before]))
        right_fades = -np.expm1(-each * (x[row, after] - here))
        outside = np.where(lo > 0, faded_left[row, before] * (1.0 - left_fades), 0.0)
        outside += up_to[row, lo] * left_fades
        outside += np.where(hi < x.shape[1], faded_right[row, after] * (1.0 - right_fades), 0.0)
        outside += from_on[row, hi] * right_fades
        everything = faded_left[row, best] + faded_right[row, best]
        gains: FloatArray = (outside - self._rest[windows] * everything) / (1.0 - everything)
        return gains

    def _far(self, edges: IntArray, e: FloatArray, windows: NDArray[np.intp]) -> FloatArray:
        owner = self.window_edge[windows]
        gains = [
            self._far_of(edge, rate, windows[owner == edge])
            for edge, rate in zip(edges.tolist(), (e / self._ranges[edges]).tolist(), strict=True)
        ]
        return np.concatenate(gains)

    def _far_of(self, edge: int, rate: float, windows: NDArray[np.intp]) -> FloatArray:
        ticks = self._ticks[edge]
        share = self._share[edge, : ticks.size]
        # Differences of integers are exact.
        steps = rate * np.diff(ticks, prepend=ticks[:1])
        left = fading_sums(steps, share)
        right = fading_sums(np.append(0.0, steps[:0:-1]), share[::-1])[::-1]
        lo, hi = self._lo[windows], self._hi[windows]
        before, after = np.maximum(lo - 1, 0), np.minimum(hi, ticks.size - 1)
        # ln(α_i/β_i) is e·(v_i + v_{i+1}) + ln L_i − ln R_{i+1};
        # of the window itself, over its neighbours.
        log_left, log_right = np.log(left), np.log(right)
        place = rate * (ticks - ticks[0])
        ratios = place[:-1] + place[1:] + log_left[:-1] - log_right[1:]
        own = place[before] + place[after] + log_left[before] - log_right[after]
        own = np.where(lo == 0, -np.inf, np.where(hi == ticks.size, np.inf, own))
        best = np.clip(np.searchsorted(ratios, own), lo, hi - 1)
        left_gap, right_gap = (
            rate * (ticks[best] - ticks[before]),
            rate * (ticks[after] - ticks[best]),
        )
        outside = np.where(lo > 0, left[before] * np.exp(-left_gap), 0.0)
        outside += np.where(hi < ticks.size, right[after] * np.exp(-right_gap), 0.0)
        gains: FloatArray = self._rest[windows] - outside / (left[best] + right[best] - share[best])
        return gains


def _best(
    left: FloatArray, right: FloatArray, row: NDArray[np.intp], lo: IntArray, hi: IntArray
) -> NDArray[np.intp]:
    """The value of each window from which least of the outside is seen (§4, fact 2).

    It is the first i in the window with ``α_i/β_i ≥ a/b``. The ratios ascend along each row, also
    as they are rounded, so both ways of searching find the same. A rounding error can only pick a
    neighbour that is as good but for that error.

    Args:
        left: ``Σ q_u·exp(e·u)`` over all values before each place, a row per edge: α.
        right: ``Σ q_u·exp(−e·u)`` over all values from each place on: β.
        row: The row of each window; ascending.
        lo: Its first value.
        hi: The one after its last.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        own = left[row, lo] / right[row, hi]
        if row.size * _FEW < left.size or left.shape[1] <= _SHORT:
            return _first_at_least(left, right, row, lo, hi, own)
        found = np.empty(row.size, dtype=np.intp)
        ends = np.searchsorted(row, np.arange(left.shape[0] + 1))
        for each in range(left.shape[0]):
            mine = slice(ends[each], ends[each + 1])
            found[mine] = np.searchsorted(left[each, 1:] / right[each, 1:], own[mine])
    return np.clip(found, lo, hi - 1, out=found)


def _first_at_least(
    left: FloatArray,
    right: FloatArray,
    row: NDArray[np.intp],
    lo: IntArray,
    hi: IntArray,
    own: FloatArray,
) -> NDArray[np.intp]:
    """The first i from lo on with ``α_i/β_i ≥ own``, or else the last before hi: by halving."""
    low, high = lo.astype(np.intp), hi.astype(np.intp) - 1
    open_ = np.flatnonzero(low < high)
    while open_.size:
        middle = (low[open_] + high[open_]) >> 1
        rows = row[open_]
        enough = left[rows, middle + 1] / right[rows, middle + 1] >= own[open_]
        high[open_] = np.where(enough, middle, high[open_])
        low[open_] = np.where(enough, low[open_], middle + 1)
        open_ = open_[low[open_] < high[open_]]
    return low
