"""What lies in a search's directory becomes the beginning of one with a larger budget, and of no other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.search.fakes import outcome
from windlull.errors import BadInputError
from windlull.search.candidate import Candidate
from windlull.search.extend import extension, first_budget
from windlull.search.journal import Journal, Trial
from windlull.sweep.directory import claimed

if TYPE_CHECKING:
    from pathlib import Path

PLAN = "search-plan.json"


def plan(budget: int, **other: Any) -> dict[str, Any]:
    return {"experiment": "holds", "seed": "5", "budget": budget, **other}


def begun(out: Path, of: dict[str, Any]) -> int:
    with claimed(out, PLAN, of, "search", extension(out, of)) as stands:
        assert json.loads((out / PLAN).read_bytes()) == stands
        assert stands["budget"] == of["budget"]
        return first_budget(stands)


def with_trials(out: Path, count: int) -> None:
    with Journal(out / "trials.jsonl") as journal:
        for number in range(count):
            journal.keep(Trial(number, Candidate(), outcome(1.0)))
    (out / "search.json").touch()
    (out / "found" / "1").mkdir(parents=True)


def trials(out: Path) -> int:
    return (out / "trials.jsonl").read_bytes().count(b"\n")


def test_what_was_tried_stays_and_what_was_found_goes(tmp_path: Path) -> None:
    assert begun(tmp_path, plan(20)) == 20
    with_trials(tmp_path, 33)
    assert begun(tmp_path, plan(20)) == 20
    assert trials(tmp_path) == 33
    assert begun(tmp_path, plan(30)) == 20
    # The base link, and twenty others.
    assert trials(tmp_path) == 21
    assert {one.name for one in tmp_path.iterdir()} == {PLAN, "trials.jsonl"}
    with_trials(tmp_path, 40)
    assert begun(tmp_path, plan(30)) == 20
    assert trials(tmp_path) == 40 + 21
    assert begun(tmp_path, plan(90)) == 20


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (plan(19), "budget is 20 there, 19 here"),
        (plan(30, seed="6"), 'seed is "5" there, "6" here; budget is 20 there, 30 here'),
        (plan(30, kinds=3), "kinds is null there, 3 here"),
    ],
)
def test_anything_else_is_another_search(tmp_path: Path, other: dict[str, Any], said: str) -> None:
    begun(tmp_path, plan(20))
    with_trials(tmp_path, 33)
    with pytest.raises(BadInputError) as refused:
        begun(tmp_path, other)
    assert said in str(refused.value)
    assert trials(tmp_path) == 33
    assert (tmp_path / "search.json").exists()
