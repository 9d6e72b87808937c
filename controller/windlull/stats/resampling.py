"""What a statistic would have been with other repetitions: the bootstrap of two sides, paired or not.

Intervals are percentile intervals, widened for few values. Not BCa: its acceleration comes from the jackknife, which is
inconsistent for a median (Efron and Tibshirani 1993, 11.6). The widening is Hesterberg's expansion (2015, 4.3): the
bootstrap's distribution is too narrow by sqrt((n - 1) / n), and a normal where a t distribution is due.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from windlull.stats.bootstrap import Floats
    from windlull.stats.quantities import Quantity

RESAMPLES = 4000
"""So many that a tail of 2.5 % is known to a quarter of a per cent."""

DRAWN = 20_000_000
"""How many values resamples may have in all before fewer of them have to do, or more of them take too long."""

_BLOCK = 1 << 20
"""How many drawn numbers are held at a time."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The values of both sides; `left[i]` and `right[i]` met the same link if `paired`."""

    left: Floats
    right: Floats
    paired: bool

    @property
    def runs(self) -> int:
        """How many pairs, or values of the smaller side, there are."""
        return min(len(self.left), len(self.right))


def resamples_for(runs: int, wanted: float = 0) -> int:
    """Return how many resamples of so many runs to draw: the `wanted` number if there is time, a thousand at least."""
    affordable = DRAWN // max(1, runs)
    return max(RESAMPLES // 4, min(RESAMPLES, affordable), int(min(wanted, affordable)))


def resampled(
    sides: Sides, quantities: Sequence[Quantity], random: np.random.Generator, resamples: int
) -> tuple[Floats, Floats]:
    """Return each statistic of left and of right over resamples: two arrays of shape (quantities, resamples)."""
    lefts: list[Floats] = []
    rights: list[Floats] = []
    rows = max(1, min(resamples, _BLOCK // max(len(sides.left), len(sides.right))))
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = random.integers(len(sides.left), size=(size, len(sides.left)))
        left = sides.left[drawn]
        if not sides.paired:
            drawn = random.integers(len(sides.right), size=(size, len(sides.right)))
        right = sides.right[drawn]
        lefts.append(np.stack([one.of(left) for one in quantities]))
        rights.append(np.stack([one.of(right) for one in quantities]))
    return np.concatenate(lefts, axis=1), np.concatenate(rights, axis=1)


def interval(draws: Floats, count: int, alpha: float) -> tuple[float, float]:
    """Return the interval that leaves out `alpha` at each end; `count` values were resampled, at least two."""
    tail = float(ndtr(-math.sqrt(count / (count - 1)) * stdtrit(count - 1, 1 - alpha)))
    low, high = np.quantile(draws, (tail, 1 - tail))
    return float(low), float(high)


def p_value(against: npt.NDArray[np.bool_], count: int) -> float:
    """Return the p-value of a claim, given which resamples are against it: `interval` turned round.

    One is added on either side of the share: resamples are never all there are.
    """
    share = (int(np.count_nonzero(against)) + 1) / (len(against) + 1)
    if share == 1:
        return 1.0
    return float(stdtr(count - 1, ndtri(share) * math.sqrt((count - 1) / count)))
