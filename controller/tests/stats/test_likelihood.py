from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from windlull.stats import likelihood

ALPHA = 0.025
VALUES = st.lists(st.floats(-1000, 1000), min_size=2, max_size=30)


def test_of_equal_values_the_mean_may_be_off_by_what_so_many_cannot_have_shown() -> None:
    """By hand: a weight of 1 - alpha^(1/n) is left to the far end."""
    rows = np.full((1, 20), 10.0)
    upper = likelihood.upper(rows, np.array([30.0]), likelihood.cost_of_unseen(ALPHA))
    assert upper[0] == pytest.approx(10 + 20 * (1 - ALPHA ** (1 / 20)))


def test_without_a_far_end_it_is_owens_interval() -> None:
    """Owen 2001, section 2.9: the sum of log(1 + t (x - m)), where that of (x - m) / (1 + t (x - m)) is 0."""
    values = np.random.default_rng(1).exponential(size=30)
    cost = float(stats.chi2.ppf(0.95, 1)) / 2

    def fallen(mean: float) -> float:
        away = values - mean
        ends = (-1 / away.max() + 1e-9, -1 / away.min() - 1e-9)
        factor = brentq(lambda t: float((away / (1 + t * away)).sum()), *ends)
        return float(np.log(1 + factor * away).sum()) - cost

    expected = brentq(fallen, values.mean(), values.max() - 1e-6)
    assert likelihood.upper(values[np.newaxis, :], np.array([values.max()]), cost)[0] == pytest.approx(expected)


@pytest.mark.parametrize("count", [6, 20, 200])
def test_the_cost_of_what_was_seen_gives_normal_values_students_t(count: int) -> None:
    """exp(-cost) is the normal likelihood ratio at the end of Student's interval: (1 + t^2 / (n - 1))^(-n / 2)."""
    t = float(stats.t.ppf(1 - ALPHA, count - 1))
    assert np.exp(-likelihood.cost_of_seen(count, ALPHA)) == pytest.approx((1 + t * t / (count - 1)) ** (-count / 2))


@given(VALUES, st.floats(0.1, 1000), st.sampled_from([0.0005, 0.025, 0.3]))
def test_p_is_alpha_where_the_interval_of_alpha_ends(values: list[float], room: float, alpha: float) -> None:
    rows = np.array([values])
    far = np.array([max(values) + room])
    end = float(likelihood.upper(rows, far, likelihood.cost_of_unseen(alpha))[0])
    assert likelihood.p_at_least(rows, far, end)[0] == pytest.approx(alpha, rel=1e-3)


@given(VALUES, st.floats(0, 1000), st.floats(0.05, 10))
def test_the_end_lies_between_the_mean_and_the_far_end_and_grows_with_the_cost(
    values: list[float], room: float, cost: float
) -> None:
    rows = np.array([values])
    far = np.array([max(values) + room])
    near, end, beyond = (float(likelihood.upper(rows, far, of)[0]) for of in (cost / 2, cost, 2 * cost))
    slack = 1e-9 * (1 + abs(far[0]) + abs(min(values)))
    assert np.mean(values) - slack <= near <= end + slack
    assert end <= beyond + slack
    assert beyond <= far[0] + slack


@given(VALUES)
def test_the_lower_end_is_the_upper_end_of_the_mirrored_values(values: list[float]) -> None:
    rows = np.array([values])
    lower = likelihood.lower(rows, rows.min(axis=1) - 1, 2.0)
    assert lower[0] == -likelihood.upper(-rows, -rows.min(axis=1) + 1, 2.0)[0]


def test_a_mean_beyond_the_far_end_is_ruled_out() -> None:
    rows = np.array([[1.0, 2.0, 3.0]])
    assert likelihood.p_at_least(rows, np.array([3.0]), 3.5)[0] == 0
    assert likelihood.p_at_least(rows, np.array([3.0]), 1.5)[0] == 1
    assert likelihood.p_at_most(rows, np.array([1.0]), 0.5)[0] == 0
