"""How many runs would decide: from the spread that was seen, for a difference that somebody cares about.

The spread of a few runs is itself uncertain, so that each answer comes with the numbers between which it may lie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from windlull.stats.resampling import Sides, resampled

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.stats.bootstrap import Floats
    from windlull.stats.quantities import Quantity

MOST = 1_000_000
"""More runs than anybody makes; a number above it is not told."""

OUTER = 60
INNER = 200
"""How many resamples of the runs, and of each of these again, tell how far the spread may be off."""

DRAWN = 4_000_000
"""How many values these may be in all; of many runs, whose spread is well known, fewer resamples are drawn again."""

SURE = 0.8
"""How sure the range about a number of runs is."""


@dataclass(frozen=True, slots=True)
class Runs:
    """How many runs of each side (pairs, if paired) it takes in all, and between which numbers that may lie.

    `high` is None where nothing bounds it: the difference may as well be none.
    """

    runs: int
    low: int
    high: int | None


def spreads(sides: Sides, quantity: Quantity, factor: float, random: np.random.Generator) -> Floats:
    """Return how far `left - factor * right` of one run scatters, as OUTER resamples of the runs have it.

    The standard error with n runs is a spread over sqrt(n).
    """
    found = []
    inner = max(INNER // 4, min(INNER, DRAWN // (OUTER * max(len(sides.left), len(sides.right)))))
    for _ in range(OUTER):
        drawn = random.integers(len(sides.left), size=len(sides.left))
        other = drawn if sides.paired else random.integers(len(sides.right), size=len(sides.right))
        again = Sides(sides.left[drawn], sides.right[other], sides.paired)
        left, right = resampled(again, [quantity], random, inner)
        spread = float(np.std(left[0] - factor * right[0]))
        if sides.paired and factor and quantity.quantile is not None:
            spread = max(spread, _of_quantiles(again, quantity, float(np.std(left)), factor * float(np.std(right))))
        found.append(spread)
    size = sides.runs if sides.paired else 2 / (1 / len(sides.left) + 1 / len(sides.right))
    return np.array(found) * math.sqrt(size)


def _of_quantiles(sides: Sides, quantity: Quantity, left: float, right: float) -> float:
    """Return the standard error of a difference of two paired quantiles that have these standard errors.

    Few pairs look closer than they are: where most of them move together, resamples pick both quantiles from the same
    pair, and the difference hardly scatters; with more pairs it would. What two quantiles have in common is in the long
    run how often both runs of a pair lie on the same side of their quantiles; of that, n pairs tell (agreeing + 1) /
    (n + 2), by Laplace's rule, and never certainty.
    """
    share = quantity.quantile or 0.5
    agreeing = np.count_nonzero(
        (sides.left <= quantity.value(sides.left)) == (sides.right <= quantity.value(sides.right))
    )
    apart = 1 - (int(agreeing) + 1) / (sides.runs + 2)
    correlation = max(-1.0, 1 - apart / (2 * share * (1 - share)))
    return math.sqrt(max(0.0, left**2 + right**2 - 2 * correlation * left * right))


def to_show(distance: float, spread: Floats, *, alpha: float, power: float, fewest: int) -> Runs | None:
    """Return how many runs show, with probability `power`, that a statistic lies `distance` from a limit.

    `spread` are the possible spreads of one run (`spreads`), over which the probability is taken; the range is that of
    single ones. None if it takes more than MOST.
    """
    return _search(
        lambda count, of: ndtr(distance * math.sqrt(count) / of - _critical(count, alpha)), spread, power, fewest
    )


def to_bound(distance: float, spread: Floats, *, alpha: float, power: float, fewest: int) -> Runs | None:
    """Return how many runs show, with probability `power`, that what is no difference is within `distance` of none."""
    return _search(
        lambda count, of: 2 * ndtr(distance * math.sqrt(count) / of - _critical(count, alpha)) - 1,
        spread,
        power,
        fewest,
    )


def to_rank(effect: float, runs: int, *, paired: bool, alpha: float, power: float, fewest: int) -> Runs | None:
    """Return how many runs a rank test takes to find an effect as large as the one that `runs` runs showed.

    Noether 1987: n = (z_a + z_b)^2 / (3 (p - 1/2)^2) pairs, where p - 1/2 is half the effect; unpaired, twice as many
    runs of each side. The range is that of the effect. None if it takes more than MOST.
    """
    each = 4 * (_upper(alpha) - _upper(power)) ** 2 / 3 * (1 if paired else 0.5)
    # The variance of either effect with n runs of each side, if the sides do not differ.
    off = _upper((1 - SURE) / 2) * math.sqrt((4 if paired else 2) / 3 / runs)

    def takes(size: float) -> int:
        return MOST + 1 if size <= 0 else max(fewest, math.ceil(min(each / size**2, MOST + 1)))

    middle, low, high = takes(abs(effect)), takes(min(1.0, abs(effect) + off)), takes(abs(effect) - off)
    return None if middle > MOST else Runs(middle, low, high if high <= MOST else None)


def _search(shown: Callable[[int, Floats], Floats], spread: Floats, power: float, fewest: int) -> Runs | None:
    """Return the smallest counts at which `shown(count, spread)` reaches `power`, found by halving."""
    ends = np.quantile(spread, ((1 - SURE) / 2, (1 + SURE) / 2))

    def smallest(of: Floats) -> int:
        of = np.maximum(of, 1e-100)  # no spread at all is a very small one
        low, high = fewest - 1, fewest
        while high <= MOST and float(np.mean(shown(high, of))) < power:
            low, high = high, 2 * high
        while high - low > 1 and high <= 2 * MOST:
            middle = (low + high) // 2
            if float(np.mean(shown(middle, of))) < power:
                low = middle
            else:
                high = middle
        return high

    middle, low, high = smallest(spread), smallest(ends[:1]), smallest(ends[1:])
    return None if middle > MOST else Runs(middle, low, high if high <= MOST else None)


def _critical(count: int, alpha: float) -> float:
    """Return how many standard errors a statistic must be from a limit, as `resampling.interval` has it."""
    return math.sqrt(count / (count - 1)) * float(stdtrit(count - 1, 1 - alpha))


def _upper(alpha: float) -> float:
    return -float(ndtri(alpha))
