"""What the engine finds in a grid, told in the grid's own words. With the real engine."""

from __future__ import annotations

import pytest

from windlull import locate
from windlull.errors import BadInputError
from windlull.sweep.grid import Grid, axis
from windlull.sweep.plan import Request, Sweep, prepare

EXPERIMENT = "papers/sarolahti2003/table-1"


def prepared(*options: str, experiment: str = EXPERIMENT, reps: int | None = 2, seed: int | None = None) -> Sweep:
    grid = Grid(tuple(axis(option) for option in options))
    return prepare(Request(experiment, grid, reps, seed), [locate.profiles()])


def test_a_point_has_the_runs_of_its_experiment() -> None:
    made = prepared("link.both.rate=28.8 kbit/s,64 kbit/s", "tcp.initial_window=1,3,10")
    assert (made.experiment, made.seed, len(made.points), made.runs) == (EXPERIMENT, "2003", 6, 6 * 12)
    assert {point.segments for point in made.points} == {400}
    ((first, chunk), *_) = made.chunks(next(made.parts()))
    assert (first, chunk.repetitions, chunk.seed, chunk.places) == (0, 2, "2003", tuple(range(12)))
    assert (chunk.captures, chunk.series) == (False, False)
    assert 'rate = "28.8 kbit/s"' in chunk.bundle.files["links/sarolahti2003-sudden-delays.toml"]


def test_without_a_grid_it_is_the_experiment_many_times() -> None:
    made = prepared(reps=16_667, seed=5)
    assert (len(made.points), made.runs, made.seed) == (1, 100_002, "5")
    assert len(list(made.parts())) == 22


def test_repetitions_seeds_and_sizes_may_be_keys() -> None:
    made = prepared("repetitions=2,5", "seed=1,9223372036854775807", "workload.size=10 kB,100 kB", reps=None)
    assert [point.runs for point in made.points] == [12] * 4 + [30] * 4
    assert {point.seed for point in made.points} == {"1", "9223372036854775807"}
    assert {point.segments for point in made.points} == {40, 391}


def test_documents_are_chosen_with_all_that_they_need() -> None:
    made = prepared("link=gprs,sarolahti2003-losses-2pct", "variant=sack,frto+newreno", "workload=bulk-20-kib-down")
    assert [point.runs for point in made.points] == [2] * 4
    assert {"links/gprs.toml", "links/sarolahti2003-losses-2pct.toml"} <= set(made.editor.files)


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        (["link.both.rate=28.8 kbit/s,64 kbt/s,7"],
         ["link.both.rate=64 kbt/s: `kbt/s` is not a unit of rate", "link.both.rate=7: is a number"]),
        (["tcp.initial_windw=1,3"], ['tcp.initial_windw=1: unknown key; did you mean "initial_window"?']),
        (["tcp.initial_window=0..3"], ["tcp.initial_window=0: 0 is out of bounds"]),
        (["link.impairment.sudden-delays.length=exponential(men 1 s)"],
         ["link.impairment.sudden-delays.length=exponential(men 1 s): "]),
        (["link.impairment.sudden-delys.length=1 s"], ['did you mean "sudden-delays"?']),
        (["nonsense=1"], ["nonsense=1: unknown key"]),
        (["link=gprs,edg"], ['link=edg: there is no link "edg"; did you mean "edge"?']),
        (["link=./mine.toml"], ["link=./mine.toml: is no name"]),
        (["variant=linux"], ["variant=linux: ", "--testbed netns"]),
        (["tcp.timer.minimum_rto=1 s,70 s"], ["tcp.timer.minimum_rto=70 s: does not go with variant"]),
    ],
)  # fmt: skip
def test_what_is_wrong_names_key_and_value(options: list[str], messages: list[str]) -> None:
    with pytest.raises(BadInputError) as raised:
        prepared(*options)
    for text in messages:
        assert text in str(raised.value)


def test_values_that_do_not_go_together_name_their_point() -> None:
    with pytest.raises(BadInputError) as raised:
        prepared("tcp.timer.maximum_rto=60 s,80 s,3 s", "tcp.timer.minimum_rto=1 s,2 s,5 s")
    assert "`timer.minimum_rto = 5 s` is above `timer.maximum_rto = 3 s`" in str(raised.value)


def test_a_key_that_changes_nothing_is_told() -> None:
    """The link's own [down] and [up] override [both]."""
    with pytest.raises(BadInputError) as raised:
        prepared("link.down.rate=1 Mbit/s", "link.up.rate=1 Mbit/s", "link.both.rate=1 Mbit/s,2 Mbit/s")
    assert str(raised.value).startswith("link.both.rate=1 Mbit/s and link.both.rate=2 Mbit/s give the same runs")


def test_what_the_grid_says_is_not_said_for_all_points_too() -> None:
    with pytest.raises(BadInputError, match="repetitions: is a key of the grid"):
        prepared("repetitions=1,2", reps=3)
    with pytest.raises(BadInputError, match="seed: is a key of the grid"):
        prepared("seed=1,2", seed=3)


def test_what_is_no_experiment() -> None:
    with pytest.raises(BadInputError, match='there is no experiment "none-such"'):
        prepared(experiment="none-such")
    with pytest.raises(BadInputError, match='"gprs" is a link, where an experiment is needed'):
        prepared(experiment="gprs")
