"""The calibration as a whole: every cell, the tables that show it, and which of its bars are not kept."""

from __future__ import annotations

import itertools
import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from measures import ALPHA, STATISTICS, Errors, Power, errors, power, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from looking import Looked
    from populations import Population

COVERED = (0.93, 0.98)
"""The bar for intervals, of ten runs and more."""

FEWEST = 500
"""Samples of a cell, if not fewer are asked for, however many runs they have."""

QUANTILES = 4
"""How many times the samples of others those of quantiles are."""

SEEN = "mean, as seen"
"""The interval of a mean that allows for nothing besides; it misses rare events that no run has shown."""


@dataclass(frozen=True)
class Cell:
    """One population, in pairs or not, with so many runs; the power was measured over `trials` samples."""

    population: Population
    paired: bool
    runs: int
    trials: int
    errors: dict[str, Errors]
    power: Power


def measure(
    populations: Sequence[Population], counts: Sequence[int], trials: int, *, most: int, seed: int
) -> Iterator[Cell]:
    """Measure every cell; of many runs fewer samples, of at most `most` values a side.

    What takes only the order of the values is quick, and is measured with `QUANTILES` samples.
    """
    for population in populations:
        for paired in (True, False):
            truth = population.truth(paired=paired)
            for runs in counts:
                size = min(trials, max(FEWEST, most // runs))
                random = np.random.default_rng([seed, zlib.crc32(population.name.encode()), int(paired), runs])
                planted = population.planted(random, size, runs, paired=paired)
                null = population.null(random, size, runs, paired=paired)
                many = population.planted(random, trials * QUANTILES, runs, paired=paired)
                asked = [one for one in STATISTICS if runs >= one.question.quantity.fewest(ALPHA)]
                found = {
                    one.name: errors(
                        planted if one.question.quantity.quantile is None else many,
                        one,
                        float(one.question.values(truth)[0]),
                    )
                    for one in asked
                }
                yield Cell(population, paired, runs, size, found, power(planted, null, truth))


def broken(cells: Sequence[Cell], looks: Sequence[Looked] = ()) -> list[str]:
    """Return what is not as it should be, beyond three standard errors of so many samples; a line each.

    Coverage above the bar is no error: the exact methods for ties and what is allowed for rare events have it.
    """
    found = []
    for cell in cells:
        where = f"{cell.population.name}, {_pairs(cell)}, {cell.runs} runs"

        for name, one in cell.errors.items():
            unseen = cell.population.rare and name == SEEN
            if cell.runs >= 10 and not unseen and above(1 - one.covered, 1 - COVERED[0], one.trials):
                found.append(f"{where}: the interval of the {name} covers {100 * one.covered:.1f} %")
            if name != SEEN:
                found += [
                    f"{where}: a gate on the {name} {what} in {100 * share:.1f} %"
                    for what, share in (
                        ("fails what is kept", one.false_fail),
                        ("passes what is broken", one.false_pass),
                    )
                    if above(share, ALPHA, one.trials)
                ]
        found += [
            f"{where}: compare {what} in {100 * share:.1f} %"
            for what, share in (
                ("calls the wrong direction", cell.power.wrong), ("calls higher what is the same", cell.power.higher),
                ("calls lower what is the same", cell.power.lower), ("calls equal what differs", cell.power.equal),
            )
            if above(share, ALPHA, cell.trials)
        ]  # fmt: skip
        if cell.power.turned:
            found.append(f"{where}: {100 * cell.power.turned:.1f} % pass a rule and not one with more room")
    for looked in looks:
        found += [
            f"{looked.population.name}, up to {looked.most} runs: a gate on the {looked.statistic} that looks again "
            f"{what} in {100 * share:.1f} %"
            for what, share in (
                ("fails what is kept", looked.false_fail), ("passes what is broken", looked.false_pass),
            )
            if above(share, ALPHA, looked.trials)
        ]  # fmt: skip
    return found + _falling(cells)


def above(share: float, bar: float, trials: int) -> bool:
    """Return whether a share of so many samples is above a bar by more than three standard errors."""
    return share > bar + 3 * math.sqrt(bar * (1 - bar) / trials)


def _falling(cells: Sequence[Cell]) -> list[str]:
    """Return where more runs find less."""
    found = []
    for before, after in itertools.pairwise(cells):
        if (before.population, before.paired) != (after.population, after.paired):
            continue
        for name, had, has in _powers(before, after):
            error = math.sqrt(max(had * (1 - had), 0.01) / before.trials + max(has * (1 - has), 0.01) / after.trials)
            if has < had - 3 * error:
                found.append(
                    f"{after.population.name}, {_pairs(after)}: {name} falls from {100 * had:.0f} % of {before.runs} "
                    f"runs to {100 * has:.0f} % of {after.runs}"
                )
    return found


def _powers(before: Cell, after: Cell) -> Iterator[tuple[str, float, float]]:
    yield "compare", before.power.right, after.power.right
    for name in before.power.fails:
        yield f"a gate on the {name} that fails", before.power.fails[name], after.power.fails[name]
        yield f"a gate on the {name} that passes", before.power.passes[name], after.power.passes[name]


def tables(cells: Sequence[Cell]) -> str:
    """Return the tables of docs/statistics.md."""
    counts = [str(runs) for runs in dict.fromkeys(cell.runs for cell in cells)]
    found: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        found.setdefault((cell.population.name, _pairs(cell)), []).append(cell)
    rows = found.items()

    def each(text: Callable[[Errors], str], names: Sequence[str]) -> list[list[str]]:
        return [
            [*whence, name, *(text(cell.errors[name]) if name in cell.errors else "-" for cell in of)]
            for whence, of in rows
            for name in names
        ]

    names = [about.name for about in STATISTICS]
    compared = []
    for whence, of in rows:
        effect = "rare events" if of[0].population.rare else f"{of[0].population.effect:g}"
        compared += [
            [*whence, effect, *(f"{_whole(c.power.right)}, {100 * c.power.wrong:.1f}" for c in of)],
            [
                *whence,
                "nothing: higher + lower",
                *(f"{100 * c.power.higher:.1f} + {100 * c.power.lower:.1f}" for c in of),
            ],
        ]
    gated = [
        [*whence, name, *(f"{_whole(c.power.fails[name])}, {_whole(c.power.passes[name])}" for c in of)]
        for whence, of in rows
        for name in of[0].power.fails
    ]
    sections = (
        ("Intervals: how often they cover the truth", "statistic",
         each(lambda one: f"{100 * one.covered:.1f}", names)),
        ("Gates: how often they fail a rule that is just kept, and pass one that is just broken", "rule on the",
         each(_wrong, [name for name in names if name != SEEN])),
        ("Comparisons: how often they call the right direction, and the wrong one", "planted", compared),
        ("Gates at 1.02 times the baseline: how often they fail what is planted, and pass the same", "rule on the",
         gated),
    )  # fmt: skip
    return "\n\n".join(
        "\n".join(table(f"**{title}**, in per cent.", ["runs drawn from", "", about, *counts], of))
        for title, about, of in sections
    )


def _pairs(cell: Cell) -> str:
    return "pairs" if cell.paired else "no pairs"


def _wrong(one: Errors) -> str:
    return f"{100 * one.false_fail:.1f}, {100 * one.false_pass:.1f}"


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"
