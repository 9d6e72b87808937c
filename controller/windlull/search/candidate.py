"""A candidate: what is laid over the base link, as events of its script and values of its keys.

Times are whole microseconds, so that a candidate is the same value after it was written and read; a value of a key is a
number and its unit, or a word.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["hold", "hold-arrivals", "drop", "rate", "delay"]
"""What an event is, in the words of `[[script]]` (docs/files.md): its `do`, or the setting that it changes."""

On = Literal["down", "up", "both"]

KINDS: tuple[Kind, ...] = get_args(Kind)
WAYS: tuple[On, ...] = get_args(On)

WITH_DEPTH: frozenset[Kind] = frozenset({"rate", "delay"})
"""Kinds of events that have a depth beside their length."""

SHORTEST_US = 1000
"""The engine takes no shorter `for`."""

_WAYS = {"down": "from server to client", "up": "from client to server", "both": "in both directions"}


class Event(msgspec.Struct, frozen=True, order=True):
    """One entry of the link's script, for a time.

    `depth` is the new rate in bit/s, or the new propagation delay in microseconds; 0 for kinds that have none.
    """

    begin_us: int
    length_us: int
    kind: Kind
    on: On
    depth: int = 0


class Parameter(msgspec.Struct, frozen=True, order=True):
    """A key of the link with another value than the base link has: a number of `unit`, or a word.

    The key is written as in `link.KEY` of a sweep, `both.delay` or `impairment.holds.length`. `form` is what the number
    stands in, at the place of its `*`, as in `exponential(mean *)`.
    """

    key: str
    number: float | None = None
    unit: str = ""
    word: str = ""
    form: str = ""

    @property
    def text(self) -> str:
        """The value as files have it."""
        if self.number is None:
            return self.word
        value = f"{plain(self.number)} {self.unit}".rstrip()
        return self.form.replace("*", value) if self.form else value


class Candidate(msgspec.Struct, frozen=True):
    """Events in the order in which they begin, and parameters by their keys; without any it is the base link."""

    events: tuple[Event, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    def script(self) -> str:
        """Return the events as `[[script]]` tables of a link file."""
        return "".join(_table(event) for event in self.events)

    def words(self) -> str:
        """Say in one sentence what the link does beside what the base link does."""
        said = [
            *(_words(event) for event in self.events),
            *(f"the link's {one.key} is {one.text}" for one in self.parameters),
        ]
        if not said:
            return "The link is the base link."
        sentence = "; ".join(said)
        return f"{sentence[0].upper()}{sentence[1:]}."

    def kinds(self) -> tuple[str, ...]:
        """Return which kinds of events it has and how many of each, then which keys, without their numbers."""
        events = Counter(f"{event.kind} {event.on}" for event in self.events)
        return (
            *(f"{count} x {kind}" if count > 1 else kind for kind, count in sorted(events.items())),
            *(one.key for one in self.parameters),
        )


def candidate(events: tuple[Event, ...], parameters: tuple[Parameter, ...] = ()) -> Candidate:
    """Return a candidate, in order; of two events of a kind in one direction the first ends where the next begins.

    The engine refuses links on which they overlap.
    """
    return Candidate(_apart(tuple(sorted(events))), tuple(sorted(parameters)))


def _apart(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Cut events where the next of their kind begins, and leave out those of which too little remains."""
    kept: list[Event] = []
    for event in events:
        cut = (_before(one, event) for one in kept)
        kept = [*(one for one in cut if one.length_us >= SHORTEST_US), event]
    return tuple(kept)


def _before(earlier: Event, later: Event) -> Event:
    meet = earlier.kind == later.kind and (earlier.on == later.on or "both" in {earlier.on, later.on})
    until = later.begin_us - earlier.begin_us
    return msgspec.structs.replace(earlier, length_us=until) if meet and until < earlier.length_us else earlier


def span(microseconds: int) -> str:
    """Write a duration as files have it: `1.25 s`, `800 ms`, `70 us`."""
    if microseconds == 0:
        return "0 s"
    if microseconds < 1000:
        return f"{microseconds} us"
    unit, size = ("s", 1_000_000) if microseconds >= 1_000_000 else ("ms", 1000)
    return f"{_decimal(Decimal(microseconds) / size)} {unit}"


def rate(bits: int) -> str:
    """Write a rate as files have it: `2.5 Mbit/s`."""
    for unit, size in (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 1000)):
        if bits >= size:
            return f"{_decimal(Decimal(bits) / size)} {unit}"
    return f"{bits} bit/s"


def rounded(value: float, digits: int) -> float:
    """Round to so many significant digits."""
    return float(f"{value:.{digits}g}")


def plain(value: float) -> str:
    """Write a number without an exponent."""
    return _decimal(Decimal(repr(value)))


def _decimal(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _table(event: Event) -> str:
    return "\n" + "\n".join(["[[script]]", *_lines(event)]) + "\n"


def _lines(event: Event) -> Iterator[str]:
    yield f'on = "{event.on}"'
    yield f'at = "{span(event.begin_us)}"'
    yield f'for = "{span(event.length_us)}"'
    match event.kind:
        case "rate":
            yield f'rate = "{rate(event.depth)}"'
        case "delay":
            yield f'delay = "{span(event.depth)}"'
        case _:
            yield f'do = "{event.kind}"'


def _words(event: Event) -> str:
    when = f"{_WAYS[event.on]} at {span(event.begin_us)} for {span(event.length_us)}"
    match event.kind:
        case "hold":
            return f"the link delivers nothing {when}, keeps all of it and releases it in order"
        case "hold-arrivals":
            return f"the link keeps what arrives before its queue {when}, then lets it in at once"
        case "drop":
            return f"the link loses every packet {when}"
        case "rate":
            return f"the rate is {rate(event.depth)} {when}"
        case "delay":
            return f"the propagation delay is {span(event.depth)} {when}"
