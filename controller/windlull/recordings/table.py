"""Tables of measurements, as drive-test software writes them: any separator, many columns, the usual units."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.recordings.choices import QUANTITIES, UNITS, AskedError, Choices, Question, SeenColumn
from windlull.recordings.recording import Path, Recording, filled, last_step
from windlull.recordings.source import MOST_ROWS
from windlull.recordings.times import epoch_unit, instant, over_midnight

if TYPE_CHECKING:
    from windlull.recordings.recording import Column
    from windlull.recordings.source import Source

_SEPARATORS = (";", "\t", ",", "|")
_MISSING = {"", "-", "--", "nan", "n/a", "na", "null", "none", "?"}
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

_GAP = 5
"""Rows that are missing for so many usual steps are told."""

_WORDS = {
    "time": r"time|timestamp|date|datetime|zeit|zeitstempel|t|seconds|sec|ts|epoch|utc",
    "rtt": r"rtt|ping|round.?trip|latency|latenz",
    "delay": r"delay|owd|one.?way",
    "loss": r"loss|lost|plr|verlust",
    "up": r"up|ul|uplink|upload|uplk|tx|send|sent|upstream",
    "down": r"down|dl|downlink|download|rx|recv|received?|downstream",
    "rate": r"rate|throughput|thrpt|tput|thp|bandwidth|bw|bitrate|speed|goodput|bps|durchsatz|datenrate",
}
_FOUND = {name: re.compile(rf"(?:^|[^a-z])(?:{words})(?:$|[^a-z])") for name, words in _WORDS.items()}

_UNIT_WORDS = (
    ("Gbit/s", r"gbit/s|gbps|gb/s|gbits"), ("Mbit/s", r"mbit/s|mbps|mb/s|mbits|mbit"),
    ("kbit/s", r"kbit/s|kbps|kb/s|kbits|kbit"), ("bit/s", r"bit/s|bps|b/s|bits?|bits_per_second"),
)  # fmt: skip
_BYTE_WORDS = (
    ("MB/s", r"MB/s|MByte/s|MBps|MBytes/s"),
    ("kB/s", r"[kK]B/s|[kK]Byte/s|[kK]Bps"),
    ("B/s", r"B/s|Bps|[bB]ytes?/s"),
)
_TIME_WORDS = (("ms", r"ms|msec|milliseconds?"), ("us", r"us|µs|usec"), ("ns", r"ns|nsec"), ("s", r"s|sec|seconds?"))
_LOSS_WORDS = (("%", r"%|pct|percent|prozent"), ("share", r"share|ratio|fraction"))


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it stands in its file: names of columns, and each row's line from 1."""

    source: Source
    names: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    decimal_comma: bool

    def column(self, place: int) -> list[tuple[int, str]]:
        """Return the lines and cells of a column; of rows that are too short, an empty one."""
        return [(line, cells[place] if place < len(cells) else "") for line, cells in self.rows]


def table(source: Source) -> Table:
    """Split a file into cells. Raises RecordingError."""
    lines = [(number, line) for number, line in enumerate(source.lines, 1) if line.strip() and line[0] != "#"]
    if lines and lines[0][1].lower().startswith("sep="):
        # Excel's, which says how cells are separated; that shows.
        lines = lines[1:]
    if not lines:
        raise source.wrong("has no rows")
    separator = _separator([line for _, line in lines[:50]])
    rows: list[tuple[int, tuple[str, ...]]] = []
    for number, line in lines:
        cells = (
            line.split() if separator is None else next(csv.reader([line], delimiter=separator, skipinitialspace=True))
        )
        rows.append((number, tuple(cell.strip() for cell in cells)))
    first = rows[0][1]
    headed = not any(_NUMBER.fullmatch(cell) or instant(cell) or _DECIMAL_COMMA.fullmatch(cell) for cell in first)
    names = first if headed else tuple(f"column {place}" for place in range(1, len(first) + 1))
    rows = rows[1:] if headed else rows
    if not rows:
        raise source.wrong("has a heading and no rows")
    if len(rows) > MOST_ROWS:
        raise source.wrong(f"has more than {MOST_ROWS} rows; cut it into parts", line=rows[MOST_ROWS][0])
    if len(names) < 2:
        raise source.wrong(
            "has one column; a table needs a time and what was measured then. Say so if it is something else: "
            "--format mahimahi for instants of packets, --format leoreplayer-delay for delays",
            line=lines[0][0],
        )
    for number, row in rows:
        if len(row) > len(names) and any(row[len(names) :]):
            raise source.wrong(f"has {len(row)} cells, the heading {len(names)}", line=number)
    comma = separator != "," and any(_DECIMAL_COMMA.fullmatch(cell) for _, row in rows[:200] for cell in row)
    return Table(source, names, tuple(rows), comma)


def _separator(lines: list[str]) -> str | None:
    """Return what separates cells: what stands equally often in the most lines; `None`: spaces."""
    best, most = None, 0
    for separator in _SEPARATORS:
        counts = [line.count(separator) for line in lines]
        usual = counts[0]
        alike = sum(count == usual for count in counts) if usual else 0
        if alike > most:
            best, most = separator, alike
    return best


def seen(of: Table, choices: Choices) -> tuple[SeenColumn, ...]:
    """Return each column with what it is taken for."""
    places = _places(of, choices, [])
    taken = {place: quantity for quantity, place in places.items()}
    return tuple(
        SeenColumn(
            name=name,
            examples=tuple(cell for _, cell in of.column(place)[:5]),
            quantity=taken.get(place),
            unit=_unit(of, place, taken[place], choices) if place in taken else None,
        )
        for place, name in enumerate(of.names)
    )


def recording(source: Source, choices: Choices) -> Recording:
    """Read a table. Raises RecordingError, and AskedError for what the file does not tell."""
    of = table(source)
    questions: list[Question] = []
    places = _places(of, choices, questions)
    units: dict[str, str] = {}
    for quantity, place in places.items():
        unit = _unit(of, place, quantity, choices)
        if unit is None:
            questions.append(
                Question(
                    what="unit", quantity=quantity, choices=tuple(UNITS[quantity]),
                    message=f"{source.name}: the column {of.names[place]!r} ({QUANTITIES[quantity]}) has no unit; say "
                    f"which: --unit {quantity}={list(UNITS[quantity])[1]} (one of {', '.join(UNITS[quantity])})",
                )
            )  # fmt: skip
        else:
            units[quantity] = unit
    if questions:
        raise AskedError(questions)
    told = (
        f"{QUANTITIES[quantity]} in {of.names[place]!r}"
        + ("" if units[quantity] == "clock" else f" ({units[quantity]})")
        for quantity, place in places.items()
    )
    notes = [f"{source.name}: {', '.join(told)}"]
    lines, times = _times(of, places["time"], units["time"])
    keep = np.concatenate((np.diff(times) > 0, [True]))
    if not keep.all():
        notes.append(f"{int((~keep).sum())} rows have the time of the row after them; the last one of each time counts")
    columns = {}
    for quantity, place in places.items():
        if quantity != "time":
            told_there = _numbers(of, place, quantity, units[quantity])[keep]
            columns[quantity] = filled(told_there)
            if empty := int(np.isnan(told_there).sum()):
                hint = "; write 0 where there was no rate" if quantity in {"down", "up"} else ""
                notes.append(
                    f"{empty} of {len(told_there)} rows have nothing in {of.names[place]!r}: the value before is "
                    f"taken{hint}"
                )
    times = times[keep]
    step = last_step(times)
    gaps = np.flatnonzero(np.diff(times) > _GAP * step)
    if len(gaps):
        at = int(gaps[0])
        notes.append(
            f"{len(gaps)} times there are no rows for more than {_GAP} times the usual {step:g} s, first after line "
            f"{int(lines[keep][at])}; the row before stays in force"
        )
    ms = columns.get("delay")
    if ms is None and "rtt" in columns:
        ms = columns["rtt"] / 2
        notes.append("half of each round-trip time is taken as the delay of each way")
    for quantity, column in columns.items():
        if np.isnan(column).all():
            raise source.wrong("has no number in any row", column=of.names[places[quantity]])
    delay = None if ms is None else ms * 1e3
    paths = (Path(rate_bps=columns.get(way), delay_ms=delay, loss=columns.get("loss")) for way in ("down", "up"))
    down, up = paths
    return Recording(time_s=times, length_s=float(times[-1]) + step, down=down, up=up, notes=tuple(notes))


def _places(of: Table, choices: Choices, questions: list[Question]) -> dict[str, int]:
    """Return where each quantity stands: as chosen, else by the names. Adds what has to be asked."""
    places: dict[str, int] = {}
    for quantity, name in choices.columns.items():
        if name:
            places[quantity] = _place(of, name)
    taken = set(places.values())
    for quantity in QUANTITIES:
        if quantity in choices.columns:
            continue
        fitting = [place for place, name in enumerate(of.names) if place not in taken and _quantity(name) == quantity]
        if quantity == "time" and len(fitting) != 1:
            fitting = [place for place in fitting or range(len(of.names)) if _is_clock(of, place)][:1] or fitting
        if len(fitting) == 1:
            places[quantity] = fitting[0]
            taken.add(fitting[0])
        elif fitting:
            names = tuple(of.names[place] for place in fitting)
            questions.append(
                Question(
                    what="column", quantity=quantity, choices=names,
                    message=f"{of.source.name}: several columns may be the {QUANTITIES[quantity]}: "
                    f"{', '.join(map(repr, names))}; choose one: --column {quantity}={names[0]!r}, or none: "
                    f"--column {quantity}=",
                )
            )  # fmt: skip
    known = ", ".join(map(repr, of.names))
    if "time" not in places and not any(question.quantity == "time" for question in questions):
        message = f"{of.source.name}: no column is known to be the time; say which: --column time=NAME, of {known}"
        questions.append(Question(what="column", quantity="time", choices=of.names, message=message))
    if not set(places) - {"time"} and not any(question.quantity != "time" for question in questions):
        message = f"{of.source.name}: no column is known to be a rate, delay or loss; say which: --column down=NAME"
        message = f"{message}, of {known}"
        questions.append(Question(what="column", quantity="down", choices=of.names, message=message))
    return dict(sorted(places.items(), key=lambda item: list(QUANTITIES).index(item[0])))


def _place(of: Table, name: str) -> int:
    wanted = name.casefold()
    for place, there in enumerate(of.names):
        if there.casefold() == wanted:
            return place
    if name.isdecimal() and 1 <= int(name) <= len(of.names):
        return int(name) - 1
    raise of.source.wrong(f"has no column {name!r}; it has {', '.join(map(repr, of.names))}, also known by 1, 2, ...")


def _plain(name: str) -> str:
    """Return a name in small letters, with words apart: `dlThroughput_kbps` is `dl throughput kbps`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_.\s]+", " ", name).lower()


def _quantity(name: str) -> str | None:
    plain = _plain(name)
    has = {word for word, pattern in _FOUND.items() if pattern.search(plain)}
    if has & {"rtt", "delay", "loss"}:
        return next(word for word in ("loss", "rtt", "delay") if word in has)
    rated = "rate" in has or _unit_of_name(name, "down") is not None
    if rated and has & {"up", "down"}:
        return None if {"up", "down"} <= has else ("up" if "up" in has else "down")
    if rated and "time" not in has:
        return "down"
    if "time" in has:
        return "time"
    return None


def _is_clock(of: Table, place: int) -> bool:
    return instant(next((cell for _, cell in of.column(place) if cell), "")) is not None


def _unit(of: Table, place: int, quantity: str, choices: Choices) -> str | None:
    """Return the unit of a column: as chosen, as its name says, or as its numbers do. `clock`: dates and times."""
    if quantity == "time" and _is_clock(of, place):
        return "clock"
    if quantity in choices.units:
        return choices.units[quantity]
    told = _unit_of_name(of.names[place], quantity)
    if told is not None:
        return told
    if quantity == "time":
        first = next((cell for _, cell in of.column(place) if _NUMBER.fullmatch(cell)), "")
        return epoch_unit(float(first)) if first else None
    if quantity == "loss" and any(cell.endswith("%") for _, cell in of.column(place)[:20]):
        return "%"
    return None


def _unit_of_name(name: str, quantity: str) -> str | None:
    edge, end = r"(?:^|[^A-Za-z])", r"(?:$|[^A-Za-z/])"
    words_of: tuple[tuple[str, str], ...]
    if quantity in {"down", "up"}:
        for unit, words in _BYTE_WORDS:
            if re.search(rf"{edge}(?:{words}){end}", name):
                return unit
        words_of, text = _UNIT_WORDS, name.lower()
    else:
        words_of, text = (_LOSS_WORDS if quantity == "loss" else _TIME_WORDS), name.lower()
    for unit, words in words_of:
        around = "" if words.startswith("%") else edge
        if re.search(rf"{around}(?:{words}){end if around else ''}", text):
            return unit
    return None


def _times(of: Table, place: int, unit: str) -> tuple[Column, Column]:
    """Return lines, and seconds from the first row, which never fall."""
    found: list[float] = []
    origin = 0.0
    name = of.names[place]
    for line, cell in of.column(place):
        if unit == "clock":
            read = instant(cell)
            if read is None:
                raise of.source.wrong(f"{cell!r} is no date and time, as 2026-05-04T10:00:01.5", line=line, column=name)
            at, alone = read
            if alone and found:
                at = over_midnight(found[-1] + origin, at)
        else:
            at = _number(of, cell, line, name) * UNITS["time"][unit]
        if math.isnan(at):
            raise of.source.wrong("the time is missing", line=line, column=name)
        if not found:
            origin = at
        elif at - origin < found[-1] - 1e-9:
            raise of.source.wrong(f"{cell} is earlier than the row before it; sort the rows", line=line, column=name)
        found.append(at - origin)
    lines = np.array([line for line, _ in of.rows], dtype=np.float64)
    return lines, np.round(np.array(found), 9)


def _numbers(of: Table, place: int, quantity: str, unit: str) -> Column:
    factor, name = UNITS[quantity][unit], of.names[place]
    values = np.array([_number(of, cell, line, name) for line, cell in of.column(place)]) * factor
    most = {"loss": 1.0, "down": 1e12, "up": 1e12}.get(quantity, 600.0 * (2 if quantity == "rtt" else 1))
    wrong = np.flatnonzero((values < 0) | (values > most))
    if len(wrong):
        line, cell = of.column(place)[int(wrong[0])]
        bounds = {"loss": "a share from 0 to 1 (0 to 100 %)", "down": "a rate from 0 to 1 Tbit/s"}
        bounds["up"] = bounds["down"]
        what = bounds.get(quantity, "a time from 0 to 600 s")
        raise of.source.wrong(f"{cell} {unit} is not {what}", line=line, column=name)
    return values


def _number(of: Table, cell: str, line: int, name: str) -> float:
    text = cell.removesuffix("%").strip()
    if text.casefold() in _MISSING:
        return math.nan
    if of.decimal_comma and _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if not _NUMBER.fullmatch(text):
        raise of.source.wrong(f"{cell!r} is not a number", line=line, column=name)
    return float(text)
