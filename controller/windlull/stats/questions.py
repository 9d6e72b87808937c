"""What the runs of two sides say of a statistic: its estimate, its interval, and the p-values of a claim about it.

The one place from which `compare`, `gate`, claims and reports take them; docs/statistics.md says which method is for
what, and scripts/calibrate measures how often each is right. A sample is a row of an array, so that many
samples can be asked at once; who has one asks with one row.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.stats import likelihood, order_statistics, square_and_add, unseen
from windlull.stats.quantities import MEDIAN
from windlull.stats.roots import root

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from windlull.stats.quantities import Floats, Quantity

    Booleans = npt.NDArray[np.bool_]
    Bounds = tuple[Floats, Floats]

_LEAST = 1e-12
"""The smallest p-value that is looked for where it must be searched."""

_DOUBLINGS = 10
"""How often a ratio is doubled or halved to find an end of its interval."""


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A number and its interval; both ends None where so few runs have none.

    `at_least`: the interval has the value more often than it promises, never less: many values are ties, or what so
    many runs cannot have shown is allowed for.
    """

    value: float
    low: float | None
    high: float | None
    at_least: bool = False

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, where there are both."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def sure(self, confidence: float) -> str:
        """Say in words how sure an interval of this confidence is."""
        return f"{'at least ' if self.at_least else ''}{100 * confidence:g} %"


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

    @property
    def one(self) -> Samples:
        """Return them as one sample of each side."""
        return Samples(self.left[np.newaxis, :], self.right[np.newaxis, :], self.paired)


@dataclass(frozen=True, slots=True)
class Samples:
    """Many samples of two sides: arrays of shape (samples, n), of the same n if `paired`."""

    left: Floats
    right: Floats
    paired: bool


@dataclass(frozen=True, slots=True)
class Question:
    """How far `quantity` of the left is above `factor` times that of the right, plus `constant`.

    `factor` 0 asks about the left side alone. `allowing`: of a mean, allow for what so many runs cannot have shown
    (stats.unseen); else what was seen stands for all.

    In pairs the median is that of the pairs' differences, `left - factor * right`, and the mean of them is the
    difference of the means. Other quantiles are those of each side, and so is the median unless `of_pairs`.
    """

    quantity: Quantity
    factor: float = 1.0
    constant: float = 0.0
    allowing: bool = True
    of_pairs: bool = True

    def values(self, of: Samples) -> Floats:
        """Return the estimates."""
        differences = self._differences(of)
        if differences is not None:
            return self.quantity.of(differences)
        return self.quantity.of(of.left) - self.factor * self.quantity.of(of.right) - self.constant

    def bounds(self, of: Samples, alpha: float, *, exact: bool = False) -> Bounds:
        """Return the ends of the intervals, each of which is wrong with a probability of `alpha`.

        `exact`: of quantiles, with a probability of no more than that.
        """
        most = square_and_add.MOST_EXACT if exact else square_and_add.MOST
        return self._bounds(of, alpha, most, exact=exact)

    def deciding_bounds(self, of: Samples, alpha: float) -> Bounds:
        """Return the ends by which claims are decided, as far apart as they are with many runs.

        The exact ends lie at values, which few runs have far apart; these are interpolated between them.
        """
        return self._bounds(of, alpha, square_and_add.MOST_EXACT, exact=False)

    def shown(self, of: Samples, alpha: float, *, strict: bool) -> tuple[Booleans, Booleans]:
        """Return where the claims of `p_values` are shown with an error of at most `alpha`."""
        differences = self._differences(of)
        if differences is not None and self.quantity.quantile is not None:
            above, below = order_statistics.p_values(differences, self.quantity.quantile, strict=strict)
            return above <= alpha, below <= alpha
        low, high = self.bounds(of, alpha, exact=True)
        return _above(low, strict=strict), _above(-high, strict=not strict)

    def p_values(self, of: Sides, *, strict: bool) -> tuple[float, float]:
        """Return the p-values of the claims that it is above 0, and that it is not.

        `strict`: the first claim is `> 0` and the second `<= 0`; else they are `>= 0` and `< 0`.
        """
        return self.p_value(of, above=True, strict=strict), self.p_value(of, above=False, strict=strict)

    def p_value(self, of: Sides, *, above: bool, strict: bool) -> float:
        """Return one of them."""
        one, which = of.one, 0 if above else 1
        differences = self._differences(one)
        if differences is None:
            share = self.quantity.quantile
            # The least that all runs on one side can show; of more than a thousand runs that is 0 to a computer.
            least = _LEAST if share is None else max(max(share, 1 - share) ** of.runs, sys.float_info.min)
            return square_and_add.p_value(lambda alpha: bool(self.shown(one, alpha, strict=strict)[which][0]), least)
        if self.quantity.quantile is not None:
            return float(order_statistics.p_values(differences, self.quantity.quantile, strict=strict)[which][0])
        ((low, high),) = self.ends(one)
        return float((likelihood.p_at_most(differences, low) if above else likelihood.p_at_least(differences, high))[0])

    def estimate(self, of: Sides, alpha: float) -> IntervalEstimate:
        """Return the estimate of one sample, with its interval where there are enough runs."""
        value = float(self.values(of.one)[0])
        if of.runs < max(2, self.quantity.fewest(alpha)):
            return IntervalEstimate(value, None, None)
        low, high = self.bounds(of.one, alpha)
        return IntervalEstimate(value, _finite(low[0]), _finite(high[0]), self.at_least(of))

    def at_least(self, of: Sides) -> bool:
        """Return whether the interval can only be wider than it need be."""
        if self.quantity.quantile is None:
            return self.allowing
        one = of.one
        differences = self._differences(one)
        if differences is None:
            # Two quantiles of the same pairs are taken to move together less than they may.
            return of.paired or bool(self._coarse(one)[0])
        return bool(order_statistics.coarse(np.sort(differences, axis=1))[0])

    def rows(self, of: Samples) -> tuple[Floats, ...]:
        """Return the values that the interval is of: one a run or pair where it is that, else those of each side."""
        differences = self._differences(of)
        return (of.left, self.factor * of.right) if differences is None else (differences,)

    def ends(self, of: Samples) -> tuple[Bounds, ...]:
        """Return between which ends the values of each of `rows` may lie, of which there may be some not seen."""
        rows, factor = self.rows(of), self.factor
        if not self.allowing:
            return tuple(_around(one, unseen.beyond_seen(one, of_two=bool(factor))) for one in rows)
        if not factor:
            return (_around(rows[0], unseen.allowance(rows[0], of.left)),)
        if of.paired:
            low, high = unseen.ends_in_pairs(of.left, of.right, factor)
            return ((low - self.constant, high - self.constant),)
        # By the runs as they are, whatever the factor.
        away = (unseen.allowance(one, of.left, of.right) for one in (of.left, of.right))
        return tuple(_around(one, by * far) for one, by, far in zip(rows, (1, factor), away, strict=True))

    def _differences(self, of: Samples) -> Floats | None:
        """Return what the question is about as one value a run or pair, where it is that."""
        if not self.factor:
            return of.left - self.constant
        if of.paired and (self.quantity.quantile is None or (self.of_pairs and self.quantity == MEDIAN)):
            return np.asarray(of.left - self.factor * of.right - self.constant)
        return None

    def _bounds(self, of: Samples, alpha: float, most: float, *, exact: bool) -> Bounds:
        """Return the ends; two quantiles of the same pairs are taken to move together up to `most`."""
        differences = self._differences(of)
        rows, share = self.rows(of), self.quantity.quantile
        if share is not None:
            found = [order_statistics.bounds(one, share, alpha, exact=exact) for one in rows]
        else:
            found = [self._of_mean(one, alpha, ends) for one, ends in zip(rows, self.ends(of), strict=True)]
        if differences is not None:
            return found[0]
        if share is None:
            # Runs none of which is below 0 have no mean below 0.
            least = [np.where(np.all(one >= 0, axis=1), 0, -np.inf) for one in rows]
            found = [(np.maximum(low, no_less), high) for no_less, (low, high) in zip(least, found, strict=True)]
        low, high = square_and_add.difference(
            self.quantity.of(rows[0]), found[0], self.quantity.of(rows[1]), found[1], self._correlation(of, most),
            self._coarse(of),
        )  # fmt: skip
        if of.paired and share is not None:
            lowest, highest = self._of_the_same(of, share, alpha, exact=exact)
            low, high = np.maximum(low, lowest), np.minimum(high, highest)
        return low - self.constant, high - self.constant

    def _of_the_same(self, of: Samples, share: float, alpha: float, *, exact: bool) -> Bounds:
        """Return the ends where nearly all pairs are the same: their quantiles are apart by no more than the others."""
        below, above = order_statistics.apart(of.left, of.right, share, alpha)
        with np.errstate(invalid="ignore"):  # of a factor of 1 and no end, which is nothing besides
            ends = (1 - self.factor) * np.array(order_statistics.bounds(of.right, share, alpha, exact=exact))
        ends = np.nan_to_num(ends, nan=0.0, posinf=np.inf, neginf=-np.inf)
        return below + ends.min(axis=0), above + ends.max(axis=0)

    def _of_mean(self, rows: Floats, alpha: float, ends: Bounds) -> Bounds:
        cost = likelihood.cost_of_unseen(alpha) if self.allowing else likelihood.cost_of_seen(rows.shape[1], alpha)
        return likelihood.lower(rows, ends[0], cost), likelihood.upper(rows, ends[1], cost)

    def _correlation(self, of: Samples, most: float) -> Floats:
        if not of.paired or self.quantity.quantile is None:
            return np.zeros(len(of.left))
        return square_and_add.correlation(of.left, of.right, self.quantity.quantile, most)

    def _coarse(self, of: Samples) -> Booleans:
        if self.quantity.quantile is None:
            return np.zeros(len(of.left), dtype=bool)
        left, right = (order_statistics.coarse(np.sort(rows, axis=1)) for rows in (of.left, of.right))
        return np.asarray(left | right)


def of_one(values: Floats, quantity: Quantity, alpha: float, *, allowing: bool = True) -> IntervalEstimate:
    """Return the statistic of the values of one side, with its interval where there are enough."""
    return Question(quantity, factor=0.0, allowing=allowing).estimate(Sides(values, values, paired=True), alpha)


def ratio(
    of: Sides, quantity: Quantity, alpha: float, *, allowing: bool = True, of_pairs: bool = True
) -> IntervalEstimate | None:
    """Return how many times the right side the left is, with its interval; None where the right may be 0.

    In pairs the median is that of the pairs' ratios, unless not `of_pairs`: then it is the ratio of the medians. The
    mean as seen is taken to move by what the pairs' differences from the ratio do. Else the interval is of all factors
    about which `Question` cannot say on which side the ratio is, so that a gate says the same.
    """
    ours, theirs = quantity.value(of.left), quantity.value(of.right)
    pairwise = of.paired and of_pairs and quantity == MEDIAN
    if np.any(of.left < 0) or np.any(of.right < 0) or theirs <= 0 or (pairwise and np.any(of.right == 0)):
        return None
    if pairwise:
        ratios = of.left / of.right
        return of_one(ratios, quantity, alpha)
    value = ours / theirs
    if of.runs < max(2, quantity.fewest(alpha)):
        return IntervalEstimate(value, None, None)
    if of.paired and quantity.quantile is None and not allowing:
        low, high = Question(quantity, value, allowing=allowing).bounds(of.one, alpha)
        below, above = float(low[0]) / theirs, float(high[0]) / theirs
        return IntervalEstimate(value, max(0.0, value + below), value + above)

    def beyond(end: int) -> Callable[[float], float]:
        def at(factor: float) -> float:
            question = Question(quantity, factor, allowing=allowing, of_pairs=of_pairs)
            return float(question.bounds(of.one, alpha)[end][0])

        return at

    at_least = Question(quantity, allowing=allowing, of_pairs=of_pairs).at_least(of)
    return IntervalEstimate(value, _crossing(beyond(0), value, -1), _crossing(beyond(1), value, 1), at_least)


def _crossing(excess: Callable[[float], float], value: float, way: int) -> float | None:
    """Return the factor at which an end of the excess, which falls with the factor, is 0.

    None where that is more than a thousand times the ratio itself, 0 where less than a thousandth.
    """
    inner = max(value, 1e-9)
    at_inner = excess(inner)
    if way * at_inner <= 0:
        return inner
    for _ in range(_DOUBLINGS):
        outer = inner * 2.0**way
        at_outer = excess(outer)
        if way * at_outer <= 0:
            return root(excess, min(inner, outer), max(inner, outer), xtol=1e-12 * value, rtol=1e-10)
        inner = outer
    return None if way > 0 else 0.0


def _around(rows: Floats, away: Floats) -> Bounds:
    middle = np.median(rows, axis=1)
    return middle - away, middle + away


def _above(ends: Floats, *, strict: bool) -> Booleans:
    return np.asarray(ends > 0 if strict else ends >= 0)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
