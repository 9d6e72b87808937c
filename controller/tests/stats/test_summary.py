from __future__ import annotations

import random

import pytest

from tests.examples import experiment, run
from windlull.stats.summary import cells, summarize


def test_quartiles_interpolate_between_the_nearest_values() -> None:
    # In order 1 2 3 4: position 0.25 * 3 = 0.75 lies three quarters of the way from 1 to 2.
    summary = summarize([4, 1, 3, 2])
    assert (summary.q1, summary.median, summary.q3) == (1.75, 2.5, 3.25)
    assert (summary.min, summary.max, summary.mean) == (1, 4, 2.5)


def test_an_odd_number_of_values_has_its_middle_for_a_median() -> None:
    summary = summarize([10.0, 30.0, 20.0, 50.0, 40.0])
    assert (summary.min, summary.q1, summary.median, summary.q3, summary.max) == (10, 20, 30, 40, 50)


def test_one_value_is_its_own_summary() -> None:
    summary = summarize([7])
    assert {summary.median, summary.mean, summary.q1, summary.q3, summary.min, summary.max} == {7}


def test_values_stay_in_the_order_they_have() -> None:
    assert summarize([3, 1, 2]).values == (3, 1, 2)


def test_the_mean_loses_nothing_on_the_way() -> None:
    # Adding from the left gives 0, because 1e16 + 1 is 1e16.
    assert summarize([1e16, 1.0, -1e16]).mean == 1 / 3


def test_no_value_has_no_summary() -> None:
    with pytest.raises(ValueError, match="no value"):
        summarize([])


def test_order_of_completion_changes_nothing() -> None:
    runs = [run(variant, repetition) for variant in ("sack", "frto+sack") for repetition in (1, 2, 3)]
    shuffled = list(runs)
    random.Random(7).shuffle(shuffled)  # noqa: S311
    assert shuffled != runs
    assert cells(experiment(), shuffled) == cells(experiment(), runs)


def test_cells_stand_in_the_order_of_the_experiment() -> None:
    found = cells(experiment(), [run("frto+sack", 2), run("sack", 3), run("sack", 1)])
    assert [(cell.variant, cell.runs) for cell in found] == [("sack", 2), ("frto+sack", 1)]
    assert found[0].metrics["elapsed_s"].values == (71.0, 73.0)


def test_a_run_without_a_metric_does_not_count_for_it() -> None:
    runs = [
        run(repetition=1, metrics={"detection_delay_s": 0.5}),
        run(repetition=2, metrics={}),
        run(repetition=3, metrics={"detection_delay_s": 0.7}),
    ]
    (cell,) = cells(experiment(), runs)
    assert cell.runs == 3
    assert cell.metrics["detection_delay_s"].values == (0.5, 0.7)
    assert cell.by_repetition["detection_delay_s"] == {1: 0.5, 3: 0.7}


def test_metrics_have_one_order_whatever_the_engine_says_first() -> None:
    (cell,) = cells(experiment(), [run(metrics={"zeta": 1, "retransmissions": 2, "elapsed_s": 3.0, "alpha": 4})])
    assert list(cell.metrics) == ["elapsed_s", "retransmissions", "alpha", "zeta"]
