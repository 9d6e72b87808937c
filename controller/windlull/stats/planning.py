"""How many runs would decide: from how far the runs that there are scatter, for a difference that somebody cares about.

The interval of a median or another quantile narrows with the root of the number of runs. That of a mean has a part
besides, which is what so many runs cannot have shown (stats.unseen), and which narrows with the number itself.

Few runs know badly how far they scatter. The number asked for decides with the probability wanted all the same: it is
larger by what that costs (`_Known`), so that those to whom chance showed too little scatter are made up for. The range
beside it is where the number lies that would be asked for if the scatter were known. scripts/calibrate measures both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from windlull.runner.messages import MOST_REPETITIONS
from windlull.stats import likelihood, order_statistics, special, unseen
from windlull.stats.questions import Question, of_one
from windlull.stats.roots import root

if TYPE_CHECKING:
    from windlull.stats.quantities import Floats, Quantity
    from windlull.stats.questions import Sides

SURE = 0.8
"""How sure the range about a number of runs is."""

SURE_OF_SEEN = 0.9
"""How sure a distance must be that the runs show, to ask for no more runs than it takes."""

TELLING = 1.5
"""How many times the fewest runs that a statistic takes tell how many would decide."""

FEW_APART = 3
SAME = 0.01
"""So many runs must lie apart before the scatter of a mean is known, and so far, as a share of the farthest."""

_EVENLY = (np.arange(400) + 0.5) / 400
"""The shares at which a distribution is averaged."""

_MOST_ROOM = 1e9
"""More than scatter is ever made larger by."""


@dataclass(frozen=True, slots=True)
class Runs:
    """How many runs of each side (pairs, if paired) it takes in all, and between which numbers that may lie.

    `runs` is the number to make, with which the probability wanted is kept although the scatter is known by few runs.
    `high` is None where nothing bounds it, or where it is more than can be run.
    """

    runs: int
    low: int
    high: int | None

    @property
    def decides(self) -> bool:
        """Whether so many would decide; else it is from so many on that the number can be told."""
        return self.high is not None or self.low < self.runs


@dataclass(frozen=True, slots=True)
class Asked:
    """How many runs would decide if the candidate is `resolution`, a share of the limit, or more from the limit.

    On whichever side. `runs` is None where so many were there already, where the runs cannot tell it, or, with
    `beyond`, where it takes more than can be run.
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
    fewest, telling = max(2, question.quantity.fewest(alpha)), telling_from(question.quantity, alpha)
    if of.runs < telling:
        return Runs(telling, telling, None)
    # With this probability chance leaves the estimate so many errors from where it should be, at most.
    within = 1 - (1 - power) / (2 if both_ways else 1)
    errors = _upper(1 - within)
    if question.quantity.quantile is None:
        needs, least = (_of_mean(of, question, alpha, errors, wide=wide) for wide in (True, False))
    else:
        needs = least = _of_quantile(of, question, alpha, errors)
    if not math.isfinite(needs(of.runs, 1.0)):
        return None
    known = _known_by(of, question, alpha)

    def takes(needs: Needs, scatter: float) -> int:
        return _smallest(lambda runs: needs(runs, scatter) <= distance, fewest)

    runs = takes(needs, known.room(alpha, within))
    low, high = takes(least, 1 / known.off((1 + SURE) / 2)), takes(needs, 1 / known.off((1 - SURE) / 2))
    if runs > MOST_REPETITIONS:
        return None
    return Runs(runs, min(low, runs), max(high, runs) if high <= MOST_REPETITIONS else None)


def telling_from(of: Quantity, alpha: float) -> int:
    """Return from how many runs on a number can be told: with the fewest an interval is all that was seen."""
    return math.ceil(TELLING * max(2, of.fewest(alpha)))


def tells(of: Sides, question: Question) -> bool:
    """Return whether so many runs can tell how many a mean takes: not if all but a few of them are the same.

    Those few, or none, are what the mean's scatter would be taken from. As good as the same are those that lie a
    hundredth as far from the median as the farthest.
    """
    if question.quantity.quantile is not None:
        return True
    for rows in Question(question.quantity, float(bool(question.factor))).rows(of.one):
        away = np.abs(rows[0] - np.median(rows[0]))
        if np.count_nonzero(away > SAME * away.max()) < FEW_APART:
            return False
    return True


def in_steps(of: Sides, question: Question) -> bool:
    """Return whether it is about a quantile of values that are ties, which stays where it is or moves by a step."""
    if question.quantity.quantile is None:
        return False
    return any(order_statistics.coarse(np.sort(rows, axis=1))[0] for rows in question.rows(of.one))


def seen_distance(of: Sides, question: Question) -> float:
    """Return how far from the limit the runs show the statistic to be, at least, on whichever side; 0 if they do not.

    By the interval of what was seen, in nine of ten samples.
    """
    low, high = replace(question, allowing=False).bounds(of.one, 1 - SURE_OF_SEEN)
    return max(0.0, float(low[0]), -float(high[0]))


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


Needs = Callable[[float, float], float]
"""The distance that so many runs show, if they scatter so many times as far as those that there are."""


def _of_quantile(of: Sides, question: Question, alpha: float, errors: float) -> Needs:
    rows, share = question.rows(of.one), question.quantity.quantile or 0.0
    if in_steps(of, question):
        return _of_steps(rows, share, _upper(alpha) + errors)
    low, high = question.deciding_bounds(of.one, alpha)
    reach = float(high[0] - low[0]) / 2 * math.sqrt(of.runs) * (1 + errors / _upper(alpha))
    return lambda runs, scatter: scatter * reach / math.sqrt(runs)


def _of_steps(rows: tuple[Floats, ...], share: float, errors: float) -> Needs:
    """Return the same of values that are ties, whose interval leaves out one after another: it does not just narrow."""

    def needs(runs: float, scatter: float) -> float:
        off = scatter * errors * math.sqrt(share * (1 - share) / runs)
        shares = [max(0.0, share - off), share, min(1.0, share + off)]
        ends = [np.quantile(one[0], shares, method="inverted_cdf") for one in rows]
        # What is low of one side is held against what is high of the other.
        return max(
            float(sum(end[way + 1] - end[way] for way, end in zip(ways, ends, strict=False)))
            for ways in ((0, 1), (1, 0))
        )

    return needs


def _of_mean(of: Sides, question: Question, alpha: float, errors: float, *, wide: bool) -> Needs:
    """Return how far the ends of a mean's interval are, and chance moves it.

    `wide`: scatter is taken from the interval of the mean as seen, which allows for tails that few runs show badly.
    One end is the greatest mean whose likelihood is not too small, over how much of the likelihood's cost goes into the
    value that was not seen, at `far`, and how much, c, into the weights of those that were: the greatest of
    sqrt(2 c / n) s + (cost - c) far / n.
    """
    rows = question.rows(of.one)
    deviations = [
        _deviation(one[0], question.quantity, alpha) if wide else float(np.std(one[0], ddof=1)) for one in rows
    ]
    middles = [float(np.median(one)) for one in rows]
    farthest = [
        max(middle - float(low[0]), float(high[0]) - middle)
        for middle, (low, high) in zip(middles, question.ends(of.one), strict=True)
    ]
    cost = likelihood.cost_of_unseen(alpha)

    def end(runs: float, deviation: float, far: float) -> float:
        spent = min(cost, runs * deviation**2 / (2 * far**2))
        return math.sqrt(2 * spent / runs) * deviation + (cost - spent) * far / runs

    def needs(runs: float, scatter: float) -> float:
        ends = math.hypot(*(end(runs, scatter * s, far) for s, far in zip(deviations, farthest, strict=True)))
        return ends + errors * scatter * math.hypot(*deviations) / math.sqrt(runs)

    return needs


def _deviation(values: Floats, mean: Quantity, alpha: float) -> float:
    """Return how far single runs scatter by the interval of their mean as seen, which is wider with few runs."""
    seen = of_one(values, mean, alpha, allowing=False).interval
    return math.inf if seen is None else (seen[1] - seen[0]) / 2 * math.sqrt(len(values)) / _upper(alpha)


@dataclass(frozen=True, slots=True)
class _Known:
    """How far off a scatter may be that is known from so many independent parts: as their mean is, which is gamma."""

    parts: float

    def off(self, share: float) -> float:
        """Return how many times the true scatter the one seen is, or less, with probability `share`."""
        return float(special.gammaincinv(self.parts, share)) / self.parts

    def room(self, alpha: float, within: float) -> float:
        """Return how many times the scatter seen must be allowed for, to keep the probability `within`.

        Runs decide if chance leaves the estimate less far off than what the distance leaves beside the interval. That
        has the probability `within` if the scatter is known; here its mean over what the scatter may be has.
        """
        errors = _upper(alpha)
        known = 1 + _upper(1 - within) / errors
        off = special.gammaincinv(self.parts, _EVENLY) / self.parts

        def short(times: float) -> float:
            return within - float(np.mean(special.ndtr(errors * (times * known * off - 1))))

        return root(short, 0, _MOST_ROOM, rtol=1e-9)


def _known_by(of: Sides, question: Question, alpha: float) -> _Known:
    """Return how well the scatter is known: of a standard deviation from n runs, as of 2 (n - 1) parts.

    The interval of a quantile is the sum of the gaps between the few runs in order that lie in it, and a gap between
    independent runs scatters as much as it is wide. Two sides have twice as many parts.
    """
    share, sides = question.quantity.quantile, len(question.rows(of.one))
    if share is None:
        return _Known(2.0 * (of.runs - 1) * sides)
    return _Known(sides * max(1.0, 2 * _upper(alpha) * math.sqrt(of.runs * share * (1 - share))))


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
    return -float(special.ndtri(share))
