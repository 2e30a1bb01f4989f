"""The inverse of the exact risk curves: the largest e within a risk (method.md §4, fact 3).

δ(e) never falls, so e(δ) is a root. It is looked for on a fixed grid of relative width 1e-11: the
ladder ``2^(k/4)``, each of its steps in 2^34 equal parts. What is returned is the grid point j
with ``δ(j) ≤ δ < δ(j+1)``: the root from the safe side, the same whatever was computed before, and
never falling as δ grows (as long as neighbours on the grid differ by more than the rounding of
δ(e), which leaves only the last digit of curves that have become flat).

Few of the windows of a large edge matter. A sample of them leads to a point just above the root;
there all of them are computed, once. A window that gains at most δ at some e gains at most that at
every smaller e (fact 3 holds for each window by itself), so those that do are left out from there
on, and the root is that of the few others.
"""

from __future__ import annotations

from math import ceil, floor, log2
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hushmap.risk.exact import ExactPosterior
    from hushmap.risk.prior import FloatArray, IntArray

    Places = NDArray[np.intp]

_RUNGS = 4  # steps of the ladder per factor of two
_FINE = 2.0**34  # steps of the fine grid per step of the ladder
_RISE = 2.0 ** (1 / _RUNGS) - 1.0
_PATIENCE = 12  # looks after which only halving is left
_FIRST = 4  # where the search looks first: twice e*, what an exact curve often allows
_MANY = 4096  # windows of an edge from which on it is worth while to ask a few of them first
_SAMPLE = 256  # these
_CLOSE = 2.0**16  # steps of the fine grid: as near as the sample's root has to be known


class RootSearch:
    """Finds e on the curves of several edges at once.

    Args:
        posterior: The curves.

    Example:
        >>> from hushmap.risk.exact import ExactPosterior
        >>> posterior = ExactPosterior([(np.array([0, 10]), np.array([1, 3]))], [10],
        ...                            [(np.array([0, 1]), np.array([1, 2]))])
        >>> search = RootSearch(posterior)
        >>> search.epsilon(np.array([0]), 0.461234594228, 1.0, 6.0).round(6)
        array([2.])
    """

    def __init__(self, posterior: ExactPosterior) -> None:
        self._posterior = posterior
        self._ladder: dict[int, FloatArray] = {}
        owner = posterior.window_edge
        number = np.bincount(owner, minlength=posterior.edges)
        nth = np.arange(owner.size) - (np.cumsum(number) - number)[owner]
        self._whole = number <= _MANY
        every = np.where(self._whole, 1, number // _SAMPLE)
        self._sample = np.flatnonzero(nth % every[owner] == 0)

    def risk(self, e: FloatArray) -> FloatArray:
        """δ(e) of every edge.

        Args:
            e: ``ε·r`` of each edge.

        Returns:
            The risk of each.
        """
        return self._posterior.risk(np.arange(self._posterior.edges), e)

    def epsilon(self, edges: IntArray, risk: float, low: float, high: float) -> FloatArray:
        """The largest e up to ``high`` with ``δ(e) ≤ δ``.

        Args:
            edges: The edges, ascending.
            risk: δ.
            low: An e at which every risk is known to be within δ: ``e*(δ)``.
            high: The cap.

        Returns:
            e of each edge, at least a step of the ladder below ``low``, or ``high``.
        """
        bottom, top = floor(_RUNGS * log2(low)), ceil(_RUNGS * log2(high))
        rungs = self._climb(edges, risk, bottom, top)
        root = np.full(edges.size, top * _FINE)  # an edge that ends here may have the cap
        above = root.copy()
        inner = np.flatnonzero(rungs < top)
        if inner.size:
            mine, rung = edges[inner], rungs[inner]
            bracket = _Bracket(_point(rung), _point(rung + 1))
            bracket.begin(self._rungs(mine, rung) - risk, self._rungs(mine, rung + 1) - risk)
            close = np.where(self._whole[mine], 1.0, _CLOSE)
            self._narrow(mine, bracket, close, self._of(mine, self._sample), risk)
            root[inner], above[inner] = bracket.low, bracket.high
        sampled = np.flatnonzero(~self._whole[edges])
        if sampled.size:
            mine = edges[sampled]
            root[sampled] = self._settle(mine, root[sampled], above[sampled], bottom, risk)
        return np.where(root < top * _FINE, _on_grid(root), high)

    def _of(self, edges: IntArray, windows: Places) -> Places:
        """Those of the windows that belong to these edges."""
        mine = np.zeros(self._posterior.edges, dtype=bool)
        mine[edges] = True
        return windows[mine[self._posterior.window_edge[windows]]]

    def _climb(self, edges: IntArray, risk: float, bottom: int, top: int) -> IntArray:
        """The last rung of the ladder at which the sample is within δ, up to ``top``."""
        safe = np.full(edges.size, bottom)
        unsafe = np.full(edges.size, top + 1)  # beyond the cap: nothing to find there
        rung = np.minimum(safe + _FIRST, top)
        while (open_ := np.flatnonzero(unsafe - safe > 1)).size:
            within = self._rungs(edges[open_], rung[open_]) <= risk
            safe[open_] = np.where(within, rung[open_], safe[open_])
            unsafe[open_] = np.where(within, unsafe[open_], rung[open_])
            rung = (safe + unsafe) // 2
        return safe

    def _rungs(self, edges: IntArray, rungs: IntArray) -> FloatArray:
        """δ of the sample at rungs of the ladder, one for each edge; computed once, then kept."""
        risks = np.empty(edges.size)
        for rung in np.unique(rungs).tolist():
            kept = self._ladder.setdefault(rung, np.full(self._posterior.edges, np.nan))
            risks[rungs == rung] = kept[edges[rungs == rung]]
        new = np.flatnonzero(np.isnan(risks))
        if new.size:
            mine = edges[new]
            windows = self._of(mine, self._sample)
            gains = self._posterior.gains(mine, _on_grid(_point(rungs[new])), windows)
            risks[new] = self._posterior.largest(mine, windows, gains)
            for edge, rung, value in zip(
                mine.tolist(), rungs[new].tolist(), risks[new].tolist(), strict=True
            ):
                self._ladder[rung][edge] = value
        return risks

    def _look(
        self, edges: IntArray, point: FloatArray, windows: Places, risk: float
    ) -> tuple[FloatArray, Places]:
        """By how much the windows exceed δ at a point of each edge, and those that matter below."""
        gains = self._posterior.gains(edges, _on_grid(point), windows)
        excess = self._posterior.largest(edges, windows, gains) - risk
        above = np.zeros(self._posterior.edges, dtype=bool)
        above[edges] = excess > 0
        matter = ~above[self._posterior.window_edge[windows]] | (gains > risk)
        return excess, windows[matter]

    def _narrow(
        self, edges: IntArray, bracket: _Bracket, close: FloatArray, windows: Places, risk: float
    ) -> None:
        """Narrow the bracket of each edge until its ends are close."""
        while (open_ := np.flatnonzero(bracket.high - bracket.low > close)).size:
            point = bracket.propose(open_)
            windows = self._of(edges[open_], windows)
            excess, windows = self._look(edges[open_], point, windows, risk)
            bracket.take(open_, point, excess)

    def _settle(
        self, edges: IntArray, low: FloatArray, high: FloatArray, bottom: int, risk: float
    ) -> FloatArray:
        """The root of all windows, from what the sample says.

        Args:
            edges: The edges.
            low: A point at which the sample of each is within δ.
            high: The next at which it is not, or the end of the grid.
            bottom: The rung at which every risk is within δ.
            risk: δ.

        Returns:
            The last point within δ of each edge.
        """
        excess, windows = self._look(edges, high, self._posterior.windows_of(edges), risk)
        root = high.copy()
        open_ = np.flatnonzero(excess > 0)
        if not open_.size:
            return root
        # Go down, as steeply as the curve is, until the other side is found.
        bracket = _Bracket(np.minimum(low, high - _CLOSE)[open_], high[open_])
        floor_ = np.full(open_.size, bottom * _FINE)
        at_high, at_low = excess[open_], np.full(open_.size, np.nan)
        up = np.arange(open_.size)
        while up.size:
            bracket.low[up] = np.maximum(bracket.low[up], floor_[up])
            mine = edges[open_][up]
            found, left = self._look(mine, bracket.low[up], self._of(mine, windows), risk)
            windows = _replaced(windows, left, mine, self._posterior.window_edge)
            at_low[up] = np.where(bracket.low[up] > floor_[up], found, np.minimum(found, 0.0))
            up = up[at_low[up] > 0]
            reach = bracket.high[up] - bracket.low[up]
            fallen = np.maximum(at_high[up] - at_low[up], 0.0)
            with np.errstate(divide="ignore"):
                steep = np.where(fallen > 0, 1.1 * at_low[up] * reach / fallen, np.inf)
            bracket.high[up], at_high[up] = bracket.low[up], at_low[up]
            bracket.low[up] -= np.rint(np.clip(steep, 1.0, 16.0 * reach))
        bracket.begin(at_low, at_high)
        self._narrow(edges[open_], bracket, np.ones(open_.size), windows, risk)
        root[open_] = bracket.low
        return root


def _replaced(windows: Places, left: Places, edges: IntArray, owner: NDArray[np.int32]) -> Places:
    """The windows, with those that are left of some edges in place of all of them."""
    others = windows[~np.isin(owner[windows], edges)]
    return np.sort(np.concatenate((others, left)))


def _point(rung: IntArray) -> FloatArray:
    """The point of the grid that a rung of the ladder is."""
    return rung.astype(np.float64) * _FINE


def _on_grid(point: FloatArray) -> FloatArray:
    """E at a point of the grid."""
    rung = np.floor(point / _FINE)
    e: FloatArray = np.exp2(rung / _RUNGS) * (1.0 + (point / _FINE - rung) * _RISE)
    return e


class _Bracket:
    """Roots between two points of the grid, held between the last two of opposite sign.

    Chandrupatla's method, a safeguarded inverse quadratic interpolation, on whole steps of the
    grid, all edges abreast.
    """

    def __init__(self, low: FloatArray, high: FloatArray) -> None:
        self._looks = 0
        self.low, self.high = low.astype(np.float64), high.astype(np.float64)

    def begin(self, at_low: FloatArray, at_high: FloatArray) -> None:
        """Start with what was found at both ends: at most 0, and above 0."""
        # Chandrupatla's three points: the newest a, b of the other sign, and the one before, c.
        # (Where the worst case is attained, rounding may lift δ(e*) above δ by its last digit.)
        self._b, self._fb = self.low.copy(), np.minimum(at_low, 0.0)
        self._a, self._fa = self.high.copy(), at_high.copy()
        self._c, self._fc = self._b.copy(), self._fb.copy()

    def propose(self, which: NDArray[np.intp]) -> FloatArray:
        """The grid point to look at next, strictly inside each bracket."""
        a, b, c = self._a[which], self._b[which], self._c[which]
        fa, fb, fc = self._fa[which], self._fb[which], self._fc[which]
        share = np.where(fa != fb, fa / np.where(fa != fb, fa - fb, 1.0), 0.5)  # secant
        third = (c != b) & (c != a) & (fc != fb) & (fc != fa)
        with np.errstate(divide="ignore", invalid="ignore"):
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            smooth = (phi**2 < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            quadratic = fa / (fb - fa) * fc / (fb - fc)
            quadratic += (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        # Halving otherwise, and always once a smooth curve would long have been done: where a
        # curve is flat to the last digit, interpolation would creep.
        smooth &= third & (self._looks < _PATIENCE)
        share = np.where(smooth, quadratic, np.where(self._looks, 0.5, share))
        low, high = self.low[which] + 1, self.high[which] - 1
        step: FloatArray = np.clip(np.rint(a + share * (b - a)), low, high)
        return step

    def take(self, which: NDArray[np.intp], step: FloatArray, excess: FloatArray) -> None:
        """Note what was found: the risk less δ at a grid point of each bracket."""
        self._looks += 1
        within = excess <= 0
        self.low[which] = np.where(within, step, self.low[which])
        self.high[which] = np.where(within, self.high[which], step)
        same = within == (self._fa[which] <= 0)
        self._c[which] = np.where(same, self._a[which], self._b[which])
        self._fc[which] = np.where(same, self._fa[which], self._fb[which])
        self._b[which] = np.where(same, self._b[which], self._a[which])
        self._fb[which] = np.where(same, self._fb[which], self._fa[which])
        self._a[which], self._fa[which] = step, excess
