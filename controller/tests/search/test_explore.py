"""What is tried depends on the seed alone; a narrow fault is found, and an interrupted search goes on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.search.fakes import AIM, SPACE, Runner, outcome
from windlull.errors import BadInputError
from windlull.search.explore import BATCH, base_trial, explore
from windlull.search.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from windlull.search.candidate import Candidate
    from windlull.search.explore import Explored
    from windlull.search.outcome import Outcome

FAULT = 100.0
BUDGET = 480


def planted(of: Candidate) -> Outcome:
    """A hold down of about 650 ms at about 3.2 s breaks the sender; what is near it takes somewhat longer."""
    worst = 0.0
    for event in of.events:
        if event.kind != "hold" or event.on == "up":
            continue
        begin, length = event.begin_us / 1e6, event.length_us / 1e6
        near = 5 * math.exp(-abs(begin - 3.2)) + 5 * math.exp(-abs(math.log(length / 0.65)))
        broken = abs(begin - 3.2) < 0.04 and 0.6 < length < 0.7
        worst = max(worst, near + (FAULT if broken else 0))
    return outcome(10 + worst)


def search(
    directory: Path,
    seed: int = 1,
    budget: int = BUDGET,
    *,
    measure: Callable[[Candidate], Outcome] = planted,
    runner: Runner | None = None,
    at_random: bool = False,
    first_budget: int | None = None,
) -> Explored:
    run = runner or Runner(measure)
    with Journal(directory / "trials.jsonl") as journal:
        base = base_trial(journal, run)
        assert base is not None
        return explore(
            SPACE, AIM, base, run, journal, seed=seed, budget=budget, first_budget=first_budget, at_random=at_random
        )


def worst(of: Explored) -> float:
    return max(AIM.badness(trial.outcome) or 0 for trial in of.trials)


def test_a_narrow_fault_is_found_where_random_links_miss_it(tmp_path: Path) -> None:
    found = {True: 0, False: 0}
    for at_random in (True, False):
        for seed in (1, 2):
            directory = tmp_path / f"{at_random}-{seed}"
            directory.mkdir()
            found[at_random] += worst(search(directory, seed, at_random=at_random)) > FAULT
    assert found[False] == 2
    assert found[True] == 0


def test_the_budget_is_what_is_tried_beside_the_base_link(tmp_path: Path) -> None:
    explored = search(tmp_path, budget=BATCH + 3)
    assert [trial.number for trial in explored.trials] == list(range(BATCH + 4))
    assert explored.base.candidate.events == ()
    assert explored.whole


def test_the_studies_take_turns(tmp_path: Path) -> None:
    explored = search(tmp_path, budget=3 * BATCH)
    counts = [len(trial.candidate.events) for trial in explored.trials[1:]]
    # Of two that begin at the same instant one is left.
    assert [max(counts[place : place + BATCH]) for place in range(0, 3 * BATCH, BATCH)] == [1, 2, 3]


def test_the_same_seed_tries_the_same_in_whichever_order_runs_end(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    first = search(tmp_path / "a", budget=80)
    assert search(tmp_path / "b", budget=80, runner=Runner(planted, backwards=True)) == first
    assert search(tmp_path / "c", 2, budget=80).trials[1:] != first.trials[1:]


@pytest.mark.parametrize("most", [0, 1, 20, 37])
def test_an_interrupted_search_goes_on_as_if_it_had_not_been(tmp_path: Path, most: int) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    whole = search(tmp_path / "a", budget=80)
    with Journal(tmp_path / "b" / "trials.jsonl") as journal:
        interrupted = Runner(planted, most)
        base = base_trial(journal, interrupted)
        if base is not None:
            assert not explore(SPACE, AIM, base, interrupted, journal, seed=1, budget=80).whole
    again = Runner(planted)
    assert search(tmp_path / "b", budget=80, runner=again) == whole
    assert len(again.ran) == 81 - most
    assert not set(again.ran) & set(interrupted.ran)


@pytest.mark.parametrize("at_random", [False, True])
@pytest.mark.parametrize(("less", "more"), [(5, 6), (37, 80), (48, 64)])
def test_a_larger_budget_goes_on_with_what_was_tried(
    tmp_path: Path, less: int, more: int, at_random: bool  # noqa: FBT001 - pytest passes it by name
) -> None:  # fmt: skip
    (tmp_path / "alone").mkdir()
    first = search(tmp_path, budget=less, at_random=at_random)
    again = Runner(planted)
    both = search(tmp_path, budget=more, first_budget=less, runner=again, at_random=at_random)
    assert both.trials[: less + 1] == first.trials
    assert again.ran == list(range(less + 1, more + 1))
    # In two parts or at once.
    assert search(tmp_path / "alone", budget=more, first_budget=less, at_random=at_random) == both


def test_a_line_that_was_cut_is_made_again(tmp_path: Path) -> None:
    whole = search(tmp_path, budget=20)
    file = tmp_path / "trials.jsonl"
    text = file.read_bytes()
    file.write_bytes(text[:-30])
    again = Runner(planted)
    assert search(tmp_path, budget=20, runner=again) == whole
    assert again.ran == [20]
    assert file.read_bytes() == text


def test_a_journal_of_other_links_is_refused(tmp_path: Path) -> None:
    search(tmp_path, budget=20)
    with pytest.raises(BadInputError, match="trial 1 is of another link than this version proposes"):
        search(tmp_path, 2, budget=20)


def test_a_journal_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_text("nothing\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="line 1 is no trial"):
        search(tmp_path, budget=20)


def test_a_link_that_cannot_be_measured_stops_nothing(tmp_path: Path) -> None:
    def some(of: Candidate) -> Outcome:
        return outcome(None) if any(event.kind == "drop" for event in of.events) else planted(of)

    assert len(search(tmp_path, budget=80, measure=some).trials) == 81


def test_where_nothing_is_worse_what_happens_seldom_is_looked_into(tmp_path: Path) -> None:
    """A fault that shows after two things have happened, of which only one can be seen, and nothing before is worse."""

    def measure(of: Candidate) -> Outcome:
        first, second = (
            any(event.kind == kind and event.on == on and low <= event.length_us / 1e6 < high for event in of.events)
            for kind, on, low, high in (("hold", "down", 0.5, 1.0), ("drop", "up", 0.2, 10.0))
        )
        return outcome(10.0 + FAULT * (first and second), spurious_timeouts=int(first), genuine_timeouts=int(second))

    found = {True: 0, False: 0}
    for at_random in (True, False):
        for seed in range(4):
            directory = tmp_path / f"{at_random}-{seed}"
            directory.mkdir()
            found[at_random] += worst(search(directory, seed, 240, measure=measure, at_random=at_random)) > FAULT
    assert found[False] >= 3
    assert found[True] <= 2
