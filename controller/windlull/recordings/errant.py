"""ERRANT's table of mobile networks: a row is an operator, a country, a technology and a signal quality.

Source: `profiles.csv` of ERRANT (https://github.com/marty90/errant), with the heading below; the latency is that of a
round trip.
"""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

import numpy as np

from windlull.recordings.choices import AskedError, Question
from windlull.recordings.recording import Path, Recording

if TYPE_CHECKING:
    from windlull.recordings.source import Source

_HEADING = (
    "operator", "country", "rat", "signal_quality", "download_kbps", "upload_kbps", "latency_ms_avg",
    "latency_ms_stdev",
)  # fmt: skip
_LENGTH_S = 1.0


def is_errant(source: Source) -> bool:
    """Say whether it has ERRANT's heading."""
    return bool(source.head) and source.head[0].replace(" ", "").split(",")[:6] == list(_HEADING[:6])


def errant(source: Source, row: str | None) -> Recording:
    """Read one row: constant rates and delays. Raises RecordingError, and AskedError where none was chosen."""
    rows = [(number, cells) for number, cells in enumerate(csv.reader(source.lines), 1) if cells and number > 1]
    names = {number: " ".join(cells[:4]) for number, cells in rows}
    if row is None:
        listed = "; ".join(f"{number - 1}: {name}" for number, name in names.items())
        message = f"{source.name}: choose a row, by its number or its words, as --row 1: {listed}"
        raise AskedError([Question(what="row", choices=tuple(names.values()), message=message)])
    fitting = [
        (number, cells)
        for number, cells in rows
        if (row.isdecimal() and number - 1 == int(row))
        or set(row.casefold().split()) <= set(names[number].casefold().split())
    ]
    if len(fitting) != 1:
        raise source.wrong(
            f"{len(fitting)} rows fit {row!r}; give a number from 1 to {len(rows)}, or words of one alone"
        )
    number, cells = fitting[0]
    values = dict(zip(_HEADING, cells, strict=False))
    numbers = {}
    for name in _HEADING[4:7]:
        try:
            numbers[name] = float(values.get(name, ""))
        except ValueError:
            numbers[name] = math.nan
        if not 0 < numbers[name] < 1e9:
            raise source.wrong(f"{values.get(name, '')!r} is not a number above 0", line=number, column=name)
    delay = np.array([numbers["latency_ms_avg"] / 2])
    return Recording(
        length_s=_LENGTH_S,
        down=Path(rate_bps=np.array([numbers["download_kbps"] * 1e3]), delay_ms=delay),
        up=Path(rate_bps=np.array([numbers["upload_kbps"] * 1e3]), delay_ms=delay),
        notes=(
            f"{source.name}: {names[number]}; half of the mean latency is the delay of each way",
            "the deviation of the latency is left out: rates and delays are constant",
        ),
    )
