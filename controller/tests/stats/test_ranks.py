from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from windlull.stats.ranks import COUNTED_VALUES, doubled_ranks, holm, mann_whitney

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL = st.integers(-3, 3)
"""Few different values: ties and zeros everywhere."""


def array(values: Sequence[float]) -> np.typing.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def test_ranks_are_doubled_and_equal_values_share_the_mean() -> None:
    assert list(doubled_ranks(array([5, 1, 5, 9]))) == [5, 2, 5, 8]


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


@given(st.lists(SMALL, min_size=1, max_size=5), st.lists(SMALL, min_size=1, max_size=5))
def test_the_other_way_round_everything_turns_round(left: list[int], right: list[int]) -> None:
    there, back = mann_whitney(array(left), array(right)), mann_whitney(array(right), array(left))
    assert there.effect == pytest.approx(-back.effect)
    assert there.above == pytest.approx(back.below)


def test_nothing_but_ties_tells_nothing() -> None:
    zeros = array([0] * 6)
    assert (mann_whitney(zeros, zeros).above, mann_whitney(zeros, zeros).below) == (1, 1)


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


def test_weights_share_the_error_out() -> None:
    """By hand, of 1 and 0.25: 0.03 * 1.25 for the first; once it is shown the other has all."""
    assert holm([0.03, 0.04], [1, 0.25]) == pytest.approx([0.0375, 0.04])
    assert holm([0.03, 0.004], [1, 0.25]) == pytest.approx([0.03, 0.02])
    assert holm([0.01, 0.04, 0.03], [2, 2, 2]) == pytest.approx(holm([0.01, 0.04, 0.03]))


def test_values_with_other_ties_have_another_distribution() -> None:
    """What is counted out once is kept for the same ranks only."""
    for left, right in (([1.0, 2, 3], [4.0, 5, 6]), ([1.0, 2, 2], [2.0, 5, 6]), ([1.0, 2, 3], [4.0, 5, 6])):
        found = mann_whitney(np.array(left), np.array(right))
        assert found.below == pytest.approx(1 / 20 if len({*left, *right}) == 6 else 3 / 20)
