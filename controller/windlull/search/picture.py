"""A picture of what was tried, as SVG: how bad each link was in its turn, and when and how long each event was.

Above, a dot for each link, by the order in which they were tried, a line for the worst so far, and a number at those
that were found. Below, a dot for each event, by its begin and its length; the darker, the worse its link.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from windlull.metrics import significant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from windlull.search.journal import Trial
    from windlull.search.outcome import Aim

MOST_DOTS = 4000
"""Of more links every so-manieth is drawn, and those that were worse than all before; a browser is slow with more."""

_WIDTH, _HEIGHT = 960, 720
_LEFT, _RIGHT, _TOP, _PANEL, _BETWEEN = 90, 20, 50, 260, 80
_SHADES = ("#dbe6f0", "#a9c6de", "#6fa0c8", "#3a74ab", "#123f72")
"""From the least bad fifth of the links to the worst."""
_FOUND = "#b3261e"
_WIDE = 20.0
"""Positive numbers further apart than by this factor are drawn by their logarithm."""


_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" \
aria-label="{label}">
<style>
text {{ font: 12px sans-serif; fill: #222 }} .title {{ font-size: 15px }} .axis {{ stroke: #999; fill: none }}
.worst {{ stroke: #222; fill: none }} .base {{ stroke: #666; stroke-dasharray: 4 4; fill: none }}
.found {{ stroke: {found}; stroke-width: 2; fill: none }} .number {{ fill: {found}; font-weight: bold }}
</style>
<rect width="{width}" height="{height}" fill="#fff"/>
{body}
</svg>
"""


@dataclass(frozen=True, slots=True)
class _Scale:
    """From numbers to pixels, which may go either way."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def at(self, value: float) -> float:
        low, high, place = (math.log(one) if self.log else one for one in (self.low, self.high, value))
        share = (place - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> Iterator[float]:
        """Yield round numbers within: powers of ten, or steps of 1, 2 or 5."""
        if self.log and self.high / self.low >= 100:
            power = math.ceil(math.log10(self.low) - 1e-9)
            while 10.0**power <= self.high * (1 + 1e-9):
                yield 10.0**power
                power += 1
            return
        rough = (self.high - self.low) / 5
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
        for number in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1):
            yield number * step


def draw(title: str, aim: Aim, trials: Sequence[Trial], found: Sequence[int]) -> str:
    """Return the picture of these trials, the first of which is the base link's; `found` are numbers of trials."""
    badness = {trial.number: value for trial in trials if (value := aim.badness(trial.outcome)) is not None}
    drawn = _chosen([trial for trial in trials[1:] if trial.number in badness], badness, set(found))
    base = badness.get(trials[0].number)
    up = _scale([aim.shown(value) for value in badness.values()], _TOP + _PANEL, _TOP)
    body = [
        f'<text x="{_LEFT}" y="26" class="title">{escape(title)}</text>',
        *_links(aim, trials, drawn, badness, found, up),
    ]
    if base is not None:
        y = up.at(aim.shown(base))
        body.append(f'<path class="base" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
    body += _events(drawn, badness)
    label = escape(title, {'"': "&quot;"})
    return _FRAME.format(width=_WIDTH, height=_HEIGHT, label=label, found=_FOUND, body="\n".join(body))


def _chosen(trials: Sequence[Trial], badness: dict[int, float], found: set[int]) -> list[Trial]:
    every = max(1, math.ceil(len(trials) / MOST_DOTS))
    chosen = []
    worst = -math.inf
    for place, trial in enumerate(trials):
        record = badness[trial.number] > worst
        worst = max(worst, badness[trial.number])
        if place % every == 0 or record or trial.number in found:
            chosen.append(trial)
    return chosen


def _links(
    aim: Aim,
    trials: Sequence[Trial],
    drawn: Sequence[Trial],
    badness: dict[int, float],
    found: Sequence[int],
    up: _Scale,
) -> Iterator[str]:
    along = _Scale(0, max(len(trials) - 1, 1), _LEFT, _WIDTH - _RIGHT, log=False)
    by = f", {aim.by} to {aim.baseline}" if aim.baseline else ""
    unit = f" ({aim.metric.unit})" if aim.metric.unit and aim.by != "ratio" else ""
    yield from _axes(along, up, "links in the order in which they were tried", f"{aim.metric.label}{by}{unit}", _TOP)
    shade = _shades(badness[trial.number] for trial in drawn)
    line: list[str] = []
    worst = -math.inf
    for trial in drawn:
        value = badness[trial.number]
        x, y = along.at(trial.number), up.at(aim.shown(value))
        yield f'<circle class="link" cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{shade(value)}"/>'
        if value > worst:
            worst = value
            line.append(f"M{x:.1f} {y:.1f}" if not line else f"H{x:.1f}V{y:.1f}")
    if line:
        yield f'<path class="worst" d="{"".join(line)}H{_WIDTH - _RIGHT}"/>'
    for place, number in enumerate(found, 1):
        x, y = along.at(number), up.at(aim.shown(badness[number]))
        yield f'<circle class="found" cx="{x:.1f}" cy="{y:.1f}" r="6"/>'
        yield f'<text class="number" x="{x + 9:.1f}" y="{y + 4:.1f}">{place}</text>'


def _events(drawn: Sequence[Trial], badness: dict[int, float]) -> Iterator[str]:
    events = [(event, badness[trial.number]) for trial in drawn for event in trial.candidate.events]
    if not events:
        return
    top = _TOP + _PANEL + _BETWEEN
    begins = [event.begin_us / 1e6 for event, _ in events]
    along = _Scale(0, max(*begins, 0.001), _LEFT, _WIDTH - _RIGHT, log=False)
    up = _scale([event.length_us / 1e6 for event, _ in events], top + _PANEL, top)
    yield from _axes(along, up, "begin of each event (s)", "its length (s)", top)
    shade = _shades(badness[trial.number] for trial in drawn)
    # The worst last, so that they lie above the others.
    for event, value in sorted(events, key=lambda one: one[1]):
        x, y = along.at(event.begin_us / 1e6), up.at(event.length_us / 1e6)
        yield f'<circle class="event" cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{shade(value)}"/>'


def _axes(along: _Scale, up: _Scale, below: str, beside: str, top: float) -> Iterator[str]:
    bottom = top + _PANEL
    yield f'<path class="axis" d="M{_LEFT} {top}V{bottom}H{_WIDTH - _RIGHT}"/>'
    for tick in along.ticks():
        x = along.at(tick)
        yield f'<path class="axis" d="M{x:.1f} {bottom}v5"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{significant(tick)}</text>'
    for tick in up.ticks():
        y = up.at(tick)
        yield f'<path class="axis" d="M{_LEFT} {y:.1f}h-5"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{significant(tick)}</text>'
    yield f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{bottom + 36}" text-anchor="middle">{escape(below)}</text>'
    middle = top + _PANEL / 2
    yield f'<text transform="translate(22 {middle:.0f}) rotate(-90)" text-anchor="middle">{escape(beside)}</text>'


def _scale(values: Iterable[float], start: float, end: float) -> _Scale:
    known = list(values)
    low, high = min(known, default=0.0), max(known, default=1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return _Scale(low, high, start, end, log=low > 0 and high / low > _WIDE)


def _shades(values: Iterable[float]) -> Callable[[float], str]:
    """Return which colour a number has: by the fifth of these numbers that it is in."""
    known = sorted(values)
    bounds = [known[len(known) * fifth // len(_SHADES)] for fifth in range(1, len(_SHADES))] if known else []
    return lambda value: _SHADES[bisect_right(bounds, value)]
