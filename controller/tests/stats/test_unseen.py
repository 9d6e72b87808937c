from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlull.stats import unseen


@pytest.mark.parametrize(("count", "share"), [(1, 0.975), (20, 0.1684), (200, 0.01827), (1000, 0.003682)])
def test_how_frequent_an_event_may_be_that_none_met(count: int, share: float) -> None:
    """By hand: (1 - share)^n is 2.5 %; with 5 % it is about the rule of three."""
    assert unseen.share(count, 0.025) == pytest.approx(share, rel=1e-3)
    assert (1 - unseen.share(count, 0.025)) ** count == pytest.approx(0.025)
    assert unseen.share(1000, 0.05) == pytest.approx(3 / 1000, rel=5e-3)


@given(st.integers(1, 100_000), st.floats(1e-6, 0.5))
def test_so_many_runs_are_needed_as_have_that_share(count: int, alpha: float) -> None:
    assert unseen.runs_for(unseen.share(count, alpha), alpha) == pytest.approx(count, rel=1e-6)


def test_the_usual_run_is_the_greater_of_medians_and_means() -> None:
    left, right = np.array([[1.0, 1.0, 10.0]]), np.array([[3.0, 3.0, 3.0]])
    assert unseen.usual(left, right)[0] == 4
    assert unseen.usual(right)[0] == 3
    assert unseen.usual(0 * left)[0] == 1
    assert unseen.usual(-left)[0] == 4


def test_as_much_is_allowed_for_as_was_seen_or_three_times_the_usual() -> None:
    """By hand: two usual runs on top, unless what was seen reaches farther: 1.6 times of two sides, twice of one."""
    side = np.full((1, 5), 10.0)
    assert unseen.allowance(0 * side, side, side)[0] == 20
    differences = np.array([[0.0, 0.0, 0.0, 0.0, 100.0]])
    assert unseen.allowance(differences, side, side)[0] == pytest.approx(160)
    assert unseen.allowance(differences, side)[0] == pytest.approx(200)
