"""What meets what: two sides on the same link in the same testbed, and their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.runner.setting import Setting
from windlull.stats.questions import Sides

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from windlull.runner.messages import Number
    from windlull.stats.quantities import Floats
    from windlull.stats.summary import Cell

UNKNOWN = Setting()
"""Of runs whose files are not there: anything may be random."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared, in one cell: its name, and its values by metric and repetition.

    Values are finite numbers; a repetition that lacks a metric is left out.
    """

    name: str
    values: Mapping[str, Mapping[int, Number]]

    @property
    def copies(self) -> bool:
        """Whether all repetitions are the same in all metrics."""
        return all(len(set(of.values())) <= 1 for of in self.values.values())


@dataclass(frozen=True, slots=True)
class Match:
    """Two sides on the same link in the same testbed.

    `paired`: the same repetition of both met the same link (the same seed); else repetitions mean nothing. `random`:
    something in the runs is drawn at random; if nothing is, all repetitions are copies of one run, and count as one.
    `fixed_time`: the workload lasts a given time, so that its elapsed time says nothing.
    """

    link: str
    testbed: str
    baseline: Side
    candidate: Side
    paired: bool = True
    random: bool = True
    fixed_time: bool = False

    @classmethod
    def of(
        cls,
        link: str,
        testbed: str,
        baseline: Side,
        candidate: Side,
        *,
        paired: bool = True,
        setting: Setting = UNKNOWN,
    ) -> Match:
        """Set two sides against each other, of runs in this setting.

        That nothing is random is believed if the files say so and all repetitions of a side are the same in all
        metrics.
        """
        random = setting.draws(link, testbed) or not (baseline.copies and candidate.copies)
        return cls(link, testbed, baseline, candidate, paired, random, setting.fixed_time)


def matches(cells: Iterable[Cell], variants: Sequence[str], setting: Setting = UNKNOWN) -> list[Match]:
    """Set the cells of one experiment against each other: the first variant is the baseline of all others.

    A link and testbed that lack one of the two have no match. Raises ValueError with less than two variants.
    """
    if len(variants) < 2:
        raise ValueError("a comparison needs two variants")
    places: dict[tuple[str, str], dict[str, Cell]] = {}
    for cell in cells:
        places.setdefault((cell.link, cell.testbed), {})[cell.variant] = cell
    first, *others = variants
    return [
        Match.of(link, testbed, side(of[first]), side(of[other]), setting=setting)
        for (link, testbed), of in places.items()
        for other in others
        if first in of and other in of
    ]


def on_copies(against: Sequence[Match]) -> list[str]:
    """Say of which runs nothing is random, and what can vary; a note for each link."""
    links = dict.fromkeys(match.link for match in against if not match.random)
    return [
        f"nothing is random on {link}: all repetitions are copies of one run, which tells all; to see what may vary, "
        "begin at other places of the link's trace or script (`start` in the workload), or add to the link what is "
        "random"
        for link in links
    ]


def side(cell: Cell, name: str | None = None) -> Side:
    """Return a cell as one side, called as its variant unless a name is given."""
    return Side(name or cell.variant, cell.by_repetition)


def sides(match: Match, metric: str) -> Sides:
    """Return the values of both sides, candidate left: of the repetitions that both have, if they are paired.

    Of runs of which nothing is random only the first: the others are copies. Raises ValueError if a value is no finite
    number.
    """
    left, right = match.candidate.values.get(metric, {}), match.baseline.values.get(metric, {})
    lefts, rights = sorted(left), sorted(right)
    if match.paired:
        lefts = rights = sorted(left.keys() & right.keys())
    count = None if match.random else 1
    return Sides(
        _values(match.candidate, metric, lefts[:count]), _values(match.baseline, metric, rights[:count]), match.paired
    )


def alone(match: Match, metric: str) -> Sides:
    """Return the candidate's values on both sides, for a limit that no baseline has a part in."""
    repetitions = sorted(match.candidate.values.get(metric, {}))
    values = _values(match.candidate, metric, repetitions if match.random else repetitions[:1])
    return Sides(values, values, paired=True)


def _values(of: Side, metric: str, repetitions: Sequence[int]) -> Floats:
    found = np.array([of.values[metric][repetition] for repetition in repetitions], dtype=np.float64)
    if not np.all(np.isfinite(found)):
        raise ValueError(f"{of.name}: a value of {metric} is no finite number")
    return found
