from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull.papers.grades import CheckGrade, Grade, of_check, of_statement
from windlull.stats.claims import Judgement
from windlull.stats.evidence import ClaimEvidence
from windlull.stats.quantities import FEWEST

if TYPE_CHECKING:
    from windlull.stats.claims import Status

SURE = ClaimEvidence("gprs", "ratio", 0.8, (0.7, 0.9), clears=True, runs=30, distinct=30)
UNSURE = ClaimEvidence("gprs", "ratio", 0.8, (0.6, 1.1), clears=False, runs=30, distinct=30)
ONE = ClaimEvidence("gprs", "ratio", 0.8, None, clears=False, runs=1, distinct=1)
COPIES = ClaimEvidence("gprs", "ratio", 0.8, (0.8, 0.8), clears=True, runs=30, distinct=1)
FEW = ClaimEvidence("gprs", "ratio", 0.8, (0.7, 0.9), clears=True, runs=FEWEST - 1, distinct=FEWEST - 1)


def judgement(*evidence: ClaimEvidence, status: Status = "reproduced") -> Judgement:
    return Judgement("faster", "It is faster", "less", status, "measured", "sim", evidence)


@pytest.mark.parametrize(
    ("evidence", "grade"),
    [
        ((SURE,), "supported"),
        ((UNSURE,), "within noise"),
        ((ONE,), "shown by one run"),
        ((COPIES,), "shown by one run"),
        ((FEW,), "within noise"),
        ((SURE, UNSURE), "within noise"),
        ((SURE, ONE), "shown by one run"),
        ((), "within noise"),
    ],
)
def test_no_check_is_supported_without_an_interval_that_clears(
    evidence: tuple[ClaimEvidence, ...], grade: CheckGrade
) -> None:
    assert of_check(judgement(*evidence)) == grade


def test_a_check_that_does_not_hold_is_not_reproduced_whatever_its_interval() -> None:
    assert of_check(judgement(SURE, status="not reproduced")) == "not reproduced"
    assert of_check(judgement(SURE, status="cannot be decided")) == "cannot be decided"


@pytest.mark.parametrize(
    ("checks", "grade"),
    [
        (["supported", "supported"], "supported"),
        (["supported", "shown by one run"], "shown by one run"),
        (["supported", "shown by one run", "within noise"], "within noise"),
        (["supported", "not reproduced"], "in part"),
        (["within noise", "cannot be decided"], "in part"),
        (["not reproduced", "not reproduced"], "not reproduced"),
        (["not reproduced", "cannot be decided"], "not reproduced"),
        (["cannot be decided"], "not checked"),
        ([], "not checked"),
    ],
)
def test_a_statement_is_as_sure_as_its_weakest_check(checks: list[CheckGrade], grade: Grade) -> None:
    assert of_statement(checks) == grade
