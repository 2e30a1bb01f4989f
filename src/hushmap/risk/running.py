"""Running sums of an edge's distribution, each seen through fading noise (method.md §4, fact 2).

Whatever is summed here is positive, so nothing cancels. The sum of a row does not depend on which
other rows are computed with it, so that an edge's risk is the same to the last digit in whatever
company, and on whatever machine, it is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hushmap.risk.prior import FloatArray

BLOCK = 256
"""So many terms are added one after the other; then the blocks are. Bounds the rounding error."""


def padded_width(size: int) -> int:
    """How many places a row is given: at most an eighth are spare, and few widths differ.

    Args:
        size: How many it needs.

    Returns:
        A power of two up to a block, then whole blocks.

    Example:
        >>> padded_width(3), padded_width(200), padded_width(700), padded_width(100_000)
        (8, 256, 768, 106496)
    """
    if size <= BLOCK:
        return max(8, 1 << (size - 1).bit_length())
    step = max(BLOCK, 1 << (size.bit_length() - 4))
    return -(-size // step) * step


def sums_before(terms: FloatArray) -> FloatArray:
    """The sum of all terms before each place of every row, and of the whole row.

    Args:
        terms: One row per edge, as wide as `padded_width` says. Overwritten.

    Returns:
        One column more than terms, 0 in the first.

    Example:
        >>> sums_before(np.array([[1.0, 2.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0]]))[0, :4]
        array([0., 1., 3., 7.])
    """
    sums = np.empty((terms.shape[0], terms.shape[1] + 1))
    sums[:, 0] = 0.0
    blocks = _blocks(terms)
    np.cumsum(blocks, axis=2, out=blocks)
    blocks[:, 1:] += np.cumsum(blocks[:, :-1, -1], axis=1)[:, :, None]
    sums[:, 1:] = terms
    return sums


def sums_from(terms: FloatArray) -> FloatArray:
    """The sum of all terms from each place of every row on; 0 beyond the last.

    The blocks are those of `sums_before`, so that spare places at the end of a row change nothing.

    Args:
        terms: One row per edge, as wide as `padded_width` says. Overwritten.

    Returns:
        One column more than terms, 0 in the last.

    Example:
        >>> sums_from(np.array([[1.0, 2.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0]]))[0, :4]
        array([7., 6., 4., 0.])
    """
    sums = np.empty((terms.shape[0], terms.shape[1] + 1))
    sums[:, -1] = 0.0
    blocks = _blocks(terms)
    np.cumsum(blocks[:, :, ::-1], axis=2, out=blocks[:, :, ::-1])
    blocks[:, :-1] += np.cumsum(blocks[:, :0:-1, 0], axis=1)[:, ::-1, None]
    sums[:, :-1] = terms
    return sums


def _blocks(terms: FloatArray) -> FloatArray:
    rows, width = terms.shape
    return terms.reshape(rows, -1, min(width, BLOCK))


def fading_sums(steps: FloatArray, shares: FloatArray) -> FloatArray:
    """``Σ_{u ≤ v} q_u·exp(−(v − u))`` at every value of one edge, at whatever rate.

    The sums obey ``L_i = L_{i−1}·d_i + q_i`` with ``d_i = exp(−step_i)``: they neither overflow
    nor drift. NumPy has no linear recurrence, so the values are laid out in rows, along which the
    recurrence walks abreast; a short loop then carries the end of each row into the next one.

    Args:
        steps: How far each value is from the one before, times the rate; of no importance for
            the first.
        shares: ``q_v``.

    Returns:
        One sum per value.

    Example:
        >>> fading_sums(np.array([0.0, 1.0]), np.array([0.5, 0.5])).round(4)
        array([0.5   , 0.6839])
    """
    length = 1 << ((shares.size - 1).bit_length() + 1) // 2
    rows = -(-shares.size // length)
    apart, sums = np.zeros(rows * length), np.zeros(rows * length)
    apart[1 : shares.size], sums[: shares.size] = steps[1:], shares
    apart, sums = (np.ascontiguousarray(each.reshape(rows, length).T) for each in (apart, sums))
    decay = np.exp(-apart)
    for k in range(1, length):
        sums[k] += sums[k - 1] * decay[k]
    fade = np.exp(-np.cumsum(apart, axis=0))
    ends = sums[-1].tolist()
    for row, factor in enumerate(fade[-1, 1:].tolist(), 1):
        ends[row] += ends[row - 1] * factor
    sums[:, 1:] += np.array(ends[:-1]) * fade[:, 1:]
    whole: FloatArray = sums.T.reshape(-1)[: shares.size]
    return whole
