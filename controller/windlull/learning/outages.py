"""Outages: times in which everything was lost, longer than bursts of loss are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from windlull.learning.interval import Floats
    from windlull.learning.matching import Booleans, Way

FEWEST_PACKETS = 8
"""Lost one after the other: fewer are a burst, unless the other direction lost some as well meanwhile."""

FEWEST_OF_BOTH = 3
"""Lost one after the other in one direction, where the other one lost some as well and nothing passed."""

AS_BURSTS = 6.0
"""They are also so many times as many as the bursts of this link have in the mean."""

SHORTEST_S = 0.15
"""Between the packets that arrived before and after it."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which everything was lost."""

    begins: tuple[float, float]
    """Between when the last packet that arrived and the first one that was lost left the bottleneck."""
    ends: tuple[float, float]

    @property
    def begin(self) -> float:
        """The middle of when it may have begun."""
        return sum(self.begins) / 2

    @property
    def length(self) -> float:
        """How long it was, between the middles."""
        return sum(self.ends) / 2 - self.begin

    @property
    def unseen(self) -> float:
        """How long no other outage could have been seen to begin: until a packet passed."""
        return self.ends[1] - self.begins[0]


@dataclass(frozen=True, slots=True)
class Seen:
    """A direction, as outages look at it."""

    way: Way
    full: Booleans
    """What the queue dropped, and never met the channel."""
    leaves: Floats
    """When each packet left the bottleneck, or would have."""


@dataclass(frozen=True, slots=True)
class Outages:
    """The outages of a link, all in the same directions."""

    on: Literal["down", "up", "both"]
    each: tuple[Outage, ...]
    within_down: Booleans
    """By place of sending: lost in one of them."""
    within_up: Booleans


def outages(down: Seen, up: Seen) -> Outages:
    """Find the outages, by the losses of both directions together."""
    runs = {"down": _runs(down), "up": _runs(up)}
    others = {"down": up, "up": down}
    both = {
        way: [one for one, _ in of if _lost_within(others[way], one).any() and not _passed_within(others[way], one)]
        for way, of in runs.items()
    }
    alone = {way: [one for one, long in of if long] for way, of in runs.items()}
    on: Literal["down", "up", "both"]
    if any(both.values()) and sum(map(len, both.values())) >= sum(
        _passed_within(others[way], one) for way, each in alone.items() for one in each
    ):
        on = "both"
        every = {one for way in runs for one in (*both[way], *alone[way])}
        of = [_narrowed(one, (down, up)) for one in _joined(list(every))]
    else:
        on = "down" if len(alone["down"]) >= len(alone["up"]) else "up"
        of = alone[on]
    within = [np.zeros(len(one.way.sent), dtype=np.bool_) for one in (down, up)]
    for marks, seen, way in ((within[0], down, "down"), (within[1], up, "up")):
        for one in of if on in {way, "both"} else ():
            marks[:] |= _lost_within(seen, one)
    return Outages(on, tuple(of), *within)


def _lost(seen: Seen) -> Booleans:
    return seen.way.lost & ~seen.full


def _runs(seen: Seen) -> list[tuple[Outage, bool]]:
    """Return the runs of losses that may be outages, and whether each must be one for its length."""
    known = (seen.way.delivered | seen.way.lost) & ~seen.full
    places = np.flatnonzero(known)
    outcome = seen.way.lost[places]
    leaves = seen.leaves[places]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], outcome.astype(np.int8), [0]])))
    runs = list(zip(edges[::2], edges[1::2], strict=True))
    short = [after - first for first, after in runs if after - first < FEWEST_PACKETS]
    fewest = max(FEWEST_PACKETS, AS_BURSTS * float(np.mean(short))) if short else FEWEST_PACKETS
    found = []
    for first, after in runs:
        before = float(leaves[first - 1]) if first else 0.0
        behind = float(leaves[after]) if after < len(leaves) else float(leaves[after - 1])
        if after - first >= FEWEST_OF_BOTH and behind - before >= SHORTEST_S:
            one = Outage((before, float(leaves[first])), (float(leaves[after - 1]), behind))
            found.append((one, bool(after - first >= fewest)))
    return found


def _lost_within(seen: Seen, one: Outage) -> Booleans:
    return _lost(seen) & (seen.leaves >= one.begins[0]) & (seen.leaves <= one.ends[1])


def _passed_within(seen: Seen, one: Outage) -> bool:
    inside = (seen.leaves > one.begins[1]) & (seen.leaves < one.ends[0])
    return bool((seen.way.delivered & inside).any())


def _joined(each: list[Outage]) -> list[Outage]:
    """Join those of both directions that overlap."""
    joined: list[Outage] = []
    for one in sorted(each, key=lambda one: one.begins):
        if joined and one.begins[1] <= joined[-1].ends[0]:
            last = joined.pop()
            begins = (max(last.begins[0], one.begins[0]), min(last.begins[1], one.begins[1]))
            ends = (max(last.ends[0], one.ends[0]), min(last.ends[1], one.ends[1]))
            joined.append(Outage((min(begins), max(begins)), (min(ends), max(ends))))
        else:
            joined.append(one)
    return joined


def _narrowed(one: Outage, both: tuple[Seen, Seen]) -> Outage:
    """Narrow when it began and ended by what arrived and was lost in either direction."""
    (earliest, begins), (ends, latest) = one.begins, one.ends
    for seen in both:
        passed = seen.leaves[seen.way.delivered]
        lost = seen.leaves[_lost(seen)]
        earliest = max([earliest, *map(float, passed[(passed > earliest) & (passed < begins)])])
        latest = min([latest, *map(float, passed[(passed > ends) & (passed < latest)])])
        begins = min([begins, *map(float, lost[(lost > earliest) & (lost < begins)])])
        ends = max([ends, *map(float, lost[(lost > ends) & (lost < latest)])])
    return Outage((earliest, begins), (ends, latest))
