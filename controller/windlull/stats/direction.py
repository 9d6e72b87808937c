"""Whether more runs are higher than lower, and by more than a margin: exact for any distribution.

In pairs this is the sign test of the pairs that differ by more than the margin (Dixon and Mood 1946): if as many are
higher as lower, how many of them are is binomial. Without pairs it is the rank test of Mann and Whitney against the
other side moved by the margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.stats import order_statistics
from windlull.stats.ranks import mann_whitney

if TYPE_CHECKING:
    from windlull.stats.quantities import Floats
    from windlull.stats.questions import Samples

Test = Literal["sign", "mann-whitney"]


@dataclass(frozen=True, slots=True)
class Direction:
    """Of each sample: the p-values of the claims that more runs are higher, and lower; and by how many.

    `effect` is from -1 (all lower by more than the margin) to 1: in pairs the share of the higher less that of the
    lower ones, else Cliff's delta against the baseline as it is. `moving` is the share of pairs beyond the margin.
    """

    higher: Floats
    lower: Floats
    effect: Floats
    moving: Floats

    @property
    def either(self) -> Floats:
        """The two-sided p-values."""
        return np.asarray(np.minimum(1.0, 2 * np.minimum(self.higher, self.lower)))


def direction(of: Samples, margin: float) -> Direction:
    """Ask whether more of the left runs are above `1 + margin` times the right ones than below `1 - margin` times."""
    if of.paired:
        count = of.left.shape[1]
        higher = np.count_nonzero(of.left > (1 + margin) * of.right, axis=1)
        lower = np.count_nonzero(of.left < (1 - margin) * of.right, axis=1)
        moving = higher + lower
        return Direction(
            order_statistics.at_least(higher, moving, 0.5),
            order_statistics.at_least(lower, moving, 0.5),
            (higher - lower) / count,
            moving / count,
        )
    rows = list(zip(of.left, of.right, strict=True))
    up = [mann_whitney(left, (1 + margin) * right) for left, right in rows]
    down = [mann_whitney(left, (1 - margin) * right) for left, right in rows]
    as_they_are = [mann_whitney(left, right).effect for left, right in rows] if margin else [one.effect for one in up]
    return Direction(
        np.array([one.above for one in up]),
        np.array([one.below for one in down]),
        np.array(as_they_are),
        np.ones(len(rows)),
    )
