"""Holds: gaps in arrivals that neither the sender nor the rate explains, and what came at once behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from windlull.learning.interval import Floats
    from windlull.learning.matching import Booleans, Way

SHORTEST_S = 0.05
"""Shorter holds are taken for the link's jitter."""

PACKETS = 8.0
"""A hold is also longer than so many packets take at the rate about then."""

AT_ONCE = 0.25
"""What waits through a hold arrives in less than this part of the time that it takes at the rate."""

SAME_S = 0.02
"""Holds of both directions that end nearer are one."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A time in which nothing was delivered."""

    begins: tuple[float, float]
    """Between the last arrival before and when the next one was due."""
    ends: float
    released: bool
    """Whether what waited came at once. Else it came at the rate, or nothing waited."""

    @property
    def begin(self) -> float:
        """The middle of when it may have begun."""
        return sum(self.begins) / 2

    @property
    def length(self) -> float:
        """How long it was."""
        return self.ends - self.begin


@dataclass(frozen=True, slots=True)
class Holds:
    """The holds of a direction."""

    each: tuple[Hold, ...]
    held: Booleans
    """By place of sending: it arrived with a hold's end, so that its time says nothing of the rate."""


def holds(way: Way, late: Booleans, about: tuple[Floats, Floats] | None) -> Holds:
    """Find the holds; `about` is the rate about each time, if anything tells it."""
    found: list[Hold] = []
    held = np.zeros(len(way.sent), dtype=np.bool_)
    places = np.flatnonzero(way.delivered & ~late)
    if len(places) < 2:
        return Holds((), held)
    sent, arrived, bits = way.sent[places], way.arrived[places], way.bits[places]
    quickest = float(np.min(arrived - sent))
    takes = bits / np.interp(arrived, *about) if about is not None else np.zeros(len(places))
    # What was lost between may have taken the bottleneck's time.
    between = np.diff(places, prepend=places[0]) * takes
    before = np.append(arrived[0], arrived[:-1])
    due = np.maximum(sent + quickest, before + np.where(sent + quickest < before, between, 0.0))
    excess = arrived - due
    long = excess > np.maximum(SHORTEST_S, PACKETS * takes)
    place = 1
    while place < len(places):
        if not long[place]:
            place += 1
            continue
        end = arrived[place]
        last, fast, waiting = place, 0, 0
        # Those behind it that were due by then too.
        while last + 1 < len(places) and sent[last + 1] + quickest < end:
            waiting += 1
            if arrived[last + 1] - arrived[last] > AT_ONCE * max(takes[last + 1], 1e-5):
                break
            last, fast = last + 1, fast + 1
        found.append(Hold((float(before[place]), float(due[place])), float(end), released=fast > 0 or waiting == 0))
        # The first behind those came when the bottleneck had it, which is no gap of the rate.
        held[places[place : last + 2]] = True
        place = last + 1
    return Holds(tuple(found), held)


@dataclass(frozen=True, slots=True)
class Together:
    """Holds of one direction, or of both at once."""

    down: tuple[Hold, ...]
    up: tuple[Hold, ...]
    both: tuple[Hold, ...]


def together(down: Holds, up: Holds, down_way: Way, up_way: Way) -> Together:
    """Say which holds are of both directions: those that end together, and the others if nothing speaks against it."""
    ends = {"down": [one.ends for one in down.each], "up": [one.ends for one in up.each]}

    def near(when: float, others: list[float]) -> bool:
        return any(abs(when - other) < SAME_S for other in others)

    pairs = [one for one in down.each if near(one.ends, ends["up"])]
    alone = {
        "down": [one for one in down.each if not near(one.ends, ends["up"])],
        "up": [one for one in up.each if not near(one.ends, ends["down"])],
    }
    against = {
        "down": [one for one in alone["down"] if _arrives_within(up_way, one)],
        "up": [one for one in alone["up"] if _arrives_within(down_way, one)],
    }
    contradicted = len(against["down"]) + len(against["up"])
    if len(pairs) <= contradicted:
        return Together(down.each, up.each, ())
    unclear = [one for way in ("down", "up") for one in alone[way] if one not in against[way]]
    both = sorted([*pairs, *unclear], key=lambda one: one.ends)
    return Together(tuple(against["down"]), tuple(against["up"]), tuple(both))


def _arrives_within(way: Way, hold: Hold) -> bool:
    """Whether something arrived in the other direction meanwhile."""
    latest = hold.begins[1]
    return bool(np.any((way.arrived > latest) & (way.arrived < hold.ends - SAME_S)))
