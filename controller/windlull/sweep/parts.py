"""The work of a sweep, cut into parts: what a worker does in one task, and what one part file has.

Which runs make up a part follows from the points alone, never from the machine or the number of workers: so parts that
one cluster finished are of use to another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PART_SEGMENTS = 2_000_000
"""How many data segments the runs of a part have to bring over, retransmissions left out: about a second of work."""

PART_ROWS = 20_000
"""The most runs of a part, so that a part is small wherever it is."""

_OF_A_RUN = 20
"""What a run costs beside its data, in segments: its beginning and its end."""

_OF_AN_ENGINE = 20_000
"""What it costs to start the engine for the runs of a point, in segments."""


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the grid, found good: `runs` of it, each of about so many data segments."""

    index: int
    runs: int
    repetitions: int
    seed: str
    segments: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Runs of one point that are made in one go: those at the places from `first` to before `end` of its plan."""

    point: Point
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Part:
    """What a worker does in one task, and what one part file has: stretches in the order of their points."""

    index: int
    stretches: tuple[Stretch, ...]

    @property
    def rows(self) -> int:
        """How many runs these are."""
        return sum(stretch.end - stretch.first for stretch in self.stretches)


def cut(points: Iterable[Point]) -> Iterator[Part]:
    """Fill parts with runs up to PART_SEGMENTS and PART_ROWS; the last run of a part may go beyond."""
    index, stretches, segments, rows = 0, [], 0, 0
    for point in points:
        first = 0
        while first < point.runs:
            segments += _OF_AN_ENGINE
            cost = point.segments + _OF_A_RUN
            fitting = min(math.ceil((PART_SEGMENTS - segments) / cost), PART_ROWS - rows)
            end = min(point.runs, first + max(1, fitting))
            stretches.append(Stretch(point, first, end))
            segments += cost * (end - first)
            rows += end - first
            first = end
            if segments >= PART_SEGMENTS or rows >= PART_ROWS:
                yield Part(index, tuple(stretches))
                index, stretches, segments, rows = index + 1, [], 0, 0
    if stretches:
        yield Part(index, tuple(stretches))
