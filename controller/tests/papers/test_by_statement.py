from __future__ import annotations

from typing import Any

import pytest

from tests.examples import cells_of
from windlull.papers.by_statement import Ran, counts, grade, headline, own_additions
from windlull.papers.grades import GRADES
from windlull.papers.statements import Own, PublishedNumber, Statement, Statements
from windlull.stats.claims import judge

FASTER: dict[str, Any] = {
    "id": "faster", "text": "F-RTO is faster", "metric": "elapsed_s",
    "left": "frto+sack", "relation": "<", "right": "sack",
}  # fmt: skip
SHORT: dict[str, Any] = {
    "id": "short", "text": "It is short", "metric": "elapsed_s", "left": "frto+sack", "relation": "<", "value": 1,
}  # fmt: skip
TIMES = {"frto+sack": [7.0, 8.0, 9.0, 8.0, 8.5, 7.5], "sack": [10.0, 10.0, 11.0, 10.0, 9.0, 10.0]}
STATED = Statements(
    (
        Statement(
            "faster", "table 1", "It is faster.", ("table-1: faster",),
            published=(PublishedNumber("table-1: faster", 0.5, "half the time"),),
        ),
        Statement("both", "table 1", "It is fast.", ("table-1: short", "table-2: short")),
        Statement("bursts", "section 6", "It makes no bursts.", unchecked="no metric measures bursts"),
    ),
    (Own(("table-2: faster",), "The paper has no such number."),),
)  # fmt: skip


def ran(name: str = "table-1", *, run: bool = True, **changes: Any) -> Ran:
    about, cells = cells_of("elapsed_s", TIMES, claims=[FASTER, SHORT], **changes)
    return Ran(f"papers/a2001/{name}", about, judge(about, cells) if run else None, cells)


def test_a_published_number_stands_beside_ours_with_its_distance() -> None:
    (number,) = grade("a2001", STATED, [ran()])[0].numbers
    assert (number.printed, number.published) == ("half the time", 0.5)
    assert number.ours == pytest.approx(0.8)
    assert number.interval is not None
    assert number.interval[0] <= 0.8 <= number.interval[1]
    assert number.distance == pytest.approx(0.6)


def test_a_table_gives_the_published_number_where_the_statement_has_none() -> None:
    published = {
        "source": "table 1",
        "columns": [{"metric": "elapsed_s", "label": "time"}],
        "rows": [
            {"variant": "frto+sack", "label": "F-RTO", "values": [8]},
            {"variant": "sack", "label": "SACK", "values": [16]},
        ],
    }
    stated = Statements((Statement("faster", "table 1", "It is faster.", ("table-1: faster",)),))
    (number,) = grade("a2001", stated, [ran(published=published)])[0].numbers
    assert number.printed == "frto+sack 8.00 s against sack 16.00 s"
    assert number.published == 0.5
    assert number.distance == pytest.approx(0.6)


def test_a_statement_is_graded_once_all_of_its_checks_were_run() -> None:
    (faster, both) = grade("a2001", STATED, [ran()])
    assert (faster.id, faster.grade, faster.why) == ("faster", "supported", None)
    assert (both.id, both.grade, both.why) == ("both", "not checked", "1 of its 2 checks were run")
    whole = grade("a2001", STATED, [ran(), ran("table-2")])
    assert [one.grade for one in whole] == ["supported", "not reproduced", "not checked"]
    assert whole[2].why == "no metric measures bursts"
    unrun = grade("a2001", STATED, [ran(run=False), ran("table-2", run=False)])
    assert {one.grade for one in unrun} == {"not checked"}


def test_ours_is_the_ratio_of_the_medians_as_a_paper_prints_it() -> None:
    # The pairs' ratios are 0.2, 0.5, 0.5, 2, 2, 5 and 1; each side's median is 10.
    times = {"frto+sack": [2.0, 5.0, 10.0, 10.0, 20.0, 50.0, 10.0], "sack": [10.0, 10.0, 20.0, 5.0, 10.0, 10.0, 10.0]}
    about, cells = cells_of("elapsed_s", times, claims=[FASTER, SHORT])
    (number,) = grade("a2001", STATED, [Ran("papers/a2001/table-1", about, judge(about, cells), cells)])[0].numbers
    assert number.ours == pytest.approx(1.0)
    skewed = times | {"frto+sack": [2.0, 2.0, 4.0, 2.5, 20.0, 50.0, 30.0]}
    about, cells = cells_of("elapsed_s", skewed, claims=[FASTER, SHORT])
    (number,) = grade("a2001", STATED, [Ran("papers/a2001/table-1", about, judge(about, cells), cells)])[0].numbers
    # The medians are 4 and 10; the median of the pairs' ratios is 0.5.
    assert number.ours == pytest.approx(0.4)


def test_two_sides_of_a_criterion_count_as_one() -> None:
    long: dict[str, Any] = SHORT | {"id": "long", "relation": ">"}
    about, cells = cells_of("elapsed_s", TIMES, claims=[long, SHORT])
    both = [Ran("papers/a2001/table-1", about, judge(about, cells), cells)]
    checks = ("table-1: long", "table-1: short")
    (apart,) = grade("a2001", Statements((Statement("one", "table 1", "It is 1 s.", checks),)), both)
    assert apart.grade == "in part"
    (paired,) = grade("a2001", Statements((Statement("one", "table 1", "It is 1 s.", checks, (checks,)),)), both)
    assert paired.grade == "not reproduced"


def test_our_own_additions_leave_the_count() -> None:
    both = [ran(), ran("table-2")]
    graded = grade("a2001", STATED, both)
    assert "faster" not in {check.id for one in graded[1:] for check in one.checks}
    (own,) = own_additions("a2001", STATED, both)
    assert (own.check.experiment, own.check.grade) == ("papers/a2001/table-2", "supported")
    assert sum(counts(graded).values()) == len(STATED.statement)


def test_the_figure_in_words_has_every_grade_that_occurs() -> None:
    counted = dict.fromkeys(GRADES, 0) | {"supported": 2, "within noise": 1, "not checked": 4}
    assert headline(counted) == "2 of 7 statements supported, 1 within noise, 4 not checked"
