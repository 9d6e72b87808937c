"""Variants of two batches set against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull.runner.setting import Setting, setting
from windlull.stats.matches import Match, side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from windlull.batches.outcomes import Outcomes
    from windlull.stats.summary import Cell


def alike(left: Iterable[Cell], right: Iterable[Cell]) -> list[tuple[Cell, Cell]]:
    """Return the cells of the same link and testbed, in the order of the left ones."""
    there = {(cell.link, cell.testbed): cell for cell in right}
    return [(cell, there[cell.link, cell.testbed]) for cell in left if (cell.link, cell.testbed) in there]


def between(
    first: Outcomes, second: Outcomes, pairs: Iterable[tuple[Cell, Cell]], names: tuple[str, str]
) -> tuple[list[Match], list[str]]:
    """Set cells of a batch against cells of another, under these names, and say what is to be known of it.

    Their repetitions are paired if they met the same link: with the same seeds, on the same testbed, over the same one.
    """
    notes: dict[str, None] = {}
    found: list[Match] = []
    for one, other in pairs:
        why = _unpaired(first, second, one, other)
        if why:
            notes[f"{why}: runs are compared as they are, not in pairs"] = None
        link, testbed = _both(one.link, other.link), _both(one.testbed, other.testbed)
        settings = [(setting(of.plan.experiment), cell) for of, cell in ((first, one), (second, other))]
        drawn = any(of.draws(cell.link, cell.testbed) for of, cell in settings)
        both = Setting(frozenset[str]() if drawn else frozenset({link}), all(of.fixed_time for of, _ in settings))
        left, right = side(one, names[0]), side(other, names[1])
        found.append(Match.of(link, testbed, left, right, paired=not why, setting=both))
    return found, list(notes)


def what_is_missing(one: Outcomes) -> list[str]:
    """Say what a reader of a comparison must know of a batch."""
    notes = []
    if one.counted < one.plan.runs:
        notes.append(f"batch {one.batch.id} has {one.counted} of {one.plan.runs} runs; only those are compared")
    if one.batch.imported:
        notes.append(f"batch {one.batch.id} is an imported capsule: its numbers are those that it came with")
    return notes


def _unpaired(first: Outcomes, second: Outcomes, one: Cell, other: Cell) -> str | None:
    """Say why the repetitions of two cells did not meet the same link; None if they did."""
    reasons = []
    if first.conditions.links[one.link].link != second.conditions.links[other.link].link:
        reasons.append("the links differ")
    if one.testbed != other.testbed:
        reasons.append(f"the testbeds differ ({one.testbed}, {other.testbed})")
    if first.batch.seed != second.batch.seed:
        reasons.append(f"the seeds differ ({first.batch.seed}, {second.batch.seed})")
    return " and ".join(reasons) or None


def _both(one: str, other: str) -> str:
    return one if one == other else f"{one} and {other}"
