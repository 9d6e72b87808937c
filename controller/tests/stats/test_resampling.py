from __future__ import annotations

import numpy as np
import pytest

from windlull.stats.bootstrap import generator
from windlull.stats.quantities import MEAN, MEDIAN, quantity
from windlull.stats.resampling import DRAWN, RESAMPLES, Sides, interval, p_value, resampled, resamples_for

RIGHT = np.array([1.0, 10.0, 100.0, 1000.0, 7.0, 8.0])


def test_pairs_are_drawn_together() -> None:
    left, right = resampled(Sides(2 * RIGHT, RIGHT, paired=True), [MEDIAN, MEAN], generator(1, "pairs"), RESAMPLES)
    assert left.shape == right.shape == (2, RESAMPLES)
    assert np.allclose(left / right, 2)


def test_sides_that_are_no_pairs_are_drawn_apart_and_may_differ_in_number() -> None:
    left, right = resampled(Sides(2 * RIGHT, RIGHT[:3], paired=False), [MEDIAN], generator(1, "apart"), 100)
    assert len(np.unique(left / right)) > 5


def test_the_same_stream_draws_the_same_in_blocks_as_well() -> None:
    values = np.random.default_rng(5).uniform(1, 2, size=3000)
    sides = Sides(values, values[::-1].copy(), paired=True)
    first, second = (resampled(sides, [MEAN], generator(1, "many"), 1000) for _ in range(2))
    assert np.array_equal(first, second)


def test_many_runs_are_resampled_less_often_and_a_small_p_value_more() -> None:
    assert resamples_for(10) == RESAMPLES
    assert resamples_for(10, 50_000) == 50_000
    assert resamples_for(1000, 50_000) == DRAWN // 1000
    assert resamples_for(DRAWN) == RESAMPLES // 4


def test_intervals_widen_with_fewer_values_and_tend_to_percentiles() -> None:
    draws = np.random.default_rng(3).normal(size=RESAMPLES)
    widths = [high - low for low, high in (interval(draws, count, 0.025) for count in (6, 12, 100, 10**6))]
    assert widths == sorted(widths, reverse=True)
    assert interval(draws, 10**6, 0.025) == pytest.approx(tuple(np.quantile(draws, (0.025, 0.975))), abs=1e-3)


@pytest.mark.parametrize("count", [10, 20, 500])
def test_a_claim_is_shown_exactly_when_the_interval_leaves_it_out(count: int) -> None:
    draws = np.random.default_rng(4).normal(size=RESAMPLES)
    low, high = interval(draws, count, 0.025)
    # One in 4001 is added to the share, and the extremes of so many draws lie apart.
    assert p_value(draws <= low - 0.1, count) < 0.025 < p_value(draws <= low + 0.1, count)
    assert p_value(draws >= high + 0.1, count) < 0.025 < p_value(draws >= high - 0.1, count)


def test_no_resample_against_is_not_certainty_and_all_are_no_claim() -> None:
    assert 0 < p_value(np.zeros(RESAMPLES, dtype=bool), 30) < 0.001
    assert p_value(np.ones(RESAMPLES, dtype=bool), 30) == 1


@pytest.mark.parametrize(("count", "name"), [(8, "median"), (30, "median"), (30, "mean"), (100, "p90")])
def test_intervals_cover_what_they_estimate_as_often_as_they_say(count: int, name: str) -> None:
    """95 of 100 intervals of a skewed difference have the truth, which is 0; three standard errors of 400 trials."""
    random = np.random.default_rng(6)
    covered = 0
    for trial in range(400):
        left, right = random.exponential(size=(2, count))
        draws = resampled(Sides(left, right, paired=True), [quantity(name)], generator(trial, "cover"), 1000)
        low, high = interval(draws[0][0] - draws[1][0], count, 0.025)
        covered += low <= 0 <= high
    assert covered / 400 > 0.95 - 3 * (0.95 * 0.05 / 400) ** 0.5


@pytest.mark.parametrize(
    ("name", "fewest"), [("median", 6), ("mean", 6), ("q1", 13), ("q3", 13), ("p90", 36), ("p95", 72)]
)
def test_how_few_values_bound_a_statistic(name: str, fewest: int) -> None:
    """By hand: n values lie below the quantile q with probability q^n, and 2.5 % is what may go wrong."""
    assert quantity(name).fewest(0.025) == fewest
    if name.startswith("p"):
        share = int(name[1:]) / 100
        assert share**fewest <= 0.025 < share ** (fewest - 1)


@pytest.mark.parametrize("name", ["max", "min"])
def test_an_extreme_is_no_statistic_to_decide_by(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is no statistic to decide by: the next run may go beyond it"):
        quantity(name)


@pytest.mark.parametrize("name", ["mode", "p0", "p100", "p9.5", "P90"])
def test_an_unknown_statistic_is_told_what_there_is(name: str) -> None:
    with pytest.raises(ValueError, match="it is median, mean, q1, q3, or a percentile as p90"):
        quantity(name)
