"""What a sample says of a quantile of its population, whatever the distribution: by how many values lie beyond.

How many of n independent values lie below the quantile of share q is binomial (n, q). That gives exact p-values, and
intervals from one value in order to another. As few values leave few levels, the ends are interpolated between two such
intervals (Hettmansperger and Sheather 1986; Nyblom 1992 for quantiles other than the median), unless the values are
coarse: between two counts there is nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from windlull.stats import special

if TYPE_CHECKING:
    import numpy.typing as npt

    from windlull.stats.quantities import Floats

    Booleans = npt.NDArray[np.bool_]
    Integers = npt.NDArray[np.int64]


FEW = 0.01
"""So few pairs differ, as a share, where the others bound how far quantiles are apart."""

NEAR = 0.001


def bounds(rows: Floats, share: float, alpha: float, *, exact: bool = False) -> tuple[Floats, Floats]:
    """Return the ends of the interval of each row's quantile that leaves out `alpha` at each end.

    An end that so few values cannot have is infinite. `exact`: at most `alpha` whatever the distribution, not about it.
    `rows` has the shape (rows, n).
    """
    ordered = np.sort(rows, axis=1)
    whole = coarse(ordered) | exact
    return _lower(ordered, share, alpha, whole), -_lower(-ordered[:, ::-1], 1 - share, alpha, whole)


def apart(left: Floats, right: Floats, share: float, alpha: float) -> tuple[Floats, Floats]:
    """Return how far below and above the right's quantile that of the left may be, where pairs are mostly the same.

    If the left is higher in a share p of pairs, its quantile is at most that of the right for p more. The error of each
    end is that of p, by how many pairs are higher. Infinite where more than a share `FEW` of pairs differ; those that
    differ by less than a share `NEAR` of the right do not, and it is added.
    """
    count, middle = left.shape[1], np.quantile(right, share, axis=1)
    near = NEAR * np.abs(right)
    higher, lower = (np.count_nonzero(way * (left - right) > near, axis=1) for way in (1, -1))
    below, above = np.full(len(left), -np.inf), np.full(len(left), np.inf)
    for row in np.flatnonzero(higher + lower <= FEW * count):
        down, up = (share + way * special.bdtri(of[row], count, alpha) for way, of in ((-1, lower), (1, higher)))
        if down > 0:
            below[row] = (1 - NEAR) * np.quantile(right[row], down) - middle[row]
        if up < 1:
            above[row] = (1 + NEAR) * np.quantile(right[row], up) - middle[row]
    return below, above


def coarse(ordered: Floats) -> Booleans:
    """Return which rows, in order, have so few different values that a fifth or more equal the one before."""
    return np.asarray(np.count_nonzero(ordered[:, 1:] == ordered[:, :-1], axis=1) * 5 >= ordered.shape[1])


def p_values(rows: Floats, share: float, *, strict: bool) -> tuple[Floats, Floats]:
    """Return, for each row, the p-values of the claims that the quantile is above 0, and that it is not.

    `strict`: the first claim is `> 0` and the second `<= 0`; else they are `>= 0` and `< 0`.
    """
    count = rows.shape[1]
    above = np.count_nonzero(rows > 0 if strict else rows >= 0, axis=1)
    return at_least(above, count, 1 - share), at_least(count - above, count, share)


def at_least(counts: Integers, of: int | Integers, share: float) -> Floats:
    """Return the probability that at least so many of `of` values lie where a share of all does."""
    return np.where(counts <= 0, 1.0, special.bdtrc(np.maximum(counts, 1) - 1, of, share))


def _lower(ordered: Floats, share: float, alpha: float, whole: Booleans) -> Floats:
    """Return the lower end for rows in order: between the value of rank r and the next; where `whole`, at rank r."""
    count = ordered.shape[1]
    # The value of rank r (from 1) lies above the quantile with probability bdtr(r - 1).
    errors = special.bdtr(np.arange(count), count, share)
    rank = int(np.count_nonzero(errors <= alpha))
    if rank == 0:
        return np.full(len(ordered), -np.inf)
    if rank == count:
        return np.asarray(ordered[:, -1])
    here, after = float(errors[rank - 1]), float(errors[rank])
    if here == alpha:
        return np.asarray(ordered[:, rank - 1])
    weight = 1 / (1 + rank * (1 - share) * (after - alpha) / ((count - rank) * share * (alpha - here)))
    weights = np.where(whole, 0.0, weight)
    return np.asarray((1 - weights) * ordered[:, rank - 1] + weights * ordered[:, rank])
