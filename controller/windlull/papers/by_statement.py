"""What came of each statement of a paper: its grade, its checks, and each published number beside ours."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.metrics import metric, number
from windlull.papers.grades import GRADES, CheckGrade, Grade, of_check, of_sides, of_statement
from windlull.papers.statements import short
from windlull.stats.claims import as_printed, criterion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from windlull.contract.engine import Claim
    from windlull.papers.statements import Statement, Statements
    from windlull.runner.messages import Experiment
    from windlull.stats.claims import Judgement
    from windlull.stats.summary import Cell


@dataclass(frozen=True, slots=True)
class Check:
    """A claim of an experiment that checks a statement; without a run `grade` and `measured` are None."""

    experiment: str
    id: str
    text: str
    criterion: str
    grade: CheckGrade | None
    measured: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class NumberBeside:
    """A published number with ours: `printed` is what the paper prints, `published` and `ours` the same in figures.

    They are ratios of two variants, or values in the metric's unit. `distance` is ours / published - 1. `at_least`: the
    interval has ours more often than in 95 % of cases.
    """

    check: str
    printed: str
    published: float
    ours: float | None
    interval: tuple[float, float] | None
    at_least: bool
    distance: float | None


@dataclass(frozen=True, slots=True)
class Graded:
    """A statement and what came of it. `why` says why it is not checked, if it is not.

    `by_seed` has its grade with each master seed, the experiments' own first, None where they have not all been run.
    """

    paper: str
    id: str
    place: str
    text: str
    grade: Grade
    why: str | None
    checks: tuple[Check, ...]
    numbers: tuple[NumberBeside, ...]
    by_seed: tuple[Grade | None, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnAddition:
    """A check that the paper does not state, which counts for nothing."""

    paper: str
    check: Check
    why: str


@dataclass(frozen=True, slots=True)
class Ran:
    """An experiment of a paper by its full name, what its claims became, and by which cells; None if it was not run."""

    name: str
    experiment: Experiment
    judgements: Sequence[Judgement] | None
    cells: Sequence[Cell] = ()


class _Checks:
    """The claims of a paper's experiments by `experiment: claim`, with what became of them."""

    def __init__(self, ran: Iterable[Ran]) -> None:
        self.claims: dict[str, tuple[Ran, Claim]] = {}
        self.judgements: dict[str, Judgement] = {}
        for one in ran:
            self.claims |= {f"{short(one.name)}: {claim.id}": (one, claim) for claim in one.experiment.claims}
            self.judgements |= {f"{short(one.name)}: {found.id}": found for found in one.judgements or ()}

    def check(self, key: str) -> Check:
        ran, claim = self.claims[key]
        found = self.judgements.get(key)
        return Check(
            ran.name,
            claim.id,
            claim.text,
            criterion(claim),
            of_check(found) if found else None,
            found.measured if found else None,
            claim.note if found and found.status != "reproduced" else None,
        )

    def beside(self, key: str, printed: str, published: float) -> NumberBeside:
        found = self.judgements.get(key)
        evidence = found.evidence[0] if found and len(found.evidence) == 1 else None
        ours = evidence.value if evidence else None
        interval = evidence.interval if evidence and evidence.of != "difference" else None
        like = None
        if found and evidence and evidence.of == "ratio" and interval:
            ran, claim = self.claims[key]
            like = as_printed(claim, ran.cells, found.testbed, evidence.link)
        if like:
            ours, interval = like.value, like.interval
        distance = ours / published - 1 if ours is not None and published else None
        return NumberBeside(key, printed, published, ours, interval, bool(like and like.at_least), distance)


def grade(paper: str, stated: Statements, ran: Sequence[Ran]) -> list[Graded]:
    """Grade the statements of a paper that the experiments in `ran` check, run or not.

    A statement that only some of them check is not checked. Statements that nothing checks are told if `ran` has all
    experiments of the paper.
    """
    checks = _Checks(ran)
    whole = all(key in checks.claims for one in stated.statement for key in one.checks)
    return [
        _graded(paper, one, checks)
        for one in stated.statement
        if any(key in checks.claims for key in one.checks) or (whole and not one.checks)
    ]


def own_additions(paper: str, stated: Statements, ran: Sequence[Ran]) -> list[OwnAddition]:
    """Return the checks that the paper does not state, as far as they were run."""
    checks = _Checks(ran)
    return [
        OwnAddition(paper, checks.check(key), own.why)
        for own in stated.own
        for key in own.checks
        if key in checks.claims
    ]


def counts(graded: Iterable[Graded]) -> dict[Grade, int]:
    """Return how many statements have each grade."""
    found = Counter(one.grade for one in graded)
    return {grade: found[grade] for grade in GRADES}


def headline(counted: Mapping[Grade, int]) -> str:
    """Return the figure in words: `61 of 124 statements supported, 30 shown by one run, ...`."""
    total = sum(counted.values())
    rest = [f"{counted[grade]} {grade}" for grade in GRADES[1:] if counted[grade]]
    return ", ".join([f"{counted[GRADES[0]]} of {total} statements {GRADES[0]}", *rest])


def _graded(paper: str, one: Statement, checks: _Checks) -> Graded:
    known = [key for key in one.checks if key in checks.claims]
    shown = tuple(checks.check(key) for key in known)
    found = {key: check.grade for key, check in zip(known, shown, strict=True) if check.grade is not None}
    run, why = list(found.values()), one.unchecked
    verdict = of_statement(_criteria(one, found))
    if one.checks and len(run) < len(one.checks):
        verdict, why = "not checked", f"{len(run)} of its {len(one.checks)} checks were run"
    elif one.checks and verdict == "not checked":
        why = "; ".join(dict.fromkeys(check.measured or "" for check in shown))
    text = one.text or (shown[0].text if shown else "")
    return Graded(paper, one.id, one.place, text, verdict, why, shown, tuple(_numbers(one, known, checks)))


def _criteria(one: Statement, found: Mapping[str, CheckGrade]) -> list[CheckGrade]:
    """Return the grade of each criterion of a statement: two checks may be its sides."""
    pairs = [[found[key] for key in pair if key in found] for pair in one.sides]
    alone = found.keys() - {key for pair in one.sides for key in pair}
    return [of_sides(pair) for pair in pairs if pair] + [found[key] for key in alone]


def _numbers(one: Statement, known: Sequence[str], checks: _Checks) -> list[NumberBeside]:
    """Return what the paper prints for a statement: as its file says, else what the table of its experiment has."""
    said = [
        checks.beside(number.check, number.printed, number.value) for number in one.published if number.check in known
    ]
    named = {number.check for number in one.published}
    sides: set[tuple[str, float]] = set()
    for key in known:
        ran, claim = checks.claims[key]
        found = of_table(ran.experiment, claim)
        if key not in named and found is not None and (found[0], found[1]) not in sides:
            sides.add((found[0], found[1]))
            said.append(checks.beside(key, *found))
    return said


def of_table(experiment: Experiment, claim: Claim) -> tuple[str, float] | None:
    """Return the paper's own numbers for a claim where its table has them: in words, and as the claim compares them."""
    published = experiment.published
    if published is None or claim.per is not None or claim.link is not None:
        return None
    ours = published.value(claim.left, claim.metric)
    theirs = published.value(claim.right, claim.metric) if claim.right is not None else claim.value
    if ours is None or theirs is None:
        return None
    of = metric(claim.metric)
    words = [f"{number(value, of.digits)} {of.unit}".rstrip() for value in (ours, theirs)]
    if claim.right is None:
        return f"{claim.left} {words[0]}", float(ours)
    return (f"{claim.left} {words[0]} against {claim.right} {words[1]}", ours / theirs) if theirs else None
