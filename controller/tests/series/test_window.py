"""What a drawing shows of the decimated rows is what it shows of all of them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.series import made
from windlull.series import columns, decimate, window
from windlull.series.tables import TABLES, Drawing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

    from tests.series.made import Tables
    from windlull.series.columns import Columns
    from windlull.series.tables import Table

pytestmark = pytest.mark.long

STEPS = [table for table in TABLES if table.drawing is Drawing.STEPS]


def _columns(tables: Tables) -> Columns:
    return columns.read(made.packed(made.document(tables)))


def _cut(tables: Tables, start: int, end: int, pixels: int) -> tuple[Tables, dict[str, dict[str, Any]]]:
    found = _columns(tables)
    return made.uncoded(window.cut(found, window.asked(found, start, end, pixels)))


@st.composite
def _cases(draw: DrawFn) -> tuple[Tables, int, int, int]:
    start = draw(st.integers(0, made.END - 1))
    return draw(made.series()), start, draw(st.integers(start + 1, made.END + 1)), draw(st.integers(1, 6))


def _rows(table: Table, tables: Tables) -> list[tuple[Any, ...]]:
    return list(zip(*(tables[table.path][name] for name in (*table.columns, *table.strings)), strict=True))


def _inner(rows: list[Any], head: dict[str, Any]) -> list[Any]:
    return rows[head["before"] : len(rows) - head["after"]]


def _pixel(time: int, start: int, end: int, pixels: int) -> int:
    """The column of a time, by the definition."""
    return (time - start) * pixels // (end - start)


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_every_row_given_is_a_row_of_the_window_in_order_and_counted(case: tuple[Tables, int, int, int]) -> None:
    tables, start, end, pixels = case
    given_, heads = _cut(tables, start, end, pixels)
    for table in TABLES:
        all_of_it = [row for row in _rows(table, tables) if start <= row[0] < end]
        inner = _inner(_rows(table, given_), heads[table.path])
        assert heads[table.path]["rows"] == len(all_of_it)
        assert heads[table.path]["given"] == len(inner)
        assert heads[table.path]["decimated"] == (len(inner) < len(all_of_it))
        left = iter(all_of_it)
        assert all(row in left for row in inner)


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_few_rows_are_given_as_they_are(case: tuple[Tables, int, int, int]) -> None:
    tables, start, end, _ = case
    given_, heads = _cut(tables, start, end, 48)
    for table in TABLES:
        assert not heads[table.path]["decimated"]
        inner = _inner(_rows(table, given_), heads[table.path])
        assert inner == [row for row in _rows(table, tables) if start <= row[0] < end]


@settings(max_examples=25, deadline=None)
@given(made.series(), st.sets(st.integers(1, made.END), max_size=6))
def test_windows_side_by_side_give_every_row_once(tables: Tables, cuts: set[int]) -> None:
    bounds = [0, *sorted(cuts), 2 * made.END]
    parts = [_cut(tables, start, end, 48) for start, end in itertools.pairwise(bounds)]
    for table in TABLES:
        together = [row for part, heads in parts for row in _inner(_rows(table, part), heads[table.path])]
        assert sorted(together) == sorted(_rows(table, tables))
        if table.drawing is not Drawing.SPELLS:
            assert together == _rows(table, tables)


def _by_pixel(rows: list[tuple[Any, ...]], case: tuple[Tables, int, int, int]) -> Iterator[list[tuple[Any, ...]]]:
    _, start, end, pixels = case
    columns_: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        columns_.setdefault(_pixel(row[0], start, end, pixels), []).append(row)
    for place in range(pixels):
        yield columns_.get(place, [])


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_lines_keep_first_least_greatest_and_last_of_each_pixel(case: tuple[Tables, int, int, int]) -> None:
    tables, start, end, pixels = case
    given_, heads = _cut(tables, start, end, pixels)
    for table in STEPS:
        inner = _inner(_rows(table, given_), heads[table.path])
        all_of_it = [row for row in _rows(table, tables) if start <= row[0] < end]
        for value in table.values:
            place = table.columns.index(value)
            for kept, every in zip(_by_pixel(inner, case), _by_pixel(all_of_it, case), strict=True):
                assert bool(kept) == bool(every)
                if every:
                    assert (kept[0], kept[-1]) == (every[0], every[-1])
                    assert min(row[place] for row in kept) == min(row[place] for row in every)
                    assert max(row[place] for row in kept) == max(row[place] for row in every)


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_a_line_has_its_value_from_the_beginning_of_a_window_to_its_end(case: tuple[Tables, int, int, int]) -> None:
    tables, start, end, pixels = case
    given_, heads = _cut(tables, start, end, pixels)
    for table in STEPS:
        rows = _rows(table, given_)
        earlier = [row for row in _rows(table, tables) if row[0] < start]
        later = [row for row in _rows(table, tables) if row[0] >= end]
        before = rows[: heads[table.path]["before"]]
        assert before[-1:] == earlier[-1:]
        assert rows[len(rows) - heads[table.path]["after"] :][:1] == later[:1]


SEQ, LEN, CAUSE, VERDICT, ARRIVED, DROP = 2, 3, 4, 5, 7, 8


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_usual_segments_keep_the_extent_of_each_pixel_and_every_cause(case: tuple[Tables, int, int, int]) -> None:
    tables, start, end, pixels = case
    given_, heads = _cut(tables, start, end, pixels)
    table = TABLES[0]
    usual = [row for row in _rows(table, tables) if start <= row[0] < end and row[VERDICT] == 0 and row[DROP] < 0]
    kept_usual = [row for row in _inner(_rows(table, given_), heads["data"]) if row[VERDICT] == 0 and row[DROP] < 0]
    for kept, every in zip(_by_pixel(kept_usual, case), _by_pixel(usual, case), strict=True):
        if every:
            assert min(row[SEQ] for row in kept) == min(row[SEQ] for row in every)
            assert max(row[SEQ] + row[LEN] for row in kept) == max(row[SEQ] + row[LEN] for row in every)
            assert {row[CAUSE] for row in kept} == {row[CAUSE] for row in every}


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_rare_segments_are_all_kept_or_at_least_every_kind_and_extreme_of_each_pixel(
    case: tuple[Tables, int, int, int],
) -> None:
    tables, start, end, pixels = case
    given_, heads = _cut(tables, start, end, pixels)
    table = TABLES[0]

    def rare(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return [row for row in rows if start <= row[0] < end and (row[VERDICT] != 0 or row[DROP] >= 0)]

    every, kept = rare(_rows(table, tables)), rare(_inner(_rows(table, given_), heads["data"]))
    if len(every) <= window.ROWS_PER_PIXEL * pixels:
        assert kept == every
    for few, many in zip(_by_pixel(kept, case), _by_pixel(every, case), strict=True):
        for kind in {(row[VERDICT], row[DROP]) for row in many}:
            of_kind = [row for row in many if (row[VERDICT], row[DROP]) == kind]
            left = [row for row in few if (row[VERDICT], row[DROP]) == kind]
            assert min(row[SEQ] for row in left) == min(row[SEQ] for row in of_kind)
            assert max(row[SEQ] + row[LEN] for row in left) == max(row[SEQ] + row[LEN] for row in of_kind)


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_a_segment_that_arrives_in_the_window_is_there_though_it_was_sent_before(
    case: tuple[Tables, int, int, int],
) -> None:
    tables, start, end, _ = case
    given_, heads = _cut(tables, start, end, 48)
    expected = [row for row in _rows(TABLES[0], tables) if row[0] < start <= row[ARRIVED]]
    assert _rows(TABLES[0], given_)[: heads["data"]["before"]] == expected


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_arrivals_keep_every_pixel_that_has_one(case: tuple[Tables, int, int, int]) -> None:
    tables, start, end, pixels = case
    given_, _ = _cut(tables, start, end, pixels)

    def shown(rows: list[tuple[Any, ...]]) -> set[int]:
        arrived = [row[ARRIVED] for row in rows if row[0] < end]
        return {_pixel(at, start, end, pixels) for at in arrived if start <= at < end}

    assert shown(_rows(TABLES[0], given_)) == shown(_rows(TABLES[0], tables))


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_events_keep_every_class_of_each_pixel(case: tuple[Tables, int, int, int]) -> None:
    tables, start, end, pixels = case
    given_, heads = _cut(tables, start, end, pixels)
    for table in (table for table in TABLES if table.drawing is Drawing.EVENTS):
        inner = _inner(_rows(table, given_), heads[table.path])
        every = [row for row in _rows(table, tables) if start <= row[0] < end]
        places = [table.columns.index(name) for name in table.classes]
        for few, many in zip(_by_pixel(inner, case), _by_pixel(every, case), strict=True):
            assert {tuple(row[place] for place in places) for row in few} == {
                tuple(row[place] for place in places) for row in many
            }


@settings(max_examples=25, deadline=None)
@given(_cases())
def test_bands_cover_the_same_pixels(case: tuple[Tables, int, int, int]) -> None:
    tables, start, end, pixels = case
    given_, _ = _cut(tables, start, end, pixels)

    def covered(rows: list[tuple[Any, ...]]) -> set[tuple[int, int, int]]:
        return {
            (place, direction, name)
            for begin, until, direction, name in rows
            if begin < end and until >= start
            for place in range(
                max(0, _pixel(begin, start, end, pixels)), min(pixels - 1, _pixel(until, start, end, pixels)) + 1
            )
        }

    for table in (table for table in TABLES if table.drawing is Drawing.SPELLS):
        assert covered(_rows(table, given_)) == covered(_rows(table, tables))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5000), st.integers(0, 5000)), min_size=1, max_size=300),
    st.integers(1, 64),
)
def test_marks_differ_from_those_left_out_by_less_than_a_line(rows: list[tuple[int, int, int]], lines: int) -> None:
    column, low, high = (np.array(values, dtype=np.int64) for values in zip(*sorted(rows), strict=True))
    kept = decimate.marks(column, [low, high], np.zeros_like(column), budget=len(rows), lines=lines)
    line = (5001 + lines - 1) // lines
    for c, b, t in sorted(rows):
        near = [row for row in kept if column[row] == c]
        assert any(abs(int(low[row]) - b) < line and abs(int(high[row]) - t) < line for row in near)
    assert len(decimate.marks(column, [low, high], np.zeros_like(column), budget=40, lines=lines)) <= 40


def test_a_column_is_what_the_definition_says() -> None:
    for start, end, pixels in ((0, 10, 3), (7, 1000, 12), (5, 6, 4), (0, 2**61, 10_000)):
        grid = decimate.edges(start, end, pixels)
        assert (grid[0], grid[-1], len(grid)) == (start, end, pixels + 1)
        times = sorted({start, end - 1, *((start + end * place // 37) % (end - start) + start for place in range(37))})
        found = decimate.column_of(np.array(times), grid).tolist()
        assert found == [_pixel(time, start, end, pixels) for time in times]


def test_tables_not_asked_for_are_empty_and_say_how_many_rows_they_have() -> None:
    found = _columns({"acks": {name: [0, 1] for name in ("t", "ack", "edge", "dup")}})
    tables, heads = made.uncoded(window.cut(found, window.asked(found, tables=["link", "data"])))
    assert tables["acks"]["t"] == []
    assert heads["acks"] == {"rows": 2, "given": 0, "decimated": True, "before": 0, "after": 0}
    assert window.asked(found, tables=["link.queue"]).tables == {"link.queue.down", "link.queue.up"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": 5, "end": 5}, "from 5 to 5"),
        ({"start": -1}, "from -1"),
        ({"start": made.END + 1}, "run ends at 10000"),
        ({"end": 2**62}, "is no window"),
        ({"pixels": 0}, "pixels 0"),
        ({"pixels": 10_001}, "1 to 10000"),
        ({"tables": ["dat"]}, "no 'dat'; there are data, acks"),
    ],
)
def test_what_is_no_window_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        window.asked(_columns({}), **arguments)
