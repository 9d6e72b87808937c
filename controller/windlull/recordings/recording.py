"""What every format is read into: rates, delays and losses of both directions over time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

OPPORTUNITY_BITS = 1504 * 8
"""Of one opportunity of a Mahimahi trace, as Mahimahi counts it (link_queue.cc: PACKET_SIZE)."""


@dataclass(frozen=True, slots=True)
class Train:
    """A short train of opportunities, recorded after an idle time."""

    at_ms: int
    opportunities_ms: tuple[int, ...]
    """After the first packet; never empty."""


@dataclass(frozen=True, kw_only=True)
class Path:
    """One direction. A column has a value for each row; `None`: the file says nothing of it."""

    rate_bps: Column | None = None
    delay_ms: Column | None = None
    """Propagation, one way."""
    loss: Column | None = None
    """The share of packets that is lost, 0 to 1."""
    opportunities_ms: NDArray[np.int64] | None = None
    """Instead of a rate: the instants at which a packet could be sent. They repeat after the last one."""
    trains: tuple[Train, ...] | None = None
    """For the first packets after an idle time, in order of time, the first from 0 on; `None`: the rate is for all."""
    queue_bytes: int | None = None
    """How much may wait before the bottleneck."""

    @property
    def has_rate(self) -> bool:
        """Whether the file tells how fast this direction was."""
        return self.rate_bps is not None or self.opportunities_ms is not None

    @property
    def is_empty(self) -> bool:
        """Whether the file says nothing of this direction."""
        return not self.has_rate and self.delay_ms is None and self.loss is None

    def at(self, rows: NDArray[np.intp]) -> Path:
        """Return these rows alone."""

        def of(column: Column | None) -> Column | None:
            return None if column is None else column[rows]

        return replace(self, rate_bps=of(self.rate_bps), delay_ms=of(self.delay_ms), loss=of(self.loss))

    def before(self, end_s: float) -> Path:
        """Return it without the trains from then on; rows have no times of their own."""
        if self.trains is None:
            return self
        return replace(self, trains=tuple(train for train in self.trains if train.at_ms < max(end_s * 1e3, 1)))


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A neutral recording: rows that are in force until the next one, the last one until the end."""

    time_s: Column = field(default_factory=lambda: np.zeros(1))
    """From 0, strictly increasing."""
    length_s: float
    down: Path = Path()
    up: Path = Path()
    notes: tuple[str, ...] = ()
    """What a reader should know: what was assumed, joined or left out."""

    @property
    def paths(self) -> tuple[Path, Path]:
        """Both directions, down first."""
        return self.down, self.up

    @property
    def ways(self) -> tuple[tuple[Literal["down", "up"], Path], ...]:
        """Both directions with their names, down first."""
        return ("down", self.down), ("up", self.up)

    @property
    def has_zeros(self) -> bool:
        """Whether a rate is 0 somewhere."""
        return any(path.rate_bps is not None and bool((path.rate_bps == 0).any()) for path in self.paths)

    def noted(self, *notes: str) -> Recording:
        """Return the same with more notes."""
        return replace(self, notes=(*self.notes, *notes))


def filled(column: Column) -> Column:
    """Return the column with each missing value as the one before, and those at the beginning as the first one."""
    known = ~np.isnan(column)
    if not known.any():
        return column
    last = np.maximum.accumulate(np.where(known, np.arange(len(column)), -1))
    return column[np.where(last < 0, int(np.argmax(known)), last)]


def last_step(time_s: Column) -> float:
    """Return how long the last row lasts: as long as rows usually do; 1 s if there is one alone."""
    return float(np.median(np.diff(time_s))) if len(time_s) > 1 else 1.0


def merged(first: Recording, second: Recording) -> Recording:
    """Return what two recordings tell together, both from their beginnings. What both tell, the second one tells.

    It is as long as the shorter one of those that change: nobody knows how that went on.
    """
    changing = [one.length_s for one in (first, second) if len(one.time_s) > 1]
    length = min(changing, default=max(first.length_s, second.length_s))
    times = np.union1d(first.time_s, second.time_s)
    times = times[times < max(length, 1e-9)]

    def spread(of: Recording) -> tuple[Path, Path]:
        rows = np.searchsorted(of.time_s, times, side="right") - 1
        return of.down.at(rows).before(length), of.up.at(rows).before(length)

    paths = [_over(low, high) for low, high in zip(spread(first), spread(second), strict=True)]
    notes = [*first.notes, *(note for note in second.notes if note not in first.notes)]
    if max(changing, default=0) > length * 1.001:
        notes.append(
            f"one file lasts {max(changing):g} s: of it, the first {length:g} s are taken, as another one lasts"
        )
    return Recording(time_s=times, length_s=length, down=paths[0], up=paths[1], notes=tuple(notes))


def _over(low: Path, high: Path) -> Path:
    rate, opportunities = (
        (high.rate_bps, high.opportunities_ms) if high.has_rate else (low.rate_bps, low.opportunities_ms)
    )
    return Path(
        rate_bps=rate,
        opportunities_ms=opportunities,
        delay_ms=low.delay_ms if high.delay_ms is None else high.delay_ms,
        loss=low.loss if high.loss is None else high.loss,
        trains=low.trains if high.trains is None else high.trains,
        queue_bytes=low.queue_bytes if high.queue_bytes is None else high.queue_bytes,
    )


def only(recording: Recording, direction: str) -> Recording:
    """Return what it tells of one direction, `down` or `up`; of `both`, all.

    What a file tells of the other direction alone is taken for this one: it is who gives the file that knows.
    """
    if direction == "both":
        return recording
    there, other = recording.paths if direction == "down" else recording.paths[::-1]
    if there.is_empty:
        there = other
    return (
        replace(recording, down=there, up=Path()) if direction == "down" else replace(recording, down=Path(), up=there)
    )
