"""The interval of a difference of two statistics from the interval of each: the method of square and add.

Newcombe 1998; Zou and Donner 2008, who call it MOVER (method of variance estimates recovery), with their term for two
statistics of the same pairs. Of each interval only the end that matters is taken, so that lopsided ones stay lopsided.

The squares take for granted that both are seldom at their ends at once. Counts often are: there the ends are added.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from windlull.stats import special
from windlull.stats.ranks import doubled_ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from windlull.stats.quantities import Floats

    Booleans = npt.NDArray[np.bool_]
    Bounds = tuple[Floats, Floats]

_STEPS = 40


MOST = 0.85
MOST_EXACT = 0.5
"""More than that two quantiles of the same pairs are not taken to move together, whatever the runs show.

Where they move together closely, what is left between them is lopsided, and the squares are too small. Of an interval
both ends together must be right, which they are up to 0.85; of a rule each end must be for itself
(docs/statistics.md)."""


def difference(
    left: Floats, of_left: Bounds, right: Floats, of_right: Bounds, correlation: Floats, coarse: Booleans
) -> Bounds:
    """Return the ends of `left - right`, each of which has these ends; where `coarse`, these are added as they are."""

    def away(ours: Floats, theirs: Floats) -> Floats:
        ours, theirs = np.maximum(ours, 0), np.maximum(theirs, 0)
        with np.errstate(invalid="ignore"):
            square = ours**2 + theirs**2 - 2 * correlation * ours * theirs
        root = np.where(coarse, ours + theirs, np.sqrt(np.maximum(square, 0)))
        return np.where(np.isinf(ours) | np.isinf(theirs), np.inf, root)

    middle = left - right
    return (
        middle - away(left - of_left[0], of_right[1] - right),
        middle + away(of_left[1] - left, right - of_right[0]),
    )


def correlation(left: Floats, right: Floats, share: float, most: float) -> Floats:
    """Return how far the two quantiles of the same pairs move together, by row, `most` at most.

    In the long run that is how often both runs of a pair lie on the same side of their quantiles. With few runs it is
    not known on which side those next to the quantile lie: it may be sqrt(n q (1 - q)) ranks off. So a run counts with
    the probability that it lies below the quantile, and the correlation is that of these probabilities.
    """
    count = left.shape[1]
    spread = np.sqrt(count * share * (1 - share))
    below = [special.ndtr((share * count - (_ranks(rows) - 0.5)) / spread) for rows in (left, right)]
    ours, theirs = (part - part.mean(axis=1)[:, np.newaxis] for part in below)
    size = np.sqrt((ours**2).sum(axis=1) * (theirs**2).sum(axis=1))
    # Where all values are the same there is nothing to move.
    together = (ours * theirs).sum(axis=1) / np.where(size > 0, size, 1.0)
    return np.asarray(np.clip(together, -1, most))


def _ranks(rows: Floats) -> Floats:
    """Return the rank of each value in its row, of equal ones the mean rank."""
    order = np.argsort(rows, axis=1)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, np.arange(1.0, rows.shape[1] + 1)[np.newaxis, :], axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    for place in np.flatnonzero(np.any(ordered[:, 1:] == ordered[:, :-1], axis=1)):
        ranks[place] = doubled_ranks(rows[place]) / 2
    return ranks


def p_value(shown: Callable[[float], bool], least: float) -> float:
    """Return the smallest error at each end at which something is shown; `least` where it is so even there.

    `shown(alpha)` is true from some alpha on, up to a half; 1 if nowhere.
    """
    if shown(least):
        return least
    if not shown(0.5):
        return 1.0
    low, high = math.log(least), math.log(0.5)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(math.exp(middle)) else (middle, high)
    return math.exp(high)
