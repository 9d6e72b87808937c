"""What was learned as a link file, with the interval of each value and what is not known beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.learning import written
from windlull.learning.interval import LEVEL, spread
from windlull.learning.reordering import FEWEST
from windlull.learning.written import about, ms, octets, percent, seconds, ways, within
from windlull.recordings.link import quoted, rate_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from windlull.learning.holds import Hold
    from windlull.learning.learned import Learned, WayLearned
    from windlull.learning.written import Spell, Spells

Events = Literal["random", "script"]
"""Holds and outages at random, as often and as long as those that were seen, or once each when they were seen."""

MOST_LENGTHS = 200
MOST_DELAYS = 50


def link_text(learned: Learned, names: Sequence[str], *, title: str | None = None, events: Events = "random") -> str:
    """Return the link file."""
    of = ", ".join(names)
    ends = "captures of both ends" if learned.hidden is None else "a capture of the data sender's end"
    lines = [
        f"title  = {quoted(title or f'Learned from {of}')}",
        f"source = {quoted(f'learned from {ends}: {of}')}",
        "",
        f"# Intervals are at {LEVEL * 100:g} %.",
        *(f"# {note}" for note in (*learned.notes, *(written.ONE_END if learned.hidden is not None else ()))),
    ]
    halves = written.delays(learned)
    for name, way in ways(learned):
        lines += ["", f"[{name}]", *_path(way, halves[name])]
    for name, way in ways(learned):
        lines += _loss(name, way) if name != learned.hidden else ["", f"# {name}: losses do not show."]
        lines += _reordering(name, way)
    scripted: list[str] = []
    for one in written.spells(learned):
        lines += _spells(one, learned, events, scripted, _not_at_once(one.holds))
    return "\n".join([*lines, *scripted, *_recording(learned), ""])


def _path(way: WayLearned, delay: tuple[float, str]) -> list[str]:
    if way.rate is None:
        lines = [f"# {written.rate_unknown(way)}"]
    else:
        about = "" if way.rate.constant else " over all; over time see the recording below"
        whole = within(way.rate.whole, rate_text)
        lines = [f"# {whole}{about}, from {way.rate.gaps} gaps between packets that waited."]
    lines.append(f"rate  = {quoted(rate_text(written.rate_bps(way)))}")
    base, unknown = delay
    lines.append(f"# {within(way.delay.base, ms)}; {unknown}.")
    if way.delay.values is None:
        lines.append(f"delay = {quoted(ms(base))}")
    else:
        shift = base - way.delay.base.value
        values = ", ".join(ms(max(value + shift, 0.0)) for value in way.delay.values)
        lines.append(f'delay = "empirical({values})"')
    kind, told = "droptail", written.queue_unknown(way)
    if way.queue is not None and way.queue.discipline == "early drops":
        kind = "codel"
    elif way.queue is not None and way.queue.discipline == "tail drop":
        limit = within(way.queue.limit_bytes, octets)
        told = f"{limit}, by {way.queue.drops} packets that found no room. {told}"
    return [*lines, f"# {told}", f'queue = {{ kind = "{kind}", limit = "{written.limit_bytes(way)} B" }}']


def _loss(name: str, way: WayLearned) -> list[str]:
    found = way.loss
    if not found.lost:
        high = found.share.high or 0.0
        return ["", f"# {name}: no loss but the queue's among {found.of} packets; at most {percent(high)}."]
    share = within(found.share, percent)
    lines = ["", f"# {name}: {found.lost} of {found.of} packets lost, {share}.", "[[impairment]]",
             f'name        = "loss-{name}"']  # fmt: skip
    bursts = found.bursts
    if bursts is None:
        lines.insert(2, f"# {written.bursts_unknown(found)}")
        return [
            *lines,
            'kind        = "loss"',
            f'on          = "{name}"',
            f'probability = "{percent(found.share.value)}"',
        ]
    lines.insert(2, f"# In bursts: the likelihoods speak for it by {found.gain:.3g}. {written.bursts_unknown(found)}")
    lines += ['kind        = "gilbert-elliott"', f'on          = "{name}"']
    for key, one in (("to_bad", bursts.to_bad), ("to_good", bursts.to_good), ("loss_bad", bursts.loss_bad)):
        lines += [f"# {within(one, percent)}", f'{key:11} = "{percent(one.value)}"']
    return lines


def _reordering(name: str, way: WayLearned) -> list[str]:
    order = way.reordering
    count = len(order.by_s)
    if count < FEWEST:
        return []
    by = ", ".join(ms(float(value)) for value in spread(order.by_s, min(count, MOST_DELAYS)))
    share = within(order.share, percent)
    return [
        "",
        f"# {name}: {count} packets were overtaken, {share}; each was kept back at least so long.",
        "[[impairment]]",
        f'name        = "reordering-{name}"',
        'kind        = "reorder"',
        f'on          = "{name}"',
        f'probability = "{percent(order.share.value)}"',
        f'by          = "empirical({by})"',
    ]


def _not_at_once(each: Sequence[Hold]) -> list[str]:
    slow = sum(not one.released for one in each)
    return (
        [f"# After {slow} of them what waited came at the rate: the bottleneck may have stood still."] if slow else []
    )


def _spells(of: Spells, learned: Learned, events: Events, scripted: list[str], notes: Sequence[str]) -> list[str]:
    kind, on, each = of.kind, of.on, of.each
    if events == "script":
        for begins, until in _apart(each):
            scripted += [
                "",
                "[[script]]",
                f'at  = "{seconds(begins / 1e9)}"',
                f'for = "{seconds((until - begins) / 1e9)}"',
                f'do  = "{kind}"',
                f'on  = "{on}"',
            ]
        return []
    apart = of.apart(learned.length_s)
    lengths = np.array([max(one.length, 1e-3) for one in each])
    if len(lengths) > MOST_LENGTHS:
        lengths = spread(lengths, MOST_LENGTHS)
    values = ", ".join(about(float(length)) for length in lengths)
    return [
        "",
        f"# {len(each)} {of.word} ({on}). From the end of one to the next: {within(apart, about)}.",
        *(f"# {line}" for line in written.SPELLS),
        *notes,
        "[[impairment]]",
        f'name   = "{of.word}-{on}"',
        f'kind   = "{kind}"',
        f'on     = "{on}"',
        f'every  = "exponential(mean {about(apart.value)})"',
        f'length = "empirical({values})"',
    ]


def _apart(each: Sequence[Spell]) -> Iterator[tuple[int, int]]:
    """Yield begin and end in nanoseconds, none before the one before it has ended: when each did is known about."""
    free = 0
    for one in sorted(each):
        begins, until = (max(round(when * 1e9), free) for when in (one.at, one.at + one.length))
        if until > begins:
            yield begins, until
        free = until


def _recording(learned: Learned) -> list[str]:
    """Return the rates over time of the directions in which they change."""
    columns = {name: way.rate for name, way in ways(learned) if way.rate is not None and not way.rate.constant}
    if not columns:
        return []
    times = max((one.times for one in columns.values()), key=len)
    rows, before = [], None
    for when in times:
        cells = [f"{max(float(one.at(float(when))), 1.0):.0f}" for one in columns.values()]
        if cells != before:
            rows.append(",".join([f"{when:g}", *cells]))
        before = cells
    lines = [f"# {name}: {written.windows(one)}" for name, one in columns.items()]
    heading = ",".join(["time_s", *(f"{name}_bps" for name in columns)])
    period = max(len(times) * next(iter(columns.values())).window_s, 0.001)
    return ["", *lines, "[recording]", f'period = "{seconds(period)}"', f'csv    = """\n{heading}', *rows, '"""']
