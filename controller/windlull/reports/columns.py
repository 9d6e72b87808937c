"""The columns of runs in Arrow tables: who, which run, every metric, how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from windlull.metrics import METRICS

if TYPE_CHECKING:
    from windlull.metrics import Metric

_CONTINUOUS = {"s", "bit/s"}
"""Units of metrics that are measured. The others are counted, but for what is told in decimals: means and ratios."""


def type_of(metric: Metric) -> pa.DataType:
    """Return the type of a metric's column."""
    return pa.float64() if metric.unit in _CONTINUOUS or metric.digits else pa.int64()


BEFORE_METRICS: tuple[pa.Field[Any], ...] = (
    pa.field("variant", pa.string(), nullable=False),
    pa.field("link", pa.string(), nullable=False),
    pa.field("repetition", pa.uint32(), nullable=False),
    pa.field("seed", pa.uint64(), nullable=False),
)
"""Which run."""

OF_METRICS: tuple[pa.Field[Any], ...] = tuple(pa.field(name, type_of(metric)) for name, metric in METRICS.items())
"""What it measured; null where a run does not have it."""

UNFINISHED: pa.Field[Any] = pa.field("unfinished", pa.string())
"""How the transfer ended, if it did not end in order."""
