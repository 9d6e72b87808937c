from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.examples import cells_of, experiment, run
from windlull.stats.claims import Judgement, judge
from windlull.stats.quantities import MEDIAN
from windlull.stats.questions import Sides, ratio
from windlull.stats.summary import cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def claim(**changes: Any) -> dict[str, Any]:
    return {
        "id": "frto-faster",
        "text": "F-RTO beats SACK",
        "metric": "elapsed_s",
        "statistic": "median",
        "left": "frto+sack",
        "relation": "<",
        "right": "sack",
    } | changes


def judged(by_variant: Mapping[str, Sequence[float]], metric: str = "elapsed_s", **changes: Any) -> Judgement:
    about, cells = cells_of(metric, by_variant, claims=[claim(metric=metric, **changes)])
    (judgement,) = judge(about, cells)
    return judgement


@pytest.mark.parametrize(
    ("relation", "left", "right", "status"),
    [
        ("<", 9, 10, "reproduced"),
        ("<", 10, 10, "not reproduced"),
        ("<=", 10, 10, "reproduced"),
        ("<=", 11, 10, "not reproduced"),
        (">", 11, 10, "reproduced"),
        (">", 10, 10, "not reproduced"),
        (">=", 10, 10, "reproduced"),
        (">=", 9, 10, "not reproduced"),
    ],
)
def test_relations(relation: str, left: float, right: float, status: str) -> None:
    assert judged({"frto+sack": [left] * 3, "sack": [right] * 3}, relation=relation).status == status


@pytest.mark.parametrize(
    ("factor", "status"),
    [(3.0, "reproduced"), (3.01, "not reproduced")],
)
def test_a_factor_multiplies_the_right_side(factor: float, status: str) -> None:
    counts = {"frto+sack": [30, 30], "sack": [10, 10]}
    assert judged(counts, "retransmissions", relation=">=", factor=factor).status == status


@pytest.mark.parametrize(
    ("left", "status"),
    [(105.0, "reproduced"), (95.0, "reproduced"), (105.1, "not reproduced"), (94.9, "not reproduced")],
)
def test_within_allows_the_tolerance_both_ways(left: float, status: str) -> None:
    times = {"frto+sack": [left] * 2, "sack": [100.0] * 2}
    assert judged(times, relation="within", tolerance=0.05).status == status


@pytest.mark.parametrize(
    ("left", "status"),
    [([9.0, 10.0, 11.0], "reproduced"), ([12.0, 12.0, 13.0], "not reproduced"), ([7.0, 8.0, 8.0], "not reproduced")],
)
def test_alike_is_what_the_interval_cannot_tell_apart(left: list[float], status: str) -> None:
    times = {"frto+sack": left * 3, "sack": [10.0] * 9}
    assert judged(times, relation="~").status == status


def test_alike_takes_so_many_runs_that_there_is_an_interval() -> None:
    judgement = judged({"frto+sack": [9.0, 10.0, 11.0], "sack": [10.0] * 3}, relation="~")
    assert judgement.status == "cannot be decided"


def test_the_interval_is_the_one_that_compare_has() -> None:
    """Claims had plain percentiles of the bootstrap, which cover a difference of medians in 54 to 89 of 100 samples."""
    random = np.random.default_rng(4)
    left, right = ([float(value) for value in random.exponential(5, 20) + 10] for _ in range(2))
    sentence = judged({"frto+sack": left, "sack": right}).measured
    found = ratio(Sides(np.array(left), np.array(right), paired=True), MEDIAN, 0.025)
    assert found is not None
    assert sentence.endswith(f"of a pair {found.value:.3g} (95 % interval {found.low:.3g} to {found.high:.3g})")


def test_alike_needs_a_ratio() -> None:
    counts = {"frto+sack": [1.0, 2.0], "sack": [0.0, 0.0]}
    assert judged(counts, "retransmissions", relation="~").status == "cannot be decided"


def test_the_statistic_is_the_one_asked_for() -> None:
    values = {"frto+sack": [1.0, 1.0, 100.0], "sack": [10.0, 10.0, 10.0]}
    assert judged(values, statistic="median").status == "reproduced"
    assert judged(values, statistic="mean").status == "not reproduced"
    assert judged(values, statistic="max").status == "not reproduced"


@pytest.mark.parametrize(
    ("by_variant", "why"),
    [
        ({"frto+sack": [1.0, 2.0]}, "no run of sack"),
        ({"sack": [1.0, 2.0]}, "no run of frto+sack"),
        ({"frto+sack": [1.0], "sack": [2.0, 2.0]}, "only one run of frto+sack; it takes two"),
    ],
)
def test_too_few_runs_decide_nothing(by_variant: Mapping[str, Sequence[float]], why: str) -> None:
    judgement = judged(by_variant)
    assert (judgement.status, judgement.measured) == ("cannot be decided", why)


def test_a_metric_that_no_run_has_decides_nothing() -> None:
    about, cells = cells_of(
        "elapsed_s", {"frto+sack": [1, 2], "sack": [1, 2]}, claims=[claim(metric="detection_delay_s")]
    )
    assert judge(about, cells)[0].status == "cannot be decided"


def test_measured_says_both_sides_the_ratio_and_its_interval() -> None:
    judgement = judged({"frto+sack": [50.0, 60.0, 70.0] * 2, "sack": [100.0, 120.0, 140.0] * 2})
    assert judgement.measured == (
        "frto+sack 60.00 s against sack 120.00 s, ratio 0.5; of a pair 0.5 (at least 95 % interval 0.5 to 0.5)"
    )
    assert judgement.criterion == "median elapsed time of frto+sack less than that of sack"


def test_a_right_side_of_zero_has_no_ratio() -> None:
    judgement = judged({"frto+sack": [0, 1, 0], "sack": [0, 0, 0]}, "spurious_timeouts", relation="<=")
    assert judgement.status == "reproduced"
    assert judgement.measured == "frto+sack 0 timeouts against sack 0 timeouts"


def test_criteria_read_as_sentences() -> None:
    values = {"frto+sack": [1, 2], "sack": [1, 2]}
    assert judged(values, "retransmissions", relation="<=", factor=1 / 3).criterion == (
        "median retransmissions of frto+sack at most 0.3333 times that of sack"
    )
    assert judged(values, relation="within", tolerance=0.05).criterion == (
        "median elapsed time of frto+sack within 5 % of that of sack"
    )


def test_on_two_links_a_claim_must_hold_on_both() -> None:
    links = [{"name": "gprs"}, {"name": "edge"}]
    about, cells = cells_of("elapsed_s", {"frto+sack": [1, 1], "sack": [2, 2]}, links=links, claims=[claim()])
    assert judge(about, cells)[0].status == "reproduced"
    only_gprs = [cell for cell in cells if cell.link == "gprs"]
    undecided = judge(about, only_gprs)[0]
    assert undecided.status == "cannot be decided"
    assert "gprs: reproduced" in undecided.measured
    assert "edge: cannot be decided, no run of frto+sack" in undecided.measured


def test_judging_twice_says_the_same() -> None:
    values = {"frto+sack": [50.0, 66.0, 71.0, 58.0], "sack": [90.0, 120.0, 141.0, 99.0]}
    assert judged(values) == judged(values)


def test_a_number_may_stand_in_the_place_of_a_variant() -> None:
    times = {"sack": [9.0, 10.0, 11.0]}
    assert judged(times, left="sack", right=None, relation="<=", value=10).status == "reproduced"
    over = judged(times, left="sack", right=None, relation="<", value=10)
    assert (over.status, over.criterion) == ("not reproduced", "median elapsed time of sack less than 10.00 s")
    near = judged(times, left="sack", right=None, relation="within", value=10.4, tolerance=0.05)
    assert near.status == "reproduced"
    assert judged(times, left="sack", right=None, relation="within", value=11, tolerance=0.05).status == (
        "not reproduced"
    )


def test_a_metric_may_be_divided_by_another_run_by_run() -> None:
    runs = [
        run(repetition=repetition, metrics={"retransmissions": again, "segments_sent": sent})
        for repetition, again, sent in [(1, 1, 2), (2, 9, 10), (3, 1, 10)]
    ]
    about = experiment(
        claims=[
            claim(metric="retransmissions", per="segments_sent", left="sack", right=None, relation="within", value=0.5,
                  tolerance=0.01)
        ]
    )  # fmt: skip
    (judgement,) = judge(about, cells(about, runs))
    assert judgement.status == "reproduced"
    assert judgement.criterion == "median retransmissions per segments sent of sack within 1 % of 0.5"


def test_a_claim_may_be_about_one_link_and_compare_with_another() -> None:
    links = [{"name": "gprs"}, {"name": "edge"}]
    runs = [
        run(repetition=repetition, link=link, directory=f"runs/{link}/{repetition}", metrics={"elapsed_s": time})
        for link, time in [("gprs", 20.0), ("edge", 10.0)]
        for repetition in (1, 2)
    ]
    of_one = claim(left="sack", right=None, value=15, relation=">", link="gprs")
    of_both = claim(id="both", left="sack", right=None, value=15, relation=">")
    across = claim(id="across", left="sack", right="sack", relation=">=", factor=2, link="gprs", right_link="edge")
    about = experiment(links=links, claims=[of_one, of_both, across])
    assert [one.status for one in judge(about, cells(about, runs))] == ["reproduced", "not reproduced", "reproduced"]


@pytest.mark.parametrize(
    ("figure", "status"),
    [
        ({"kind": "time-sequence"}, "reproduced"),
        ({"kind": "box-plot", "metric": "elapsed_s"}, "cannot be decided"),
    ],
)
def test_a_figure_of_single_runs_is_decided_by_one(figure: dict[str, str], status: str) -> None:
    about = experiment(
        figures=[figure],
        claims=[claim(left="sack", right=None, relation="<", value=100, metric="elapsed_s")],
    )
    (judgement,) = judge(about, cells(about, [run()]))
    assert judgement.status == status


LESS = {"frto+sack": [7.0, 8.0, 9.0, 8.0, 8.5, 7.5], "sack": [10.0, 10.0, 11.0, 10.1, 9.0, 10.0]}


@pytest.mark.parametrize(
    ("changes", "clears"),
    [
        ({"relation": "<"}, True),
        ({"relation": "<=", "factor": 0.8}, False),
        ({"relation": ">=", "factor": 0.5}, True),
        ({"relation": "within", "tolerance": 0.4}, True),
        ({"relation": "within", "tolerance": 0.21}, False),
        ({"relation": "<", "right": None, "value": 9.5}, True),
        ({"relation": "<", "right": None, "value": 8.1}, False),
        ({"relation": "within", "right": None, "value": 8, "tolerance": 0.01}, False),
    ],
)
def test_an_interval_clears_a_criterion_that_all_of_it_meets(changes: dict[str, Any], *, clears: bool) -> None:
    judgement = judged(LESS, **changes)
    assert judgement.status == "reproduced"
    (evidence,) = judgement.evidence
    assert evidence.interval is not None
    assert evidence.clears is clears
    assert evidence.runs == 6


def test_what_cannot_be_told_apart_is_not_shown_to_be_the_same() -> None:
    same = {"frto+sack": [9.0, 10.0, 11.0, 10.0, 9.5, 10.5], "sack": [10.0] * 6}
    judgement = judged(same, relation="~")
    assert judgement.status == "reproduced"
    assert not judgement.evidence[0].clears


def test_a_side_that_can_be_zero_is_told_by_its_difference() -> None:
    counts = {"frto+sack": [0] * 10, "sack": list(range(10))}
    (evidence,) = judged(counts, "spurious_timeouts", statistic="median").evidence
    assert (evidence.of, evidence.clears) == ("difference", True)
    assert evidence.interval is not None
    assert evidence.interval[1] < 0


def test_copies_of_one_run_are_one_outcome() -> None:
    (copies,) = judged({"frto+sack": [8.0] * 6, "sack": [10.0] * 6}).evidence
    assert (copies.runs, copies.distinct, copies.is_one_run) == (6, 1, True)


def test_runs_that_agree_in_one_metric_are_no_copies() -> None:
    runs = [
        run(repetition=repetition, metrics={"retransmissions": 0, "elapsed_s": 7.0 + repetition})
        for repetition in range(1, 7)
    ]
    about = experiment(claims=[claim(metric="retransmissions", left="sack", right=None, relation="<=", value=0)])
    (evidence,) = judge(about, cells(about, runs))[0].evidence
    assert (evidence.distinct, evidence.clears, evidence.is_one_run) == (6, True, False)
