"""The sequential test keeps its errors, by simulation, and stops early."""

from __future__ import annotations

import random

import pytest

from windlull.stats.sequential import SequentialTest

TEST = SequentialTest(low=0.95, high=0.99, alpha=0.05, beta=0.05, most=200)
TIMES = 2000


def simulated(share: float) -> tuple[dict[str, float], float]:
    """Return how often each answer comes where the share is this one, and how many tries it takes on average."""
    draw = random.Random(f"sequential/{share}")  # noqa: S311 - it is to be repeated
    counts, tries = {"high": 0, "low": 0, "untold": 0}, 0
    for _ in range(TIMES):
        answer, took = TEST.after([draw.random() < share for _ in range(TEST.most)])
        assert answer is not None
        counts[answer] += 1
        tries += took
    return {answer: count / TIMES for answer, count in counts.items()}, tries / TIMES


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9, 0.95])
def test_what_happens_too_seldom_seldom_passes(share: float) -> None:
    answers, tries = simulated(share)
    # Of 2,000 at most 5 % and three standard errors of it.
    assert answers["high"] <= 0.05 + 3 * (0.05 * 0.95 / TIMES) ** 0.5
    assert tries < TEST.most / 2


@pytest.mark.parametrize("share", [0.99, 0.999, 1.0])
def test_what_nearly_always_happens_passes(share: float) -> None:
    answers, tries = simulated(share)
    assert answers["low"] <= 0.05 + 3 * (0.05 * 0.95 / TIMES) ** 0.5
    # What neither bound is reached for counts as not shown.
    assert answers["high"] > 0.85
    assert tries < 0.6 * TEST.most


def test_the_bounds_are_walds() -> None:
    # log(0.95 / 0.05) / log(0.99 / 0.95) = 71.4 hits without a miss.
    assert TEST.answer(71, 0) is None
    assert TEST.answer(72, 0) == "high"
    # Each miss takes log(0.01 / 0.05) = -1.609; log(0.05 / 0.95) = -2.944 is the bound.
    assert TEST.answer(0, 1) is None
    assert TEST.answer(0, 2) == "low"
    assert TEST.answer(195, 5) == "untold"
    assert TEST.after([False, True, False, True]) == ("low", 3)
    assert TEST.after([True] * 9) == (None, 9)


@pytest.mark.parametrize(
    "changes", [{"low": 0.99}, {"high": 1.0}, {"low": 0.0}, {"alpha": 0.0}, {"beta": 1.0}, {"alpha": 0.6, "beta": 0.5}]
)
def test_what_is_no_test_is_refused(changes: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"it must be 0 < low|together below 1"):
        SequentialTest(**({"low": 0.95, "high": 0.99, "alpha": 0.05, "beta": 0.05, "most": 200} | changes))  # type: ignore[arg-type]
