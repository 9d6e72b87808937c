"""Packets that were overtaken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.learning.interval import Estimate, proportion

if TYPE_CHECKING:
    from windlull.learning.interval import Floats
    from windlull.learning.matching import Booleans, Way

FEWEST = 3
"""Packets that were overtaken, for a link that reorders."""


@dataclass(frozen=True, slots=True)
class Reordering:
    """How many packets were overtaken, and by how much they were late."""

    late: Booleans
    """By place in the order of sending."""
    share: Estimate
    by_s: Floats
    """How much later each arrived than the first packet that overtook it: at least so much was it kept back."""


def reordering(way: Way) -> Reordering:
    """Return which packets arrived after one that was sent later."""
    places = np.flatnonzero(way.delivered)
    arrived = way.arrived[places]
    # The earliest arrival of all that were sent later.
    later = np.append(np.minimum.accumulate(arrived[::-1])[::-1][1:], np.inf)
    overtaken = arrived > later
    late = np.zeros(len(way.sent), dtype=np.bool_)
    late[places[overtaken]] = True
    return Reordering(late, proportion(int(overtaken.sum()), len(places)), (arrived - later)[overtaken])
