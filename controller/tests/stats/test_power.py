from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from windlull.stats.bootstrap import generator
from windlull.stats.power import MOST, spreads, to_bound, to_rank, to_show
from windlull.stats.quantities import MEAN, MEDIAN
from windlull.stats.ranks import signed_rank
from windlull.stats.resampling import Sides

LIMITS: dict[str, Any] = {"alpha": 0.025, "power": 0.9, "fewest": 6}


def test_a_known_spread_takes_the_textbooks_number() -> None:
    """By hand: (1.96 + 1.28)^2 (10 / 2)^2 is 262.7; the t distribution and the widening add about two."""
    found = to_show(2, np.array([10.0]), **LIMITS)
    assert found is not None
    assert 263 <= found.runs <= 266
    assert found.low == found.runs == found.high


def test_a_larger_distance_takes_fewer_runs_and_never_less_than_the_fewest() -> None:
    numbers = [to_show(distance, np.array([10.0]), **LIMITS) for distance in (1, 2, 5, 1000)]
    assert [one.runs for one in numbers if one] == sorted((one.runs for one in numbers if one), reverse=True)
    assert numbers[-1] is not None
    assert numbers[-1].runs == 6


def test_no_spread_takes_the_fewest() -> None:
    found = to_show(1, np.zeros(60), **LIMITS)
    assert found is not None
    assert (found.runs, found.low, found.high) == (6, 6, 6)


def test_an_unsure_spread_is_paid_for() -> None:
    """Power is the mean over the spreads that may be, so that the wide ones count; the range is theirs."""
    sure, unsure = to_show(2, np.full(60, 10.0), **LIMITS), to_show(2, np.linspace(5, 15, 60), **LIMITS)
    assert sure is not None
    assert unsure is not None
    assert unsure.high is not None
    assert unsure.low < sure.runs < unsure.runs < unsure.high


def test_what_takes_more_than_anybody_runs_is_not_told() -> None:
    assert to_show(1e-9, np.array([1.0]), **LIMITS) is None
    assert to_rank(1e-9, 20, paired=True, **LIMITS) is None
    assert to_rank(0, 20, paired=True, **LIMITS) is None


def test_to_bound_what_is_no_difference_takes_a_little_more_than_to_show_one() -> None:
    shown, bound = to_show(2, np.array([10.0]), **LIMITS), to_bound(2, np.array([10.0]), **LIMITS)
    assert shown is not None
    assert bound is not None
    # By hand: (1.96 + 1.645)^2 against (1.96 + 1.28)^2.
    assert bound.runs / shown.runs == pytest.approx((1.96 + 1.645) ** 2 / (1.96 + 1.28) ** 2, rel=0.02)


def test_the_range_of_an_effect_that_may_be_none_has_no_upper_end() -> None:
    found = to_rank(0.2, 20, paired=True, **LIMITS)
    assert found is not None
    # By hand: 4 (1.96 + 1.28)^2 / (3 * 0.2^2).
    assert found.runs == 351
    assert found.low < 351
    assert found.high is None
    bounded = to_rank(0.2, 2000, paired=True, **LIMITS)
    assert bounded is not None
    assert bounded.high is not None
    assert bounded.high < MOST


def test_the_spread_of_a_mean_is_the_standard_deviation() -> None:
    random = np.random.default_rng(8)
    sides = Sides(random.normal(5, 3, size=400), np.zeros(400), paired=True)
    found = spreads(sides, MEAN, 1, generator(1, "spread"))
    assert np.mean(found) == pytest.approx(3, rel=0.1)
    apart = Sides(sides.left, random.normal(0, 3, size=400), paired=False)
    found = spreads(apart, MEAN, 1, generator(1, "spread"))
    assert np.mean(found) == pytest.approx(3 * 2**0.5, rel=0.1)


def test_the_mean_of_pairs_that_move_together_has_no_spread() -> None:
    values = np.random.default_rng(9).exponential(size=30)
    found = spreads(Sides(values + 1, values, paired=True), MEAN, 1, generator(1, "spread"))
    assert np.allclose(found, 0, atol=1e-12)


def test_of_their_median_few_pairs_do_not_tell_it() -> None:
    """In the long run its spread is 0; ten pairs leave some, a thousand hardly any."""
    values = np.random.default_rng(9).exponential(size=1000)
    few, many = (
        float(np.mean(spreads(Sides(of + 1, of, paired=True), MEDIAN, 1, generator(1, "spread"))))
        for of in (values[:10], values)
    )
    apart = float(np.mean(spreads(Sides(values + 1, values, paired=False), MEDIAN, 1, generator(1, "spread"))))
    assert 0.1 * apart < few < apart
    assert many < 0.1 * apart


def test_the_ranks_number_is_enough_in_nine_of_ten_samples() -> None:
    """A negative control besides: a third of it is not."""
    random = np.random.default_rng(10)
    shift = 0.5
    effect = float(np.mean([signed_rank(random.normal(shift, 1, size=200)).effect for _ in range(50)]))
    asked = to_rank(effect, 200, paired=True, **LIMITS)
    assert asked is not None

    def found(count: int) -> float:
        return float(np.mean([signed_rank(random.normal(shift, 1, size=count)).either <= 0.05 for _ in range(400)]))

    assert found(asked.runs) > 0.9 - 3 * (0.9 * 0.1 / 400) ** 0.5
    assert found(asked.runs // 3) < 0.8
