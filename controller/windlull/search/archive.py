"""Different kinds of failure, and the worst links of each.

What is one kind is said coarsely: which kinds of events a link has and how many, which keys are not the base link's,
and which wrong decisions rose. Whatever differs only in numbers is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.search.outcome import signature

if TYPE_CHECKING:
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
    """A link of a kind, under the number of its trial."""

    kind: FailureKind
    number: int
    candidate: Candidate
    outcome: Outcome
    badness: float


class Archive:
    """The failing links of each kind."""

    def __init__(self, aim: Aim, base: Outcome, *, events_alone: bool = True) -> None:
        self._aim = aim
        self._base = base
        self._events_alone = events_alone
        self._entries: dict[FailureKind, list[Entry]] = {}

    def add(self, number: int, candidate: Candidate, outcome: Outcome) -> None:
        """Take a candidate in, if it can be said how bad it is."""
        badness = self._aim.badness(outcome)
        if badness is not None:
            kind = kind_of(candidate, outcome, self._aim, self._base, events_alone=self._events_alone)
            self._entries.setdefault(kind, []).append(Entry(kind, number, candidate, outcome, badness))

    def worst(self, most: int = 1) -> list[list[Entry]]:
        """Return at most so many links of each kind, the worst first, and the kinds by their worst link.

        Of equals that with fewer events comes first, then the earlier.
        """
        kinds = (sorted(entries, key=_rank)[:most] for entries in self._entries.values())
        return sorted(kinds, key=lambda entries: _rank(entries[0]))


def _rank(entry: Entry) -> tuple[float, int, int]:
    return -entry.badness, len(entry.candidate.events), entry.number
