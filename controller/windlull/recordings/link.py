"""A recording as a link file, and in figures."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.errors import BadInputError
from windlull.recordings.choices import AskedError, Choices, Question
from windlull.recordings.recording import OPPORTUNITY_BITS, Path, Recording

if TYPE_CHECKING:
    from windlull.recordings.recording import Column

_QUEUE_S = 0.3
"""How long a full queue takes at the mean rate, where nobody says how large it is."""

_LEAST_QUEUE_BYTES = 15_000
"""Ten full-size packets."""

_LEAST_PERIOD_S = 0.001


@dataclass(frozen=True, slots=True)
class WayFigures:
    """One direction in figures; `None` where the recording does not tell it."""

    mean_bps: float | None
    least_bps: float | None
    greatest_bps: float | None
    without_rate: float | None
    """The share of the time in which the rate is 0."""
    delay_ms: float | None
    """The median over time."""
    greatest_delay_ms: float | None
    loss: float | None
    """The mean over time."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a recording comes to."""

    length_s: float
    rows: int
    down: WayFigures
    up: WayFigures


def figures(recording: Recording) -> Figures:
    """Return a recording in figures, computed from its rows alone."""
    lasts = _lasts(recording)
    return Figures(
        length_s=recording.length_s,
        rows=len(recording.time_s),
        down=_of_way(recording.down, lasts),
        up=_of_way(recording.up, lasts),
    )


def in_words(told: Figures) -> list[str]:
    """Return figures as lines for a person."""
    lines = [f"{told.length_s:g} s, {told.rows} {'row' if told.rows == 1 else 'rows'}"]
    for way, of in (("down", told.down), ("up", told.up)):
        parts = []
        if of.mean_bps is not None:
            parts.append(f"mean {rate_text(of.mean_bps)}")
        if of.least_bps is not None and of.greatest_bps is not None:
            parts.append(f"{rate_text(of.least_bps)} to {rate_text(of.greatest_bps)}")
        if of.without_rate:
            parts.append(f"no rate for {of.without_rate * 100:.3g} % of the time")
        if of.delay_ms is not None and of.greatest_delay_ms is not None:
            parts.append(f"delay {of.delay_ms:.4g} ms (median), up to {of.greatest_delay_ms:.4g} ms")
        if of.loss is not None:
            parts.append(f"{of.loss * 100:.3g} % lost")
        lines.append(f"{way}: {', '.join(parts) or 'nothing told'}")
    return lines


def _lasts(recording: Recording) -> Column:
    return np.diff(np.append(recording.time_s, recording.length_s))


def _of_way(path: Path, lasts: Column) -> WayFigures:
    total = max(float(lasts.sum()), 1e-9)
    rate, instants = path.rate_bps, path.opportunities_ms
    mean = least = greatest = without = None
    if rate is not None:
        mean, least, greatest = float((rate * lasts).sum() / total), float(rate.min()), float(rate.max())
        without = float(lasts[rate == 0].sum() / total)
    elif instants is not None:
        mean = len(instants) * OPPORTUNITY_BITS / (float(instants[-1]) / 1e3)
    delay = path.delay_ms
    return WayFigures(
        mean_bps=mean,
        least_bps=least,
        greatest_bps=greatest,
        without_rate=without,
        delay_ms=None if delay is None else _median(delay, lasts),
        greatest_delay_ms=None if delay is None else float(delay.max()),
        loss=None if path.loss is None else float((path.loss * lasts).sum() / total),
    )


def _median(values: Column, lasts: Column) -> float:
    """Return the value that is not exceeded for half of the time."""
    order = np.argsort(values)
    until = np.cumsum(lasts[order])
    return float(values[order][int(np.searchsorted(until, until[-1] / 2))])


def rate_text(bps: float) -> str:
    """Return a rate as link files write it, to four digits."""
    for factor, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bps >= factor:
            return f"{float(f'{bps / factor:.4g}'):g} {unit}"
    return f"{bps:.0f} bit/s"


def link_text(recording: Recording, choices: Choices, names: list[str]) -> str:
    """Return the link file. Raises AskedError for what neither the files nor the choices tell."""
    told = figures(recording)
    _refuse_what_cannot_be(recording, choices)
    questions = list(_questions(recording, choices))
    if questions:
        raise AskedError(questions)
    title = choices.title or f"Recorded: {', '.join(names)}"
    source = "; ".join([f"Imported from {', '.join(names)}", *recording.notes])
    lines = [f"title  = {quoted(title)}", f"source = {quoted(source)}"]
    if choices.random_start:
        lines.append('start  = "random"')
    for way, path, of, rate in (
        ("down", recording.down, told.down, choices.down_rate),
        ("up", recording.up, told.up, choices.up_rate),
    ):
        lines += ["", f"[{way}]", *_way(path, of, rate, choices), *_light(way, path, recording.length_s, choices)]
    if recording.down.loss is None and choices.loss is not None:
        lines += ["", "[[impairment]]", 'name        = "loss"', 'kind        = "loss"', 'on          = "each"',
                  f"probability = {quoted(choices.loss)}"]  # fmt: skip
    return "\n".join([*lines, *_table(recording, choices), ""])


def _refuse_what_cannot_be(recording: Recording, choices: Choices) -> None:
    """Raise BadInputError for a direction without any rate, and for a choice that a file tells as well."""
    for way, path in recording.ways:
        if path.rate_bps is not None and not path.rate_bps.any():
            raise BadInputError(f"the rate {way} is 0 from the beginning to the end: nothing was ever carried")
    for option, given, told in (
        ("--down-rate", choices.down_rate, recording.down.has_rate),
        ("--up-rate", choices.up_rate, recording.up.has_rate),
        ("--delay", choices.delay, all(path.delay_ms is not None for path in recording.paths)),
        ("--loss", choices.loss, recording.down.loss is not None),
    ):
        if given is not None and told:
            raise BadInputError(f"{option} {given}: a file tells that; leave out the option, or the file")


def _questions(recording: Recording, choices: Choices) -> list[Question]:
    questions = []
    for way, path, given in (("down", recording.down, choices.down_rate), ("up", recording.up, choices.up_rate)):
        if not path.has_rate and given is None:
            message = f"no file tells the rate {way}; give it: --{way}-rate '10 Mbit/s', or a file: --{way} FILE"
            questions.append(Question(what="rate", quantity=way, message=message))
    untold = [way for way, path in recording.ways if path.delay_ms is None]
    if choices.delay is None and untold:
        which = f" {untold[0]}" if len(untold) == 1 else ""
        message = f"no file tells the delay{which}; give it, one way: --delay '25 ms'"
        questions.append(Question(what="delay", quantity="delay", message=message))
    if recording.has_zeros and choices.zeros is None:
        message = (
            "the rate is 0 at times; say what that was: --zeros outage (packets were lost) or --zeros hold (packets "
            "waited in the queue)"
        )
        questions.append(Question(what="zeros", choices=("outage", "hold"), message=message))
    return questions


def queue_bytes(bps: float) -> int:
    """Return how large a queue is before a rate, where nobody says."""
    return max(_LEAST_QUEUE_BYTES, math.ceil(bps * _QUEUE_S / 8000) * 1000)


def _way(path: Path, of: WayFigures, rate: str | None, choices: Choices) -> list[str]:
    """Return the keys of one direction: what the recording replaces has its mean here, which queues go by."""
    if path.opportunities_ms is not None:
        instants = ", ".join(map(str, path.opportunities_ms.tolist()))
        lines = [f'rate  = {{ kind = "trace", milliseconds = [{instants}] }}']
    elif of.mean_bps is not None:
        lines = [f"rate  = {quoted(rate_text(max(of.mean_bps, 1)))}"]
    else:
        lines = [f"rate  = {quoted(str(rate))}"]
    delay = str(choices.delay) if of.delay_ms is None else f"{of.delay_ms:.6g} ms"
    mean = of.mean_bps if of.mean_bps is not None else _bps(str(rate))
    known = None if path.queue_bytes is None else f"{path.queue_bytes} B"
    queue = choices.queue or known or f"{queue_bytes(mean) // 1000} kB"
    return [*lines, f"delay = {quoted(delay)}", f'queue = {{ kind = "droptail", limit = {quoted(queue)} }}']


def _light(way: str, path: Path, length_s: float, choices: Choices) -> list[str]:
    """Return the table of the trains for the first packets after an idle time; none without any."""
    if path.trains is None:
        return []
    lines = [" ".join(map(str, (train.at_ms, *train.opportunities_ms))) for train in path.trains]
    period = f'period = "{max(round(length_s, 6), _LEAST_PERIOD_S):.12g} s"'
    return ["", f"[{way}.light]", *([period] if choices.loop else []), 'trains = """', *lines, '"""']


def _bps(rate: str) -> float:
    """Return a rate that somebody wrote; of what is not one, the engine says what is wrong."""
    match = re.fullmatch(r"\s*([\d.]+)\s*(bit/s|kbit/s|Mbit/s|Gbit/s)\s*", rate)
    factors = {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}
    try:
        return float(match[1]) * factors[match[2]] if match else 1e6
    except ValueError:
        return 1e6


def _table(recording: Recording, choices: Choices) -> list[str]:
    """Return the `[recording]` table; none if nothing changes over time."""
    columns: list[tuple[str, list[str]]] = []
    for way, path in recording.ways:
        if path.rate_bps is not None:
            columns.append((f"{way}_bps", [f"{bps:.0f}" for bps in path.rate_bps]))
    for name, digits in (("delay_ms", 6), ("loss", 6)):
        down, up = (getattr(path, name) for path in recording.paths)
        if down is not None and up is not None and np.array_equal(down, up):
            columns.append((name, _decimals(down, digits)))
        else:
            columns += [
                (f"{way}_{name}", _decimals(values, digits))
                for way, values in (("down", down), ("up", up))
                if values is not None
            ]
    if not columns:
        return []
    times = _decimals(recording.time_s, 9)
    rows = []
    before: tuple[str, ...] = ()
    for place, time in enumerate(times):
        cells = tuple(values[place] for _, values in columns)
        if cells == before:
            continue
        shown = [cell if place == 0 or cell != old else "" for cell, old in zip(cells, before or cells, strict=True)]
        rows.append(",".join([time, *shown]))
        before = cells
    if len(rows) == 1 and "loss" not in {name.rpartition("_")[2] for name, _ in columns}:
        return []
    lines = ["", "[recording]"]
    if choices.loop:
        lines.append(f'period = "{max(round(recording.length_s, 6), _LEAST_PERIOD_S):.12g} s"')
    if recording.has_zeros:
        lines.append(f"zeros  = {quoted(str(choices.zeros))}")
    heading = ",".join(["time_s", *(name for name, _ in columns)])
    return [*lines, f'csv    = """\n{heading}', *rows, '"""']


def _decimals(values: Column, digits: int) -> list[str]:
    return [f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0" for value in values]


def quoted(text: str) -> str:
    """Return a basic string of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char >= " " and char != "\x7f" else f"\\u{ord(char):04x}" for char in escaped) + '"'
