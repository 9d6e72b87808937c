"""The columns of results: which there are, their types, and the rows that runs make.

`results.parquet` has, in this order: `point`; `grid.KEY` for each key of the grid; `variant`, `link`, `repetition`,
`seed`; every metric; `unfinished`. A part has the same without the grid's: its points say them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from windlull.metrics import METRICS
from windlull.reports.columns import BEFORE_METRICS, OF_METRICS, UNFINISHED
from windlull.runner.messages import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.runner.messages import Run
    from windlull.sweep.grid import Axis, Grid

_POINT = pa.field("point", pa.uint32(), nullable=False)
_OF_RUNS: tuple[pa.Field[Any], ...] = (*BEFORE_METRICS, *OF_METRICS, UNFINISHED)

PART = pa.schema([_POINT, *_OF_RUNS])
"""The columns of a part."""


def rows(point: int, runs: Sequence[Run]) -> pa.Table:
    """Return the rows of these runs of one point, in their order; a metric that a run does not have is null.

    Raises ProtocolError for a metric that has no column.
    """
    for name in {name for run in runs for name in run.metrics} - set(METRICS):
        raise ProtocolError(f"the engine measures {name!r}, which has no column; is it of the same version?")
    columns: list[list[Any]] = [
        [point] * len(runs),
        [run.variant for run in runs],
        [run.link for run in runs],
        [run.repetition for run in runs],
        [int(run.seed) for run in runs],
        *([run.metrics.get(name) for run in runs] for name in METRICS),
        [run.unfinished for run in runs],
    ]
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, PART, strict=True)], schema=PART)


class Results:
    """The columns of a sweep's results."""

    def __init__(self, grid: Grid, metadata: dict[bytes | str, bytes | str]) -> None:
        """Take the types of the grid's columns from its values; `metadata` goes into the file."""
        self._grid = grid
        self._values = [_values(axis) for axis in grid.axes]
        of_grid: list[pa.Field[Any]] = [
            pa.field(f"grid.{axis.key}", values.type, nullable=False)
            for axis, values in zip(grid.axes, self._values, strict=True)
        ]
        self.schema = pa.schema([_POINT, *of_grid, *_OF_RUNS], metadata)

    def of_part(self, part: pa.Table) -> pa.Table:
        """Return the rows of a part with the grid's columns."""
        points = part.column("point").to_numpy()
        of_grid = []
        stride = self._grid.count
        for axis, values in zip(self._grid.axes, self._values, strict=True):
            stride //= len(axis.values)
            of_grid.append(values.take(pa.array(points // stride % len(axis.values))))
        columns = part.columns
        return pa.table([columns[0], *of_grid, *columns[1:]], schema=self.schema)


def _values(axis: Axis) -> pa.Array[Any]:
    """Return an axis' values as a column: truth values, whole numbers or numbers if all are, else texts."""
    if all(isinstance(value.toml, bool) for value in axis.values):
        return pa.array([value.toml for value in axis.values], pa.bool_())
    numbers = [value.number for value in axis.values]
    if any(number is None for number in numbers):
        return pa.array([value.text for value in axis.values], pa.string())
    if all(isinstance(number, int) and abs(number) < 1 << 63 for number in numbers):
        return pa.array(numbers, pa.int64())
    if all(isinstance(number, int) and 0 <= number < 1 << 64 for number in numbers):
        return pa.array(numbers, pa.uint64())
    return pa.array(np.array(numbers, dtype=np.float64))
