"""Whether the numbers of runs that few runs ask for are enough, and whether the ranges have the true one."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from measures import ALPHA, table
from windlull.stats import order_statistics, planning
from windlull.stats.compare import POWER
from windlull.stats.quantities import MEAN, MEDIAN, quantity
from windlull.stats.questions import Question, Samples, Sides

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from populations import Population
    from windlull.stats.quantities import Floats, Quantity

QUANTITIES = (MEDIAN, quantity("q3"), MEAN)
FIRST = (10, 20, 40)
"""The runs that are there when a number is asked for."""

NEEDED = 100
"""The number that is asked for, if all is known: of limits so far from the truth that so many runs decide."""

MOST = 400
"""Samples of a cell, at most."""

ROOM = 0.05
"""How much less often than it should a number may decide: what is known of scatter goes by normal values."""

_COUNTS = (6, 10, 15, 20, 30, 40, 50, 60, 75, NEEDED, 130, 170, 220, 300, 450, 700)
"""How often so many runs decide is measured; it is interpolated between them."""


@dataclass(frozen=True)
class Advised:
    """What `first` runs ask for, over `trials` samples of one population.

    `decides` is how often the number asked for decides, on the side of the limit where that is less often; `ranged` how
    often `NEEDED` is in the range beside it; `typical` is the median of the numbers.
    """

    population: Population
    paired: bool
    statistic: str
    first: int
    trials: int
    decides: float
    ranged: float
    typical: float

    @property
    def unseen(self) -> bool:
        """Whether it is about what few runs do not show: the mean where rare runs make it, or the tail."""
        return self.statistic == MEAN.name and (self.population.rare or self.population.tail)


def advise(populations: Sequence[Population], trials: int, *, seed: int) -> Iterator[Advised]:
    """Measure every cell. Quantiles of counts are left out: their limits can only be steps away."""
    for population in populations:
        for paired in (True, False):
            random = np.random.default_rng([seed, zlib.crc32(population.name.encode()), int(paired), NEEDED, 1])
            many = population.planted(random, min(trials, MOST), _COUNTS[-1], paired=paired)
            few = population.planted(random, min(trials, MOST), max(FIRST), paired=paired)
            whole = population.truth(paired=paired)
            for of in QUANTITIES:
                if of.quantile is None or not order_statistics.coarse(np.sort(many.right[:1], axis=1))[0]:
                    truth = float(Question(of).values(whole)[0])
                    yield from _of_one(population, few, many, of, truth)


def _of_one(population: Population, few: Samples, many: Samples, of: Quantity, truth: float) -> Iterator[Advised]:
    question = Question(of, 1.0, truth)
    distance = max(float(np.quantile(ends, POWER)) for ends in _away(many, question, NEEDED))
    if distance <= 0:  # all pairs are the same
        return
    shares = np.array([[np.mean(ends < distance) for ends in _away(many, question, count)] for count in _COUNTS])
    harder = shares[:, int(np.argmin(shares[_COUNTS.index(NEEDED)]))]
    for first in FIRST:
        if first < of.fewest(ALPHA):
            continue
        samples = [
            Sides(left, right, few.paired)
            for left, right in zip(few.left[:, :first], few.right[:, :first], strict=True)
        ]
        asked = [
            planning.to_show(one, question, distance, alpha=ALPHA, power=POWER)
            for one in samples
            if planning.tells(one, question)
        ]
        known = [one for one in asked if one]
        if not known:
            continue
        numbers = np.array([one.runs for one in known])
        ranged = [one.low <= NEEDED <= (one.high or math.inf) for one in known]
        yield Advised(
            population, few.paired, of.name, first, len(known),
            float(np.mean(np.interp(np.log(numbers), np.log(_COUNTS), harder))),
            float(np.mean(ranged)), float(np.median(numbers)),
        )  # fmt: skip


def _away(many: Samples, question: Question, count: int) -> tuple[Floats, Floats]:
    """Return how far from the truth a limit must be that `count` runs decide about, below it and above."""
    low, high = question.bounds(Samples(many.left[:, :count], many.right[:, :count], many.paired), ALPHA, exact=True)
    return -low, high


def too_few(cells: Sequence[Advised]) -> list[str]:
    """Return whose numbers decide less often than they should; a line each.

    Not of means where the runs have not shown what makes them (`Advised.unseen`).
    """
    bar = POWER - ROOM
    return [
        f"{one.population.name}, {_pairs(one)}: the number that {one.first} runs ask for, for a rule on the "
        f"{one.statistic}, decides in {100 * one.decides:.0f} %"
        for one in cells
        if not one.unseen and one.decides < bar - 3 * math.sqrt(bar * (1 - bar) / one.trials)
    ]


def advised_table(cells: Sequence[Advised]) -> list[str]:
    """Return the table of docs/statistics.md."""
    rows: dict[tuple[str, str, str], dict[int, str]] = {}
    for one in cells:
        cell = f"{100 * one.decides:.0f}, {100 * one.ranged:.0f}; {one.typical:.0f}"
        rows.setdefault((one.population.name, _pairs(one), one.statistic), {})[one.first] = cell
    return table(
        f"**Numbers of runs asked for, where {NEEDED} decide in {100 * POWER:g} %: how often they do, and how often "
        f"the range beside them has {NEEDED}**, in per cent; and the usual number.",
        ["runs drawn from", "", "rule on the", *(f"of {first}" for first in FIRST)],
        [[*row, *(of.get(first, "-") for first in FIRST)] for row, of in rows.items()],
    )


def _pairs(one: Advised) -> str:
    return "pairs" if one.paired else "no pairs"
