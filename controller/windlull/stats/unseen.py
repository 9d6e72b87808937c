"""What n runs could not have shown, and how much of it is allowed for.

No interval of a mean holds for every distribution (Bahadur and Savage 1956): an event of one run in a thousand may take
a thousand times as long, and twenty runs know nothing of it. What can be said is how frequent an event may be that none
of n runs met; how large it may be must be assumed. The assumption is here, and stands in what is printed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from windlull.stats.quantities import Floats

FACTOR = 3.0
"""A run that was not seen may take three times the usual: as a short transfer does that waits for its first timeout."""

BEYOND = 2.0
BEYOND_OF_TWO = 1.6
"""What was not seen may lie so many times as far from the median as the farthest that was: twice for the runs of one
side, which are mostly lopsided, less where the difference of two sides evens that out. The smallest numbers at which
intervals of means of what was seen cover what they should (docs/statistics.md)."""


def share(count: int, alpha: float) -> float:
    """Return how frequent an event may be that none of `count` runs met, with an error of `alpha`."""
    return float(1 - alpha ** (1 / count))


def runs_for(rare: float, alpha: float) -> float:
    """Return how many runs it takes until `share` is `rare`."""
    return float(np.log(alpha) / np.log1p(-rare))


def beyond_seen(rows: Floats, *, of_two: bool) -> Floats:
    """Return how far from its median a value of each row may lie, by what was seen; `of_two` sides, or one."""
    away = np.abs(rows - np.median(rows, axis=1)[:, np.newaxis]).max(axis=1)
    return np.asarray((BEYOND_OF_TWO if of_two else BEYOND) * away)


def usual(*sides: Floats) -> Floats:
    """Return the size of a usual run, by row: the greatest median or mean of the sides; 1 where all values are 0."""
    sizes = [np.abs(of(rows, axis=1)) for rows in sides for of in (np.median, np.mean)]
    greatest = np.max(sizes, axis=0)
    return np.where(greatest > 0, greatest, 1.0)


def allowance(rows: Floats, *sides: Floats) -> Floats:
    """Return how far from its median a value of each row may lie, by what was seen and what is allowed for.

    `sides` are the runs that the rows are of, or are differences of.
    """
    return np.maximum(beyond_seen(rows, of_two=len(sides) > 1), (FACTOR - 1) * usual(*sides))


def ends_in_pairs(left: Floats, right: Floats, factor: float) -> tuple[Floats, Floats]:
    """Return between which ends `left - factor * right` of a pair of each row may lie.

    How far from the median is measured on `left - right`, whatever the factor. With another factor a far run that both
    sides share is a far value on one side: pairs may lie farther there, but that says nothing of the other side. Both
    ends fall as the factor rises, so that what is shown to be at most 1.02 times the baseline is shown to be at most
    1.2 times it.
    """
    plain, values = left - right, left - factor * right
    away, center = allowance(plain, left, right), np.median(values, axis=1)
    # Each pair as many times as far from the medians as it was seen to be; no run takes less than nothing.
    usual_right = np.median(right, axis=1)[:, np.newaxis]
    usual_left = usual_right + np.median(plain, axis=1)[:, np.newaxis]
    nothing = np.minimum(0, right.min(axis=1))[:, np.newaxis]
    farther = (
        usual_left + BEYOND_OF_TWO * (left - usual_left)
        - factor * np.maximum(nothing, usual_right + BEYOND_OF_TWO * (right - usual_right))
    )  # fmt: skip
    seen = np.concatenate((values, farther), axis=1)
    return np.minimum(center - away, seen.min(axis=1)), np.maximum(center + away, seen.max(axis=1))
