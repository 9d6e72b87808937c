"""From what was tried to different findings, each shrunk and confirmed."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import pytest

from tests.search.fakes import AIM, hold, outcome
from windlull.search.candidate import Candidate, candidate
from windlull.search.explore import Explored
from windlull.search.findings import GUARDS, Step, findings, fresh_seed, guard_seed, worst_kinds
from windlull.search.journal import Trial
from windlull.search.steady import BATCH
from windlull.stats.proportions import exact
from windlull.stats.rules import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.search.findings import Finding
    from windlull.search.outcome import Outcome


SEED = 1


def measure(of: Candidate) -> Outcome:
    """A hold of half a second or more costs 10 s, a loss of 100 ms or more 6 s, and nothing else anything."""
    kinds = {event.kind: event.length_us for event in of.events}
    held, lost = kinds.get("hold", 0) >= 500_000, kinds.get("drop", 0) >= 100_000
    value = 2.0 + 10 * held + 6 * lost
    return outcome(value, value, value, spurious_timeouts=int(held), genuine_timeouts=int(lost))


class Tries:
    """Fresh seeds fail but for the last of four. For all guards to fail, what is held must last 800 ms.

    `steady_ms` is how long it must last to fail on all other seeds; a shorter one fails on every second of them.
    """

    def __init__(self, *, random: bool = False, steady_ms: int = 0) -> None:
        self.seeds: list[int] = []
        self.random = random
        self.guarded: list[Candidate] = []
        self.asked: list[int] = []
        self._steady_ms = steady_ms

    def steady_seeds(self, candidate: Candidate, seed: int) -> Outcome:
        self.asked.append(seed)
        held = sum(event.length_us for event in candidate.events if event.kind == "hold")
        often = held >= self._steady_ms * 1000
        return outcome(*(12.0 if often or place % 2 else 2.0 for place in range(BATCH)))

    def guard_seeds(self, candidates: Sequence[Candidate], seed: int) -> list[Outcome]:
        assert seed == guard_seed(SEED)
        self.guarded += candidates
        held = [sum(event.length_us for event in one.events if event.kind == "hold") for one in candidates]
        return [outcome(*([12.0] * min(GUARDS, one * GUARDS // 800_000)), 2.0) for one in held]

    def search_seeds(self, candidates: Sequence[Candidate]) -> list[Outcome]:
        return [measure(one) for one in candidates]

    def fresh_seeds(self, candidate: Candidate, seed: int) -> Outcome:
        self.seeds.append(seed)
        (value, *_) = measure(candidate).of("sack", "elapsed_s")
        return outcome(value, value, value, 2.0)


def tried(*candidates: Candidate) -> Explored:
    every = [Candidate(), *candidates]
    return Explored(tuple(Trial(number, one, measure(one)) for number, one in enumerate(every)), whole=True)


HELD = candidate((hold(1234, 4321), hold(20, 50, "up", "drop")))
LOST = candidate((hold(999, 333, "down", "drop"),))
BOTH = candidate((hold(1234, 700), hold(2222, 333, "down", "drop")))
NOTHING = candidate((hold(5, 20),))


@pytest.mark.parametrize(("length_ms", "random", "least_ms"), [(4321, False, 500), (4321, True, 800), (650, True, 640)])
def test_simpler_links_fail_on_as_many_other_seeds(length_ms: int, random: bool, least_ms: int) -> None:  # noqa: FBT001
    """On the seeds of the search 500 ms are enough; on the guards a hold of 650 ms fails on eight of ten."""
    tries = Tries(random=random)
    (one,) = findings(tried(candidate((hold(1234, length_ms),))), AIM, None, tries, seed=SEED, kinds=1, shrink_most=400)
    (event,) = one.candidate.events
    assert least_ms * 1000 <= event.length_us < (least_ms + 100) * 1000
    assert bool(tries.guarded) == random
    assert guard_seed(SEED) not in {fresh_seed(SEED, place) for place in range(1, 9)}


@pytest.mark.parametrize(
    ("steady_ms", "least_ms", "answer"), [(0, 800, "high"), (1000, 1000, "high"), (9000, 800, "low")]
)
def test_what_fails_too_seldom_is_not_shrunk_as_far(steady_ms: int, least_ms: int, answer: str) -> None:
    """Where a link on the way fails on nearly all seeds, it is kept; where none does, the smallest, and it is told."""
    tries = Tries(random=True, steady_ms=steady_ms)
    (one,) = findings(tried(candidate((hold(1234, 4321),))), AIM, None, tries, seed=SEED, kinds=1, shrink_most=400)
    (event,) = one.candidate.events
    assert one.steady is not None
    assert one.steady.answer == answer
    assert event.length_us >= least_ms * 1000
    assert (event.length_us < 900_000) == (least_ms == 800)
    assert one.minimal == (least_ms == 800)
    # Every batch of every link has seeds of its own, and none confirms what is found.
    assert len(set(tries.asked)) == len(tries.asked)
    assert not {*tries.seeds, guard_seed(SEED)} & set(tries.asked)


def test_of_a_kind_the_worst_that_is_no_accident_is_shrunk() -> None:
    """A hold of 4 s is the worst here, and fails on every second seed; one of 5 s fails on all of them."""
    short, long = (candidate((hold(1234, length),)) for length in (4000, 5000))
    (one,) = findings(
        tried(short, long), AIM, None, Tries(random=True, steady_ms=4500), seed=SEED, kinds=5, shrink_most=400
    )
    assert (one.number, one.found) == (2, long)
    assert one.steady is not None
    assert one.steady.answer == "high"


def test_a_kind_that_is_an_accident_is_left_out_if_there_is_another() -> None:
    tries = Tries(random=True, steady_ms=1000)
    (one,) = findings(tried(LOST, HELD), AIM, None, tries, seed=SEED, kinds=5, shrink_most=400)
    assert one.kind.link == ("hold down",)
    # Alone it is shown, with the seeds on which it failed.
    (alone,) = findings(tried(LOST), AIM, None, tries, seed=SEED, kinds=5, shrink_most=400)
    assert alone.steady is not None
    assert (alone.steady.answer, alone.kind.link) == ("low", ("drop down",))


def test_each_step_is_told_with_the_kind_and_how_many_links_were_tried_for_it() -> None:
    told: list[Step] = []
    (one,) = findings(
        tried(candidate((hold(1234, 4321),))), AIM, None, Tries(random=True), seed=SEED, kinds=1, shrink_most=400,
        step=told.append,
    )  # fmt: skip
    assert {step.kind.link for step in told} == {("hold down",)}
    assert [doing for doing, _ in groupby(told, key=lambda step: step.doing)] == [
        "chosen", "shrunk", "checked", "confirmed"
    ]  # fmt: skip
    shrinking = [step.tried for step in told if step.doing == "shrunk"]
    assert shrinking[0] == 0
    assert all(one < other for one, other in pairwise(shrinking))
    assert 0 < shrinking[-1] < one.tried


def found(explored: Explored, rule: str | None = None, kinds: int = 5) -> list[Finding]:
    parsed = parse(rule) if rule else None
    return list(findings(explored, AIM, parsed, Tries(), seed=1, kinds=kinds, shrink_most=400))


def test_each_kind_once_the_worst_first() -> None:
    one, other, *more = found(tried(HELD, LOST, NOTHING))
    assert [event.kind for event in one.candidate.events] == ["hold"]
    assert 500_000 <= one.candidate.events[0].length_us < 600_000
    assert one.kind.wrong == ("spurious_timeouts",)
    assert (one.number, one.found, one.found_badness, one.badness) == (1, HELD, 12.0, 12.0)
    assert [event.kind for event in other.candidate.events] == ["drop"]
    assert more == []


def test_what_shrinks_to_the_same_is_one() -> None:
    assert len(found(tried(HELD, candidate((hold(700, 900), hold(3000, 10, "both", "drop")))))) == 1


def test_only_so_many_kinds() -> None:
    assert len(found(tried(HELD, LOST), kinds=1)) == 1


def test_it_is_confirmed_on_seeds_that_had_no_part() -> None:
    tries = Tries()
    (one,) = findings(tried(HELD), AIM, None, tries, seed=1, kinds=5, shrink_most=400)
    assert tries.seeds == [fresh_seed(1, 1)] == [one.confirmed.seed]
    assert (one.confirmed.hits, one.confirmed.fails) == (3, (True, True, True, False))
    low, high = one.confirmed.interval
    # Clopper and Pearson for 3 of 4.
    assert (round(low, 4), round(high, 4)) == (0.1941, 0.9937)
    assert len({fresh_seed(seed, place) for seed in (1, 2) for place in (1, 2)}) == 4


def test_a_rule_says_what_fails() -> None:
    (one,) = found(tried(HELD, LOST), "elapsed.median > 10 s")
    assert one.failing.text == "elapsed.median > 10 s"
    assert found(tried(HELD, LOST), "elapsed.median > 20 s") == []


def test_the_whole_of_two_causes_shrinks_to_what_fails_by_half() -> None:
    (one,) = found(tried(BOTH))
    # Half-way from 2 to 18 s is 10 s: the hold alone does it.
    assert [event.kind for event in one.candidate.events] == ["hold"]


def test_nothing_worse_is_nothing_found() -> None:
    assert worst_kinds(tried(NOTHING), AIM, None) == []
    assert worst_kinds(tried(), AIM, None) == []


def test_an_exact_interval_at_its_ends() -> None:
    assert exact(0, 20, 0.95)[0] == 0.0
    assert exact(20, 20, 0.95)[1] == 1.0
    # Nothing of 20: 1 - 0.025^(1/20).
    assert round(exact(0, 20, 0.95)[1], 4) == round(1 - 0.025 ** (1 / 20), 4)
