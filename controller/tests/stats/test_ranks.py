from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from windlull.stats.ranks import COUNTED_PAIRS, COUNTED_VALUES, doubled_ranks, holm, mann_whitney, signed_rank

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL = st.integers(-3, 3)
"""Few different values: ties and zeros everywhere."""


def array(values: Sequence[float]) -> np.typing.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def test_ranks_are_doubled_and_equal_values_share_the_mean() -> None:
    assert list(doubled_ranks(array([5, 1, 5, 9]))) == [5, 2, 5, 8]


def test_all_pairs_one_way_is_one_of_all_signs() -> None:
    """By hand: of the 2^6 ways to give six differences a sign, one has them all positive."""
    found = signed_rank(array([1, 2, 3, 4, 5, 6]))
    assert (found.effect, found.above, found.below) == (1, 1 / 64, 1)
    assert found.either == 2 / 64


def test_a_pair_of_three_by_hand() -> None:
    """Ranks 1, 2, 3 and the signs of -1, 2, 3: sums 5 and 6 are as high, two of eight."""
    found = signed_rank(array([-1, 2, 3]))
    assert found.above == 2 / 8
    assert found.effect == pytest.approx((5 - 1) / 6)


@given(st.lists(SMALL, min_size=1, max_size=9))
def test_signed_ranks_are_counted_as_by_going_through_all_signs(values: list[int]) -> None:
    ranks = np.array(doubled_ranks(np.abs(array(values))))
    moving = [int(rank) for rank, value in zip(ranks, values, strict=True) if value]
    high = sum(int(rank) for rank, value in zip(ranks, values, strict=True) if value > 0)
    sums = [sum(itertools.compress(moving, signs)) for signs in itertools.product((0, 1), repeat=len(moving))]
    found = signed_rank(array(values))
    assert found.above == pytest.approx(sum(one >= high for one in sums) / len(sums))
    assert found.below == pytest.approx(sum(one <= high for one in sums) / len(sums))


@given(st.lists(SMALL, min_size=1, max_size=5), st.lists(SMALL, min_size=1, max_size=5))
def test_two_sides_are_counted_as_by_going_through_all_shares(left: list[int], right: list[int]) -> None:
    ranks = [int(rank) for rank in doubled_ranks(array(left + right))]
    high = sum(ranks[: len(left)])
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, len(left))]
    found = mann_whitney(array(left), array(right))
    assert found.above == pytest.approx(sum(one >= high for one in sums) / len(sums))
    assert found.below == pytest.approx(sum(one <= high for one in sums) / len(sums))


@given(st.lists(SMALL, min_size=1, max_size=9), st.lists(SMALL, min_size=1, max_size=9))
def test_cliffs_delta_is_what_it_is_by_definition(left: list[int], right: list[int]) -> None:
    by_pairs = [int(np.sign(ours - theirs)) for ours in left for theirs in right]
    assert mann_whitney(array(left), array(right)).effect == pytest.approx(sum(by_pairs) / len(by_pairs))


@given(st.lists(SMALL, min_size=1, max_size=9))
def test_the_other_way_round_everything_turns_round(values: list[int]) -> None:
    there, back = signed_rank(array(values)), signed_rank(-array(values))
    assert there.effect == pytest.approx(-back.effect)
    assert there.above == pytest.approx(back.below)


def test_zeros_make_the_effect_small() -> None:
    found = signed_rank(array([0] * 99 + [1]))
    assert 0 < found.effect < 0.03
    assert (found.above, found.below) == (0.5, 1)


def test_nothing_but_zeros_tells_nothing_unless_they_count() -> None:
    zeros = array([0] * 6)
    assert (signed_rank(zeros).above, signed_rank(zeros).below, signed_rank(zeros).effect) == (1, 1, 0)
    assert signed_rank(zeros, ties=-1).below == 1 / 64
    assert signed_rank(zeros, ties=1).above == 1 / 64
    assert mann_whitney(zeros, zeros).either == 1
    # By hand: of the 924 ways to choose six of twelve, one has the lowest six.
    assert mann_whitney(zeros, zeros, ties=-1).below == pytest.approx(1 / 924)


@pytest.mark.parametrize("count", [COUNTED_PAIRS, COUNTED_PAIRS + 1])
def test_many_pairs_agree_with_another_implementation(count: int) -> None:
    values = np.random.default_rng(1).normal(0.1, 1, size=count)
    theirs = stats.wilcoxon(values, alternative="greater", method="approx").pvalue
    assert signed_rank(values).above == pytest.approx(theirs, rel=0.02)


@pytest.mark.parametrize("count", [COUNTED_VALUES // 2, COUNTED_VALUES // 2 + 1])
def test_many_values_agree_with_another_implementation(count: int) -> None:
    random = np.random.default_rng(2)
    left, right = random.normal(0.4, 1, size=count), random.normal(0, 1, size=count)
    theirs = stats.mannwhitneyu(left, right, alternative="greater", method="asymptotic").pvalue
    assert mann_whitney(left, right).above == pytest.approx(theirs, rel=0.03)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holms_correction_is_bonferronis_for_the_smallest_and_keeps_the_order(values: list[float]) -> None:
    adjusted = holm(values)
    for before, after in zip(values, adjusted, strict=True):
        assert before <= after <= 1
    if values:
        assert min(adjusted) == pytest.approx(min(1, len(values) * min(values)))
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [adjusted[index] for index in order] == sorted(adjusted)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
