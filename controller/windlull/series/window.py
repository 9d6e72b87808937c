"""A window of a run's series, for a drawing of some width: few rows as they are, many decimated.

The answer has the shape of series.json, so that what reads the one reads the other. Each table says besides: `rows`,
how many it has in the window; `given`, how many of them are here; `decimated`, whether that is fewer; and `before` and
`after`, how many rows of other times stand before and behind them, because the drawing of the window needs them: the
value that a line had when the window began, a segment that was still under way, a band that had begun.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from windlull.series import decimate
from windlull.series.columns import VERSION
from windlull.series.tables import TABLES, Drawing

if TYPE_CHECKING:
    from collections.abc import Collection

    from windlull.series.columns import Columns, Integers
    from windlull.series.tables import Table

ROWS_PER_PIXEL = 4
"""Up to so many rows a pixel are given as they are; and so many marks of each kind, whatever there are."""
PIXELS_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Window:
    """From when to when (ns, the end excluded), for a drawing so many pixels wide, and which tables (None: all)."""

    start: int
    end: int
    pixels: int
    tables: Collection[str] | None = None


def asked(
    columns: Columns,
    start: int | None = None,
    end: int | None = None,
    pixels: int = 2000,
    tables: Collection[str] | None = None,
) -> Window:
    """Return the window that is asked for; without start or end, from the beginning or to behind the last row.

    Raises ValueError if it is none. A name of a table stands for those below it, too: `link` for `link.drops`.
    """
    begin = 0 if start is None else start
    until = columns.end_ns if end is None else end
    if not 0 <= begin < until < 1 << 62:
        raise ValueError(f"from {begin} to {until}: is no window; the run ends at {columns.head.duration_ns}")
    if not 1 <= pixels <= PIXELS_LIMIT:
        raise ValueError(f"pixels {pixels}: from 1 to {PIXELS_LIMIT}")
    if tables is None:
        return Window(begin, until, pixels)
    named: set[str] = set()
    for name in tables:
        below = {table.path for table in TABLES if f"{table.path}.".startswith(f"{name}.")}
        if not below:
            known = ", ".join(table.path for table in TABLES)
            raise ValueError(f"tables: there is no {name!r}; there are {known}")
        named |= below
    return Window(begin, until, pixels, named)


def cut(columns: Columns, window: Window) -> dict[str, Any]:
    """Return the window as series.json would have it. A table that was not asked for has no rows, and says how many."""
    answer: dict[str, Any] = {"version": VERSION}
    if columns.head.run is not None:
        answer["run"] = columns.head.run
    answer |= {
        "data_sender": columns.head.data_sender,
        "duration_ns": columns.head.duration_ns,
        "names": columns.head.names,
        "window": {"from": window.start, "to": window.end, "pixels": window.pixels},
    }
    for table in TABLES:
        place = answer
        *parents, name = table.path.split(".")
        for parent in parents:
            place = place.setdefault(parent, {})
        place[name] = _table(columns, table, window)
    return answer


def rows_of(columns: Columns, table: Table, window: Window) -> Integers:
    """Return the places of the rows that a drawing of the window needs: of it, and of what it needs before and behind.

    They ascend, but for bands, of which those that had begun before come first.
    """
    chosen = _Chosen.of(columns, table, window)
    return np.concatenate((chosen.before, chosen.within, chosen.after))


def _table(columns: Columns, table: Table, window: Window) -> dict[str, Any]:
    chosen = _Chosen.of(columns, table, window)
    if window.tables is not None and table.path not in window.tables:
        chosen = _Chosen(_NONE, _NONE, _NONE, chosen.rows)
    rows = np.concatenate((chosen.before, chosen.within, chosen.after))
    answer: dict[str, Any] = {
        "rows": chosen.rows,
        "given": len(chosen.within),
        "decimated": len(chosen.within) < chosen.rows,
        "before": len(chosen.before),
        "after": len(chosen.after),
    }
    for name in table.columns:
        answer[name] = np.diff(columns.column(table, name)[rows], prepend=np.int64(0)).tolist()
    for name in table.strings:
        words = columns.strings[table.key(name)]
        answer[name] = [words[row] for row in rows]
    return answer


_NONE: Integers = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Places of rows: of the window, and of what stands before and behind; `rows` is how many the window has."""

    before: Integers
    within: Integers
    after: Integers
    rows: int

    @staticmethod
    def of(columns: Columns, table: Table, window: Window) -> _Chosen:
        match table.drawing:
            case Drawing.SEGMENTS:
                return _Segments(columns, table, window).chosen()
            case Drawing.SPELLS:
                return _spells(columns, table, window)
            case Drawing.STEPS:
                return _steps(columns, table, window)
            case Drawing.BARS | Drawing.EVENTS:
                return _marks(columns, table, window)


def _between(times: Integers, start: int, end: int) -> tuple[int, int]:
    low, high = np.searchsorted(times, (start, end))
    return int(low), int(high)


def _few(rows: int, window: Window) -> bool:
    return rows <= ROWS_PER_PIXEL * window.pixels


def _grid(window: Window) -> Integers:
    return decimate.edges(window.start, window.end, window.pixels)


def _steps(columns: Columns, table: Table, window: Window) -> _Chosen:
    """Lines: with the row whose value holds when the window begins and the one after its end, of each class."""
    times = columns.column(table, table.time)
    low, high = _between(times, window.start, window.end)
    kinds = [columns.column(table, name) for name in table.classes]
    # Links have two directions, acknowledgements are duplicates or not; the nearest few rows have one of each.
    before = _nearest(kinds, range(low - 1, max(-1, low - 1 - _NEAR), -1))
    after = _nearest(kinds, range(high, min(len(times), high + _NEAR)))
    within = np.arange(low, high)
    if not _few(high - low, window):
        column = decimate.column_of(times[low:high], _grid(window))
        values = [columns.column(table, name)[low:high] for name in table.values]
        if not kinds:
            within = low + decimate.steps(column, values)
        else:
            classes = decimate.classes_of([kind[low:high] for kind in kinds], high - low)
            kept = []
            for one in np.flatnonzero(np.bincount(classes)):
                rows = np.flatnonzero(classes == one)
                kept.append(rows[decimate.steps(column[rows], [value[rows] for value in values])])
            within = low + np.unique(np.concatenate(kept))
    return _Chosen(before, within, after, high - low)


_NEAR = 16
"""How many rows are looked at for what stood before a window."""


def _nearest(kinds: list[Integers], rows: range) -> Integers:
    """Return the first row of each class, in order of time."""
    seen: dict[tuple[int, ...], int] = {}
    for row in rows:
        seen.setdefault(tuple(int(kind[row]) for kind in kinds), row)
    return np.array(sorted(seen.values()), dtype=np.int64)


def _marks(columns: Columns, table: Table, window: Window) -> _Chosen:
    """Events, and bars between heights."""
    times = columns.column(table, table.time)
    low, high = _between(times, window.start, window.end)
    within = np.arange(low, high)
    if not _few(high - low, window):
        column = decimate.column_of(times[low:high], _grid(window))
        classes = decimate.classes_of([columns.column(table, name)[low:high] for name in table.classes], high - low)
        heights = [columns.column(table, name)[low:high] for name in table.values]
        within = low + (
            decimate.marks(column, heights, classes, budget=ROWS_PER_PIXEL * window.pixels)
            if heights
            else decimate.events(column, classes)
        )
    return _Chosen(_NONE, within, _NONE, high - low)


def _spells(columns: Columns, table: Table, window: Window) -> _Chosen:
    """Bands, in any order: those that began in the window, and those that had begun and were not over."""
    begin, end = columns.column(table, "from"), columns.column(table, "to")
    before = np.flatnonzero((begin < window.start) & (end >= window.start))
    within = np.flatnonzero((begin >= window.start) & (begin < window.end))
    rows = len(within)
    if not _few(len(before) + rows, window):
        grid = _grid(window)
        before, within = (
            places[
                decimate.spells(
                    decimate.column_of(begin[places], grid),
                    decimate.column_of(end[places], grid),
                    end[places] - begin[places],
                    decimate.classes_of([columns.column(table, name)[places] for name in table.classes], len(places)),
                )
            ]
            if len(places)
            else places
            for places in (before, within)
        )
    return _Chosen(before, within, _NONE, rows)


class _Segments:
    """Data segments: the usual ones by pixel, and all that are rare: those sent again, and those lost."""

    def __init__(self, columns: Columns, table: Table, window: Window) -> None:
        self._columns = columns
        self._table = table
        self._window = window
        self._grid = _grid(window)

    def chosen(self) -> _Chosen:
        window = self._window
        times = self._of("t")
        low, high = _between(times, window.start, window.end)
        earliest = int(np.searchsorted(times, window.start - self._columns.passage_ns))
        before = earliest + np.flatnonzero(self._of("arrived", slice(earliest, low)) >= window.start)
        if not _few(len(before), window):
            before = self._fewer(before)
        within = np.arange(low, high) if _few(high - low, window) else self._fewer(slice(low, high))
        return _Chosen(before, within, _NONE, high - low)

    def _of(self, name: str, rows: slice | Integers = slice(None)) -> Integers:
        return self._columns.column(self._table, name)[rows]

    def _fewer(self, rows: slice | Integers) -> Integers:
        """Return those of segments sent in the window, or before it, that a drawing of its width needs."""
        usual = (self._of("verdict", rows) == 0) & (self._of("drop", rows) < 0)
        places = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        rare = places[~usual]
        kinds = decimate.classes_of([self._of("verdict", rare), self._of("drop", rare)], len(rare))
        if not _few(len(rare), self._window):
            rare = np.concatenate([self._sent(rare[kinds == kind]) for kind in np.unique(kinds)])
        return np.unique(np.concatenate((rare, self._sent(places[usual]), self._arrived(places, rows))))

    def _sent(self, rows: Integers) -> Integers:
        """Return the bars when they were sent: one of each pixel, and the ends of what a column of pixels has."""
        column = decimate.column_of(self._of("t", rows), self._grid)
        low = self._of("seq", rows)
        budget = ROWS_PER_PIXEL * self._window.pixels
        pixels = decimate.marks(column, [low], self._of("cause", rows), budget=budget)
        ends = decimate.steps(column, [low, low + self._of("len", rows)])
        return rows[np.union1d(pixels, ends)]

    def _arrived(self, places: Integers, rows: slice | Integers) -> Integers:
        """Return the marks when they arrived: one of each pixel."""
        column = decimate.column_of(self._of("arrived", rows), self._grid)
        budget = ROWS_PER_PIXEL * self._window.pixels
        kept = decimate.marks(column, [self._of("seq", rows)], np.zeros_like(column), budget=budget)
        inside = (column[kept] >= 0) & (column[kept] < self._window.pixels)
        return places[kept[inside]]
