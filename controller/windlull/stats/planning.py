"""How many runs would decide: from how far the runs that there are scatter, for a difference that somebody cares about.

The interval of a median or another quantile narrows with the root of the number of runs. That of a mean has a part
besides, which is what so many runs cannot have shown (stats.unseen), and which narrows with the number itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from windlull.runner.messages import MOST_REPETITIONS
from windlull.stats import unseen
from windlull.stats.questions import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.stats.quantities import Quantity
    from windlull.stats.questions import Sides

SURE = 0.8
"""How sure the range about a number of runs is."""


@dataclass(frozen=True, slots=True)
class Runs:
    """How many runs of each side (pairs, if paired) it takes in all, and between which numbers that may lie.

    `high` is None where nothing bounds it, or where it is more than can be run.
    """

    runs: int
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Asked:
    """How many runs would decide if the candidate is `resolution`, a share of the limit, or more from the limit.

    On whichever side. `runs` is None where so many were there already, or, with `beyond`, where it takes more than can
    be run.
    """

    resolution: float
    runs: Runs | None
    beyond: bool = False


def to_show(
    of: Sides, question: Question, distance: float, *, alpha: float, power: float, both_ways: bool = False
) -> Runs | None:
    """Return how many runs show, with probability `power`, that a statistic lies `distance` from a limit.

    `both_ways`: that it lies within that distance on either side. None if it takes more than can be run.
    """
    fewest = max(2, question.quantity.fewest(alpha))
    if of.runs < fewest:
        return Runs(fewest, fewest, None)
    wide = _half_width(of, question, alpha)
    if not math.isfinite(wide):
        return None
    # With probability `power` chance leaves the estimate so many errors from where it should be, at most.
    errors = _upper((1 - power) / (2 if both_ways else 1)) / _upper(alpha)
    rare = -math.log(alpha) * _farthest(of, question)

    def takes(scatter: float) -> int:
        return _smallest(lambda runs: scatter * (1 + errors) / math.sqrt(runs) + rare / runs <= distance, fewest)

    scatter = wide * math.sqrt(of.runs)
    off = _upper((1 - SURE) / 2) / math.sqrt(_known_by(of.runs, question, alpha))
    middle, low, high = takes(scatter), takes(scatter * max(0.1, 1 - off)), takes(scatter * (1 + off))
    if middle > MOST_REPETITIONS:
        return None
    return Runs(middle, low, high if high <= MOST_REPETITIONS else None)


def to_bound(of: Sides, quantity: Quantity, margin: float, *, alpha: float, power: float) -> Runs | None:
    """Return how many runs show that a statistic differs by no more than `margin`, if it does not differ."""
    baseline = quantity.value(of.right)
    if not baseline:
        if quantity.quantile is not None:
            return Runs(of.runs, of.runs, of.runs)
        baseline = float(unseen.usual(of.one.left, of.one.right)[0])
        if np.any(of.left):
            return None
    # The farther end of the margin is the harder one.
    return to_show(of, Question(quantity, 1 + margin), margin * baseline, alpha=alpha, power=power, both_ways=True)


def to_show_direction(
    effect: float, moving: float, runs: int, *, paired: bool, alpha: float, power: float, fewest: int
) -> Runs | None:
    """Return how many runs it takes to find that more of them are higher, if as many more are as `runs` runs showed.

    In pairs (Connor 1987): (z_a sqrt(m) + z_b sqrt(m - d^2))^2 / d^2, where m of them move and d more one way than the
    other. Without (Noether 1987): (z_a + z_b)^2 / (6 (d / 2)^2) of each side. The range is that of the effect.
    """
    z_alpha, z_power = _upper(alpha), _upper(1 - power)

    def takes(size: float) -> int:
        if size <= 0:
            return MOST_REPETITIONS + 1
        if paired:
            size = min(size, moving)
            count = ((z_alpha * math.sqrt(moving) + z_power * math.sqrt(max(0.0, moving - size**2))) / size) ** 2
        else:
            count = 2 * (z_alpha + z_power) ** 2 / 3 / size**2
        return max(fewest, math.ceil(min(count, MOST_REPETITIONS + 1)))

    variance = moving - effect**2 if paired else 2 / 3
    off = _upper((1 - SURE) / 2) * math.sqrt(max(0.0, variance) / runs)
    middle, low, high = takes(abs(effect)), takes(abs(effect) + off), takes(abs(effect) - off)
    if middle > MOST_REPETITIONS:
        return None
    return Runs(middle, low, high if high <= MOST_REPETITIONS else None)


def _half_width(of: Sides, question: Question, alpha: float) -> float:
    """Return half the interval that so many runs have, of a mean without what is allowed for."""
    seen = Question(question.quantity, question.factor, question.constant, allowing=False)
    low, high = seen.bounds(of.one, alpha)
    return float(high[0] - low[0]) / 2


def _known_by(runs: int, question: Question, alpha: float) -> float:
    """Return of how many parts the scatter is known to one in their root.

    Of a mean it comes from all n runs: 2 (n - 1). The interval of a quantile is the sum of the gaps between the few
    runs in order that lie in it, and a gap between independent runs scatters as much as it is wide.
    """
    share = question.quantity.quantile
    if share is None:
        return 2.0 * (runs - 1)
    return max(1.0, 2 * _upper(alpha) * math.sqrt(runs * share * (1 - share)))


def _farthest(of: Sides, question: Question) -> float:
    """Return how far a run may lie from the others that was not seen; 0 for quantiles, which it does not move."""
    if question.quantity.quantile is not None:
        return 0.0
    one = of.one
    return (unseen.FACTOR - 1) * float(unseen.usual(one.left, question.factor * one.right)[0])


def _smallest(enough: Callable[[float], bool], fewest: int) -> int:
    """Return the smallest count from `fewest` on that is enough; one more than can be run if none is."""
    low, high = fewest - 1, fewest
    while high <= MOST_REPETITIONS and not enough(high):
        low, high = high, 2 * high
    while high - low > 1 and low < MOST_REPETITIONS:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _upper(share: float) -> float:
    return -float(ndtri(share))
