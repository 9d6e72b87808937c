from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from windlull.stats.direction import Direction, direction
from windlull.stats.questions import Sides


def of(left: list[float], right: list[float], margin: float = 0.0, *, paired: bool) -> Direction:
    return direction(Sides(np.array(left, float), np.array(right, float), paired).one, margin)


@pytest.mark.parametrize(("higher", "lower", "same"), [(6, 0, 0), (8, 2, 5), (3, 3, 1), (0, 0, 7)])
def test_in_pairs_it_is_the_sign_test_of_those_that_differ(higher: int, lower: int, same: int) -> None:
    found = of([2.0] * higher + [0.5] * lower + [1.0] * same, [1.0] * (higher + lower + same), paired=True)
    moved = higher + lower
    expected = stats.binomtest(higher, moved, 0.5).pvalue if moved else 1.0
    assert found.either[0] == pytest.approx(expected)
    assert found.effect[0] == pytest.approx((higher - lower) / (moved + same))
    assert found.moving[0] == pytest.approx(moved / (moved + same))


def test_without_pairs_it_is_the_rank_test() -> None:
    random = np.random.default_rng(1)
    left, right = list(random.normal(1, 1, 9)), list(random.normal(size=9))
    found = of(left, right, paired=False)
    assert found.higher[0] == pytest.approx(
        stats.mannwhitneyu(left, right, alternative="greater", method="exact").pvalue
    )
    assert found.lower[0] == pytest.approx(stats.mannwhitneyu(left, right, alternative="less", method="exact").pvalue)


@pytest.mark.parametrize("paired", [True, False])
def test_less_than_the_margin_is_no_direction(paired: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    right = [float(value) for value in range(100, 130)] if paired else [100.0] * 30
    just_within, just_beyond = ([factor * value for value in right] for factor in (1.0099, 1.0101))
    assert of(just_within, right, 0.01, paired=paired).higher[0] > 0.4
    assert of(just_beyond, right, 0.01, paired=paired).higher[0] < 1e-6


COUNTS = st.lists(st.integers(0, 3), min_size=6, max_size=10)


@given(COUNTS, st.booleans())
def test_both_sides_turned_round_turn_it_round(values: list[int], paired: bool) -> None:  # noqa: FBT001 - by name
    left, right = [float(value) for value in values], [float(value) for value in reversed(values)]
    there, back = of(left, right, paired=paired), of(right, left, paired=paired)
    assert there.higher[0] == pytest.approx(back.lower[0])
    assert there.effect[0] == pytest.approx(-back.effect[0])
