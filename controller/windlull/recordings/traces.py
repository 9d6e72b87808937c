"""Mahimahi's traces and those of its relatives: instants of opportunities, and delays by the line.

Sources: Mahimahi's link_queue.cc (one whole number of milliseconds a line, which never falls; the trace begins again
after its last one); LeoCC's traces/README.md (`bw_N.txt` is such a trace, line i of `delay_N.txt` the one-way delay in
milliseconds of the i-th 10 ms); CellReplay's cellular_queue.cc (heavy traces are such traces; a line of a light one is
its time, the base delay, both in milliseconds, and the opportunities of a short train).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from windlull.recordings.recording import Path, Recording, Train

if TYPE_CHECKING:
    from windlull.recordings.source import Source

_STEP_S = 0.01
"""How long a line of a LeoReplayer's delays lasts."""

_MOST_DELAY_MS = 600_000
_LATEST_MS = 360_000_000

_UP = re.compile(r"(\.up$|(^|[^a-z])up(link)?[^a-z])", re.IGNORECASE)
_DELAYS = re.compile(r"(^|[^a-z])delays?[^a-z]", re.IGNORECASE)
_LIGHT = re.compile(r"delay-light|light-pdo", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,10}")
_DECIMAL = re.compile(r"\d{1,10}(\.\d{1,12})?")


def is_light(source: Source) -> bool:
    """Say whether it is a light trace of CellReplay's: by its name, or lines of whole numbers of differing counts."""
    rows = [line.split(" ") for line in source.head]
    numbers = all(len(row) >= 2 and all(map(_WHOLE.fullmatch, row)) for row in rows)
    return numbers and (_LIGHT.search(source.name) is not None or len({len(row) for row in rows}) > 1)


def is_delays(source: Source) -> bool:
    """Say whether it is a list of delays by its name, as `delay_12.txt`."""
    return _DELAYS.search(source.name) is not None and all(map(_DECIMAL.fullmatch, source.head))


def is_opportunities(source: Source) -> bool:
    """Say whether it looks like a Mahimahi trace: whole numbers, one a line, or a name that says so."""
    if re.search(r"\.(up|down|trace|pps|mahi)$", source.name, re.IGNORECASE):
        return True
    return all(map(_WHOLE.fullmatch, source.head))


def opportunities(source: Source) -> Recording:
    """Read a Mahimahi trace, as of the direction that the file's name says; else down. Raises RecordingError."""
    found: list[int] = []
    for number, line in _lines(source):
        at = _number(source, number, line, _LATEST_MS, "a whole number of milliseconds")
        if found and at < found[-1]:
            raise source.wrong(f"{at} ms is earlier than {found[-1]} ms on the line before", line=number)
        found.append(at)
    if found[-1] == 0:
        raise source.wrong("the trace has no length: its last line must be above 0")
    path = Path(opportunities_ms=np.array(found, dtype=np.int64))
    up = _UP.search(source.name) is not None
    return Recording(length_s=found[-1] / 1e3, down=Path() if up else path, up=path if up else Path())


def delays(source: Source) -> Recording:
    """Read a LeoReplayer's delays, of both directions. Raises RecordingError."""
    found: list[float] = []
    for number, line in _lines(source):
        if not _DECIMAL.fullmatch(line) or float(line) > _MOST_DELAY_MS:
            raise source.wrong(
                f"{_short(line)!r} is not a number of milliseconds of delay up to {_MOST_DELAY_MS}", line=number
            )
        found.append(float(line))
    changes = [0, *(index + 1 for index, (one, other) in enumerate(pairwise(found)) if one != other)]
    path = Path(delay_ms=np.array(found)[changes])
    times = np.array(changes, dtype=np.float64) * _STEP_S
    return Recording(time_s=times, length_s=len(found) * _STEP_S, down=path, up=path)


def light(source: Source) -> Recording:
    """Read the base delays and the trains of a light trace of CellReplay's. Raises RecordingError."""
    times: list[int] = []
    found: list[float] = []
    trains: dict[int, tuple[int, ...]] = {}
    for number, line in _lines(source):
        cells = line.split()
        if len(cells) < 2:
            raise source.wrong("a line is a time and a delay, in milliseconds, and instants of a train", line=number)
        at = _number(source, number, cells[0], _LATEST_MS, "a whole number of milliseconds", "1")
        delay = _number(source, number, cells[1], _MOST_DELAY_MS, "a whole number of milliseconds of delay", "2")
        if times and at < times[-1]:
            raise source.wrong(f"{at} ms is earlier than {times[-1]} ms on the line before", line=number, column="1")
        train = tuple(
            _number(source, number, cell, _LATEST_MS, "a whole number of milliseconds", str(column))
            for column, cell in enumerate(cells[2:], 3)
        )
        if any(one > other for one, other in pairwise(train)):
            raise source.wrong("the opportunities of a train must be in order", line=number)
        if train:
            trains[at] = train
        if times and at == times[-1]:
            found[-1] = float(delay)
            continue
        times.append(at)
        found.append(float(delay))
    seconds = (np.array(times, dtype=np.float64) - times[0]) / 1e3
    step = float(np.median(np.diff(seconds))) if len(seconds) > 1 else 1.0
    # What stands before the first train begins with it.
    of_trains = tuple(
        Train(at - times[0] if index else 0, opportunities) for index, (at, opportunities) in enumerate(trains.items())
    )
    path = Path(delay_ms=np.array(found), trains=of_trains or None)
    up = _UP.search(source.name) is not None
    note = (
        f"{source.name}: the base delay is that of all packets; the first ones after an idle time are served by the "
        "short trains"
    )
    empty = Path()
    return Recording(
        time_s=seconds, length_s=float(seconds[-1]) + step, notes=(note,),
        down=empty if up else path, up=path if up else empty,
    )  # fmt: skip


def _lines(source: Source) -> list[tuple[int, str]]:
    return [(number, line.strip()) for number, line in enumerate(source.lines, 1) if line.strip()]


def _number(source: Source, line: int, text: str, most: int, what: str, column: str | None = None) -> int:
    if not _WHOLE.fullmatch(text) or int(text) > most:
        raise source.wrong(f"{_short(text)!r} is not {what} up to {most}", line=line, column=column)
    return int(text)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
