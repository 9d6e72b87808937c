from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from windlull.stats import order_statistics

ALPHA = 0.025
DIFFERENT = st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=40, unique=True)


@pytest.mark.parametrize(("count", "low", "high"), [(6, 1, 6), (8, 1, 8), (10, 2, 9), (20, 6, 15), (25, 8, 18)])
def test_the_interval_of_a_median_has_the_ranks_of_the_published_tables(count: int, low: int, high: int) -> None:
    """95 %: as in the tables of the sign test, Dixon and Mood 1946."""
    rows = np.arange(1.0, count + 1)[np.newaxis, :]
    assert [float(end[0]) for end in order_statistics.bounds(rows, 0.5, ALPHA, exact=True)] == [low, high]


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 0.9])
def test_exact_ends_are_those_of_scipy(share: float) -> None:
    values = np.random.default_rng(1).exponential(size=60)
    # SciPy's stubs take what it returns for a number.
    interval: Any = stats.quantile_test(values, q=0, p=share).confidence_interval(1 - 2 * ALPHA)
    low, high = order_statistics.bounds(values[np.newaxis, :], share, ALPHA, exact=True)
    assert (low[0], high[0]) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize(("above", "of"), [(0, 10), (1, 10), (9, 10), (10, 10), (60, 100)])
def test_p_values_are_those_of_the_binomial_test(above: int, of: int) -> None:
    values = np.where(np.arange(of) < above, 1.0, -1.0)[np.newaxis, :]
    higher, not_higher = order_statistics.p_values(values, 0.5, strict=True)
    assert higher[0] == pytest.approx(stats.binomtest(above, of, 0.5, alternative="greater").pvalue)
    assert not_higher[0] == pytest.approx(stats.binomtest(above, of, 0.5, alternative="less").pvalue)


def test_what_equals_the_limit_is_on_the_side_of_the_claim_that_includes_it() -> None:
    zeros = np.zeros((1, 12))
    above, not_above = order_statistics.p_values(zeros, 0.5, strict=True)
    at_least, below = order_statistics.p_values(zeros, 0.5, strict=False)
    assert (above[0], below[0]) == (1, 1)
    assert not_above[0] == at_least[0] == pytest.approx(2**-12)


def test_so_few_values_have_no_end() -> None:
    low, high = order_statistics.bounds(np.arange(5.0)[np.newaxis, :], 0.5, ALPHA)
    assert (low[0], high[0]) == (-np.inf, np.inf)
    low, high = order_statistics.bounds(np.arange(13.0)[np.newaxis, :], 0.9, ALPHA)
    assert low[0] > 0
    assert high[0] == np.inf


@given(DIFFERENT, st.sampled_from([0.25, 0.5, 0.75]))
def test_ends_without_interpolation_are_not_nearer(values: list[float], share: float) -> None:
    rows = np.array([values])
    near, far = (order_statistics.bounds(rows, share, ALPHA, exact=exact) for exact in (False, True))
    assert far[0][0] <= near[0][0]
    assert near[1][0] <= far[1][0]


@given(DIFFERENT)
def test_the_interval_of_the_mirrored_values_is_mirrored(values: list[float]) -> None:
    rows = np.array([values])
    low, high = order_statistics.bounds(rows, 0.25, ALPHA)
    back = order_statistics.bounds(-rows, 0.75, ALPHA)
    assert (low[0], high[0]) == pytest.approx((-back[1][0], -back[0][0]))


def test_ends_are_values_where_many_are_ties() -> None:
    counts = np.random.default_rng(2).poisson(3, size=(1, 30)).astype(np.float64)
    assert order_statistics.coarse(np.sort(counts, axis=1))[0]
    assert all(end[0] == round(end[0]) for end in order_statistics.bounds(counts, 0.5, ALPHA))
    assert not order_statistics.coarse(np.arange(30.0)[np.newaxis, :])[0]


def test_quantiles_of_pairs_that_are_the_same_are_apart_by_what_others_can_move_them() -> None:
    """By hand: of 100 pairs none is higher, so that at 2.5 % no more than 1 - 0.025^(1/100), 3.6 %, are."""
    values = np.arange(1000.0, 1100.0)[np.newaxis, :]
    below, above = order_statistics.apart(values, values, 0.75, 0.025)
    assert above[0] == pytest.approx(1.001 * (1000 + 99 * 0.7862) - 1074.25, abs=0.01)
    assert below[0] == pytest.approx(0.999 * (1000 + 99 * 0.7138) - 1074.25, abs=0.01)
    moved = values.copy()
    moved[0, 0] *= 3
    assert np.isfinite(order_statistics.apart(moved, values, 0.75, 0.025)).all()
    assert order_statistics.apart(moved, values, 0.75, 0.025)[1][0] > above[0]
    moved[0, 1] *= 3
    assert np.isinf(order_statistics.apart(moved, values, 0.75, 0.025)).all()
    assert order_statistics.apart(values, values, 0.99, 0.025)[1][0] == np.inf
