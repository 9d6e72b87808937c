from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from windlull.stats import trend

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.stats.quantities import Floats

Shape = tuple[str, "Callable[[np.random.Generator, int], Floats]"]

SHAPES: list[Shape] = [
    ("normal", lambda draw, count: draw.normal(10, 0.1, count)),
    ("skewed", lambda draw, count: 1 + draw.exponential(1, count)),
    ("heavy", lambda draw, count: 10 * np.exp(0.3 * draw.standard_t(3, count))),
    ("counts, many of them ties", lambda draw, count: draw.poisson(0.6, count).astype(np.float64)),
    ("a stray in ten", lambda draw, count: np.where(draw.random(count) < 0.1, 12.0, 10.0)),
]
SERIES = 250


def alarms(shape: Callable[[np.random.Generator, int], Floats], count: int) -> float:
    """Return the share of series without a change that have an alarm all the same."""
    draw = np.random.default_rng(count)
    return sum(trend.shows_change(shape(draw, count)) for _ in range(SERIES)) / SERIES


@pytest.mark.parametrize("count", [8, 10, 14, 30])
@pytest.mark.parametrize("shape", [shape for _, shape in SHAPES], ids=[name for name, _ in SHAPES])
def test_where_nothing_changed_there_are_no_more_alarms_than_is_said(
    shape: Callable[[np.random.Generator, int], Floats], count: int
) -> None:
    said = trend.FALSE_ALARMS
    assert alarms(shape, count) <= said + 3 * math.sqrt(said * (1 - said) / SERIES)


def test_of_several_series_together_there_are_no_more_either() -> None:
    draw, said = np.random.default_rng(3), trend.FALSE_ALARMS
    found = [trend.trends([draw.normal(10, 0.1, 12) for _ in range(6)]) for _ in range(SERIES // 2)]
    share = sum(any(one.changes for one in series) for series in found) / len(found)
    assert share <= said + 3 * math.sqrt(said * (1 - said) / len(found))


def test_the_test_itself_can_fail_where_numbers_hang_together() -> None:
    # A random walk is no series of independent numbers: that is what is assumed, and what this bound would catch.
    assert alarms(lambda draw, count: np.cumsum(draw.normal(0, 1, count)), 30) > 0.5


@pytest.mark.parametrize(
    ("count", "at", "deviations", "power"),
    [(8, 4, 5, 0.95), (12, 10, 8, 0.7), (12, 9, 4, 0.9), (20, 10, 2, 0.9), (20, 17, 4, 0.95), (40, 37, 3, 0.9)],
)
def test_a_plain_step_is_found_as_often_as_is_said(count: int, at: int, deviations: float, power: float) -> None:
    draw, found = np.random.default_rng(at), 0
    for _ in range(100):
        row = draw.normal(10, 0.1, count)
        row[at:] += 0.1 * deviations
        found += trend.shows_change(row)
    assert found / 100 >= power


@pytest.mark.parametrize("shape", ["normal", "heavy"])
def test_the_interval_has_the_size_of_the_change(shape: str) -> None:
    draw, size, covered, found = np.random.default_rng(5), 1.5, 0, 0
    scatter = dict(SHAPES)[shape]
    for _ in range(40):
        row = scatter(draw, 20)
        row[12:] *= size
        (one,) = trend.trends([row])
        for change in one.changes[:1]:
            assert change.ratio is not None
            low, high = change.ratio.low or 0.0, change.ratio.high or math.inf
            assert low <= change.ratio.value <= high
            covered, found = covered + (low <= size <= high), found + 1
    assert covered / found >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / found)


def test_a_clean_step_has_its_size_alone_in_the_interval() -> None:
    clean, constant, few, zeros = trend.trends([[10.0] * 6 + [11.2] * 4, [0.1] * 10, [1, 2, 3], [0] * 5 + [3] * 5])
    (change,) = clean.changes
    assert (change.at, change.since, change.until) == (6, 0, 10)
    assert [change.before, change.after] == pytest.approx([10, 11.2])
    assert change.ratio is not None
    assert [change.ratio.low, change.ratio.high] == pytest.approx([1.12, 1.12], rel=1e-4)
    assert (constant.p, constant.changes) == (None, ())
    assert (few.p, few.changes) == (None, ())
    (from_zero,) = zeros.changes
    assert from_zero.ratio is None
    assert from_zero.difference is not None
    assert from_zero.difference.value == 3


def test_there_and_back_are_two_changes() -> None:
    (one,) = trend.trends([[10.0] * 8 + [12.0] * 8 + [10.0] * 8])
    assert [(change.at, change.since, change.until) for change in one.changes] == [(8, 0, 16), (16, 8, 24)]


def test_one_stray_is_no_change() -> None:
    assert trend.trends([[10.0] * 9 + [20.0]])[0].changes == ()
    assert trend.trends([[10.0] * 5 + [20.0] + [10.0] * 5])[0].changes == ()


def test_the_same_numbers_in_other_units_show_the_same() -> None:
    row = np.random.default_rng(2).normal(10, 0.1, 20)
    row[12:] += 0.3
    (one,), (scaled,) = trend.trends([row]), trend.trends([row * 1e9])
    assert (one.p, [change.at for change in one.changes]) == (scaled.p, [change.at for change in scaled.changes])
    assert trend.fewest() == 8


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        trend.trends([[1.0, math.nan]])
    with pytest.raises(ValueError, match="false alarms"):
        trend.trends([], false_alarms=0.7)
