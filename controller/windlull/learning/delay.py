"""The delay of propagation: what the quickest packets took, less their time at the bottleneck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.learning.interval import Estimate, lowest, spread

if TYPE_CHECKING:
    from windlull.learning.interval import Floats
    from windlull.learning.matching import Booleans, Way

SPREAD_S = 0.002
"""A delay that varies by less from packet to packet is constant."""

STEPS = 50
"""Values that stand for delays that vary."""


@dataclass(frozen=True, slots=True)
class Delay:
    """One way, seconds, by the clocks of both ends."""

    base: Estimate
    values: Floats | None
    """Quantiles of it, if it varies from packet to packet; `None` if it does not, or if that cannot be seen."""


def delay(way: Way, leave_out: Booleans, rate_at: Floats | None) -> Delay:
    """Estimate the delay. `rate_at` is the bottleneck's rate as each packet arrives; `None` if nothing tells it."""
    use = way.delivered & ~leave_out
    if not use.any():
        use = way.delivered
    took = way.transit - (way.bits / rate_at if rate_at is not None else 0.0)
    took = took[use]
    values = None
    if rate_at is None and len(took) >= STEPS:
        middle = float(np.quantile(took, 0.75) - took.min())
        if middle > SPREAD_S:
            values = spread(took, STEPS)
    return Delay(lowest(took), values)
