"""The marks of an axis: at multiples of 1, 2 or 5 times a power of ten, in the unit that suits them."""

from __future__ import annotations

import math
from dataclasses import dataclass

_HAIR = 1e-9
"""What rounding may make of a whole number, as a share of it."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of an axis, and how many of what is counted it has."""

    name: str
    size: int


TIMES = (Unit("s", 10**9), Unit("ms", 10**6), Unit("µs", 10**3), Unit("ns", 1))
OCTETS = (Unit("GB", 10**9), Unit("MB", 10**6), Unit("kB", 10**3), Unit("B", 1))


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of an axis, each with its label, and the unit that the labels are in."""

    unit: str
    marks: tuple[tuple[float, str], ...]


def times(low: float, high: float, count: int) -> Marks:
    """Return about so many marks of times in ns: in seconds, until the step needs more than three decimals."""
    step = nice_step(high - low, count)
    unit = next((unit for unit, least in zip(TIMES, (10**6, 10**3, 1), strict=False) if step >= least), TIMES[-1])
    return _marks(low, high, step, unit)


def octets(low: float, high: float, count: int) -> Marks:
    """Return about so many marks of octets, in the unit that suits the top of the axis."""
    unit = next((unit for unit in OCTETS if high >= 2 * unit.size), OCTETS[-1])
    return _marks(low, high, max(1.0, nice_step(high - low, count)), unit)


def nice_step(span: float, count: int) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least a `count`th part of the span."""
    rough = span / max(1, count)
    if rough <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough) + _HAIR)
    return power * next((nice for nice in (1, 2, 5) if rough / power <= nice + 1e-4), 10)


def _marks(low: float, high: float, step: float, unit: Unit) -> Marks:
    decimals = max(0, -math.floor(math.log10(step / unit.size) + _HAIR))
    first, last = math.ceil(low / step - _HAIR), math.floor(high / step + _HAIR)
    values = [place * step for place in range(first, last + 1)]
    return Marks(unit.name, tuple((value, f"{value / unit.size:.{decimals}f}") for value in values))
