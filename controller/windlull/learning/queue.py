"""The queue before the bottleneck: what waited as each packet came, which of the lost found no room, and its limit."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.learning.interval import Estimate

if TYPE_CHECKING:
    from windlull.learning.interval import Floats
    from windlull.learning.matching import Booleans, Way

EARLY = 0.25
"""The share of the queue's losses while it held less than at other times, beyond which it is not tail drop."""

ROOM = 0.9
"""Less than this part of the most that waited is well below it."""

KEPT_S = 0.005
KEPT_PACKETS = 3.0
"""A packet that is later by both than the bottleneck lets expect was kept behind it."""


@dataclass(frozen=True, slots=True)
class Queue:
    """What is known of the queue."""

    discipline: Literal["tail drop", "early drops", "never full"]
    limit_bytes: Estimate
    """The most that was seen to wait, and the least at which a packet was lost. Without losses it has no upper end."""
    drops: int
    full: Booleans
    """By place of sending: lost because it found no room, or by the queue's management."""
    longest_wait_s: float
    leaves: Floats
    """When each packet left the bottleneck, or would have."""


def queue(way: Way, leave_out: Booleans, rate_at: Floats, base_s: float) -> Queue:
    """Replay what waited. `leave_out`: packets of which the arrival does not tell when they left the bottleneck."""
    served = _served(way, leave_out, rate_at, base_s)
    sure, unsure = way.lost & (served == 0), way.lost & (served < 0)
    # What is not sure is left out first, so that it does not make the queue look longer than it was.
    waiting, _, _ = _replay(way, leave_out, rate_at, base_s, (sure | unsure, np.zeros_like(sure)), 0.0)
    most = float((waiting + way.bits)[way.delivered].max())
    waiting, leaves, full = _replay(way, leave_out, rate_at, base_s, (sure, unsure), most)
    total = (waiting + way.bits) / 8
    waited = np.where(full, 0.0, waiting) / rate_at
    longest = float(waited.max())
    kept = way.delivered
    most = float((waiting[kept] + way.bits[kept]).max()) / 8
    if not full.any():
        return Queue("never full", Estimate(most, most, None), 0, full, longest, leaves)
    dropped = total[full]
    early = float(np.mean(dropped < ROOM * most))
    if early > EARLY:
        return Queue("early drops", Estimate(most, most, None), int(full.sum()), full, longest, leaves)
    # Tail drop: the limit is above all that was kept, and below what was lost; clocks and rates are a little off.
    least = float(np.quantile(dropped, 0.1))
    low, high = min(most, least), max(most, least)
    return Queue("tail drop", Estimate((low + high) / 2, low, high), int(full.sum()), full, longest, leaves)


def _served(way: Way, leave_out: Booleans, rate_at: Floats, base_s: float) -> np.ndarray:
    """Say of each lost packet whether it took the bottleneck's time: 1, 0, or -1 where that cannot be told."""
    served = np.full(len(way.sent), -1, dtype=np.int8)
    timed = way.delivered & ~leave_out
    places = np.flatnonzero(way.delivered)
    for before, after in pairwise(places.tolist()):
        if after == before + 1:
            continue
        lost = np.arange(before + 1, after)
        if not way.lost[lost].all():
            continue
        takes = way.bits[after] / rate_at[after]
        reaches = way.sent[after] + base_s
        if reaches + takes >= way.arrived[before]:
            # The bottleneck had nothing to do in between; where it began so, there was room.
            idle = way.sent[lost] + base_s >= way.arrived[before]
            served[lost[idle]] = 1
            continue
        if not (timed[before] and timed[after]):
            continue
        spent = (way.arrived[after] - way.arrived[before] - takes) * rate_at[after]
        number = spent / way.bits[lost].mean()
        if number > len(lost) - 0.5:
            served[lost] = 1
        elif number < 0.5:
            served[lost] = 0
    return served


def _replay(
    way: Way, leave_out: Booleans, rate_at: Floats, base_s: float, lost: tuple[Booleans, Booleans], most: float
) -> tuple[Floats, Floats, Booleans]:
    """Return the bits that waited as each packet came, when each left, and which found no room.

    `lost`: those that surely found no room, and those that found none if more than `most` bits waited with them.
    """
    waiting, leaves, full = np.zeros(len(way.sent)), way.sent.copy(), lost[0].copy()
    line: deque[tuple[float, float]] = deque()
    bits = 0.0
    free = 0.0
    for place in range(len(way.sent)):
        now = way.sent[place]
        while line and line[0][0] <= now + 1e-9:
            bits -= line.popleft()[1]
        waiting[place] = bits
        full[place] |= lost[1][place] and bits + way.bits[place] > most
        if full[place]:
            continue
        takes = way.bits[place] / rate_at[place]
        start = max(now, free)
        if not leave_out[place] and not np.isnan(way.arrived[place]):
            # What came much later than the bottleneck lets expect was kept behind it.
            seen = max(way.arrived[place] - base_s - takes, now)
            start = seen if seen < start + max(KEPT_S, KEPT_PACKETS * takes) else start
        free = leaves[place] = start + takes
        if start > now + 1e-9:
            line.append((start, way.bits[place]))
            bits += way.bits[place]
    return waiting, leaves, full
