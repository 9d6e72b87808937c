"""All that is learned of a link, one mechanism after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.learning import rate as rates
from windlull.learning.delay import Delay, delay
from windlull.learning.holds import Holds, Together, holds, together
from windlull.learning.loss import Loss, loss
from windlull.learning.outages import Outages, Seen, outages
from windlull.learning.queue import Queue, queue
from windlull.learning.reordering import Reordering, reordering

if TYPE_CHECKING:
    from windlull.learning.matching import Booleans, Joined, Way
    from windlull.learning.rate import Rate

SEED = 1

WINDOW_S = 0.5


@dataclass(frozen=True, slots=True)
class WayLearned:
    """What is learned of a direction."""

    rate: Rate | None
    """`None` if too few packets waited to tell it."""
    least_bps: float
    """What the rate is at least, where packets did not wait."""
    delay: Delay
    queue: Queue | None
    """`None` without a rate."""
    loss: Loss
    holds: Holds
    reordering: Reordering
    copies: int
    packets: int


@dataclass(frozen=True, slots=True)
class Learned:
    """What is learned of a link."""

    down: WayLearned
    up: WayLearned
    holds: Together
    outages: Outages
    length_s: float
    notes: tuple[str, ...]
    hidden: Literal["down", "up"] | None
    """The direction of which only the data sender's capture told."""


def learn(joined: Joined, *, window_s: float = WINDOW_S, seed: int = SEED) -> Learned:
    """Learn a link. The same packets and seed give the same link."""
    timed = {
        "down": _timed(joined.down, joined.length_s, window_s, seed),
        "up": _timed(joined.up, joined.length_s, window_s, seed),
    }
    out = outages(_seen(joined.down, timed["down"]), _seen(joined.up, timed["up"]))
    down = _way(joined.down, timed["down"], out.within_down, seed)
    up = _way(joined.up, timed["up"], out.within_up, seed)
    notes = list(joined.notes)
    if min(way.delay.base.value for way in (down, up)) <= 0:
        notes.append("A packet arrived before it was sent: the clocks of the two ends disagree.")
    held = together(down.holds, up.holds, joined.down, joined.up)
    return Learned(down, up, held, out, joined.length_s, tuple(notes), joined.hidden)


@dataclass(frozen=True, slots=True)
class _Timed:
    """What the times of a direction tell."""

    rate: Rate | None
    least_bps: float
    delay: Delay
    queue: Queue | None
    holds: Holds
    reordering: Reordering


def _timed(way: Way, length_s: float, window_s: float, seed: int) -> _Timed:
    order = reordering(way)
    gaps = rates.gaps(way, order.late)
    found = holds(way, order.late, rates.about(gaps))
    rate = rates.rate(gaps, found.held, window_s, length_s, seed)
    leave_out = order.late | found.held
    arrival = np.where(way.delivered, way.arrived, way.sent)
    rate_at = None if rate is None else rate.at(arrival)
    base = delay(way, leave_out, rate_at)
    line = None if rate_at is None else queue(way, leave_out, rate_at, base.base.value)
    return _Timed(rate, rates.least(gaps, found.held), base, line, found, order)


def _seen(way: Way, timed: _Timed) -> Seen:
    if timed.queue is None:
        return Seen(way, np.zeros(len(way.sent), dtype=np.bool_), way.sent)
    return Seen(way, timed.queue.full, timed.queue.leaves)


def _way(way: Way, timed: _Timed, within: Booleans, seed: int) -> WayLearned:
    otherwise = within if timed.queue is None else timed.queue.full | within
    found = loss(way, otherwise, seed)
    return WayLearned(timed.rate, timed.least_bps, timed.delay, timed.queue, found, timed.holds, timed.reordering,
                      way.copies, len(way.sent))  # fmt: skip
