"""Which rows of a table a drawing needs that is so many pixels wide.

A window of time is divided into as many columns as the drawing has pixels. Within a column nothing can be seen of time,
so that rows of one look at one height are one mark. What is kept of

    steps    in each column, of each line: the first, the last, a least and a greatest value
    marks    of each column and line of the height, and each class (what decides the look), the first row;
             lines are as many as `LINES`, or fewer until the rows are no more than the budget
    events   of each column and class, the first and the last row
    spells   of each pair of columns that one begins and ends in, and each class, the longest

All functions return places of rows, ascending. Pure: arrays in, arrays out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from windlull.series.columns import Integers

LINES = 1024
"""How finely heights are told apart: a drawing with the window's heights on so many pixels or fewer loses nothing."""


def edges(start: int, end: int, pixels: int) -> Integers:
    """Return the first instants of the `pixels` columns of `[start, end)`, and `end` behind them."""
    span = end - start
    return np.array([start - (-span * place // pixels) for place in range(pixels + 1)], dtype=np.int64)


def column_of(times: Integers, grid: Integers) -> Integers:
    """Return the column that each time is in; -1 before the first, the last edge's place from the end on."""
    if len(times) > len(grid) and bool((times[1:] >= times[:-1]).all()):
        # In order: it is quicker to look where each column begins than in which column each time is.
        starts = np.searchsorted(times, grid)
        return np.repeat(np.arange(-1, len(grid)), np.diff(starts, prepend=0, append=len(times)))
    return np.searchsorted(grid, times, side="right") - 1


def steps(column: Integers, values: Sequence[Integers]) -> Integers:
    """Return what step lines need. The columns ascend."""
    if len(column) == 0:
        return column
    starts = _starts(column)
    kept = np.zeros(len(column), dtype=np.bool_)
    kept[starts] = True
    kept[starts[1:] - 1] = True
    kept[-1] = True
    counts = np.diff(np.append(starts, len(column)))
    for value in values:
        if bool((value[1:] >= value[:-1]).all()):
            continue  # the first is a least one, the last a greatest
        for extreme in (np.minimum, np.maximum):
            reached = np.flatnonzero(value == np.repeat(extreme.reduceat(value, starts), counts))
            kept[reached[_starts(column[reached])]] = True
    return np.flatnonzero(kept)


def marks(
    column: Integers, heights: Sequence[Integers], classes: Integers, *, budget: int, lines: int = LINES
) -> Integers:
    """Return one row of each column, line of each height, and class: so many lines that it is at most the budget."""
    if len(column) == 0:
        return column
    while True:
        places = _firsts([column, *(_lines(height, lines) for height in heights), classes])
        if len(places) <= budget or lines == 1:
            return places
        lines //= 2


def events(column: Integers, classes: Integers) -> Integers:
    """Return the first and the last row of each column and class."""
    first = _firsts([column, classes])
    last = len(column) - 1 - _firsts([column[::-1], classes[::-1]])
    return np.union1d(first, last)


def spells(column: Integers, until: Integers, length: Integers, classes: Integers) -> Integers:
    """Return the longest spell of each class that begins in one column and ends in the other."""
    by_length = np.argsort(-length, kind="stable")
    return np.sort(by_length[_firsts([column[by_length], until[by_length], classes[by_length]])])


def classes_of(columns: Sequence[Integers], length: int) -> Integers:
    """Return one number for each combination of values that a row has; all rows are one class if there is no column."""
    combined = np.zeros(length, dtype=np.int64)
    for column in columns:
        low, high = (int(column.min()), int(column.max())) if length else (0, 0)
        combined = combined * (high - low + 1) + (column - low)
    return combined


def _lines(heights: Integers, lines: int) -> Integers:
    """Return the line that each height is on, of so many between the least and the greatest, or one more."""
    return heights // (-(int(heights.min()) - int(heights.max()) - 1) // lines + 1)


def _firsts(keys: Sequence[Integers]) -> Integers:
    """Return the place of the first row of each combination of keys, ascending."""
    # Rows in order of time are mostly in runs of equal keys: what is left to combine and sort is small.
    changes = np.zeros(max(0, len(keys[0]) - 1), dtype=np.bool_)
    for key in keys:
        changes |= key[1:] != key[:-1]
    runs = _behind(changes, len(keys[0]))
    _, first = np.unique(classes_of([key[runs] for key in keys], len(runs)), return_index=True)
    return np.sort(runs[first])


def _starts(values: Integers) -> Integers:
    """Return where each run of equal values begins."""
    return _behind(values[1:] != values[:-1], len(values))


def _behind(changes: NDArray[np.bool_], length: int) -> Integers:
    """Return 0, if there is anything, and the places behind changes."""
    return np.concatenate(([0], np.flatnonzero(changes) + 1))[:length]
