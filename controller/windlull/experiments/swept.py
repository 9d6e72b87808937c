"""A sweep's results: a row a run, and the median of each variant at each point."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from windlull.errors import BadInputError
from windlull.experiments.frames import frame_of
from windlull.metrics import METRICS
from windlull.reports import terminal
from windlull.sweep import values
from windlull.sweep.grid import Axis
from windlull.sweep.run import make
from windlull.sweep.summary import cells
from windlull.sweep.terminal import print_summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from rich.console import Console

    from windlull.experiments.place import Place
    from windlull.sweep.directory import Target
    from windlull.sweep.plan import Request, Sweep


@dataclass(frozen=True, slots=True)
class Swept:
    """The results of a sweep. `results` is a Parquet file; a temporary one goes with this object."""

    sweep: Sweep
    results: Path
    _place: Place

    @property
    def points(self) -> int:
        """How many points the grid has."""
        return len(self.sweep.points)

    @property
    def text(self) -> str:
        """What `windlull sweep` prints: the medians of every variant at every point."""
        return terminal.text_of(self.print)

    def print(self, out: Console) -> None:
        """Print it, and where the results are."""
        print_summary(out, self.sweep, self.results)
        if self._place.named:
            out.print()
            out.print(f"results: {self.results}", soft_wrap=True)

    def table(self) -> pa.Table:
        """Return a row a run: `point`, `grid.KEY` for each key, variant, link, repetition, seed, every metric, ..."""
        return pq.read_table(self.results)

    def frame(self) -> pd.DataFrame:
        """Return the same as a data frame of pandas. Raises FailureError without pandas."""
        return frame_of(self.table())

    def medians(self, metrics: Sequence[str] = tuple(METRICS)) -> pa.Table:
        """Return a row for each metric of each variant, link and point: its median, the 95 % interval, mean, quartiles.

        Runs that did not end in order are left out. The interval is null of fewer than six runs.
        """
        rows = [
            {
                **{f"grid.{setting.key}": setting.value.text for setting in self.sweep.grid.settings(cell.point)},
                "point": cell.point, "variant": cell.variant, "link": cell.link, "metric": name, "runs": of.runs,
                "median": of.median, "low": of.interval and of.interval[0], "high": of.interval and of.interval[1],
                "mean": of.mean, "q1": of.q1, "q3": of.q3,
            }
            for cell in cells(self.results, list(metrics))
            for name, of in cell.metrics.items()
        ]  # fmt: skip
        grid = [pa.field(f"grid.{axis.key}", pa.string()) for axis in self.sweep.grid.axes]
        schema = pa.schema([_POINT, *grid, *_MEDIANS])
        return pa.table([pa.array([row[of.name] for row in rows], of.type) for of in schema], schema=schema)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Sweep of {self.sweep.experiment}: {self.points} points, {self.sweep.runs} runs>"


def axes_of(grid: Mapping[str, object]) -> tuple[Axis, ...]:
    """Return the axes that are written as a mapping: a list of values for each key, one value, or a text of several.

    Raises BadInputError, which names the key.
    """
    axes = []
    for key, listed in grid.items():
        try:
            axes.append(Axis(key, _values(listed)))
        except BadInputError as error:
            raise BadInputError(f"grid: {key}: {error}") from error
    return tuple(axes)


def swept(request: Request, target: Target, place: Place, *, quiet: bool) -> Swept:
    """Make a sweep in a place, or go on with it. Raises as `sweep.run.make` does, and KeyboardInterrupt."""
    made = make(request, target, quiet=quiet)
    if made.results is None:
        raise KeyboardInterrupt(f"{made.finished:,} of {made.sweep.runs:,} runs are in {target.out}")
    return Swept(made.sweep, made.results, place)


_POINT: pa.Field[Any] = pa.field("point", pa.uint32())
_MEDIANS: tuple[pa.Field[Any], ...] = (
    *(pa.field(name, pa.string()) for name in ("variant", "link", "metric")),
    pa.field("runs", pa.int64()),
    *(pa.field(name, pa.float64()) for name in ("median", "low", "high", "mean", "q1", "q3")),
)


def _values(listed: object) -> tuple[values.Value, ...]:
    if isinstance(listed, str):
        return values.parse(listed)
    several = isinstance(listed, Iterable) and not isinstance(listed, dict)
    return tuple(values.of_toml(_plain(one)) for one in (listed if several else [listed]))  # type: ignore[attr-defined]


def _plain(value: object) -> object:
    """Return a number of numpy, as of a range that it made, as the Python number that it is."""
    return value.item() if hasattr(value, "item") else value
