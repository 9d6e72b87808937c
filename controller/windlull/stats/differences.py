"""How far what was measured live is from what was simulated, and whether so few runs can tell it from chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.runner.messages import SIMULATED
from windlull.stats.quantities import ALPHA, FEWEST, MEDIAN
from windlull.stats.questions import Sides, ratio
from windlull.stats.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.stats.summary import Cell

Telling = Literal["equal", "differs", "not told apart", "too few"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The median of one metric in a live testbed against that of the same variant on the same link, simulated.

    Both medians are of the `pairs`: the repetitions that count in both testbeds, which have the same seed. `percent` is
    how much more the live run of a pair is, the median over the pairs, with its 95 % `interval`; of few pairs, that of
    the medians, and None where the simulated one is 0. `absolute` is in the metric's unit. `telling` is `too few` with
    less than FEWEST pairs, `equal` if every pair is.
    """

    variant: str
    link: str
    testbed: str
    metric: str
    simulated: float
    live: float
    absolute: float
    percent: float | None
    pairs: int
    interval: tuple[float, float] | None
    telling: Telling


def differences(cells: Sequence[Cell]) -> list[Difference]:
    """Hold every live cell against its simulated one, metric by metric; none where a variant was not simulated."""
    simulated = {(cell.link, cell.variant): cell for cell in cells if cell.testbed == SIMULATED}
    return [
        _difference(base, cell, name)
        for cell in cells
        if cell.testbed != SIMULATED and (base := simulated.get((cell.link, cell.variant)))
        for name in cell.metrics
        if base.by_repetition.get(name, {}).keys() & cell.by_repetition[name].keys()
    ]


def _difference(base: Cell, live: Cell, name: str) -> Difference:
    here, there = base.by_repetition[name], live.by_repetition[name]
    shared = sorted(here.keys() & there.keys())
    left, right = [here[repetition] for repetition in shared], [there[repetition] for repetition in shared]
    ours, theirs = summarize(left).median, summarize(right).median
    percent = 100 * (theirs / ours - 1) if ours else None
    interval = None
    equal = left == right
    if len(shared) >= FEWEST and not equal:
        times = ratio(Sides(np.array(right, float), np.array(left, float), paired=True), MEDIAN, ALPHA)
        if times is not None and times.interval is not None:
            low, high = times.interval
            percent = 100 * (times.value - 1)
            interval = (100 * (low - 1), 100 * (high - 1))
    telling = _telling(len(shared), interval, equal=equal)
    return Difference(
        live.variant, live.link, live.testbed, name,
        ours, theirs, theirs - ours, percent, len(shared), interval, telling,
    )  # fmt: skip


def _telling(pairs: int, interval: tuple[float, float] | None, *, equal: bool) -> Telling:
    if pairs < FEWEST:
        return "too few"
    if equal:
        return "equal"
    if interval is None:
        return "not told apart"
    return "not told apart" if interval[0] <= 0 <= interval[1] else "differs"
