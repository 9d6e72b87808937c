"""Where a series of numbers changed its level, one number a batch, in the order of the batches.

The tests are by permutation: if nothing changed, every order of the numbers is as likely as theirs. One asks for a
change that stays: its statistic is the greatest difference of the means before and after a place, over all places (the
CUSUM statistic for one change; Csörgő and Horváth 1997, *Limit Theorems in Change-Point Analysis*, chapter 1). The
other asks for one that goes back: the greatest difference of the means of a stretch and of all around it (Olshen et al.
2004, *Circular binary segmentation*, section 2). Their error is therefore right for any distribution, ties and heavy
tails included, if the numbers are independent of each other. Where there is a change, the stretches beside it are
searched on, each with its share of the error.

An interval has all sizes of the change that the first test does not reject once they are taken out.
docs/statistics.md says how often all this is wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from windlull.stats import ranks
from windlull.stats.questions import IntervalEstimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from windlull.stats.quantities import Floats

    Places = npt.NDArray[np.intp]

FALSE_ALARMS = 0.05
"""With what probability at most any of the series has an alarm if none changed."""

CONFIDENCE = 0.95
"""Of the intervals."""

LEAST = 2
"""So many numbers at least are on each side of a change: one alone may be a stray."""

ORDERS = 4999
"""So many orders are drawn, always the same ones; with that of the series itself they are 5,000."""

_ORDERS_BACK = 999
"""The first of them, for changes that go back: there are many more places for these."""

_STAYS = 0.8
"""The share of the error that goes to changes that stay, so that eight numbers can still show one."""

_SEED = 64
_AT_ONCE = 2_000_000
"""So many stretches of all orders are looked at at once, which bounds the memory."""

_NONE = 1e-9
"""Differences below this share of the greatest number are those of rounding."""

_DOUBLINGS = 3
"""How often the end of an interval is looked for twice as far out: beyond, it has none worth a number."""

_HALVINGS = 14
"""Of an interval's end: to a ten-thousandth of the change."""


@dataclass(frozen=True, slots=True)
class Change:
    """The numbers from `at` on, counted from 0, are at another level than those before.

    `since` and `until` are the stretch that was looked at: from the change before to the next one. `before` and `after`
    are the means of its two parts. `ratio` is that of the two, `difference` stands where a number is not above 0.
    """

    at: int
    since: int
    until: int
    before: float
    after: float
    p: float
    ratio: IntervalEstimate | None
    difference: IntervalEstimate | None


@dataclass(frozen=True, slots=True)
class Trend:
    """What one series shows. `p` is that of any change at all, `p_adjusted` after Holm over all series.

    Both are None where there are too few numbers for any order to be remarkable, or all are the same.
    """

    p: float | None
    p_adjusted: float | None
    changes: tuple[Change, ...]


def fewest(false_alarms: float = FALSE_ALARMS) -> int:
    """Return how many numbers a series needs: with fewer, not even a clean step in its middle is remarkable."""
    return next(count for count in range(2 * LEAST, 200) if 2 / math.comb(count, count // 2) <= _STAYS * false_alarms)


def trends(series: Sequence[npt.ArrayLike], *, false_alarms: float = FALSE_ALARMS) -> list[Trend]:
    """Return what each series shows; the probability of an alarm is over all of them.

    Raises ValueError if `false_alarms` is not between 0 and 0.5, or a number is not finite.
    """
    if not 0 < false_alarms < 0.5:
        raise ValueError(f"a share of false alarms of {false_alarms:g} is not between 0 and 0.5")
    rows = [np.asarray(one, dtype=np.float64) for one in series]
    if not all(np.all(np.isfinite(row)) for row in rows):
        raise ValueError("a value of a series is no finite number")
    told = [Trend(None, None, ())] * len(rows)
    # What is the same throughout cannot raise an alarm, and costs the others nothing.
    tested = [index for index, row in enumerate(rows) if len(row) >= fewest(false_alarms) and np.ptp(row) > 0]
    found = [_search(rows[index]) for index in tested]
    adjusted = ranks.holm([p for _, p in found])
    for index, (first, p), p_adjusted in zip(tested, found, adjusted, strict=True):
        row, places = rows[index], list[int]()
        if p_adjusted <= false_alarms:
            places = _split(row, [0, *first, len(row)], false_alarms / len(tested) / len(row))
        told[index] = Trend(p, p_adjusted, tuple(_changes(row, sorted(places))))
    return told


def shows_change(row: Floats, false_alarms: float = FALSE_ALARMS) -> bool:
    """Return whether a series that is looked at alone has an alarm."""
    return len(row) >= fewest(false_alarms) and _search(row)[1] <= false_alarms


def _split(row: Floats, ends: Sequence[int], share: float) -> list[int]:
    """Return all places between the first of the ends and the last, with more of them in the stretches between.

    `share` is the error for each number.
    """
    places = list(ends[1:-1])
    for low, high in pairwise(ends):
        if high - low >= 2 * LEAST:
            more, p = _search(row[low:high])
            if p <= share * (high - low):
                places += _split(row, [low, *(low + place for place in more), high], share)
    return places


def _search(row: Floats) -> tuple[list[int], float]:
    """Return the place of a change that stays, or both of one that goes back; and the probability of one by chance."""
    at, p = _strongest(row)
    (start, end), p_back = _there_and_back(row)
    stays, back = min(1.0, p / _STAYS), min(1.0, p_back / (1 - _STAYS))
    return ([at], stays) if stays <= back else ([start, end], back)


def _changes(row: Floats, places: Sequence[int]) -> list[Change]:
    ends = [0, *places, len(row)]
    return [_change(row, *of) for of in zip(ends, ends[1:], ends[2:], strict=False)]


def _change(row: Floats, since: int, at: int, until: int) -> Change:
    stretch, place = row[since:until], at - since
    before, after = float(stretch[:place].mean()), float(stretch[place:].mean())
    _, p = _strongest(stretch)
    if np.all(stretch > 0):
        low, high = _interval(stretch, place, math.log(after / before), multiply=True)
        ratio = IntervalEstimate(after / before, _ratio(low), _ratio(high))
        return Change(at, since, until, before, after, p, ratio, None)
    difference = IntervalEstimate(after - before, *_interval(stretch, place, after - before, multiply=False))
    return Change(at, since, until, before, after, p, None, difference)


def _ratio(logarithm: float | None) -> float | None:
    return None if logarithm is None else math.exp(logarithm)


def _interval(row: Floats, at: int, size: float, *, multiply: bool) -> tuple[float | None, float | None]:
    """Return between which sizes the change may be: those that leave nothing remarkable when they are taken out."""

    def fits(by: float) -> bool:
        level = row.copy()
        level[at:] = level[at:] * math.exp(-by) if multiply else level[at:] - by
        return _strongest(level)[1] > 1 - CONFIDENCE

    if not fits(size):
        # More than one change, or something else, is in this stretch: no interval of one change is right.
        return None, None
    spread = float(np.ptp(np.log(row))) if multiply else float(np.ptp(row))
    step = max(abs(size), spread)
    return _end(fits, size, -step), _end(fits, size, step)


def _end(fits: Callable[[float], bool], inside: float, step: float) -> float | None:
    """Return where it ends to fit, from a size that fits outwards; None if it fits however far."""
    outside = inside + step
    for _ in range(_DOUBLINGS):
        if not fits(outside):
            break
        inside, outside = outside, outside + 2 * (outside - inside)
    else:
        return None
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if fits(middle) else (inside, middle)
    return outside


def _strongest(row: Floats) -> tuple[int, float]:
    """Return where the means before and after differ most, and how probable chance alone makes as much."""
    centred = _centred(row)
    if not np.any(centred):
        return len(row) // 2, 1.0
    seen = _differences(centred[np.newaxis, :])[0]
    others = _differences(centred[_orders(len(row))]).max(axis=1)
    return LEAST + int(seen.argmax()), _probability(float(seen.max()), others)


def _there_and_back(row: Floats) -> tuple[tuple[int, int], float]:
    """Return the stretch whose mean differs most from that of all around it, and how probable that is by chance."""
    centred = _centred(row)
    if len(row) < 3 * LEAST or not np.any(centred):
        return (0, len(row)), 1.0
    starts, ends = _stretches(len(row))
    seen = _bulges(centred[np.newaxis, :], starts, ends)[0]
    orders = _orders(len(row))[:_ORDERS_BACK]
    pieces = np.array_split(orders, math.ceil(len(orders) * len(starts) / _AT_ONCE))
    others = np.concatenate([_bulges(centred[piece], starts, ends).max(axis=1) for piece in pieces])
    most = int(seen.argmax())
    return (int(starts[most]), int(ends[most])), _probability(float(seen[most]), others)


def _centred(row: Floats) -> Floats:
    """Return the distances from the mean, of which those that are but rounding are none."""
    scaled = row / (float(np.max(np.abs(row))) or 1.0)
    centred = scaled - scaled.mean()
    return np.asarray(np.where(np.abs(centred) <= _NONE, 0.0, centred))


def _probability(seen: float, others: Floats) -> float:
    return (1 + int(np.count_nonzero(others >= seen * (1 - _NONE)))) / (1 + len(others))


def _differences(centred: Floats) -> Floats:
    """Return for each row and place how much of the squares about the mean a change there would explain."""
    count = centred.shape[1]
    before = np.arange(LEAST, count - LEAST + 1)
    sums = np.cumsum(centred, axis=1)[:, LEAST - 1 : count - LEAST]
    return np.asarray(np.square(sums) * (count / (before * (count - before))))


def _bulges(centred: Floats, starts: Places, ends: Places) -> Floats:
    """Return the same for each row and stretch against all around it."""
    count = centred.shape[1]
    sums = np.concatenate((np.zeros((len(centred), 1)), np.cumsum(centred, axis=1)), axis=1)
    inside = ends - starts
    return np.asarray(np.square(sums[:, ends] - sums[:, starts]) * (count / (inside * (count - inside))))


@lru_cache(maxsize=64)
def _stretches(count: int) -> tuple[Places, Places]:
    """Return the beginnings and ends of all stretches that touch neither end of so many numbers."""
    starts, ends = np.triu_indices(count + 1, LEAST)
    inner = (starts >= LEAST) & (ends <= count - LEAST)
    return starts[inner], ends[inner]


@lru_cache(maxsize=64)
def _orders(count: int) -> Places:
    """Return the orders of so many numbers that are drawn, always the same."""
    draw = np.random.Generator(np.random.PCG64(_SEED))
    return draw.permuted(np.tile(np.arange(count), (ORDERS, 1)), axis=1)
