"""What was learned as a link file, with the interval of each value and what is not known beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from windlull.learning.interval import LEVEL, Estimate, mean_wait, spread
from windlull.learning.reordering import FEWEST
from windlull.recordings.link import queue_bytes, quoted, rate_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from windlull.learning.holds import Hold
    from windlull.learning.learned import Learned, WayLearned

_ONE_END = (
    "Of the data sender's capture alone: when packets arrived is told from when they were acknowledged.",
    "How the round trip divides is not known, nor in which direction a hold or an outage was. Whether a packet was",
    "lost, or late and sent again in vain, is told by timestamps or by the shortest round trip, and may be wrong. The",
    "intervals are those of chance alone: what these errors add is not in them.",
)

Events = Literal["random", "script"]
"""Holds and outages at random, as often and as long as those that were seen, or once each when they were seen."""

MOST_LENGTHS = 200
MOST_DELAYS = 50


class Spell(NamedTuple):
    """A hold or an outage, in seconds."""

    at: float
    length: float
    unseen: float
    """For how long no other one could have been seen to begin."""


_UNSEEN_QUEUE = 2.0
"""How much larger than what was seen to wait a queue is written that was never full."""

_UNSEEN_RATE = 4.0
"""How much larger than what was seen a rate is written of which nothing waited."""


def link_text(learned: Learned, names: Sequence[str], *, title: str | None = None, events: Events = "random") -> str:
    """Return the link file."""
    of = ", ".join(names)
    ends = "captures of both ends" if learned.hidden is None else "a capture of the data sender's end"
    lines = [
        f"title  = {quoted(title or f'Learned from {of}')}",
        f"source = {quoted(f'learned from {ends}: {of}')}",
        "",
        f"# Intervals are at {LEVEL * 100:g} %.",
        *(f"# {note}" for note in (*learned.notes, *(_ONE_END if learned.hidden is not None else ()))),
    ]
    halves = _delays(learned)
    for name, way in _ways(learned):
        lines += ["", f"[{name}]", *_path(way, halves[name])]
    for name, way in _ways(learned):
        lines += _loss(name, way) if name != learned.hidden else ["", f"# {name}: losses do not show."]
        lines += _reordering(name, way)
    scripted: list[str] = []
    for on, each in (("both", learned.holds.both), ("down", learned.holds.down), ("up", learned.holds.up)):
        spells = [Spell(one.begin, one.length, one.length) for one in each]
        lines += _spells("hold", on, spells, learned, events, scripted, _not_at_once(each))
    spells = [Spell(one.begin, one.length, one.unseen) for one in learned.outages.each]
    lines += _spells("drop", learned.outages.on, spells, learned, events, scripted, [])
    return "\n".join([*lines, *scripted, *_recording(learned), ""])


def _ways(learned: Learned) -> Iterator[tuple[str, WayLearned]]:
    yield "down", learned.down
    yield "up", learned.up


def _delays(learned: Learned) -> dict[str, tuple[float, str]]:
    """Return the delay of each way, and what is not known of it."""
    values = {name: way.delay.base.value for name, way in _ways(learned)}
    if learned.hidden is not None:
        whole = max(sum(values.values()), 0.0)
        told = f"half of the shortest round trip: each way may be from 0 to {_ms(whole)}"
        return dict.fromkeys(values, (whole / 2, told))
    unknown = "what the clocks of the two ends differ by is in it: only the sum of both ways is known without them"
    if min(values.values()) > 0:
        return {name: (value, unknown) for name, value in values.items()}
    half = max(sum(values.values()) / 2, 0.0)
    return dict.fromkeys(values, (half, "half of the sum of both ways: the clocks of the two ends disagree"))


def _path(way: WayLearned, delay: tuple[float, str]) -> list[str]:
    rate, line = way.rate, way.queue
    if rate is None:
        lines = [f"# No packets waited: the rate is not known. It is at least {rate_text(max(way.least_bps, 1))}."]
    else:
        about = "" if rate.constant else " over all; over time see the recording below"
        lines = [f"# {_within(rate.whole, rate_text)}{about}, from {rate.gaps} gaps between packets that waited."]
    lines.append(f"rate  = {quoted(rate_text(_written_rate(way)))}")
    base, unknown = delay
    lines.append(f"# {_within(way.delay.base, _ms)}; {unknown}.")
    if way.delay.values is None:
        lines.append(f"delay = {quoted(_ms(base))}")
    else:
        shift = base - way.delay.base.value
        values = ", ".join(_ms(max(value + shift, 0.0)) for value in way.delay.values)
        lines.append(f'delay = "empirical({values})"')
    room = queue_bytes(_written_rate(way))
    if line is None:
        lines.append("# Nothing waited: neither limit nor discipline is known. Written: 300 ms of the rate above.")
        return [*lines, f'queue = {{ kind = "droptail", limit = "{room} B" }}']
    seen = line.limit_bytes
    most = max(round(seen.value), 1500)
    if line.discipline == "never full":
        written = max(round(most * _UNSEEN_QUEUE), room)
        lines.append(f"# Never full: the limit is at least {most} B, the discipline is not known. Written: twice that, "
                     "or 300 ms of the rate.")  # fmt: skip
        return [*lines, f'queue = {{ kind = "droptail", limit = "{written} B" }}']
    if line.discipline == "early drops":
        lines.append(f"# {line.drops} packets were lost while more had waited at other times (at most {most} B): "
                     "managed, by which rule is not known. Written: CoDel.")  # fmt: skip
        return [*lines, f'queue = {{ kind = "codel", limit = "{round(most * _UNSEEN_QUEUE)} B" }}']
    lines.append(f"# {_within(seen, _octets)}, by {line.drops} packets that found no room. Whether it counts packets "
                 "or octets is not known.")  # fmt: skip
    return [*lines, f'queue = {{ kind = "droptail", limit = "{most} B" }}']


def _written_rate(way: WayLearned) -> float:
    """Return the rate that is written."""
    return way.rate.whole.value if way.rate is not None else max(way.least_bps * _UNSEEN_RATE, 1e5)


def _loss(name: str, way: WayLearned) -> list[str]:
    found = way.loss
    if not found.lost:
        high = found.share.high or 0.0
        return ["", f"# {name}: no loss but the queue's among {found.of} packets; at most {_percent(high)}."]
    share = _within(found.share, _percent)
    lines = ["", f"# {name}: {found.lost} of {found.of} packets lost, {share}.", "[[impairment]]",
             f'name        = "loss-{name}"']  # fmt: skip
    bursts = found.bursts
    if bursts is None:
        lines.insert(2, "# Bursts do not show (there may be some: few losses tell little).")
        return [
            *lines,
            'kind        = "loss"',
            f'on          = "{name}"',
            f'probability = "{_percent(found.share.value)}"',
        ]
    lines.insert(2, f"# In bursts: the likelihoods speak for it by {found.gain:.3g}. Whether they go by packets or by "
                    "time is not known.")  # fmt: skip
    lines += ['kind        = "gilbert-elliott"', f'on          = "{name}"']
    for key, one in (("to_bad", bursts.to_bad), ("to_good", bursts.to_good), ("loss_bad", bursts.loss_bad)):
        lines += [f"# {_within(one, _percent)}", f'{key:11} = "{_percent(one.value)}"']
    return lines


def _reordering(name: str, way: WayLearned) -> list[str]:
    order = way.reordering
    count = len(order.by_s)
    if count < FEWEST:
        return []
    by = ", ".join(_ms(float(value)) for value in spread(order.by_s, min(count, MOST_DELAYS)))
    share = _within(order.share, _percent)
    return [
        "",
        f"# {name}: {count} packets were overtaken, {share}; each was kept back at least so long.",
        "[[impairment]]",
        f'name        = "reordering-{name}"',
        'kind        = "reorder"',
        f'on          = "{name}"',
        f'probability = "{_percent(order.share.value)}"',
        f'by          = "empirical({by})"',
    ]


def _not_at_once(each: Sequence[Hold]) -> list[str]:
    slow = sum(not one.released for one in each)
    return (
        [f"# After {slow} of them what waited came at the rate: the bottleneck may have stood still."] if slow else []
    )


def _spells(
    kind: str,
    on: str,
    spells: Sequence[Spell],
    learned: Learned,
    events: Events,
    scripted: list[str],
    notes: Sequence[str],
) -> list[str]:
    if not spells:
        return []
    word = {"hold": "holds", "drop": "outages"}[kind]
    if events == "script":
        for one in spells:
            scripted += [
                "",
                "[[script]]",
                f'at  = "{_seconds(one.at)}"',
                f'for = "{_seconds(one.length)}"',
                f'do  = "{kind}"',
                f'on  = "{on}"',
            ]
        return []
    apart = mean_wait(len(spells), max(learned.length_s - sum(one.unseen for one in spells), 1e-3))
    lengths = np.array([max(one.length, 1e-3) for one in spells])
    if len(lengths) > MOST_LENGTHS:
        lengths = spread(lengths, MOST_LENGTHS)
    values = ", ".join(_seconds(float(length)) for length in lengths)
    return ["", f"# {len(spells)} {word} ({on}). From the end of one to the next: {_within(apart, _seconds)}.",
            "# That they come independently is taken, not learned. Short ones, and those while nothing was sent, do",
            "# not show.",
            *notes, "[[impairment]]", f'name   = "{word}-{on}"', f'kind   = "{kind}"', f'on     = "{on}"',
            f'every  = "exponential(mean {_seconds(apart.value)})"', f'length = "empirical({values})"']  # fmt: skip


def _recording(learned: Learned) -> list[str]:
    """Return the rates over time of the directions in which they change."""
    columns = {name: way.rate for name, way in _ways(learned) if way.rate is not None and not way.rate.constant}
    if not columns:
        return []
    times = max((one.times for one in columns.values()), key=len)
    rows, before = [], None
    for when in times:
        cells = [f"{max(float(one.at(float(when))), 1.0):.0f}" for one in columns.values()]
        if cells != before:
            rows.append(",".join([f"{when:g}", *cells]))
        before = cells
    lines = [
        f"# {name}: packets waited in {int(one.measured.sum())} of {len(one.bps)} windows of {one.window_s:g} s; "
        "elsewhere the nearest one's rate is written."
        for name, one in columns.items()
    ]
    heading = ",".join(["time_s", *(f"{name}_bps" for name in columns)])
    period = max(len(times) * next(iter(columns.values())).window_s, 0.001)
    return ["", *lines, "[recording]", f'period = "{_seconds(period)}"', f'csv    = """\n{heading}', *rows, '"""']


def _within(of: Estimate, text: Callable[[float], str]) -> str:
    low = "?" if of.low is None else text(of.low)
    high = "?" if of.high is None else text(of.high)
    return f"{text(of.value)} ({low} to {high})"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.6g} ms" if abs(seconds) >= 1e-6 else "0 ms"


def _seconds(seconds: float) -> str:
    return f"{seconds:.9f}".rstrip("0").rstrip(".") + " s"


def _octets(octets: float) -> str:
    return f"{octets:.0f} B"


def _percent(share: float) -> str:
    return f"{float(f'{share * 100:.4g}'):.10f}".rstrip("0").rstrip(".") + " %"
