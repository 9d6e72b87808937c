"""Grids and their points."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlull.errors import BadInputError
from windlull.sweep.grid import Grid, axis, described


def grid(*options: str) -> Grid:
    return Grid(tuple(axis(option) for option in options))


def test_every_value_meets_every_other_and_the_last_key_varies_fastest() -> None:
    points = grid("link.both.rate=28.8 kbit/s,64 kbit/s", "tcp.initial_window=1,3")
    assert [described(points.settings(point)) for point in range(points.count)] == [
        "link.both.rate=28.8 kbit/s, tcp.initial_window=1",
        "link.both.rate=28.8 kbit/s, tcp.initial_window=3",
        "link.both.rate=64 kbit/s, tcp.initial_window=1",
        "link.both.rate=64 kbit/s, tcp.initial_window=3",
    ]


def test_without_a_key_the_point_is_the_experiment() -> None:
    assert grid().count == 1
    assert described(grid().settings(0)) == "the experiment as it is"


@settings(deadline=None)
@given(st.lists(st.integers(1, 5), max_size=4))
def test_points_are_all_places_in_order(sizes: list[int]) -> None:
    made = grid(*(f"key{place}=1..{size}" for place, size in enumerate(sizes)))
    places = [made.places(point) for point in range(made.count)]
    assert places == list(itertools.product(*(range(size) for size in sizes)))


@settings(deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_edges_have_every_value(sizes: list[int]) -> None:
    made = grid(*(f"key{place}=1..{size}" for place, size in enumerate(sizes)))
    edges = list(made.edges())
    assert len(edges) == 1 + sum(size - 1 for size in sizes)
    for place, one in enumerate(made.axes):
        assert {made.settings(point)[place].value for point in edges} == set(one.values)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["rate"], "write KEY=VALUES"),
        (["=1"], "write KEY=VALUES"),
        (["a=1,2,1"], "--grid a: a: '1' stands there 2 times"),
        (["a=1", "a=2"], "a: is given 2 times"),
        (["a=1..1000", "b=1..101"], "1000 x 101 = 101000 points; the limit is 100000"),
    ],
)
def test_what_cannot_be_says_why(options: list[str], complaint: str) -> None:
    with pytest.raises(BadInputError) as raised:
        grid(*options)
    assert complaint in str(raised.value)
