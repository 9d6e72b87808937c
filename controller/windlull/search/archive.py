"""Different kinds of failure, each once: the worst of its kind.

What is one kind is said coarsely: which kinds of events a link has and how many, which keys are not the base link's,
and which wrong decisions rose. Whatever differs only in numbers is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.search.outcome import signature

if TYPE_CHECKING:
    from collections.abc import Iterable

    from windlull.search.candidate import Candidate
    from windlull.search.outcome import Aim, Outcome


@dataclass(frozen=True, slots=True)
class FailureKind:
    """What tells kinds of failure apart."""

    link: tuple[str, ...]
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{', '.join(self.link) or 'base link'}: {', '.join(self.wrong) or 'no wrong decision counted'}"


def kind_of(
    candidate: Candidate, outcome: Outcome, aim: Aim, base: Outcome, *, events_alone: bool = True
) -> FailureKind:
    """Return which kind of failure a candidate shows. Before it is shrunk every key varies, and tells nothing."""
    shown = candidate.kinds()
    if events_alone:
        keys = {one.key for one in candidate.parameters}
        shown = tuple(word for word in shown if word not in keys)
    return FailureKind(shown, signature(aim.variant, outcome, base))


@dataclass(frozen=True, slots=True)
class Entry:
    """The worst of a kind so far."""

    kind: FailureKind
    number: int
    candidate: Candidate
    outcome: Outcome
    badness: float


class Archive:
    """The worst of each kind."""

    def __init__(self, aim: Aim, base: Outcome, *, events_alone: bool = True) -> None:
        self._aim = aim
        self._base = base
        self._events_alone = events_alone
        self._entries: dict[FailureKind, Entry] = {}

    def add(self, number: int, candidate: Candidate, outcome: Outcome) -> bool:
        """Take a candidate in, and return whether it is the worst of its kind; the first of equals is kept."""
        badness = self._aim.badness(outcome)
        if badness is None:
            return False
        kind = kind_of(candidate, outcome, self._aim, self._base, events_alone=self._events_alone)
        there = self._entries.get(kind)
        if there is not None and there.badness >= badness:
            return False
        self._entries[kind] = Entry(kind, number, candidate, outcome, badness)
        return True

    def extend(self, trials: Iterable[tuple[int, Candidate, Outcome]]) -> None:
        """Take several in."""
        for number, candidate, outcome in trials:
            self.add(number, candidate, outcome)

    def worst(self) -> list[Entry]:
        """Return the kinds, the worst first; of equals that with fewer events, then the earlier."""
        return sorted(
            self._entries.values(), key=lambda entry: (-entry.badness, len(entry.candidate.events), entry.number)
        )
