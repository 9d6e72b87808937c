"""What a sweep found, cell by cell: the median of each metric, and how sure it is.

A cell is one variant on one link at one point. It is read from the results, a point at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from windlull.stats.quantities import ALPHA, MEDIAN, Floats
from windlull.stats.questions import of_one

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric over the runs of a cell. `interval` is that of the median, 95 %; None of fewer than six runs."""

    median: float
    interval: tuple[float, float] | None
    mean: float
    q1: float
    q3: float
    min: float
    max: float
    runs: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One variant on one link at one point. `runs` ended in order and make the estimates, `unfinished` did not."""

    point: int
    variant: str
    link: str
    runs: int
    unfinished: int
    metrics: Mapping[str, Estimate]


def cells(results: Path, metrics: Sequence[str]) -> Iterator[Cell]:
    """Yield the cells in the order of points; at a point, links and variants in the experiment's order.

    A metric that no run of a cell has is left out there.
    """
    with pq.ParquetFile(results) as file:
        columns = ["point", "variant", "link", "unfinished", *metrics]
        for point, table in _by_point(file.iter_batches(batch_size=1 << 16, columns=columns)):
            links, variants = (table.column(name).unique().to_pylist() for name in ("link", "variant"))
            for link in map(str, links):
                for variant in map(str, variants):
                    here = (pc.field("link") == link) & (pc.field("variant") == variant)
                    yield _cell(point, variant, link, table.filter(here), metrics)


def _by_point(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.Table]]:
    """Yield each point with all its rows; rows stand in the order of points."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        points = batch.column("point").to_numpy()
        start = 0
        while start < len(points):
            if waiting and waiting[0].column("point")[0].as_py() != points[start]:
                yield waiting[0].column("point")[0].as_py(), pa.Table.from_batches(waiting)
                waiting = []
            end = int(np.searchsorted(points, points[start], side="right"))
            waiting.append(batch.slice(start, end - start))
            start = end
    if waiting:
        yield waiting[0].column("point")[0].as_py(), pa.Table.from_batches(waiting)


def _cell(point: int, variant: str, link: str, rows: pa.Table, metrics: Sequence[str]) -> Cell:
    ended = rows.filter(pc.is_null(rows.column("unfinished")))
    values = {name: ended.column(name).drop_null().to_numpy().astype(np.float64) for name in metrics}
    estimates = {name: estimate(found) for name, found in values.items() if len(found)}
    return Cell(point, variant, link, ended.num_rows, rows.num_rows - ended.num_rows, estimates)


def estimate(values: Floats) -> Estimate:
    """Sum up at least one value; quantiles interpolate linearly between neighbours in order."""
    ordered = np.sort(values)
    q1, median, q3 = (float(quantile) for quantile in np.quantile(ordered, (0.25, 0.5, 0.75)))
    return Estimate(
        median, median_interval(ordered), float(np.mean(ordered)), q1, q3, float(ordered[0]), float(ordered[-1]),
        len(ordered),
    )  # fmt: skip


def median_interval(ordered: Floats) -> tuple[float, float] | None:
    """Return the 95 % interval of the median of these values; None of fewer than six, which have none."""
    interval = of_one(ordered, MEDIAN, ALPHA).interval
    # An end between two values is rounded, and may be the last digit beyond them.
    return None if interval is None else (max(interval[0], float(ordered[0])), min(interval[1], float(ordered[-1])))
