"""A grid: the values of several keys, and the points where every value of one meets every value of the others."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.errors import BadInputError
from windlull.sweep import values
from windlull.sweep.values import MOST_VALUES, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_POINTS = 100_000
"""The most points that a grid may have."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One key and its values. Raises BadInputError if there is none, or one twice."""

    key: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise BadInputError(f"{self.key}: no value")
        if len(self.values) > MOST_VALUES:
            raise BadInputError(f"{self.key}: {len(self.values)} values; the limit is {MOST_VALUES}")
        (twice, times), *_ = Counter(value.text for value in self.values).most_common(1)
        if times > 1:
            raise BadInputError(f"{self.key}: {twice!r} stands there {times} times")


@dataclass(frozen=True, slots=True)
class Setting:
    """A key with one of its values: a coordinate of a point."""

    key: str
    value: Value

    def __str__(self) -> str:
        return f"{self.key}={self.value.text}"


@dataclass(frozen=True, slots=True)
class Grid:
    """Axes in the order in which they were given; of a grid without an axis the one point is the experiment itself.

    Points are counted from 0, the last axis varies fastest. Raises BadInputError if a key stands there twice, or if
    there are more points than MOST_POINTS.
    """

    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        keys = Counter(axis.key for axis in self.axes)
        for key, times in keys.items():
            if times > 1:
                raise BadInputError(f"{key}: is given {times} times; give its values in one list")
        if self.count > MOST_POINTS:
            sizes = " x ".join(str(len(axis.values)) for axis in self.axes)
            raise BadInputError(f"a grid of {sizes} = {self.count} points; the limit is {MOST_POINTS}")

    @property
    def count(self) -> int:
        """How many points there are."""
        return math.prod(len(axis.values) for axis in self.axes)

    def places(self, point: int) -> tuple[int, ...]:
        """Return which value of each axis a point has, counted from 0."""
        found = []
        for axis in reversed(self.axes):
            point, place = divmod(point, len(axis.values))
            found.append(place)
        return tuple(reversed(found))

    def settings(self, point: int) -> tuple[Setting, ...]:
        """Return a point's coordinates, in the order of the axes."""
        return tuple(
            Setting(axis.key, axis.values[place]) for axis, place in zip(self.axes, self.places(point), strict=True)
        )

    def edges(self) -> Iterator[int]:
        """Yield points that together have every value, one key at a time, the others at their first value."""
        yield 0
        stride = self.count
        for axis in self.axes:
            stride //= len(axis.values)
            yield from range(stride, stride * len(axis.values), stride)


def axis(option: str) -> Axis:
    """Return the axis that `KEY=VALUES` means. Raises BadInputError, which names the option."""
    key, equals, listed = option.partition("=")
    if not equals or not key.strip():
        raise BadInputError(f"--grid {option!r}: write KEY=VALUES, as in 'link.both.rate=28.8 kbit/s,64 kbit/s'")
    try:
        return Axis(key.strip(), values.parse(listed))
    except BadInputError as error:
        raise BadInputError(f"--grid {key.strip()}: {error}") from error


def described(settings: Iterable[Setting]) -> str:
    """Write coordinates for a person; those of a grid without an axis are none."""
    return ", ".join(str(setting) for setting in settings) or "the experiment as it is"
