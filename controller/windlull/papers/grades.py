"""How well our runs bear out what a paper states: a grade for each check, and from those one for the statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from windlull.stats.quantities import FEWEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.stats.claims import Judgement
    from windlull.stats.evidence import ClaimEvidence

Grade = Literal["supported", "shown by one run", "within noise", "in part", "not reproduced", "not checked"]
"""Of a statement. All but the last are grades; what is not checked counts as not covered."""
CheckGrade = Literal["supported", "shown by one run", "within noise", "not reproduced", "cannot be decided"]

GRADES: tuple[Grade, ...] = get_args(Grade)
_FROM_WEAK: tuple[CheckGrade, ...] = ("within noise", "shown by one run", "supported")

MEANING: dict[Grade, str] = {
    "supported": "all checks hold, and the 95 % interval of each clears its criterion",
    "shown by one run": "all checks hold, some by a run of which all repetitions are copies",
    "within noise": "all checks hold, but the 95 % interval of some does not clear its criterion",
    "in part": "some checks hold, some do not",
    "not reproduced": "no check holds",
    "not checked": "nothing here checks it, or not all of its checks have been run",
}


def of_check(judgement: Judgement) -> CheckGrade:
    """Return the grade of a claim; on several links it is the worst of them."""
    if judgement.status != "reproduced":
        return judgement.status
    found = {_of_evidence(evidence) for evidence in judgement.evidence}
    return next((grade for grade in _FROM_WEAK if grade in found), "within noise")


def of_sides(grades: Sequence[CheckGrade]) -> CheckGrade:
    """Return the grade of a criterion with two sides from those of its sides: it is the worst of them."""
    for worst in ("not reproduced", "cannot be decided", *_FROM_WEAK):
        if worst in grades:
            return worst
    raise ValueError(grades)


def of_statement(checks: Sequence[CheckGrade]) -> Grade:
    """Return the grade of a statement from those of its checks; without a check that was decided it is not checked."""
    decided = [check for check in checks if check != "cannot be decided"]
    if not decided:
        return "not checked"
    if all(check == "not reproduced" for check in decided):
        return "not reproduced"
    if len(decided) < len(checks) or "not reproduced" in decided:
        return "in part"
    return next(grade for grade in _FROM_WEAK if grade in decided)


def _of_evidence(evidence: ClaimEvidence) -> CheckGrade:
    if evidence.is_one_run:
        return "shown by one run"
    return "supported" if evidence.clears and evidence.runs >= FEWEST else "within noise"
