"""Bootstrap intervals, the same for the same seed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from windlull.runner.messages import Number

Floats = npt.NDArray[np.float64]

RESAMPLES = 2000
_BLOCK = 1 << 20
"""How many drawn numbers are held at a time."""


def generator(seed: int, name: str) -> np.random.Generator:
    """Return the random generator called `name` under the experiment's seed."""
    digest = hashlib.sha256(seed.to_bytes(8, "little") + name.encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def ratio_interval(
    left: Sequence[Number],
    right: Sequence[Number],
    statistic: Callable[[Floats], Floats],
    random: np.random.Generator,
) -> tuple[float, float] | None:
    """Return the 95 % percentile interval of `statistic(left) / statistic(right)` over resamples of the pairs.

    `left[i]` and `right[i]` met the same link (the same repetition), so pairs are drawn, not values. `statistic` maps
    an array of shape (resamples, n) to one number per row. None if there are fewer than two pairs, or if a resample has
    a right side of 0: then the ratio has no interval.
    """
    count = len(left)
    if count < 2:
        return None
    both = np.array([left, right], dtype=np.float64)
    ratios: list[Floats] = []
    rows = max(1, min(RESAMPLES, _BLOCK // count))
    for start in range(0, RESAMPLES, rows):
        drawn = random.integers(count, size=(min(rows, RESAMPLES - start), count))
        below = statistic(both[1][drawn])
        if np.any(below == 0):
            return None
        ratios.append(statistic(both[0][drawn]) / below)
    low, high = np.quantile(np.concatenate(ratios), (0.025, 0.975))
    return float(low), float(high)


def interval(
    values: Sequence[Number], statistic: Callable[[Floats], Floats], random: np.random.Generator
) -> tuple[float, float] | None:
    """Return the 95 % percentile interval of `statistic(values)` over resamples; None of fewer than two values."""
    count = len(values)
    if count < 2:
        return None
    all_ = np.array(values, dtype=np.float64)
    rows = max(1, min(RESAMPLES, _BLOCK // count))
    found = [
        statistic(all_[random.integers(count, size=(min(rows, RESAMPLES - start), count))])
        for start in range(0, RESAMPLES, rows)
    ]
    low, high = np.quantile(np.concatenate(found), (0.025, 0.975))
    return float(low), float(high)
