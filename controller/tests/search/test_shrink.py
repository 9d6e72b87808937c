"""Shrinking ends, and ends at the smallest link that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.fakes import hold
from windlull.search.candidate import Event, Parameter, candidate
from windlull.search.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from windlull.search.candidate import Candidate

START = candidate(
    (
        hold(0.3, 70, "down", "rate", 1_234_567),
        hold(1234.5, 4321, "both"),
        hold(2000.1, 777.7, "up", "drop"),
    ),
    (Parameter("both.delay", 17.94, "ms"), Parameter("both.rate", 5.155, "Mbit/s")),
)


def by(fails: Callable[[Candidate], bool]) -> Callable[[Sequence[Candidate]], list[bool]]:
    return lambda candidates: [fails(one) for one in candidates]


def long_hold(of: Candidate) -> bool:
    """A hold down, begun between 1 and 1.4 s, that lasts 333 ms or more."""
    return any(
        event.kind == "hold" and event.on != "up" and 1e6 <= event.begin_us <= 1.4e6 and event.length_us >= 333_000
        for event in of.events
    )


def test_what_is_superfluous_goes_and_the_rest_becomes_short_and_round() -> None:
    shrunk = shrink(START, by(long_hold))
    ((event,), parameters) = (shrunk.candidate.events, shrunk.candidate.parameters)
    assert parameters == ()
    assert (event.kind, event.on, event.begin_us) == ("hold", "down", 1_000_000)
    assert 333_000 <= event.length_us < 400_000
    assert shrunk.minimal
    assert long_hold(shrunk.candidate)


def test_two_events_stay_where_both_are_needed() -> None:
    def both(of: Candidate) -> bool:
        return {"hold", "drop"} <= {event.kind for event in of.events}

    shrunk = shrink(START, by(both))
    assert [event.kind for event in shrunk.candidate.events] == ["hold", "drop"]
    assert all(event.length_us == 1000 for event in shrunk.candidate.events)


def test_a_key_stays_where_it_is_needed_and_is_rounded() -> None:
    def slow(of: Candidate) -> bool:
        return any(one.key == "both.delay" and (one.number or 0) > 17 for one in of.parameters)

    shrunk = shrink(START, by(slow))
    assert shrunk.candidate == candidate((), (Parameter("both.delay", 20.0, "ms"),))


def test_what_fails_always_becomes_the_base_link() -> None:
    assert shrink(START, by(lambda _: True)).candidate == candidate(())


def test_what_nothing_simpler_repeats_stays() -> None:
    shrunk = shrink(START, by(lambda one: one == START))
    assert shrunk.candidate == START
    assert shrunk.minimal


@pytest.mark.parametrize("most", [0, 1, 7, 20])
def test_no_more_are_tried_than_may_be(most: int) -> None:
    asked: list[Candidate] = []

    def fails(candidates: Sequence[Candidate]) -> list[bool]:
        asked.extend(candidates)
        return [long_hold(one) for one in candidates]

    shrunk = shrink(START, fails, most)
    assert len(asked) == shrunk.tried <= most
    assert not shrunk.minimal
    assert long_hold(shrunk.candidate)


def test_nothing_is_tried_twice() -> None:
    asked: list[Candidate] = []

    def fails(candidates: Sequence[Candidate]) -> list[bool]:
        asked.extend(candidates)
        return [long_hold(one) for one in candidates]

    shrink(START, fails)
    assert len(asked) == len(set(asked))


EVENTS = st.builds(
    Event,
    begin_us=st.integers(0, 20_000_000),
    length_us=st.integers(1000, 10_000_000),
    kind=st.sampled_from(["hold", "drop"]),
    on=st.sampled_from(["down", "up", "both"]),
)


@given(st.lists(EVENTS, max_size=5), st.integers(0, 2**32))
def test_it_ends_whatever_fails(events: list[Event], salt: int) -> None:
    """Without a bound on what is tried, on predicates that make no sense at all."""
    start = candidate(tuple(events))

    def fails(one: Candidate) -> bool:
        return one == start or hash((salt, one)) % 3 == 0

    shrunk = shrink(start, by(fails), most=1_000_000)
    assert shrunk.minimal
    assert fails(shrunk.candidate)
    assert len(shrunk.candidate.events) <= len(events)
