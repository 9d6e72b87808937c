"""What is written where something is not known, and the words for values, intervals and what is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from windlull.learning.interval import Estimate, mean_wait
from windlull.recordings.link import queue_bytes, rate_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from windlull.learning.frame import Direction
    from windlull.learning.holds import Hold
    from windlull.learning.learned import Learned, WayLearned
    from windlull.learning.loss import Loss
    from windlull.learning.rate import Rate

ONE_END = (
    "Of the data sender's capture alone: when packets arrived is told from when they were acknowledged.",
    "How the round trip divides is not known, nor in which direction a hold or an outage was. Whether a packet was",
    "lost, or late and sent again in vain, is told by timestamps or by the shortest round trip, and may be wrong. The",
    "intervals are those of chance alone: what these errors add is not in them.",
)

SPELLS = (
    "That they come independently is taken, not learned. Short ones, and those while nothing was sent, do",
    "not show.",
)

_UNSEEN_QUEUE = 2.0
"""How much larger than what was seen to wait a queue is written that was never full."""

_UNSEEN_RATE = 4.0
"""How much larger than what was seen a rate is written of which nothing waited."""


class Spell(NamedTuple):
    """A hold or an outage, in seconds."""

    at: float
    length: float
    unseen: float
    """For how long no other one could have been seen to begin."""


class Spells(NamedTuple):
    """All holds or outages of the same directions; there is at least one."""

    kind: Literal["hold", "drop"]
    on: Literal["both", "down", "up"]
    each: tuple[Spell, ...]
    holds: tuple[Hold, ...]

    @property
    def word(self) -> str:
        """What several of them are called."""
        return {"hold": "holds", "drop": "outages"}[self.kind]

    def apart(self, length_s: float) -> Estimate:
        """Return the mean time from the end of one to the next, seconds."""
        return mean_wait(len(self.each), max(length_s - sum(one.unseen for one in self.each), 1e-3))


def spells(learned: Learned) -> Iterator[Spells]:
    """Yield holds and outages."""
    held = learned.holds
    by_direction: tuple[tuple[Literal["both", "down", "up"], tuple[Hold, ...]], ...] = (
        ("both", held.both), ("down", held.down), ("up", held.up)
    )  # fmt: skip
    for on, each in by_direction:
        if each:
            yield Spells("hold", on, tuple(Spell(one.begin, one.length, one.length) for one in each), each)
    out = learned.outages
    if out.each:
        yield Spells("drop", out.on, tuple(Spell(one.begin, one.length, one.unseen) for one in out.each), ())


def ways(learned: Learned) -> Iterator[tuple[Direction, WayLearned]]:
    """Yield each direction with its name."""
    yield "down", learned.down
    yield "up", learned.up


def delays(learned: Learned) -> dict[Direction, tuple[float, str]]:
    """Return the delay of each way in seconds, and what is not known of it."""
    values = {name: way.delay.base.value for name, way in ways(learned)}
    if learned.hidden is not None:
        whole = max(sum(values.values()), 0.0)
        told = f"half of the shortest round trip, {ms(whole)}: each way may have any part of it"
        return dict.fromkeys(values, (whole / 2, told))
    unknown = "what the clocks of the two ends differ by is in it: only the sum of both ways is known without them"
    if min(values.values()) > 0:
        return {name: (value, unknown) for name, value in values.items()}
    half = max(sum(values.values()) / 2, 0.0)
    return dict.fromkeys(values, (half, "half of the sum of both ways: the clocks of the two ends disagree"))


def rate_bps(way: WayLearned) -> float:
    """Return the rate that is written."""
    return way.rate.whole.value if way.rate is not None else max(way.least_bps * _UNSEEN_RATE, 1e5)


def limit_bytes(way: WayLearned) -> int:
    """Return the queue's limit that is written."""
    room = queue_bytes(rate_bps(way))
    if way.queue is None:
        return room
    if way.queue.discipline == "tail drop":
        return most_waited(way)
    twice = round(most_waited(way) * _UNSEEN_QUEUE)
    return max(twice, room) if way.queue.discipline == "never full" else twice


def most_waited(way: WayLearned) -> int:
    """Return how many octets were seen to wait at once, or the limit that shows."""
    return 0 if way.queue is None else max(round(way.queue.limit_bytes.value), 1500)


def rate_unknown(way: WayLearned) -> str:
    """Say what is not known of a rate at which nothing waited."""
    return f"No packets waited: the rate is not known. It is at least {rate_text(max(way.least_bps, 1))}."


def windows(rate: Rate) -> str:
    """Say where a rate over time was measured."""
    return (
        f"packets waited in {int(rate.measured.sum())} of {len(rate.bps)} windows of {rate.window_s:g} s; "
        "elsewhere the nearest one's rate is written."
    )


def queue_unknown(way: WayLearned) -> str:
    """Say what is not known of the queue."""
    line = way.queue
    if line is None:
        return "Nothing waited: neither limit nor discipline is known. Written: 300 ms of the rate above."
    if line.discipline == "never full":
        return (
            f"Never full: the limit is at least {most_waited(way)} B, the discipline is not known. Written: twice "
            "that, or 300 ms of the rate."
        )
    if line.discipline == "early drops":
        return (
            f"{line.drops} packets were lost while more had waited at other times (at most {most_waited(way)} B): "
            "managed, by which rule is not known. Written: CoDel."
        )
    return "Whether it counts packets or octets is not known."


def bursts_unknown(loss: Loss) -> str:
    """Say what is not known of how losses come."""
    if loss.bursts is None:
        return "Bursts do not show (there may be some: few losses tell little)."
    return "Whether they go by packets or by time is not known."


def within(of: Estimate, text: Callable[[float], str]) -> str:
    """Return a value with its interval."""
    return f"{text(of.value)} ({interval(of, text)})"


def interval(of: Estimate, text: Callable[[float], str]) -> str:
    """Return an interval."""
    low = "?" if of.low is None else text(of.low)
    high = "?" if of.high is None else text(of.high)
    return f"{low} to {high}"


def ms(seconds: float) -> str:
    """Return a delay."""
    return f"{seconds * 1e3:.6g} ms" if abs(seconds) >= 1e-6 else "0 ms"


def seconds(value: float) -> str:
    """Return a time, to the nanosecond."""
    return f"{value:.9f}".rstrip("0").rstrip(".") + " s"


def about(value: float) -> str:
    """Return a time to six digits: more were never known of an estimate."""
    return seconds(float(f"{value:.6g}"))


def octets(count: float) -> str:
    """Return a number of octets."""
    return f"{count:.0f} B"


def percent(share: float) -> str:
    """Return a share."""
    return f"{float(f'{share * 100:.4g}'):.10f}".rstrip("0").rstrip(".") + " %"
