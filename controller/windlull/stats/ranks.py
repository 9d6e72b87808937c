"""Rank tests, and the effect sizes that go with them.

Both tests are conditional on the ties that are there, so that a metric that is a small count is no trouble. With few
values the distribution is counted out; with many it is normal to within what matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import ndtr

if TYPE_CHECKING:
    import numpy.typing as npt

    from windlull.stats.bootstrap import Floats

COUNTED_PAIRS = 200
COUNTED_VALUES = 60
"""Up to so many pairs, or values on both sides, the distribution is counted out."""

Ties = Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class Ranking:
    """How the left values rank against the right ones.

    `effect` is from -1 (the left are lower throughout) to 1. `above` is the probability that chance alone ranks them as
    high or higher if the two sides do not differ, `below` as low or lower.
    """

    effect: float
    above: float
    below: float

    @property
    def either(self) -> float:
        """The two-sided p-value."""
        return min(1.0, 2 * min(self.above, self.below))


def signed_rank(differences: Floats, *, ties: Ties = 0) -> Ranking:
    """Rank the pairs' differences, left minus right: Wilcoxon's signed-rank test with Pratt's treatment of zeros.

    Pratt 1959: zeros are ranked with the others and then left out, so that many equal pairs make the effect small. With
    `ties` 1 or -1 a zero counts as just above or just below. The effect is the matched-pairs rank-biserial correlation
    (Kerby 2014), over the ranks of all pairs, zeros included. If the two sides of a pair can be exchanged, the p-values
    are exact up to COUNTED_PAIRS.
    """
    ranks = doubled_ranks(np.abs(differences))
    signs = np.sign(differences).astype(np.int64)
    signs[signs == 0] = ties
    moving = ranks[signs != 0]
    high = int(ranks[signs > 0].sum())
    total = int(moving.sum())
    effect = (2 * high - total) / int(ranks.sum())
    if not len(moving):
        return Ranking(0.0, 1.0, 1.0)
    if len(moving) > COUNTED_PAIRS:
        deviation = np.sqrt(float(np.square(moving).sum()) / 4)
        return _normal(effect, high, total / 2, deviation)
    share = np.zeros(total + 1)
    share[0] = 1.0
    for rank in moving:
        share /= 2
        share[rank:] += share[:-rank].copy()
    return Ranking(effect, _sum(share[high:]), _sum(share[: high + 1]))


def mann_whitney(left: Floats, right: Floats, *, ties: Ties = 0) -> Ranking:
    """Rank all values: the Wilcoxon-Mann-Whitney test, with Cliff's delta for an effect.

    With `ties` 1 or -1 a left value that equals a right one counts as just above or just below it. If both sides come
    from one distribution, the p-values are exact up to COUNTED_VALUES values.
    """
    _, places = np.unique(np.concatenate((left, right)), return_inverse=True)
    places = 2 * places
    places[: len(left)] += ties
    ranks = doubled_ranks(places)
    count, of = len(left), len(places)
    high = int(ranks[:count].sum())
    lowest = count * (count + 1)
    effect = (high - lowest) / (count * (of - count)) - 1
    if np.all(ranks == ranks[0]):
        return Ranking(0.0, 1.0, 1.0)
    if of > COUNTED_VALUES:
        spread = float(np.square(ranks - ranks.mean()).sum())
        deviation = np.sqrt(count * (of - count) * spread / (of * (of - 1)))
        return _normal(effect, high, count * (of + 1), deviation)
    # ways[k, s]: in how many ways k of the values have ranks that sum to s; exact to the precision of a double.
    ways = np.zeros((count + 1, int(ranks.sum()) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    share = ways[count] / ways[count].sum()
    return Ranking(effect, _sum(share[high:]), _sum(share[: high + 1]))


def doubled_ranks(values: npt.NDArray[np.float64 | np.int64]) -> npt.NDArray[np.int64]:
    """Return twice the rank of each value, so that the mean rank of equal ones is a whole number."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    return np.asarray((2 * below + counts + 1)[places], dtype=np.int64)


def holm(p_values: list[float]) -> list[float]:
    """Return the p-values adjusted so that the chance of any false finding among them is kept (Holm 1979)."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _normal(effect: float, high: float, mean: float, deviation: float) -> Ranking:
    return Ranking(
        effect,
        float(ndtr(-(high - 1 - mean) / deviation)),
        float(ndtr((high + 1 - mean) / deviation)),
    )


def _sum(shares: Floats) -> float:
    return min(1.0, float(shares.sum()))
