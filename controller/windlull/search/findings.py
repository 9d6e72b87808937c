"""From what was tried to what was found: of each kind the worst link that fails nearly always, shrunk, then confirmed.

Pure but for those who run the candidates, who are given.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from windlull.search.archive import Archive, FailureKind, kind_of
from windlull.search.outcome import MATTERS, Beyond, Broken
from windlull.search.shrink import shrink
from windlull.search.steady import steadiest, steadiness
from windlull.stats.proportions import exact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from windlull.search.archive import Entry
    from windlull.search.candidate import Candidate
    from windlull.search.explore import Explored
    from windlull.search.outcome import Aim, Failing, Outcome
    from windlull.search.steady import Steadiness
    from windlull.stats.rules import Rule

LEVEL = 0.95
"""Of the interval of the share that fails again."""

_ATTEMPTS = 3
"""So many times as many kinds as are asked for are shrunk at most: different ones may shrink to the same."""

_OF_A_KIND = 4
"""So many links of a kind are asked whether they fail nearly always, the worst first, until one does.

The worst link is the worst on the few seeds of the search, and may be so by their accident.
"""

GUARDS = 10
"""Seeds besides those of the search on which a simpler link must fail, too.

Each simplification is taken that just fails. On the few seeds of the search alone, what remains would be at the edge of
the failure, and fail on those seeds and few others.
"""


@dataclass(frozen=True, slots=True)
class Step:
    """What is done with a kind of failure, and how many links were run for that so far, each on many seeds.

    It is `chosen` whether a link of it fails nearly always; that link is `shrunk`; what remains is `checked` for the
    same, and `confirmed`.
    """

    kind: FailureKind
    doing: Literal["chosen", "shrunk", "checked", "confirmed"]
    tried: int = 0


def _nobody(_: Step) -> None:
    """Nobody hears of it."""


class Tries(Protocol):
    """Runs candidates and returns what came of each. Raises InterruptedSearchError."""

    @property
    def random(self) -> bool:
        """Whether other seeds are other runs."""

    def search_seeds(self, candidates: Sequence[Candidate]) -> list[Outcome]:
        """Run them on the seeds of the search."""

    def guard_seeds(self, candidates: Sequence[Candidate], seed: int) -> list[Outcome]:
        """Run them on GUARDS seeds of another master seed."""

    def steady_seeds(self, candidate: Candidate, seed: int) -> Outcome:
        """Run one on a batch of seeds of another master seed, of those that say whether it fails nearly always."""

    def fresh_seeds(self, candidate: Candidate, seed: int) -> Outcome:
        """Run one on the seeds of another master seed, as often as a finding is confirmed."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Which of the fresh repetitions failed, each for itself."""

    seed: int
    fails: tuple[bool, ...]
    outcome: Outcome

    @property
    def hits(self) -> int:
        """How many failed."""
        return sum(self.fails)

    @property
    def interval(self) -> tuple[float, float]:
        """From where to where the share may be, at LEVEL."""
        return exact(self.hits, len(self.fails), LEVEL)


@dataclass(frozen=True, slots=True)
class Finding:
    """A kind of failure.

    `found` is the candidate as it was tried, under `number`, and how bad it was; `candidate` is what it shrank to.
    `steady` says whether that fails nearly always; None where nothing is random.
    """

    kind: FailureKind
    number: int
    found: Candidate
    found_badness: float
    candidate: Candidate
    badness: float
    failing: Failing
    tried: int
    minimal: bool
    steady: Steadiness | None
    confirmed: Confirmed


def usual(aim: Aim, base: Outcome) -> float:
    """Return how bad the base link is; beside a baseline never less than no difference, which is no failure."""
    equal = 1.0 if aim.by == "ratio" else 0.0
    badness = aim.badness(base)
    if badness is None:
        return equal
    return badness if aim.baseline is None else max(badness, equal)


def least(aim: Aim, base: Outcome) -> float:
    """Return by how much a link must be worse than what is usual to count: by a hundredth of what is compared."""
    of = base.median(aim.baseline, aim.metric.name) if aim.baseline and aim.by == "difference" else usual(aim, base)
    return MATTERS * abs(of or 0.0)


def half_way(aim: Aim, base: Outcome, badness: float) -> Beyond:
    """Return the failure that a found badness defines: half-way from the base link's to it, and beyond."""
    low = usual(aim, base)
    return Beyond(aim, low + (badness - low) / 2)


def worst_kinds(explored: Explored, aim: Aim, rule: Rule | None) -> list[list[Entry]]:
    """Return the worst links of each kind among what fails: by the rule, else beyond half of the worst."""
    base = explored.base.outcome
    tried = explored.trials[1:]
    failing: Failing
    if rule is not None:
        failing = Broken(rule, aim.variant, aim.baseline)
    else:
        measured = [value for trial in tried if (value := aim.badness(trial.outcome)) is not None]
        worst = max(measured, default=usual(aim, base))
        if worst - usual(aim, base) <= least(aim, base):
            return []
        failing = half_way(aim, base, worst)
    archive = Archive(aim, base)
    for trial in tried:
        if failing.fails(trial.outcome):
            archive.add(trial.number, trial.candidate, trial.outcome)
    return archive.worst(_OF_A_KIND)


def findings(
    explored: Explored,
    aim: Aim,
    rule: Rule | None,
    tries: Tries,
    *,
    seed: int,
    kinds: int,
    shrink_most: int,
    step: Callable[[Step], None] = _nobody,
) -> Iterator[Finding]:
    """Yield up to `kinds` different findings, the worst first, each as soon as it is confirmed; `step` hears of steps.

    A kind of which no link fails nearly always is an accident of the search's seeds, and left out; if there is no
    other, the worst of them is the one finding.
    """
    base = explored.base.outcome

    def failing(entry: Entry) -> Failing:
        return Broken(rule, aim.variant, aim.baseline) if rule is not None else half_way(aim, base, entry.badness)

    every = [
        [_Asked(entry, failing(entry), tries, seed, step) for entry in entries]
        for entries in worst_kinds(explored, aim, rule)[: kinds * _ATTEMPTS]
    ]
    found = False
    for one in _found((_steady(of_a_kind) for of_a_kind in every), aim, base, kinds, shrink_most):
        found = True
        yield one
    if not found and every:
        yield from _found([every[0][0]], aim, base, kinds, shrink_most)


def _steady(of_a_kind: Sequence[_Asked]) -> _Asked | None:
    """Return the worst link of a kind that fails nearly always, if any; the worst where nothing is random."""
    return next((one for one in of_a_kind if one.steady), None)


def _found(
    candidates: Iterable[_Asked | None], aim: Aim, base: Outcome, kinds: int, shrink_most: int
) -> Iterator[Finding]:  # fmt: skip
    """Yield what these links shrink to, up to so many different kinds, each confirmed."""
    seen: set[FailureKind] = set()
    for asked in candidates:
        if len(seen) >= kinds:
            return
        if asked is None:
            continue
        entry, failing, tries, seed = asked.entry, asked.failing, asked.tries, asked.seed
        guarded = _Guarded(entry, failing, tries, guard_seed(seed), asked.step)
        small = shrink(entry.candidate, guarded.fails, shrink_most)
        if kind_of(small.candidate, guarded.outcomes[small.candidate], aim, base, events_alone=False) in seen:
            continue
        asked.doing = "checked"
        kept = steadiest(small.trail, asked.steadiness) if tries.random else None
        candidate = small.candidate if kept is None else small.trail[kept.place]
        outcome = guarded.outcomes[candidate]
        kind = kind_of(candidate, outcome, aim, base, events_alone=False)
        if kind in seen:
            continue
        seen.add(kind)
        asked.step(Step(entry.kind, "confirmed"))
        fresh = fresh_seed(seed, len(seen))
        again = tries.fresh_seeds(candidate, fresh)
        yield Finding(
            kind=kind,
            number=entry.number,
            found=entry.candidate,
            found_badness=entry.badness,
            candidate=candidate,
            badness=entry.badness if (worst := aim.badness(outcome)) is None else worst,
            failing=failing,
            tried=small.tried,
            minimal=small.minimal and candidate == small.candidate,
            steady=None if kept is None else kept.steadiness,
            confirmed=Confirmed(fresh, tuple(failing.each(again)), again),
        )


class _Asked:
    """A link that was tried, and whether it and what it shrinks to fail nearly always; each is asked once."""

    def __init__(
        self, entry: Entry, failing: Failing, tries: Tries, seed: int, step: Callable[[Step], None]
    ) -> None:  # fmt: skip
        self.entry = entry
        self.failing = failing
        self.tries = tries
        self.seed = seed
        self.step = step
        self.doing: Literal["chosen", "checked"] = "chosen"
        self._known: dict[Candidate, Steadiness] = {}

    @property
    def steady(self) -> bool:
        """Whether it fails nearly always, or nothing is random."""
        return not self.tries.random or self.steadiness(self.entry.candidate).answer == "high"

    def steadiness(self, of: Candidate) -> Steadiness:
        """Return whether a link fails nearly always, on seeds of its own."""
        if of not in self._known:
            place = len(self._known)
            self.step(Step(self.entry.kind, self.doing, place))

            def fails(batch: int) -> list[bool]:
                own = steady_seed(self.seed, self.entry.number, place, batch)
                return self.failing.each(self.tries.steady_seeds(of, own))

            self._known[of] = steadiness(fails)
        return self._known[of]


class _Guarded:
    """Whether simpler links fail: on the seeds of the search, and on as many others as the link that was found."""

    def __init__(
        self, entry: Entry, failing: Failing, tries: Tries, seed: int, step: Callable[[Step], None]
    ) -> None:  # fmt: skip
        self.outcomes: dict[Candidate, Outcome] = {entry.candidate: entry.outcome}
        self._kind = entry.kind
        self._step = step
        self._tried = 0
        self._failing = failing
        self._tries = tries
        self._seed = seed
        self._start = entry.candidate
        self._least: int | None = None

    def fails(self, candidates: Sequence[Candidate]) -> list[bool]:
        self._step(Step(self._kind, "shrunk", self._tried))
        self._tried += len(candidates)
        came = self._tries.search_seeds(candidates)
        self.outcomes.update(zip(candidates, came, strict=True))
        failed = [self._failing.fails(outcome) for outcome in came]
        if not self._tries.random or not any(failed):
            return failed
        if self._least is None:
            (self._least,) = self._hits([self._start])
        left = [one for one, fails in zip(candidates, failed, strict=True) if fails]
        robust = {one for one, hits in zip(left, self._hits(left), strict=True) if hits >= self._least}
        return [one in robust for one in candidates]

    def _hits(self, candidates: Sequence[Candidate]) -> list[int]:
        return [sum(self._failing.each(outcome)) for outcome in self._tries.guard_seeds(candidates, self._seed)]


def guard_seed(seed: int) -> int:
    """Return the master seed of the guards: another than those of the search and of every confirmation."""
    return _other(seed, "guard")


def steady_seed(seed: int, number: int, place: int, batch: int) -> int:
    """Return the master seed of a batch that says whether a link fails nearly always: each link has batches of its own.

    `number` is that of the trial that is shrunk, `place` says how many links were asked before, of it and on the way.
    """
    return _other(seed, f"steady/{number}/{place}/{batch}")


def fresh_seed(seed: int, place: int) -> int:
    """Return the master seed on which the finding at a place, from 1, is confirmed: another than that of the search."""
    return _other(seed, f"confirm/{place}")


def _other(seed: int, name: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest()[:8], "big") >> 1
