"""The packets of the captures, joined by the engine, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.contract.engine import Transits, WayTransits
from windlull.errors import BadInputError
from windlull.runner import engine
from windlull.runner.messages import understood

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from windlull.learning.frame import Direction
    from windlull.learning.interval import Floats

    Booleans = NDArray[np.bool_]

FEWEST_PACKETS = 50
"""Of the direction with the data: fewer show nothing of a link."""

MOST_STRANGERS = 0.05
"""The share of arrivals that nobody sent, beyond which the captures do not show the same packets."""


@dataclass(frozen=True, slots=True)
class Way:
    """The packets of one direction in the order in which they were sent; times in seconds."""

    sent: Floats
    arrived: Floats
    """Not a number where it did not arrive, or nothing is known of it."""
    lost: Booleans
    bits: Floats
    copies: int = 0

    @property
    def transit(self) -> Floats:
        """How long each took."""
        return self.arrived - self.sent

    @property
    def delivered(self) -> Booleans:
        """Which arrived."""
        return ~np.isnan(self.arrived)


@dataclass(frozen=True, slots=True)
class Joined:
    """Both directions, and what the engine said of the captures."""

    down: Way
    up: Way
    length_s: float
    notes: tuple[str, ...]
    hidden: Direction | None = None
    """The direction of acknowledgements, if only the data sender's capture tells of them."""

    def of(self, direction: Direction) -> Way:
        """Return the packets of a direction."""
        return self.down if direction == "down" else self.up

    @property
    def data(self) -> Direction:
        """The direction with the data: that with more octets."""
        return "down" if self.down.bits.sum() >= self.up.bits.sum() else "up"


def joined(first: Path, second: Path | None, selection: Sequence[str] = ()) -> Joined:
    """Join two captures, or follow the acknowledgements in the data sender's.

    Raises BadInputError if they do not show the packets of one transfer.
    """
    captures = [str(one) for one in (first, second) if one is not None]
    said = engine.ask(["analyze", *captures, "--packets", *selection], with_profiles=False)
    transits = understood(said, Transits, "packets of captures")
    ways = {"down": transits.down, "up": transits.up}
    for name, way in ways.items():
        known = len(way.sent_ns) + way.strangers
        if known and way.strangers > MOST_STRANGERS * known:
            raise BadInputError(
                f"{way.strangers} of {known} packets {name} are only in the receiving end's capture: the captures are "
                f"not of the same transfer, one has missed many, or segmentation offload joined packets (turn it off: "
                f"ethtool -K DEVICE tso off gso off gro off)"
            )
    down, up = (of_columns(way) for way in ways.values())
    most = max(len(down.sent), len(up.sent))
    if most < FEWEST_PACKETS:
        raise BadInputError(f"the transfer has {most} packets in a direction; capture at least {FEWEST_PACKETS}")
    ends = [float(np.nanmax(way.arrived)) for way in (down, up) if way.delivered.any()]
    if len(ends) < 2:
        raise BadInputError("in one direction no packet is in both captures; they are not of the same transfer")
    hidden: Direction | None = None
    if second is None:
        hidden = "up" if transits.data_sender == "server" else "down"
    return Joined(down, up, max(ends), tuple(transits.notes), hidden)


def of_columns(columns: WayTransits) -> Way:
    """Return the packets of one direction as the engine joined them."""
    arrived = np.array([np.nan if at is None else at * 1e-9 for at in columns.arrived_ns], dtype=np.float64)
    sent = np.array(columns.sent_ns, dtype=np.float64) * 1e-9
    bits = np.array(columns.size_bytes, dtype=np.float64) * 8
    lost = np.array(columns.lost, dtype=np.bool_)
    # What was sent after the last one that arrived may have been under way when the captures ended.
    delivered = np.flatnonzero(~np.isnan(arrived))
    lost[delivered[-1] + 1 if len(delivered) else 0 :] = False
    return Way(sent, arrived, lost, bits, columns.copies)
