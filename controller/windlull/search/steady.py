"""Which of the simplifications of a link still fails nearly always.

Shrinking ends at the edge: every simplification that just fails is taken, by what a few seeds say. So each link on the
way is asked again, the simplest first, on seeds that had no part in taking it: by a sequential test, which takes few
where the answer is clear. Those that were taken last cost most, so that it is seldom far back to one that holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.stats.sequential import SequentialTest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from windlull.search.candidate import Candidate
    from windlull.stats.sequential import Answer

TEST = SequentialTest(low=0.95, high=0.99, alpha=0.05, beta=0.05, most=200)
"""A link that fails on 95 % of seeds or fewer passes it in one case of twenty at most."""

BATCH = 25
"""Seeds that are run at a time. The test stops within them, so that some are run for nothing."""


@dataclass(frozen=True, slots=True)
class Steadiness:
    """Whether a link fails nearly always, and on how many of the seeds it failed until that was known."""

    answer: Answer
    runs: int
    hits: int


@dataclass(frozen=True, slots=True)
class Kept:
    """The link of a trail that is kept, by its place from 0, and what was found of it."""

    place: int
    steadiness: Steadiness


def steadiest(trail: Sequence[Candidate], ask: Callable[[Candidate], Steadiness]) -> Kept:
    """Return the last link of a trail that fails nearly always; if none does, the last, with what was found of it.

    `ask` says of a link whether it does. Goes back by 1, 2, 4 and so on links until one holds, then halves what lies
    between that one and the one that did not.
    """
    last = len(trail) - 1
    known: dict[int, Steadiness] = {}

    def holds(place: int) -> bool:
        known[place] = ask(trail[place])
        return known[place].answer == "high"

    step, place = 1, last
    while not holds(place):
        if place == 0:
            return Kept(last, known[last])
        place, step = max(0, place - step), 2 * step
    good, bad = place, min((one for one in known if one > place), default=last + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        if holds(middle):
            good = middle
        else:
            bad = middle
    return Kept(good, known[good])


def steadiness(fails: Callable[[int], Sequence[bool]]) -> Steadiness:
    """Return whether a link fails nearly always; `fails` says of each batch of its seeds on which it does."""
    came: list[bool] = []
    for batch in range(TEST.most // BATCH):
        came += fails(batch)
        answer, runs = TEST.after(came)
        if answer is not None:
            return Steadiness(answer, runs, sum(came[:runs]))
    return Steadiness("untold", len(came), sum(came))
