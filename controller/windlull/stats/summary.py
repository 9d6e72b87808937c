"""The summary of a metric over the repetitions of one cell, and the cells of an experiment."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from windlull.metrics import in_order as metrics_in_order
from windlull.runner.messages import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from windlull.contract.engine import Average
    from windlull.runner.messages import Experiment, Number, Run
    from windlull.runner.setting import Setting


@dataclass(frozen=True, slots=True)
class Summary:
    """What a metric was over the repetitions.

    Quartiles interpolate linearly between the two nearest values in order: the quartile `q` of `n` values is at
    position `q * (n - 1)`, counted from 0. `values` are in the order of the repetitions.
    """

    median: float
    mean: float
    q1: float
    q3: float
    min: Number
    max: Number
    values: tuple[Number, ...]

    def average(self, which: Average) -> float:
        """Return the one that stands for all."""
        return self.mean if which == "mean" else self.median


def summarize(values: Iterable[Number]) -> Summary:
    """Sum up at least one value. Raises ValueError if there is none."""
    kept = tuple(values)
    if not kept:
        raise ValueError("no value to sum up")
    q1, median, q3 = (float(q) for q in np.quantile(np.array(kept, dtype=np.float64), (0.25, 0.5, 0.75)))
    # fsum: correctly rounded, so the mean depends neither on the order nor on the processor.
    return Summary(median, math.fsum(kept) / len(kept), q1, q3, min(kept), max(kept), kept)


@dataclass(frozen=True, slots=True)
class Cell:
    """All finished runs of one variant on one link in one testbed.

    `runs` is how many count; `invalid` how many more there are whose certificate says that they must not, `unfinished`
    how many whose transfer or command did not end in order. `metrics` has a summary of each metric that at least one
    run that counts has; `by_repetition` the single values.
    """

    variant: str
    link: str
    testbed: str
    runs: int
    invalid: int
    unfinished: int
    metrics: Mapping[str, Summary]
    by_repetition: Mapping[str, Mapping[int, Number]]

    @property
    def copies(self) -> bool:
        """Whether all repetitions are the same in all metrics."""
        return all(len(set(of.values())) <= 1 for of in self.by_repetition.values())

    @property
    def first(self) -> Cell:
        """Return what its first repetition says, of which the others are copies."""
        values = {name: dict([min(of.items())]) for name, of in self.by_repetition.items()}
        summaries = {name: summarize(of.values()) for name, of in values.items()}
        return replace(self, runs=min(1, self.runs), metrics=summaries, by_repetition=values)


def copied(cells: Iterable[Cell], setting: Setting) -> list[str]:
    """Return the links on which nothing is drawn, and all repetitions of every variant are copies of one run."""
    of: dict[str, list[Cell]] = {}
    for cell in cells:
        of.setdefault(cell.link, []).append(cell)
    return [
        link
        for link, here in of.items()
        if max(cell.runs for cell in here) > 1
        and all(cell.copies and not setting.draws(link, cell.testbed) for cell in here)
    ]


def cells(experiment: Experiment, runs: Iterable[Run]) -> list[Cell]:
    """Sum the runs up by link, variant and testbed, in the experiment's order, whatever order the runs come in.

    A variant without a finished run on a link in a testbed has no cell there.
    """
    of: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        of.setdefault((run.link, run.variant, run.testbed), []).append(run)
    testbeds = in_order({testbed for _, _, testbed in of})
    return [
        _cell(variant.name, link.name, testbed, of[link.name, variant.name, testbed])
        for link in experiment.links
        for variant in experiment.variants
        for testbed in testbeds
        if (link.name, variant.name, testbed) in of
    ]


def _cell(variant: str, link: str, testbed: str, finished: list[Run]) -> Cell:
    valid = [run for run in finished if run.invalid is None]
    runs = sorted((run for run in valid if run.unfinished is None), key=lambda run: run.repetition)
    invalid, unfinished = len(finished) - len(valid), len(valid) - len(runs)
    names = metrics_in_order({name for run in runs for name in run.metrics})
    values = {name: {run.repetition: run.metrics[name] for run in runs if name in run.metrics} for name in names}
    summaries = {name: summarize(values[name].values()) for name in names}
    return Cell(variant, link, testbed, len(runs), invalid, unfinished, summaries, values)
