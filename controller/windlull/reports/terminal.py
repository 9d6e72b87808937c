"""What the command prints for a person: tables on standard output, at most 100 columns wide where it can."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from windlull.metrics import metric, number
from windlull.reports.results import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from windlull.runner.messages import Experiment
    from windlull.stats.claims import Judgement
    from windlull.stats.summary import Cell

WIDTH = 100

_STATUS_STYLE = {"reproduced": "green", "not reproduced": "bold red", "cannot be decided": "yellow"}


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the summary table: one of our metrics, and whether the source published it."""

    metric: str
    heading: str


_COLUMNS = (
    _Column("elapsed_s", "time, s"),
    _Column("packets_lost", "lost"),
    _Column("retransmissions", "retransm."),
    _Column("unnecessary_retransmissions", "unnecessary"),
    _Column("spurious_timeouts", "timeouts\nspurious"),
    _Column("genuine_timeouts", "\ngenuine"),
)


def console(*, to_stderr: bool = False) -> Console:
    """Return a console that guesses nothing about the text; rich itself honours NO_COLOR and a missing terminal."""
    stream = sys.stderr if to_stderr else sys.stdout
    made = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not made.is_terminal or made.width > WIDTH:
        made.width = WIDTH
    return made


def print_summary(out: Console, experiment: Experiment, cells: Sequence[Cell], judgements: Sequence[Judgement]) -> None:
    """Print a table for each link, then the claims."""
    out.print()
    out.print(Text(experiment.title or experiment.name, style="bold"))
    if experiment.title:
        out.print(Text(experiment.name, style="dim"))
    for link in experiment.links:
        here = [cell for cell in cells if cell.link == link.name]
        out.print()
        out.print(Text.assemble((link.title or link.name, "bold"), f", medians of {_runs(here)}"))
        out.print(_table(experiment, here))
    if experiment.published:
        out.print(Text(f"paper: {experiment.published.source}", style="dim"))
    if judgements:
        out.print()
        out.print(Text("Claims", style="bold"))
        for judgement in judgements:
            out.print(_claim(judgement))


def print_list(out: Console, entries: Iterable[dict[str, str]]) -> None:
    """Print names, titles and sources: a table at a terminal, tab-separated lines elsewhere."""
    if not out.is_terminal:
        for entry in entries:
            # Past rich, which would turn the tabs into spaces.
            out.file.write("\t".join(entry.get(key) or "" for key in ("name", "title", "source")) + "\n")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("name", no_wrap=True, style="bold")
    table.add_column("title")
    table.add_column("source", style="dim")
    for entry in entries:
        table.add_row(*(Text(entry.get(key) or "") for key in ("name", "title", "source")))
    out.print(table)


def _table(experiment: Experiment, cells: Sequence[Cell]) -> Table:
    columns = [*_COLUMNS, *_only_published(experiment)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text("variant"), no_wrap=True, vertical="bottom")
    for column in columns:
        paper = _is_published(experiment, column.metric)
        heading = f"{column.heading}\nours" if paper else column.heading
        table.add_column(Text(heading), justify="right", no_wrap=True, vertical="bottom")
        if paper:
            table.add_column(Text("\npaper", style="dim"), justify="right", no_wrap=True, style="dim")
    digits = {column.metric: _digits(column.metric, cells) for column in columns}
    for cell in cells:
        row = [cell.variant]
        for column in columns:
            summary = cell.metrics.get(column.metric)
            row.append(number(summary.median, digits[column.metric]) if summary else "-")
            if experiment.published and _is_published(experiment, column.metric):
                value = experiment.published.value(cell.variant, column.metric)
                row.append("-" if value is None else number(value, metric(column.metric).digits))
        table.add_row(*(Text(text) for text in row))
    return table


def _digits(name: str, cells: Sequence[Cell]) -> int:
    """Return how many decimals a column needs: a count has one in all its rows if the median of one is a half."""
    medians = [cell.metrics[name].median for cell in cells if name in cell.metrics]
    return metric(name).digits or int(any(median % 1 == 0.5 and median < 1000 for median in medians))


def _is_published(experiment: Experiment, name: str) -> bool:
    return experiment.published is not None and any(column.metric == name for column in experiment.published.columns)


def _only_published(experiment: Experiment) -> list[_Column]:
    """Return columns for metrics that the source published and the table would not have."""
    usual = {column.metric for column in _COLUMNS}
    published = experiment.published.columns if experiment.published else ()
    return [_Column(column.metric, column.metric) for column in published if column.metric not in usual]


def _runs(cells: Sequence[Cell]) -> str:
    """Say how many repetitions the medians are of; after an interrupt the variants may differ."""
    counts = {cell.runs for cell in cells}
    if not counts:
        return "no run"
    low, high = min(counts), max(counts)
    span = str(low) if low == high else f"{low} to {high}"
    return f"{span} {'run' if high == 1 else 'runs'}"


def _claim(judgement: Judgement) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=17, no_wrap=True)
    grid.add_column()
    said = judgement.measured
    if judgement.status == "not reproduced":
        said = f"{said}; it takes: {judgement.criterion}"
    grid.add_row(
        Text(judgement.status, style=_STATUS_STYLE[judgement.status]),
        Text.assemble(judgement.text, "\n", (said, "dim")),
    )
    return grid


def print_shown(out: Console, shown: dict[str, Any]) -> None:
    """Print what the engine knows of one link, variant, workload or experiment: its file, and what that resolves to."""
    out.print(Text.assemble((f"{shown.get('kind', '')} ", "dim"), (str(shown.get("name", "")), "bold")))
    out.print(Text(str(shown.get("file", "")), style="dim"), soft_wrap=True)
    out.print()
    text = str(shown.get("toml", "")).rstrip("\n")
    out.print(
        Syntax(text, "toml", theme="ansi_dark", background_color="default") if out.is_terminal else Text(text),
        soft_wrap=True,
    )
    if shown.get("resolved") is not None:
        out.print()
        out.print(Text("resolved", style="bold"))
        out.print(Text(readable(shown["resolved"], depth=3).decode().rstrip("\n")), soft_wrap=True)
