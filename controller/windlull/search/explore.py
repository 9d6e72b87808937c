"""The search itself: batches of candidates, run and told, until the budget is used up.

Pure but for the journal: who runs the candidates is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from windlull.search.candidate import Candidate
from windlull.search.journal import Trial
from windlull.search.outcome import behaviour
from windlull.search.proposals import STARTUP, Proposals
from windlull.search.seen import Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from windlull.search.journal import Journal
    from windlull.search.outcome import Aim, Outcome
    from windlull.search.space import Space

BATCH = 16
"""Candidates that are proposed together. Not the number of cores: the same search tries the same on every machine."""


class Evaluate(Protocol):
    """Runs candidates, each under a number, and calls `keep` as they end; fewer than all only after an interrupt."""

    def __call__(self, candidates: Mapping[int, Candidate], keep: Callable[[int, Outcome], None]) -> None:
        """Run them."""


@dataclass(frozen=True, slots=True)
class Explored:
    """The trials in their order; the first is the base link. `whole`: all of the budget was used."""

    trials: tuple[Trial, ...]
    whole: bool

    @property
    def base(self) -> Trial:
        """The base link as it is."""
        return self.trials[0]


def base_trial(journal: Journal, evaluate: Evaluate) -> Trial | None:
    """Return the trial of the base link as it is, None after an interrupt."""
    return (made(journal, evaluate, {0: Candidate()}) or {}).get(0)


def explore(
    space: Space,
    aim: Aim,
    base: Trial,
    evaluate: Evaluate,
    journal: Journal,
    *,
    seed: int,
    budget: int,
    first_budget: int | None = None,
    advance: Callable[[Sequence[Trial]], None] = lambda _: None,
    at_random: bool = False,
) -> Explored:
    """Try `budget` candidates beside the base link; `advance` hears of each batch.

    Of the same seed and `first_budget`, by default the budget, a larger budget tries the same first.

    There is a study of one event, of two and so on, and of none if keys vary. Each batch is the turn of the one that
    had the fewest turns for all that its links made the senders do; at random each has as many.
    """
    numbers = [*range(0 if space.keys else 1, space.most + 1)]
    # Of a small budget a quarter is drawn at random at most.
    startup = min(STARTUP, max(1, (first_budget or budget) // (4 * len(numbers))))
    seen = Seen()
    studies = [Proposals(space, events, seed, seen, startup=startup, at_random=at_random) for events in numbers]
    turns = dict.fromkeys(studies, 0)
    trials = [base]
    while len(trials) <= budget:
        study = min(studies, key=lambda one: turns[one] / (1 if at_random else 1 + one.behaviours))
        turns[study] += 1
        # A whole batch, whatever is left of the budget: what stands first in it depends on how many there are.
        asked = study.ask(BATCH)[: budget + 1 - len(trials)]
        came = made(journal, evaluate, dict(enumerate(asked, len(trials))))
        if came is None:
            return Explored(tuple(trials), whole=False)
        batch = [came[number] for number in sorted(came)]
        if len(batch) == BATCH:
            # Of the last one nobody asks what follows from it.
            study.tell(
                [aim.badness(trial.outcome) for trial in batch], [behaviour(aim, trial.outcome) for trial in batch]
            )
        trials += batch
        advance(batch)
    return Explored(tuple(trials), whole=True)


def made(journal: Journal, evaluate: Evaluate, asked: Mapping[int, Candidate]) -> dict[int, Trial] | None:
    """Return the trials of these candidates, those from the journal that are there; None after an interrupt."""
    there: dict[int, Trial] = {}
    missing: dict[int, Candidate] = {}
    for number, candidate in asked.items():
        if (found := journal.find(number, candidate)) is not None:
            there[number] = found
        else:
            missing[number] = candidate

    def keep(number: int, outcome: Outcome) -> None:
        there[number] = Trial(number, missing[number], outcome)
        journal.keep(there[number])

    if missing:
        evaluate(missing, keep)
    return there if len(there) == len(asked) else None
