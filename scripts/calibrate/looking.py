"""How often a gate that looks more than once (`--until-decided`) is wrong, and how many runs it takes."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from measures import ALPHA, ROOM, table
from windlull.stats.looks import looks
from windlull.stats.quantities import MEAN, MEDIAN
from windlull.stats.questions import Question, Samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from populations import Population

FIRST = 10
"""The runs of the first look."""


@dataclass(frozen=True)
class Looked:
    """One population and rule, with at most so many pairs: shares of `trials` samples.

    `false_fail` and `false_pass` are of a limit that is the truth; `fails` of the rule at 1.02 times the baseline with
    the planted effect, `passes` without it. `runs` are the pairs made in the mean, with the effect and without.
    """

    population: Population
    statistic: str
    most: int
    trials: int
    false_fail: float
    false_pass: float
    fails: float
    passes: float
    runs: tuple[float, float]


def look(populations: Sequence[Population], most: Sequence[int], trials: int, *, seed: int) -> Iterator[Looked]:
    """Measure every cell, in pairs."""
    for population in populations:
        truth = population.truth(paired=True)
        for count in most:
            random = np.random.default_rng([seed, zlib.crc32(population.name.encode()), count])
            planted, null = (draw(random, trials, count, paired=True) for draw in (population.planted, population.null))
            for quantity in (MEDIAN, MEAN):
                limit = float(Question(quantity).values(truth)[0])
                kept, _ = _gate(planted, Question(quantity, 1.0, limit), strict=True)
                broken, _ = _gate(planted, Question(quantity, 1.0, limit), strict=False)
                with_it, taken = _gate(planted, Question(quantity, 1 + ROOM), strict=True)
                without, taken_without = _gate(null, Question(quantity, 1 + ROOM), strict=True)
                yield Looked(
                    population, quantity.name, count, trials,
                    float(np.mean(kept > 0)), float(np.mean(broken < 0)),
                    float(np.mean(with_it > 0)), float(np.mean(without < 0)),
                    (float(np.mean(taken)), float(np.mean(taken_without))),
                )  # fmt: skip


def _gate(of: Samples, rule: Question, *, strict: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return 1 for each sample that fails, -1 where it passes, 0 where neither; and how many runs that took."""
    trials, most = of.left.shape
    found, taken = np.zeros(trials), np.full(trials, most)
    for one in looks(FIRST, most, ALPHA):
        still = np.flatnonzero(found == 0)
        taken[still] = one.runs
        if one.runs < max(2, rule.quantity.fewest(one.alpha)) or not len(still):
            continue
        so_far = Samples(of.left[still, : one.runs], of.right[still, : one.runs], paired=True)
        above, below = rule.shown(so_far, one.alpha, strict=strict)
        found[still] = np.where(above, 1.0, np.where(below, -1.0, 0.0))
    return found, taken


def looked_table(cells: Sequence[Looked]) -> list[str]:
    """Return the table of docs/statistics.md."""
    return table(
        "**Gates with `--until-decided`, in pairs: the same, with the effect and without**, in per cent.",
        ("runs drawn from", "rule on the", "at most", "fails, passes wrongly", "fails, passes rightly", "pairs made"),
        [
            (
                one.population.name, one.statistic, str(one.most),
                f"{100 * one.false_fail:.1f}, {100 * one.false_pass:.1f}",
                f"{100 * one.fails:.0f}, {100 * one.passes:.0f}", f"{one.runs[0]:.0f}, {one.runs[1]:.0f}",
            )
            for one in cells
        ],
    )  # fmt: skip
