"""From files to one recording: each file by its format, all together, cut and scaled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.errors import BadInputError
from windlull.recordings import errant, ibox, iperf, probes, table, traces
from windlull.recordings.choices import AskedError, Choices, Question, SeenColumn
from windlull.recordings.recording import OPPORTUNITY_BITS, Path, Recording, merged, only

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from windlull.recordings.source import Source

Direction = Literal["both", "down", "up"]

MOST_OPPORTUNITIES = 100_000
"""More instants of a trace than that make a link file too large; they become rates."""

_WINDOW_MS = 100
"""Over so long the opportunities of such a trace are counted."""


@dataclass(frozen=True, slots=True)
class Given:
    """A file, of which direction it tells (`both`: of what it says itself), and its format.

    Without one it is as all files are said to be, or what it looks like.
    """

    source: Source
    direction: Direction = "both"
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """A form of files: its name, what it is in words, how it is recognised and how it is read."""

    name: str
    what: str
    fits: Callable[[Source], bool]
    read: Callable[[Source, Choices], Recording]


FORMATS = (
    Format("iperf3", "output of iperf3 -J", iperf.is_iperf, lambda source, _: iperf.iperf(source)),
    Format("ibox", "profile of iBoxNet", ibox.is_ibox, lambda source, _: ibox.ibox(source)),
    Format("irtt", "output of irtt client -o", probes.is_irtt, lambda source, _: probes.irtt(source)),
    Format(
        "ping", "output of ping, or better of ping -D", probes.is_ping,
        lambda source, choices: probes.ping(source, choices.every_s),
    ),
    Format(
        "lens", "CSV of LENS: timestamp, rtt, uplink, downlink", probes.is_lens, lambda source, _: probes.lens(source)
    ),
    Format(
        "errant", "profiles.csv of ERRANT", errant.is_errant, lambda source, choices: errant.errant(source, choices.row)
    ),
    Format(
        "cellreplay-light", "light trace of CellReplay: time, base delay, a short train", traces.is_light,
        lambda source, _: traces.light(source),
    ),
    Format(
        "leoreplayer-delay", "delays of LeoReplayer, a line each 10 ms", traces.is_delays,
        lambda source, _: traces.delays(source),
    ),
    Format(
        "mahimahi", "trace of Mahimahi; also bw_N of LeoReplayer and the heavy traces of CellReplay",
        traces.is_opportunities, lambda source, _: traces.opportunities(source),
    ),
    Format("table", "any table of measurements, as a drive test's CSV", lambda _: True, table.recording),
)  # fmt: skip
"""Every format; a file is of the first one that fits."""


def format_of(file: Given, choices: Choices) -> Format:
    """Return the format that was chosen, or that the file looks like. Raises BadInputError for an unknown one."""
    chosen = file.format or choices.format
    if chosen is None:
        return next(one for one in FORMATS if one.fits(file.source))
    for one in FORMATS:
        if one.name == chosen:
            return one
    raise BadInputError(f"there is no format {chosen!r}; choose of {', '.join(one.name for one in FORMATS)}")


def columns_of(file: Given, choices: Choices) -> tuple[SeenColumn, ...]:
    """Return the columns of a table and what each is taken for; none of other formats. Raises RecordingError."""
    return table.seen(table.table(file.source), choices) if format_of(file, choices).name == "table" else ()


def read(files: Sequence[Given], choices: Choices) -> Recording:
    """Return what files tell together, cut and scaled as chosen.

    Raises RecordingError for what is wrong in a file, and AskedError for all that somebody has to say first.
    """
    if not files:
        raise BadInputError("give a file")
    recordings: list[Recording] = []
    questions: list[Question] = []
    for file in files:
        try:
            recording = format_of(file, choices).read(file.source, choices)
        except AskedError as error:
            questions += error.questions
            continue
        recordings.append(only(recording, file.direction))
    if questions:
        raise AskedError(questions)
    whole = reduce(merged, recordings)
    whole = _as_rates(whole)
    return _scaled(_cut(whole, choices), choices)


def _as_rates(recording: Recording) -> Recording:
    """Return traces of too many opportunities as rates over 100 ms; a window without any has a rate of 0."""
    if all(
        path.opportunities_ms is None or len(path.opportunities_ms) <= MOST_OPPORTUNITIES for path in recording.paths
    ):
        return recording
    for way in ("down", "up"):
        path: Path = getattr(recording, way)
        instants = path.opportunities_ms
        if instants is None or len(instants) <= MOST_OPPORTUNITIES:
            continue
        counts = np.bincount(np.maximum(instants - 1, 0) // _WINDOW_MS).astype(np.float64)
        rates = Path(rate_bps=np.round(counts * OPPORTUNITY_BITS / (_WINDOW_MS / 1e3)))
        length = max(len(counts) * _WINDOW_MS / 1e3, recording.length_s)
        times = np.arange(len(counts), dtype=np.float64) * (_WINDOW_MS / 1e3)
        alone = only(Recording(time_s=times, length_s=length, down=rates), way)
        cleared = replace(path, opportunities_ms=None)
        rest = replace(recording, length_s=length)
        rest = replace(rest, down=cleared) if way == "down" else replace(rest, up=cleared)
        note = f"the trace {way} has {len(instants)} opportunities: it is taken as rates over {_WINDOW_MS} ms"
        recording = merged(rest, alone).noted(note)
    return recording


def _cut(recording: Recording, choices: Choices) -> Recording:
    """Return what was recorded between two instants. Raises BadInputError if that is nothing."""
    begin, end = choices.from_s, recording.length_s if choices.to_s is None else min(choices.to_s, recording.length_s)
    if begin == 0 and end == recording.length_s:
        return recording
    if begin >= recording.length_s:
        raise BadInputError(f"the recording is {recording.length_s:g} s long; begin before its end, not at {begin:g} s")
    first = int(np.searchsorted(recording.time_s, begin, side="right")) - 1
    rows = np.arange(first, max(int(np.searchsorted(recording.time_s, end, side="left")), first + 1))
    times = np.maximum(recording.time_s[rows] - begin, 0.0).astype(np.float64)
    paths = [_trimmed(path.at(rows), begin, end) for path in recording.paths]
    return replace(recording, time_s=np.round(times, 9), length_s=end - begin, down=paths[0], up=paths[1])


def _trains(path: Path, begin: float, end: float) -> Path:
    if path.trains is None:
        return path
    first = max((index for index, train in enumerate(path.trains) if train.at_ms <= begin * 1e3), default=0)
    kept = [train for train in path.trains[first:] if train.at_ms < end * 1e3]
    return replace(
        path,
        trains=tuple(
            replace(train, at_ms=max(train.at_ms - round(begin * 1e3), 0) if index else 0)
            for index, train in enumerate(kept)
        ),
    )


def _trimmed(path: Path, begin: float, end: float) -> Path:
    path = _trains(path, begin, end)
    instants = path.opportunities_ms
    if instants is None:
        return path
    kept = instants[(instants >= begin * 1e3) & (instants <= end * 1e3)] - round(begin * 1e3)
    if not len(kept) or kept[-1] == 0:
        raise BadInputError(f"a trace has no opportunity between {begin:g} s and {end:g} s")
    return replace(path, opportunities_ms=kept)


def _scaled(recording: Recording, choices: Choices) -> Recording:
    """Return it with all rates, all delays times a factor."""

    def scaled(path: Path) -> Path:
        rate, delay, instants = path.rate_bps, path.delay_ms, path.opportunities_ms
        if instants is not None and choices.rate_times != 1:
            # So many opportunities in the same time: each instant as often as the factor says, on average.
            count = max(1, round(len(instants) * choices.rate_times))
            # The last one stays: after it the trace begins again.
            instants = instants[-(-(np.arange(1, count + 1) * len(instants)) // count) - 1]
        trains = path.trains
        if trains is not None and choices.rate_times != 1:
            trains = tuple(
                replace(train, opportunities_ms=_as_often(train.opportunities_ms, choices.rate_times))
                for train in trains
            )
        return replace(
            path,
            trains=trains,
            rate_bps=None if rate is None else np.round(rate * choices.rate_times),
            delay_ms=None if delay is None else delay * choices.delay_times,
            opportunities_ms=instants,
        )

    return replace(recording, down=scaled(recording.down), up=scaled(recording.up))


def _as_often(instants: tuple[int, ...], times: float) -> tuple[int, ...]:
    """Return opportunities as often as a factor says, in the same time."""
    count = max(1, round(len(instants) * times))
    return tuple(instants[-(-(one * len(instants)) // count) - 1] for one in range(1, count + 1))
