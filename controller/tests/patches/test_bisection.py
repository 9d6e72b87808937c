"""Which commit is found, with what it takes; kernels are made up, the history is git's own."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from tests.patches.linux import TCP, builder, commit, git, made
from windlull.commands.kernel_bisect import command
from windlull.errors import BadInputError
from windlull.patches import judging
from windlull.patches.bisection import Answer, bisect, steps
from windlull.patches.scenarios import Kernels, Played, Scenario
from windlull.patches.trees import Tree
from windlull.stats.matches import Match, Side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

COMMITS = 64
RULE = "elapsed.median > 1.05 * baseline"
SCENARIO = ("--scenario", "kernel/tail-losses")


def linear(count: int) -> list[str]:
    return [str(number) for number in range(count + 1)]


def middle_first(history: Sequence[str]) -> Callable[[Sequence[str], str], list[str]]:
    """Return who lists what remains of a history without merges, as git does."""

    def remaining(goods: Sequence[str], bad: str) -> list[str]:
        left = history[max(map(history.index, goods)) + 1 : history.index(bad) + 1]
        return sorted(left, key=lambda one: -min(left.index(one) + 1, len(left) - left.index(one) - 1))

    return remaining


@pytest.mark.parametrize("culprit", [1, 2, 31, 32, 33, 63, 64])
def test_every_commit_is_found_in_as_many_steps_as_it_takes(culprit: int) -> None:
    history = linear(COMMITS)

    def judge(one: str) -> Answer:
        return "bad" if int(one) >= culprit else "good"

    found = bisect("0", str(COMMITS), middle_first(history), judge)
    assert found.candidates == (str(culprit),)
    assert len(found.judged) <= steps(COMMITS) == 6


@pytest.mark.parametrize("untold", [{32}, {31, 32, 33}, {20, 40, 41}])
def test_commits_that_cannot_be_judged_are_passed_over(untold: set[int]) -> None:
    def judge(one: str) -> Answer:
        return "untold" if int(one) in untold else "bad" if int(one) >= 45 else "good"

    found = bisect("0", "64", middle_first(linear(64)), judge)
    assert found.candidates == ("45",)


def test_where_the_culprit_cannot_be_judged_all_that_it_may_be_are_named() -> None:
    def judge(one: str) -> Answer:
        return "untold" if one in {"5", "6"} else "bad" if int(one) >= 6 else "good"

    found = bisect("0", "8", middle_first(linear(8)), judge)
    assert set(found.candidates) == {"5", "6", "7"}


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[str]]:
    """A tree of 64 commits after the first one; from the 40th on it is slower, and two do not compile.

    Kernels are made by a builder that copies one file, and `play` draws the elapsed times that they would have.
    """
    tree = made(tmp_path / "linux")
    words = ["does not compile" if number in {32, 36} else "slow" if number >= 40 else "fast" for number in range(65)]
    commits = [commit(tree, f"{number} {word}") for number, word in enumerate(words)]
    kernels = tmp_path / "kernels"
    monkeypatch.setenv("WINDLULL_KERNELS", str(kernels))
    monkeypatch.setenv("WINDLULL_KERNEL_BUILDER", str(builder(tmp_path)))
    draws = np.random.default_rng(1)

    def play(of: Scenario, on: Kernels, *_: object, **__: object) -> Played:
        assert of.repetitions is not None
        link = draws.exponential(2, of.repetitions) + 4
        sides = []
        for name in (on.base, on.candidate):
            slower = 1.1 if "slow" in (kernels / name / "linux").read_text(encoding="utf-8") else 1
            elapsed = slower * link * draws.lognormal(0, 0.05, of.repetitions)
            sides.append(Side(name, {"elapsed_s": dict(enumerate(map(float, elapsed), 1))}))
        if "does not boot" in (kernels / on.candidate / "linux").read_text(encoding="utf-8"):
            return Played(of, (), ("it panics",))
        return Played(of, (Match(of.name, "kernel", sides[0], sides[1]),), ())

    monkeypatch.setattr(judging, "play", play)
    monkeypatch.chdir(tmp_path)
    return tree, commits


def bisecting(tree: Path, *arguments: str) -> tuple[int, str]:
    """Run the command, and return its exit code and what it prints."""
    ended = CliRunner().invoke(command, [str(tree), "--fail-if", RULE, *SCENARIO, *arguments], standalone_mode=False)
    if ended.exception is not None:
        raise ended.exception
    return int(ended.return_value), ended.output


def test_a_planted_regression_is_found_among_64_commits(history: tuple[Path, list[str]]) -> None:
    tree, commits = history
    # What the person works on is not touched.
    (tree / TCP).write_text("work in progress\n", encoding="utf-8")
    before = (git(tree, "status", "--porcelain"), git(tree, "rev-parse", "HEAD"), git(tree, "count-objects"))
    code, said = bisecting(tree, "--good", commits[0], "--bad", commits[-1])
    assert code == 0
    assert said.splitlines()[-1] == f"first bad commit: {git(tree, 'show', '-s', '--format=%h (%s)', commits[40])}"
    assert "it does not build" in said
    assert len([line for line in said.splitlines() if "; " in line]) <= steps(64) + 4
    assert before == (git(tree, "status", "--porcelain"), git(tree, "rev-parse", "HEAD"), git(tree, "count-objects"))


def test_ends_must_be_what_they_are_said_to_be(history: tuple[Path, list[str]]) -> None:
    tree, commits = history
    with pytest.raises(BadInputError, match="it is good by this rule; "):
        bisecting(tree, "--good", commits[0], "--bad", commits[20])
    with pytest.raises(BadInputError, match="has it already"):
        bisecting(tree, "--good", commits[9], "--bad", commits[4])
    with pytest.raises(BadInputError, match="it cannot be judged; it does not build"):
        bisecting(tree, "--good", commits[0], "--bad", commits[36])


def test_what_cannot_be_is_said_before_anything_is_built(history: tuple[Path, list[str]], tmp_path: Path) -> None:
    tree, commits = history
    with pytest.raises(BadInputError, match="has it already"):
        bisecting(tree, "--good", commits[9], "--bad", commits[4])
    with pytest.raises(BadInputError, match="--good itself breaks"):
        bisecting(tree, "--good", commits[0], "--bad", commits[9], "--fail-if", "elapsed.median > 0.5 * baseline")
    assert not (tmp_path / "kernels").exists()


def test_a_step_on_the_good_commit_says_so(history: tuple[Path, list[str]]) -> None:
    tree, commits = history
    assert bisecting(tree, "--good", commits[-1]) == (
        0,
        f"{Tree.at(tree).words(commits[-1])}: good; it is --good itself\n",
    )


def test_a_tree_that_does_not_compile_costs_no_kernel_of_the_good_commit(
    history: tuple[Path, list[str]], tmp_path: Path
) -> None:
    tree, commits = history
    commit(tree, "3 does not compile")
    assert bisecting(tree, "--good", commits[0])[0] == 125
    assert not (tmp_path / "kernels" / f"g{commits[0][:12]}").exists()


@pytest.mark.parametrize(
    ("at", "code"), [("1 fast", 0), ("2 slow", 1), ("3 does not compile", 125), ("4 does not boot", 125)]
)
def test_a_step_answers_as_git_bisect_run_understands(history: tuple[Path, list[str]], at: str, code: int) -> None:
    tree, commits = history
    commit(tree, at)
    assert bisecting(tree, "--good", commits[0])[0] == code


def test_a_step_stops_git_bisect_where_it_can_say_nothing(history: tuple[Path, list[str]]) -> None:
    tree, commits = history
    assert bisecting(tree, "--good", "nothing")[0] == 128
    assert bisecting(tree, "--good", commits[0], "--until-decided", "6")[0] == 128
    assert bisecting(tree, "--good", commits[0], *SCENARIO)[0] == 128
    # Usage errors, which have the exit code 2 elsewhere: git would take the commit for bad.
    wrong = [str(tree), "--fail-if", RULE, "--godo", commits[0]]
    assert CliRunner().invoke(command, wrong).exit_code == 128
    assert CliRunner().invoke(command, [*wrong, "--bad", commits[9]]).exit_code == 2


def test_git_lists_those_first_that_halve_a_history_with_merges(tmp_path: Path) -> None:
    tree = made(tmp_path / "linux")
    first = commit(tree, "first")
    for number in range(4):
        commit(tree, f"main {number}")
    git(tree, "checkout", "--quiet", "-b", "side", first)
    side = commit(tree, "side")
    git(tree, "checkout", "--quiet", "-")
    git(tree, "merge", "--quiet", "--strategy", "ours", "--message", "merge", side)
    head = git(tree, "rev-parse", "HEAD")
    left = Tree.at(tree).between([first], head)
    assert len(left) == 6
    assert left[-1] == head
    assert side in left
    assert side not in Tree.at(tree).between([first, side], head)


def test_steps_count_halvings() -> None:
    assert [steps(count) for count in (0, 1, 2, 3, 64, 65)] == [1, 1, 1, 2, 6, 7]
    assert all(one <= other for one, other in itertools.pairwise(steps(count) for count in range(100)))
