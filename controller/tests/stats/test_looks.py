from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from windlull.stats.looks import looks


def test_looks_double_and_spend_what_is_allowed() -> None:
    found = looks(10, 80, 0.025)
    assert [look.runs for look in found] == [10, 20, 40, 80]
    # By hand: (1/8)^2, then what (1/4)^2, (1/2)^2 and 1 add to it.
    assert [look.alpha / 0.025 for look in found] == pytest.approx([1 / 64, 3 / 64, 12 / 64, 48 / 64])


@given(st.integers(1, 1000), st.integers(0, 5000))
def test_any_looks_grow_end_at_the_most_and_cost_alpha_in_all(first: int, more: int) -> None:
    found = looks(first, first + more, 0.05)
    counts = [look.runs for look in found]
    assert counts == sorted(set(counts))
    assert counts[-1] == first + more
    assert counts[0] == first or len(counts) == 1
    assert sum(look.alpha for look in found) == pytest.approx(0.05)
    assert all(look.alpha > 0 for look in found)


def test_less_than_the_first_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 5 runs are fewer than the first 10"):
        looks(10, 5, 0.025)


def test_whoever_looks_without_paying_sees_more_than_is_allowed() -> None:
    """The control: 2.5 % at each of six looks is more than twice 2.5 % in all; what is spent here is not."""
    random = np.random.default_rng(1)
    planned = looks(10, 320, 0.025)
    sums = np.cumsum(random.normal(size=(4000, 320)), axis=1)
    z = {look.runs: sums[:, look.runs - 1] / look.runs**0.5 for look in planned}
    naive = np.any([z[look.runs] > 1.96 for look in planned], axis=0).mean()
    paid = np.any([z[look.runs] > -ndtri(look.alpha) for look in planned], axis=0).mean()
    assert naive > 0.05
    assert paid <= 0.025 + 3 * (0.025 * 0.975 / 4000) ** 0.5
