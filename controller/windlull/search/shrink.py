"""A candidate made as small as it can be and still fails: fewer events, base values, shorter times, round numbers.

Greedy delta debugging (Zeller and Hildebrandt 2002): whatever still fails after a simplification is simplified further,
until no simplification is left. It ends: each one takes away an event or a key, narrows a direction, shortens a time,
or takes digits from a number without making a time longer or adding anything; so none can be undone by another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from windlull.search.candidate import SHORTEST_US, Candidate, candidate, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from windlull.search.candidate import Event, Parameter

MOST = 400
"""Candidates that are tried at most, where nobody says another number."""

_SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""To which share of itself a time is shortened, the shortest first."""

_ROUND = (1, 2, 3)
"""To how many significant digits numbers are rounded, the fewest first."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """What remained, after how many were tried; `minimal` is false where there was no more budget.

    `trail` has what was taken on the way, from what it began with to what remained.
    """

    candidate: Candidate
    tried: int
    minimal: bool
    trail: tuple[Candidate, ...]


class _OutOfBudgetError(Exception):
    """No more may be tried."""


def shrink(start: Candidate, fails: Callable[[Sequence[Candidate]], Sequence[bool]], most: int = MOST) -> Shrunk:
    """Return the smallest candidate that is found and still fails; `start` is known to fail.

    `fails` says of several candidates which of them fail; it may try them side by side. The first that fails in the
    order given is taken, so that the result does not depend on how many run at a time.
    """
    shrinking = _Shrinking(start, fails, most)
    try:
        shrinking.to_the_end()
    except _OutOfBudgetError:
        return Shrunk(shrinking.smallest, shrinking.tried, minimal=False, trail=tuple(shrinking.trail))
    return Shrunk(shrinking.smallest, shrinking.tried, minimal=True, trail=tuple(shrinking.trail))


class _Shrinking:
    def __init__(self, start: Candidate, fails: Callable[[Sequence[Candidate]], Sequence[bool]], most: int) -> None:
        self.trail = [start]
        self.tried = 0
        self._fails = fails
        self._most = most
        self._known: dict[Candidate, bool] = {start: True}

    @property
    def smallest(self) -> Candidate:
        """The simplest so far that fails."""
        return self.trail[-1]

    def to_the_end(self) -> None:
        steps = (_fewer_events, _fewer_keys, _narrower, _shorter, _rounder)
        while any(self._improved(step) for step in steps):
            # What removes most comes first again: without an event another may have become superfluous.
            pass

    def _improved(self, step: Callable[[Candidate], Iterator[list[Candidate]]]) -> bool:
        """Take the first simplification of a step that still fails, and return whether there was one."""
        for alternatives in step(self.smallest):
            found = self._first(alternatives)
            if found is not None:
                self.trail.append(found)
                return True
        return False

    def _first(self, alternatives: Sequence[Candidate]) -> Candidate | None:
        """Return the first of these that fails. Raises _OutOfBudgetError once too many were tried."""
        new = [one for one in dict.fromkeys(alternatives) if one not in self._known]
        allowed = new[: self._most - self.tried]
        if allowed:
            self.tried += len(allowed)
            self._known.update(zip(allowed, self._fails(allowed), strict=True))
        found = next((one for one in alternatives if self._known.get(one)), None)
        if found is None and len(allowed) < len(new):
            raise _OutOfBudgetError
        return found


def _fewer_events(of: Candidate) -> Iterator[list[Candidate]]:
    """Yield what has none of the events, then half of them, then all but one."""
    events = of.events
    if not events:
        return
    middle = len(events) // 2
    kept = [(), events[:middle], events[middle:]] if len(events) > 2 else [()]
    yield [candidate(some, of.parameters) for some in kept if len(some) < len(events)]
    yield [candidate(events[:place] + events[place + 1 :], of.parameters) for place in range(len(events))]


def _fewer_keys(of: Candidate) -> Iterator[list[Candidate]]:
    """Yield what has the base link's values, then what has one of them."""
    if of.parameters:
        yield [candidate(of.events)]
        yield [
            candidate(of.events, of.parameters[:place] + of.parameters[place + 1 :])
            for place in range(len(of.parameters))
        ]


def _narrower(of: Candidate) -> Iterator[list[Candidate]]:
    """Yield what an event does in one direction alone."""
    for place, event in enumerate(of.events):
        if event.on == "both":
            yield [_with(of, place, msgspec.structs.replace(event, on=way)) for way in ("down", "up")]


def _shorter(of: Candidate) -> Iterator[list[Candidate]]:
    """Yield shorter events, of each the shortest first."""
    for place, event in enumerate(of.events):
        lengths = [max(SHORTEST_US, int(event.length_us * share)) for share in _SHARES]
        yield [
            _with(of, place, msgspec.structs.replace(event, length_us=length))
            for length in dict.fromkeys(lengths)
            if length < event.length_us * 0.95
        ]


def _rounder(of: Candidate) -> Iterator[list[Candidate]]:
    """Yield rounder numbers, of each the roundest first. Lengths are rounded down: no step makes them longer."""
    for place, event in enumerate(of.events):
        lengths = [one for one in (_floor(event.length_us, digits) for digits in _ROUND) if one >= SHORTEST_US]
        yield [
            _with(of, place, msgspec.structs.replace(event, length_us=one)) for one in _fewer(lengths, event.length_us)
        ]
        yield [
            _with(of, place, msgspec.structs.replace(event, begin_us=one))
            for one in _fewer([_near(event.begin_us, digits) for digits in _ROUND], event.begin_us)
        ]
        yield [
            _with(of, place, msgspec.structs.replace(event, depth=one))
            for one in _fewer([_near(event.depth, digits) for digits in _ROUND], event.depth)
        ]
    for place, one in enumerate(of.parameters):
        if one.number is not None:
            yield [_with_key(of, place, rounder) for rounder in _rounder_key(one, one.number)]


def _rounder_key(one: Parameter, number: float) -> list[Parameter]:
    values = dict.fromkeys(rounded(number, digits) for digits in _ROUND)
    return [msgspec.structs.replace(one, number=value) for value in values if _digits(value) < _digits(number)]


def _with(of: Candidate, place: int, event: Event) -> Candidate:
    return candidate((*of.events[:place], event, *of.events[place + 1 :]), of.parameters)


def _with_key(of: Candidate, place: int, one: Parameter) -> Candidate:
    return candidate(of.events, (*of.parameters[:place], one, *of.parameters[place + 1 :]))


def _fewer(rounder: Sequence[int], value: int) -> list[int]:
    """Return those of the rounded values, once each, that have fewer digits than the value."""
    return [one for one in dict.fromkeys(rounder) if _digits(one) < _digits(value)]


def _digits(value: float) -> int:
    """Return how many significant digits a number is written with; 0 has none."""
    mantissa = f"{value:.15e}".partition("e")[0].replace(".", "").replace("-", "").rstrip("0")
    return len(mantissa)


def _near(value: int, digits: int) -> int:
    return int(rounded(value, digits))


def _floor(value: int, digits: int) -> int:
    size: int = 10 ** max(0, len(str(value)) - digits)
    return value // size * size
