"""A number with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.stats import special
from windlull.stats.proportions import exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL = 0.95
"""How often an interval is meant to have the true value."""

TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
"""The quantiles between which what was drawn again lies as often."""

RESAMPLES = 400


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and from where to where it may be; an end that nothing bounds is `None`."""

    value: float
    low: float | None
    high: float | None


def proportion(hits: int, of: int) -> Estimate:
    """Return a probability with its exact interval (Clopper and Pearson 1934)."""
    low, high = exact(hits, of, LEVEL)
    return Estimate(hits / of if of else 0.0, low, high)


def mean_wait(events: int, over_s: float) -> Estimate:
    """Return the mean time between events of a Poisson process with its exact interval (Garwood 1936)."""
    tail = (1 - LEVEL) / 2
    most = float(special.gammaincinv(events + 1, 1 - tail))
    least = float(special.gammaincinv(events, tail)) if events else 0.0
    return Estimate(over_s / events if events else float("inf"), over_s / most, over_s / least if least > 0 else None)


def lowest(values: Floats) -> Estimate:
    """Return what no value can be below, by the two smallest: the truncation point of Robson and Whitlock 1964."""
    if len(values) < 2:
        return Estimate(float(values.min()), None, float(values.min()))
    first, second = np.partition(values, 1)[:2]
    return Estimate(float(first), max(float(first - (second - first) * LEVEL / (1 - LEVEL)), 0.0), float(first))


def ratio(upper: Floats, lower: Floats, seed: int) -> Estimate:
    """Return the ratio of two sums with its interval by a bootstrap over the pairs."""
    value = float(upper.sum() / lower.sum())
    random = np.random.default_rng(seed)
    chosen = random.integers(0, len(upper), size=(RESAMPLES, len(upper)))
    drawn = upper[chosen].sum(axis=1) / np.maximum(lower[chosen].sum(axis=1), 1e-12)
    low, high = np.quantile(drawn, TAILS)
    return Estimate(value, float(low), float(high))


def spread(values: Floats, count: int) -> Floats:
    """Return so many quantiles, evenly spaced, that stand for the values."""
    quantiles: Floats = np.quantile(values, (np.arange(count) + 0.5) / count)
    return quantiles
