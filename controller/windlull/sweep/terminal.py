"""What a sweep prints: a table of medians, a row a cell; and the same for programs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from windlull.metrics import METRICS, metric, number
from windlull.reports import files
from windlull.sweep.summary import cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

    from windlull.sweep.plan import Sweep
    from windlull.sweep.summary import Cell

ROWS = 60
"""How many cells the terminal shows."""

_LONG = 10
"""Letters of a heading from which on it is broken into lines."""

_SHOWN = {
    "elapsed_s": "time, s",
    "retransmissions": "retransm.",
    "spurious_timeouts": "spurious\ntimeouts",
}


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the table: its heading, and what stands in it for a cell."""

    heading: str
    text: Callable[[Cell], str]
    options: Mapping[str, Any]


_NAME: dict[str, Any] = {"overflow": "fold"}
"""A name may be long, and its end is what tells it from others."""
_NUMBER: dict[str, Any] = {"justify": "right", "no_wrap": True}


def print_summary(out: Console, sweep: Sweep, results: Path) -> None:
    """Print the medians of the first cells, and the interval of the first metric."""
    first = list(islice(cells(results, list(_SHOWN)), ROWS + 1))
    shown = first[:ROWS]
    columns = list(_columns(sweep, shown))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(Text(column.heading), vertical="bottom", **column.options)
    for cell in shown:
        table.add_row(*(Text(column.text(cell)) for column in columns))
    out.print()
    out.print(Text.assemble((sweep.experiment, "bold"), f", medians of {sweep.runs:,} runs at {_points(sweep)}"))
    out.print(table)
    if any(cell.unfinished for cell in shown):
        out.print(Text("unfinished: did not end in order, by the time limit for one; in no median", style="dim"))
    if len(first) > ROWS:
        out.print(Text(f"the first {ROWS} rows; results.parquet has every run, --json every median", style="dim"))


def _columns(sweep: Sweep, shown: Sequence[Cell]) -> Iterator[_Column]:
    """Yield the grid's columns, those of link and variant where the grid has none, counts, and metrics."""
    keys = [axis.key for axis in sweep.grid.axes]
    for place, heading in enumerate(_headings(keys)):
        yield _Column(heading, partial(_coordinate, sweep, place), _NAME)
    if "link" not in keys and len({cell.link for cell in shown}) > 1:
        yield _Column("link", lambda cell: cell.link, _NAME)
    if "variant" not in keys:
        yield _Column("variant", lambda cell: cell.variant, {"no_wrap": True})
    yield _Column("runs", lambda cell: str(cell.runs), _NUMBER)
    if any(cell.unfinished for cell in shown):
        yield _Column("unfin-\nished", lambda cell: str(cell.unfinished), _NUMBER)
    for place, (name, heading) in enumerate(_SHOWN.items()):
        yield _Column(heading, partial(_median, name), _NUMBER)
        if place == 0:
            yield _Column("95 % interval", partial(_interval, name), {"no_wrap": True, "style": "dim"})


def _coordinate(sweep: Sweep, place: int, cell: Cell) -> str:
    return sweep.grid.settings(cell.point)[place].value.text


def _median(name: str, cell: Cell) -> str:
    found = cell.metrics.get(name)
    return number(found.median, metric(name).digits) if found else "-"


def _interval(name: str, cell: Cell) -> str:
    found = cell.metrics.get(name)
    if found is None or found.interval is None:
        return "-"
    return " to ".join(number(end, metric(name).digits) for end in found.interval)


def write_json(path: Path, sweep: Sweep, results: Path) -> None:
    """Write every cell with all its metrics: whole or not at all, and never all of it in memory."""
    head = {
        "experiment": sweep.experiment,
        "seed": sweep.seed,
        "version": sweep.engine.version,
        "commit": sweep.engine.commit,
        "points": len(sweep.points),
        "runs": sweep.runs,
    }
    with files.writing(path) as stream:
        stream.write(_line(head)[:-1].encode() + b', "cells": [')
        for place, cell in enumerate(cells(results, list(METRICS))):
            stream.write((",\n" if place else "\n").encode() + _line(_json(sweep, cell)).encode())
        stream.write(b"\n]}\n")


def _headings(keys: Sequence[str]) -> list[str]:
    """Return the keys of the grid, shortened to their ends where those differ."""
    ends = [key.rpartition(".")[2] for key in keys]
    short = [end if ends.count(end) == 1 else key for key, end in zip(keys, ends, strict=True)]
    return [word.replace("_", "_\n").replace(".", ".\n") if len(word) > _LONG else word for word in short]


def _points(sweep: Sweep) -> str:
    return f"{len(sweep.points):,} {'point' if len(sweep.points) == 1 else 'points'}"


def _json(sweep: Sweep, cell: Cell) -> dict[str, Any]:
    return {
        "point": cell.point,
        "grid": {setting.key: setting.value.toml for setting in sweep.grid.settings(cell.point)},
        "variant": cell.variant,
        "link": cell.link,
        "runs": cell.runs,
        "unfinished": cell.unfinished,
        "metrics": {name: asdict(found) for name, found in cell.metrics.items()},
    }


def _line(value: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
