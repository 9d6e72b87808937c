"""Marks of axes, by hand."""

from __future__ import annotations

import pytest

from windlull.diagram import axes


@pytest.mark.parametrize(
    ("span", "count", "step"),
    [
        (10, 10, 1),
        (10, 9, 2),
        (10, 5, 2),
        (10, 4, 5),
        (10, 2, 5),
        (10, 1, 10),
        (1e9, 8, 2e8),
        (0.003, 3, 0.001),
        (0, 5, 1),
    ],
)
def test_a_step_is_1_2_or_5_times_a_power_of_ten(span: float, count: int, step: float) -> None:
    assert axes.nice_step(span, count) == pytest.approx(step)


def test_times_are_in_seconds_until_the_step_is_too_fine() -> None:
    seconds = axes.times(0, 4e9, 8)
    assert (seconds.unit, [label for _, label in seconds.marks]) == (
        "s",
        ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0", "3.5", "4.0"],
    )
    assert axes.times(0, 4e6, 2).unit == "s"
    assert axes.times(0, 4e6, 8).unit == "ms"
    assert axes.times(0, 4e3, 8).unit == "µs"
    assert axes.times(0, 4, 8).unit == "ns"


def test_octets_are_in_the_unit_of_the_top() -> None:
    assert [axes.octets(0, top, 5).unit for top in (1999, 2000, 5e6, 5e9)] == ["B", "kB", "MB", "GB"]
    assert axes.octets(1000, 5000, 4).marks == (
        (1000, "1"), (2000, "2"), (3000, "3"), (4000, "4"), (5000, "5"),
    )  # fmt: skip
