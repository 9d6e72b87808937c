"""The statistics that a comparison or a rule can be about."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ALPHA = 0.025
"""The error at each end of an interval of 95 %."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A statistic: the quantile of the share `quantile`, or the mean where that is None."""

    name: str
    quantile: float | None

    def of(self, rows: Floats) -> Floats:
        """Return the statistic of each row of an array of shape (rows, n); quantiles interpolate linearly."""
        if self.quantile is None:
            return np.asarray(np.mean(rows, axis=1))
        return np.asarray(np.quantile(rows, self.quantile, axis=1))

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


MEDIAN = Quantity("median", 0.5)
MEAN = Quantity("mean", None)
FEWEST = MEDIAN.fewest(ALPHA)
"""Runs, or pairs, that a 95 % interval of a median takes. All n values lie on one side of the true median with a
probability of 2 * (1/2)^n: with five that is 6 %, so that not even their whole range is one; with six it is 3 %."""

NAMED = {one.name: one for one in (MEDIAN, MEAN, Quantity("q1", 0.25), Quantity("q3", 0.75))}


def quantity(name: str) -> Quantity:
    """Return the statistic called `name`: median, mean, q1, q3, or a percentile from p1 to p99.

    p50 is the median. Raises ValueError that says what there is.
    """
    if name in NAMED:
        return NAMED[name]
    if re.fullmatch(r"p[1-9][0-9]?", name):
        return Quantity(name, int(name[1:]) / 100)
    if name in {"min", "max"}:
        raise ValueError(f"{name} is no statistic to decide by: the next run may go beyond it, however many there are")
    raise ValueError(f"there is no statistic {name!r}: it is median, mean, q1, q3, or a percentile as p90")
