"""What a paper states, graded by the newest finished batches of its experiments."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from windlull import locate
from windlull.api.schemas import View
from windlull.papers import by_statement
from windlull.papers.by_statement import Ran
from windlull.papers.grades import CheckGrade, Grade
from windlull.papers.statements import claims_of, statements
from windlull.runner.messages import SIMULATED, Experiment
from windlull.stats.claims import Judgement, judge
from windlull.stats.summary import Cell


class CheckView(View):
    """A claim that checks a statement, and its grade in our simulated runs."""

    experiment: str
    id: str
    text: str
    criterion: str
    grade: CheckGrade | Literal["not run"]
    measured: str | None
    note: str | None


class IntervalView(View):
    """Where a value lies, with 95 % confidence."""

    low: float
    high: float


class NumberBesideView(View):
    """A number that the paper prints for a statement, and ours: ratios of two variants, or values of one."""

    check: str
    printed: str
    published: float
    ours: float | None
    interval: IntervalView | None = Field(description="Of ours.")
    at_least: bool = Field(description="Whether the interval has ours more often than in 95 % of cases.")
    distance: float | None = Field(description="Ours over the published number, less 1.")


class StatementView(View):
    """What the paper states at a place, in our words, and how well our runs support it."""

    id: str
    place: str
    text: str
    grade: Grade
    why: str | None = Field(description="Why it is not checked, if it is not.")
    checks: list[CheckView]
    numbers: list[NumberBesideView]


class OwnAdditionView(View):
    """A check that the paper does not state; the grades leave it out."""

    check: CheckView
    why: str


class GradesView(View):
    """How many of a paper's statements have each grade."""

    statements: list[StatementView]
    own_additions: list[OwnAdditionView]
    counts: dict[Grade, int] = Field(
        description="How many statements have each grade; what is not checked counts, too."
    )


def graded(
    paper: str, shipped: Mapping[str, Experiment], ran: Sequence[tuple[str, Experiment, list[Cell]]]
) -> dict[str, Any]:
    """Return the fields of GradesView; `ran` has each experiment as it was last run, with no cells if it was not.

    Raises InvalidStatementsError.
    """
    stated = statements(locate.profiles(), paper, claims_of(shipped))
    looked_at = [Ran(name, experiment, _simulated(experiment, cells), cells) for name, experiment, cells in ran]
    found = by_statement.grade(paper, stated, looked_at)
    return {
        "statements": [
            StatementView.of(one, checks=list(map(_check, one.checks)), numbers=list(map(_number, one.numbers)))
            for one in found
        ],
        "own_additions": [
            {"check": _check(one.check), "why": one.why} for one in by_statement.own_additions(paper, stated, looked_at)
        ],
        "counts": by_statement.counts(found),
    }


def _simulated(experiment: Experiment, cells: Sequence[Cell]) -> list[Judgement] | None:
    """Return the judgements of simulated runs, which are what the papers' experiments are; None without any."""
    simulated = [cell for cell in cells if cell.testbed == SIMULATED]
    return judge(experiment, simulated) if simulated else None


def _check(check: by_statement.Check) -> dict[str, Any]:
    return CheckView.of(check, grade=check.grade or "not run")


def _number(number: by_statement.NumberBeside) -> dict[str, Any]:
    interval = number.interval
    return NumberBesideView.of(number, interval=interval and {"low": interval[0], "high": interval[1]})
