"""The bottleneck's rate, from the gaps between arrivals while packets waited for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.learning.interval import Estimate, ratio

if TYPE_CHECKING:
    from windlull.learning.interval import Floats
    from windlull.learning.matching import Booleans, Way

FEWEST_GAPS = 20
"""Between packets that waited; fewer tell no rate."""

FEWEST_IN_WINDOW = 5
CONSTANT = 0.05
"""Windows that differ by less from the whole are no change of rate."""

_NEAR = 31
"""Gaps of which the median is the rate about there."""

_INSTANT_S = 2e-6
"""Arrivals that are nearer came at once."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """Arrivals next to each other: of packets that were sent one after the other, with nothing lost between."""

    place: np.ndarray
    """Of the later one in the order of sending."""
    at: Floats
    length: Floats
    bits: Floats
    queued: Booleans
    """Whether the later one reached the bottleneck before the earlier one had left it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate over time."""

    whole: Estimate
    """Over all gaps, bits per second."""
    constant: bool
    window_s: float
    times: Floats
    """When each window begins; the first is 0."""
    bps: Floats
    """Of each window; where too few packets waited, of the nearest one that has it."""
    measured: Booleans
    gaps: int

    def at(self, when: Floats | float) -> Floats:
        """Return the rate at these times."""
        if self.constant:
            return np.full(np.shape(when), self.whole.value)
        place = np.clip(np.searchsorted(self.times, when, side="right") - 1, 0, len(self.bps) - 1)
        return self.bps[place]


def gaps(way: Way, late: Booleans) -> Gaps:
    """Return the gaps between arrivals."""
    timed = way.delivered & ~late
    places = np.flatnonzero(timed)
    next_to = places[1:] == places[:-1] + 1
    place = places[1:][next_to]
    before = place - 1
    quickest = float(np.min(way.transit[timed]))
    queued = way.sent[place] + quickest < way.arrived[before] - _INSTANT_S
    return Gaps(place, way.arrived[place], way.arrived[place] - way.arrived[before], way.bits[place], queued)


def about(of: Gaps) -> tuple[Floats, Floats] | None:
    """Return times and the rate about then, whatever holds there are; `None` if too few packets waited."""
    # Here and not above, as all commands would wait for it.
    from scipy.ndimage import median_filter  # noqa: PLC0415

    use = of.queued & (of.length > _INSTANT_S)
    if int(use.sum()) < FEWEST_GAPS:
        return None
    return of.at[use], median_filter(of.bits[use] / of.length[use], size=_NEAR, mode="nearest")


def rate(of: Gaps, held: Booleans, window_s: float, length_s: float, seed: int) -> Rate | None:
    """Return the rate but for gaps that holds made (`held`, by place of sending); `None` if too few packets waited."""
    use = of.queued & ~held[of.place]
    if int(use.sum()) < FEWEST_GAPS:
        return None
    at, length, bits = of.at[use], of.length[use], of.bits[use]
    window = np.floor(at / window_s).astype(np.int64)
    count = max(int(np.ceil(length_s / window_s)), int(window.max()) + 1)
    sums = [np.bincount(window, weights=column, minlength=count) for column in (bits, length)]
    seen = (np.bincount(window, minlength=count) >= FEWEST_IN_WINDOW) & (sums[1] > 0)
    whole = ratio(bits, length, seed)
    if not seen.any():
        one = np.ones(1, dtype=np.bool_)
        return Rate(
            whole,
            constant=True,
            window_s=window_s,
            times=np.zeros(1),
            bps=np.array([whole.value]),
            measured=one,
            gaps=len(at),
        )
    each = sums[0][seen] / sums[1][seen]
    middle = float(np.median(each))
    constant = bool(np.mean(np.abs(each / middle - 1) > CONSTANT) < CONSTANT)
    known = np.flatnonzero(seen)
    nearest = known[np.argmin(np.abs(np.arange(count)[:, None] - known[None, :]), axis=1)]
    bps: Floats = (sums[0] / np.maximum(sums[1], 1e-12))[nearest].astype(np.float64)
    times: Floats = (np.arange(count) * window_s).astype(np.float64)
    return Rate(whole, constant, window_s, times, bps, seen, len(at))


def least(of: Gaps, held: Booleans) -> float:
    """Return what the rate is at least, where no packets waited: the most that arrived in a tenth of a second."""
    use = ~held[of.place]
    if not use.any():
        return 0.0
    at, bits = of.at[use], of.bits[use]
    first = np.searchsorted(at, at - 0.1, side="right")
    total = np.append(0.0, np.cumsum(bits))
    return float(np.max(total[1:] - total[first]) / 0.1)
