"""What was learned as a table, and what the captures do not tell as a list: for the report's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windlull.learning import written
from windlull.learning.frame import LearnedValue, Unknown
from windlull.learning.reordering import FEWEST
from windlull.learning.written import interval, ms, octets, percent
from windlull.recordings.link import rate_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from windlull.learning.frame import Direction
    from windlull.learning.learned import Learned, WayLearned
    from windlull.learning.written import Spell


def values(learned: Learned) -> Iterator[LearnedValue]:
    """Yield the rows of the table."""
    delays = written.delays(learned)
    for name, way in written.ways(learned):
        yield from _path(name, way, delays[name][0], learned)
        if name != learned.hidden:
            yield from _losses(name, way)
        if len(way.reordering.by_s) >= FEWEST:
            share = way.reordering.share
            yield LearnedValue(name, "Reordering", percent(share.value), interval(share, percent),
                               f"{len(way.reordering.by_s)} packets that were overtaken")  # fmt: skip
    for of in written.spells(learned):
        apart = of.apart(learned.length_s)
        word = of.word.capitalize()
        yield LearnedValue(of.on, f"{word}: mean time between", _seconds(apart.value), interval(apart, _seconds),
                           f"{len(of.each)} that were seen")  # fmt: skip
        yield LearnedValue(of.on, f"{word}: length", _lengths(of.each), None, "as they were seen")


def unknown(learned: Learned) -> Iterator[Unknown]:
    """Yield what the captures do not tell."""
    if learned.hidden is not None:
        yield Unknown("both", " ".join(written.ONE_END))
    delays = written.delays(learned)
    if learned.hidden is not None or len({told for _, told in delays.values()}) == 1:
        yield Unknown("both", f"Delays: {delays['down'][1]}.")
    else:
        for name, (_, told) in delays.items():
            yield Unknown(name, f"Delay: {told}.")
    for name, way in written.ways(learned):
        if way.rate is None:
            yield Unknown(name, written.rate_unknown(way))
        elif not way.rate.constant:
            yield Unknown(name, f"Rate over time: {written.windows(way.rate)}")
        yield Unknown(name, f"Queue: {_first_small(written.queue_unknown(way))}")
        if name == learned.hidden:
            yield Unknown(name, "Losses do not show.")
        elif way.loss.lost:
            yield Unknown(name, f"Bursts of loss: {_first_small(written.bursts_unknown(way.loss))}")
    for of in written.spells(learned):
        yield Unknown(of.on, f"{of.word.capitalize()}: {_first_small(' '.join(written.SPELLS))}")


def _path(name: Direction, way: WayLearned, delay_s: float, learned: Learned) -> Iterator[LearnedValue]:
    if way.rate is None:
        least = f"at least {rate_text(max(way.least_bps, 1))}"
        yield LearnedValue(name, "Rate", "not known", least, "no packets waited")
    else:
        changes = "" if way.rate.constant else "; it changes, this is over all"
        basis = f"{way.rate.gaps} gaps between packets that waited{changes}"
        yield LearnedValue(name, "Rate", rate_text(way.rate.whole.value), interval(way.rate.whole, rate_text), basis)
    base = way.delay.base
    shift = delay_s - base.value
    if learned.hidden is not None:
        yield LearnedValue(
            name, "Delay", ms(delay_s), f"{ms(0)} to {ms(2 * delay_s)}", "half of the shortest round trip"
        )
    else:
        moved = interval(base, lambda value: ms(value + shift))
        yield LearnedValue(name, "Delay", ms(delay_s), moved, "the quickest packets")
    if way.delay.values is not None:
        low, high = (ms(float(way.delay.values[place] + shift)) for place in (0, -1))
        yield LearnedValue(name, "Delay that varies", f"{low} to {high}", None, "transit times, as nothing waited")
    line = way.queue
    if line is None:
        yield LearnedValue(name, "Queue", "not known", None, "nothing waited")
        return
    if line.discipline == "tail drop":
        limit, basis = line.limit_bytes, f"{line.drops} packets that found no room"
        yield LearnedValue(name, "Queue, tail drop", octets(written.limit_bytes(way)), interval(limit, octets), basis)
        return
    most = octets(written.most_waited(way))
    if line.discipline == "early drops":
        yield LearnedValue(name, "Queue, managed", "CoDel", None, f"{line.drops} packets lost, at most {most} waited")
    else:
        yield LearnedValue(name, "Queue", "not known", f"at least {most}", "it was never full")


def _losses(name: Direction, way: WayLearned) -> Iterator[LearnedValue]:
    found = way.loss
    basis = f"{found.lost} of {found.of} packets, but for the queue's and outages'"
    yield LearnedValue(name, "Loss", percent(found.share.value), interval(found.share, percent), basis)
    if found.bursts is None:
        return
    basis = f"the likelihoods speak for bursts by {found.gain:.3g}"
    bursts: Any = (
        ("Bursts: begin at a packet", found.bursts.to_bad), ("Bursts: end at a packet", found.bursts.to_good),
        ("Bursts: loss within", found.bursts.loss_bad),
    )  # fmt: skip
    for what, one in bursts:
        yield LearnedValue(name, what, percent(one.value), interval(one, percent), basis)


def _lengths(each: tuple[Spell, ...]) -> str:
    lengths = sorted(one.length for one in each)
    return f"{_seconds(lengths[0])} to {_seconds(lengths[-1])}" if len(lengths) > 1 else _seconds(lengths[0])


def _seconds(value: float) -> str:
    """Return a time as people read it."""
    return f"{value:.3g} s"


def _first_small(text: str) -> str:
    return text[:1].lower() + text[1:]
