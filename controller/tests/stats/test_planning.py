from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

from windlull.runner.messages import MOST_REPETITIONS
from windlull.stats import planning, unseen
from windlull.stats.quantities import MEAN, MEDIAN, Quantity, quantity
from windlull.stats.questions import Question, Samples, Sides

ALPHA, POWER = 0.025, 0.9
RANDOM = np.random.default_rng(1)


def pairs(count: int, scatter: float = 0.5) -> Sides:
    right = RANDOM.normal(10, 1, count)
    return Sides(right + RANDOM.normal(0, scatter, count), right, paired=True)


def test_pairs_that_move_one_way_take_as_many_as_connor_says() -> None:
    """By hand: 40 % move, 20 % more one way: (1.96 sqrt(0.4) + 1.2816 sqrt(0.36))^2 / 0.04 = 100.6."""
    found = planning.to_show_direction(0.2, 0.4, 50, paired=True, alpha=ALPHA, power=POWER, fewest=6)
    assert found is not None
    assert found.runs == 101
    assert found.low < 101


def test_runs_that_are_no_pairs_take_as_many_as_noether_says() -> None:
    """By hand, with P(left > right) = 0.65: (1.96 + 1.2816)^2 / (12 (0.65 - 0.5)^2 / 4) / 2 of each side, so 77.8."""
    total = (ndtri(1 - ALPHA) + ndtri(POWER)) ** 2 / (12 * 0.25 * (0.65 - 0.5) ** 2)
    found = planning.to_show_direction(0.3, 1.0, 50, paired=False, alpha=ALPHA, power=POWER, fewest=6)
    assert found is not None
    assert found.runs == math.ceil(total / 2)


def test_no_effect_has_no_number() -> None:
    assert planning.to_show_direction(0.0, 0.4, 50, paired=True, alpha=ALPHA, power=POWER, fewest=6) is None


def test_a_distance_half_as_large_takes_four_times_the_runs_of_a_median() -> None:
    of = pairs(200)
    far, near = (planning.to_show(of, Question(MEDIAN), distance, alpha=ALPHA, power=POWER) for distance in (0.1, 0.05))
    assert far is not None
    assert near is not None
    assert near.runs == pytest.approx(4 * far.runs, rel=0.02)


def test_so_many_pairs_that_are_the_same_bound_their_mean() -> None:
    """By hand: -log(alpha) times twice the usual run, over the distance; the interval has them then."""
    same = np.full(50, 10.0)
    found = planning.to_show(Sides(same, same, paired=True), Question(MEAN, 1.02), 0.2, alpha=ALPHA, power=POWER)
    assert found is not None
    assert found.runs == math.ceil(-math.log(ALPHA) * (unseen.FACTOR - 1) * 10 / 0.2)
    rows = np.full(found.runs, 10.0)
    assert Question(MEAN, 1.02).shown(Sides(rows, rows, paired=True).one, ALPHA, strict=True)[1][0]


def test_fewer_runs_than_a_statistic_takes_ask_for_those() -> None:
    found = planning.to_show(pairs(10), Question(quantity("p90")), 1.0, alpha=ALPHA, power=POWER)
    assert found == planning.Runs(54, 54, None)


def test_what_cannot_be_run_has_no_number() -> None:
    assert planning.to_show(pairs(20), Question(MEDIAN), 1e-6, alpha=ALPHA, power=POWER) is None


@pytest.mark.parametrize("statistic", [MEDIAN, MEAN, quantity("q3")])
def test_the_number_lies_within_its_range(statistic: Quantity) -> None:
    found = planning.to_show(pairs(40), Question(statistic), 0.15, alpha=ALPHA, power=POWER)
    assert found is not None
    assert found.low <= found.runs <= (found.high or MOST_REPETITIONS)


@pytest.mark.parametrize("count", [10, 40])
def test_numbers_from_few_pairs_decide_as_often_as_those_from_many(count: int) -> None:
    """Some show too little scatter and ask for too few, others too much: in the mean nine of ten gates pass."""
    random = np.random.default_rng(6)
    own = random.normal(0, 0.5, (100, count))
    link = random.normal(10, 1, (100, count))
    asked = [
        planning.to_show(Sides(a + b, a, paired=True), Question(MEDIAN), 0.2, alpha=ALPHA, power=POWER)
        for a, b in zip(link, own, strict=True)
    ]
    passed = 0
    for found in asked:
        assert found is not None
        rows = random.normal(-0.2, 0.5, (1, found.runs))
        passed += bool(Question(MEDIAN, 0.0).shown(Samples(rows, rows, paired=True), ALPHA, strict=True)[1][0])
    assert passed / 100 > POWER - 2.5 * (0.09 / 100) ** 0.5


def test_few_runs_ask_for_more_than_many_that_scatter_as_far() -> None:
    few, many = (
        planning.to_show(Sides(rows, rows, paired=True), Question(MEAN, 0.0), 2.0, alpha=ALPHA, power=POWER)
        for rows in (np.tile([9.0, 11.0], 5), np.tile([9.0, 11.0], 500))
    )
    assert few is not None
    assert many is not None
    assert few.runs > many.runs
    assert (few.high or MOST_REPETITIONS) - few.low > (many.high or MOST_REPETITIONS) - many.low


def test_so_many_runs_as_it_says_mostly_decide() -> None:
    """The candidate is as good as the baseline, and the rule leaves 3 %: nine of ten such gates pass."""
    found = planning.to_show(pairs(4000), Question(MEDIAN, 1.03), 0.3, alpha=ALPHA, power=POWER)
    assert found is not None
    random = np.random.default_rng(5)
    right = random.normal(10, 1, (400, found.runs))
    left = right + random.normal(0, 0.5, right.shape)
    passed = sum(
        Question(MEDIAN, 1.03).shown(Sides(a, b, paired=True).one, ALPHA, strict=True)[1][0]
        for a, b in zip(left, right, strict=True)
    )
    assert passed / 400 > POWER - 3 * (0.09 / 400) ** 0.5
