from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from windlull.stats import square_and_add
from windlull.stats.square_and_add import MOST, MOST_EXACT, correlation

ONE = np.ones(1)
NO = np.zeros(1, dtype=bool)


def wilson(met: int, of: int) -> tuple[float, float]:
    z = float(norm.ppf(0.975))
    share = met / of
    middle, wide = share + z * z / (2 * of), z * np.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - wide) / (1 + z * z / of), (middle + wide) / (1 + z * z / of)


@pytest.mark.parametrize(
    ("left", "right", "interval"),
    [((56, 70), (48, 80), (0.0524, 0.3339)), ((9, 10), (3, 10), (0.1705, 0.8090)), ((10, 10), (0, 10), (0.6075, 1.0))],
)
def test_differences_of_shares_are_those_that_newcombe_prints(
    left: tuple[int, int], right: tuple[int, int], interval: tuple[float, float]
) -> None:
    """Newcombe 1998 (Statistics in Medicine 17, 873), table II, method 10."""
    sides = [(np.array([met / of]), tuple(np.array([end]) for end in wilson(met, of))) for met, of in (left, right)]
    (ours, (ours_low, ours_high)), (theirs, (theirs_low, theirs_high)) = sides
    low, high = square_and_add.difference(ours, (ours_low, ours_high), theirs, (theirs_low, theirs_high), 0 * ONE, NO)
    assert (low[0], high[0]) == pytest.approx(interval, abs=6e-5)


def test_what_moves_together_is_nearer_and_what_is_coarse_is_added() -> None:
    """By hand: 3 and 4 to each side; 5 apart, 7 added, and 5 for the root of 9 + 16 - 24 * 0 becomes 1 at +1."""

    def high(together: float, *, coarse: bool = False) -> float:
        of_left, of_right = (7 * ONE, 13 * ONE), (1 * ONE, 9 * ONE)
        ends = square_and_add.difference(10 * ONE, of_left, 5 * ONE, of_right, together * ONE, np.array([coarse]))
        return float(ends[1][0]) - 5

    assert high(0) == pytest.approx(5)
    assert high(1) == pytest.approx(1)
    assert high(-1) == pytest.approx(7)
    assert high(0.5, coarse=True) == pytest.approx(7)


def test_without_an_end_there_is_none_of_the_difference() -> None:
    infinite = (-np.inf * ONE, np.inf * ONE)
    low, high = square_and_add.difference(ONE, infinite, ONE, (0 * ONE, 2 * ONE), 0 * ONE, NO)
    assert (low[0], high[0]) == (-np.inf, np.inf)


def test_pairs_move_together_as_far_as_they_have_a_part_in_common() -> None:
    random = np.random.default_rng(1)
    common, own = random.normal(size=(200, 400)), random.normal(size=(2, 200, 400))
    apart, half, same = (
        float(correlation(part * common + own[0], part * common + own[1], 0.75, 1.0).mean()) for part in (0, 1, 10)
    )
    assert apart == pytest.approx(0, abs=0.02)
    assert 0.25 < half < 0.5
    assert same > 0.9
    assert correlation(common, common, 0.75, 1.0).min() == pytest.approx(1)
    assert correlation(common, -common, 0.5, 1.0).max() == pytest.approx(-1)


def test_no_more_is_believed_than_keeps_the_intervals_right() -> None:
    rows = np.random.default_rng(2).normal(size=(3, 50))
    assert set(correlation(rows, rows, 0.9, MOST)) == {MOST}
    assert set(correlation(rows, rows, 0.9, MOST_EXACT)) == {MOST_EXACT}


def test_values_that_are_all_the_same_do_not_move() -> None:
    assert correlation(np.ones((1, 9)), np.arange(9.0)[np.newaxis, :], 0.5, 1.0)[0] == 0


def test_it_is_a_matter_of_ranks_alone_and_equal_values_share_theirs() -> None:
    random = np.random.default_rng(3)
    left, right = random.integers(0, 9, size=(2, 4, 30)).astype(np.float64)
    mixed = random.permutation(30)
    there = correlation(left, right, 0.75, 1.0)
    assert correlation(np.exp(left), right**3, 0.75, 1.0) == pytest.approx(there)
    assert correlation(left[:, mixed], right[:, mixed], 0.75, 1.0) == pytest.approx(there)


def test_the_smallest_error_at_which_something_is_shown_is_found() -> None:
    assert square_and_add.p_value(lambda alpha: alpha >= 0.0321, 1e-12) == pytest.approx(0.0321, rel=1e-9)
    assert square_and_add.p_value(lambda _: True, 1e-12) == 1e-12
    assert square_and_add.p_value(lambda _: False, 1e-12) == 1
