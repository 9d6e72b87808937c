"""The rank test of two sides that are no pairs, its effect size, and Holm's correction.

The test is conditional on the ties that are there, so that a metric that is a small count is no trouble. With few
values the distribution is counted out; with many it is normal to within what matters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from windlull.stats import special

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from windlull.stats.quantities import Floats

COUNTED_VALUES = 60
"""Up to so many values on both sides, the distribution is counted out."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How the left values rank against the right ones.

    `effect` is from -1 (the left are lower throughout) to 1. `above` is the probability that chance alone ranks them as
    high or higher if the two sides do not differ, `below` as low or lower.
    """

    effect: float
    above: float
    below: float


def mann_whitney(left: Floats, right: Floats) -> Ranking:
    """Rank all values: the Wilcoxon-Mann-Whitney test, with Cliff's delta for an effect.

    If both sides come from one distribution, the p-values are exact up to COUNTED_VALUES values.
    """
    ranks = doubled_ranks(np.concatenate((left, right)))
    count, of = len(left), len(ranks)
    high = int(ranks[:count].sum())
    lowest = count * (count + 1)
    effect = (high - lowest) / (count * (of - count)) - 1
    if np.all(ranks == ranks[0]):
        return Ranking(0.0, 1.0, 1.0)
    if of > COUNTED_VALUES:
        spread = float(np.square(ranks - ranks.mean()).sum())
        deviation = np.sqrt(count * (of - count) * spread / (of * (of - 1)))
        return _normal(effect, high, count * (of + 1), deviation)
    share = _distribution(count, tuple(sorted(ranks.tolist())))
    return Ranking(effect, _sum(share[high:]), _sum(share[: high + 1]))


@lru_cache(maxsize=8)
def _distribution(count: int, ranks: tuple[int, ...]) -> Floats:
    """Return how likely `count` of these ranks have each sum; of values without ties these are the same each time."""
    # ways[k, s]: in how many ways k of the values have ranks that sum to s; exact to the precision of a double.
    ways = np.zeros((count + 1, sum(ranks) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    return np.asarray(ways[count] / ways[count].sum())


def doubled_ranks(values: npt.NDArray[np.float64 | np.int64]) -> npt.NDArray[np.int64]:
    """Return twice the rank of each value, so that the mean rank of equal ones is a whole number."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    return np.asarray((2 * below + counts + 1)[places], dtype=np.int64)


def holm(p_values: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """Return the p-values adjusted so that the chance of any false finding among them is kept (Holm 1979).

    `weights` share the error out among them, section 4 there; evenly if None.
    """
    shares = [1.0] * len(p_values) if weights is None else weights
    in_order = sorted(range(len(p_values)), key=lambda index: p_values[index] / shares[index])
    adjusted = [0.0] * len(p_values)
    highest, left = 0.0, math.fsum(shares)
    for index in in_order:
        highest = max(highest, min(1.0, left * p_values[index] / shares[index]))
        adjusted[index] = highest
        left -= shares[index]
    return adjusted


def _normal(effect: float, high: float, mean: float, deviation: float) -> Ranking:
    return Ranking(
        effect,
        float(special.ndtr(-(high - 1 - mean) / deviation)),
        float(special.ndtr((high + 1 - mean) / deviation)),
    )


def _sum(shares: Floats) -> float:
    return min(1.0, float(shares.sum()))
