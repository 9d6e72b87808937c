"""How work is cut into parts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from windlull.sweep.parts import PART_ROWS, PART_SEGMENTS, Part, Point, cut

SIZES = st.tuples(st.integers(1, 60_000), st.integers(1, 3_000)) | st.tuples(
    st.integers(1, 50), st.integers(1, 9_000_000)
)
POINTS = st.lists(SIZES, max_size=12).map(
    lambda sizes: [Point(index, runs, runs, "1", segments) for index, (runs, segments) in enumerate(sizes)]
)


def work(part: Part) -> int:
    return sum((stretch.end - stretch.first) * stretch.point.segments for stretch in part.stretches)


@settings(deadline=None)
@given(POINTS)
def test_every_run_is_in_one_part_in_order(points: list[Point]) -> None:
    parts = list(cut(points))
    assert [part.index for part in parts] == list(range(len(parts)))
    reached = dict.fromkeys(range(len(points)), 0)
    order = []
    for part in parts:
        for stretch in part.stretches:
            assert stretch.first == reached[stretch.point.index]
            assert stretch.end > stretch.first
            reached[stretch.point.index] = stretch.end
            order.append(stretch.point.index)
    assert reached == {point.index: point.runs for point in points}
    assert order == sorted(order)


@settings(deadline=None)
@given(POINTS)
def test_a_part_is_bounded(points: list[Point]) -> None:
    for part in cut(points):
        assert part.rows <= PART_ROWS
        last = part.stretches[-1]
        assert work(part) - last.point.segments < PART_SEGMENTS


@settings(deadline=None)
@given(POINTS)
def test_no_part_is_small_but_the_last(points: list[Point]) -> None:
    for part in list(cut(points))[:-1]:
        # What engines and runs cost beside their data is counted, so that a part of small runs has fewer segments.
        least = work(part) + 20 * part.rows + 20_000 * len(part.stretches)
        assert part.rows == PART_ROWS or least >= PART_SEGMENTS


def test_a_run_of_the_first_table_is_a_millisecond_and_a_part_thousands_of_them() -> None:
    (first, *_, last) = cut([Point(0, 100_000, 16_667, "1", 400)])
    assert first.rows == 4715
    assert last.stretches[0].end == 100_000


def test_points_of_few_runs_share_a_part() -> None:
    (part,) = cut([Point(index, 60, 10, "1", 400) for index in range(20)])
    assert len(part.stretches) == 20
