"""The statistics that a comparison or a rule can be about."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.stats.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class Quantity:
    """A statistic: `of` maps an array of shape (resamples, n) to one number per row.

    `quantile` is which one it is, None for the mean.
    """

    name: str
    quantile: float | None
    of: Callable[[Floats], Floats]

    def value(self, values: Floats) -> float:
        """Return the statistic of these values."""
        return float(self.of(values[np.newaxis, :])[0])

    def fewest(self, alpha: float) -> int:
        """Return how many values it takes before anything can be said with an error of at most `alpha` on each side.

        All n values lie below the quantile q with probability q^n: while that is more than `alpha`, not even the whole
        range of the values bounds it. The mean has no such bound; it is treated as the median.
        """
        outer = 0.5 if self.quantile is None else max(self.quantile, 1 - self.quantile)
        return math.ceil(math.log(alpha) / math.log(outer) - 1e-9)


def quantile(name: str, share: float) -> Quantity:
    """Return the quantile of `share`, which interpolates linearly, as `stats.summary` does."""
    return Quantity(name, share, lambda rows: np.asarray(np.quantile(rows, share, axis=1)))


MEDIAN = Quantity("median", 0.5, lambda rows: np.asarray(np.median(rows, axis=1)))
MEAN = Quantity("mean", None, lambda rows: np.asarray(np.mean(rows, axis=1)))
NAMED = {one.name: one for one in (MEDIAN, MEAN, quantile("q1", 0.25), quantile("q3", 0.75))}


def quantity(name: str) -> Quantity:
    """Return the statistic called `name`: median, mean, q1, q3, or a percentile from p1 to p99.

    Raises ValueError that says what there is.
    """
    if name in NAMED:
        return NAMED[name]
    if re.fullmatch(r"p[1-9][0-9]?", name):
        return quantile(name, int(name[1:]) / 100)
    if name in {"min", "max"}:
        raise ValueError(f"{name} is no statistic to decide by: the next run may go beyond it, however many there are")
    raise ValueError(f"there is no statistic {name!r}: it is median, mean, q1, q3, or a percentile as p90")
