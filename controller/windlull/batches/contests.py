"""Variants of two batches set against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull.runner.setting import setting
from windlull.stats.matches import Match, side

if TYPE_CHECKING:
    from windlull.batches.outcomes import Outcomes
    from windlull.contract.engine import LinkFile


def between(first: Outcomes, baseline: str, second: Outcomes, candidate: str) -> list[Match]:
    """Set a variant of a batch against one of another, on each link and testbed that both have."""
    left = {(cell.link, cell.testbed): cell for cell in first.cells() if cell.variant == baseline}
    right = {(cell.link, cell.testbed): cell for cell in second.cells() if cell.variant == candidate}
    # The repetitions of two batches have the same seeds, and met the same link, if both master seeds are the same and
    # the links are.
    same_seed = first.batch.seed == second.batch.seed
    both = setting(first.plan.experiment) & setting(second.plan.experiment)
    names = [f"{baseline} of batch {first.batch.id}", f"{candidate} of batch {second.batch.id}"]
    if first is second:
        names = [baseline, candidate]
    return [
        Match.of(
            link,
            testbed,
            side(left[link, testbed], names[0]),
            side(right[link, testbed], names[1]),
            paired=same_seed and _link(first, link) == _link(second, link),
            setting=both,
        )
        for link, testbed in left
        if (link, testbed) in right
    ]


def what_is_missing(one: Outcomes) -> list[str]:
    """Say what a reader of a comparison must know of a batch."""
    notes = []
    if one.counted < one.plan.runs:
        notes.append(f"batch {one.batch.id} has {one.counted} of {one.plan.runs} runs; only those are compared")
    if one.batch.imported:
        notes.append(f"batch {one.batch.id} is an imported capsule: its numbers are those that it came with")
    return notes


def _link(of: Outcomes, name: str) -> LinkFile | None:
    """Return a link as the engine resolved it."""
    return next((link.resolved for link in of.experiment.links if link.name == name), None)
