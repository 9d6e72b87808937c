"""The summary of an experiment that was run, printed for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from windlull.metrics import metric, number, remarks
from windlull.runner.messages import KERNEL, SIMULATED
from windlull.stats.quantities import FEWEST

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rich.console import Console

    from windlull.contract.engine import Average
    from windlull.runner.messages import Experiment, Failed, Run
    from windlull.stats.claims import Judgement
    from windlull.stats.differences import Difference
    from windlull.stats.summary import Cell

LISTED = 10
"""How many runs that count nowhere are named; the report has all."""

NOT_SEEDED = "live (all but sim): the link's randomness is seeded, the kernel's is not: another run would differ"
IN_VIRTUAL_TIME = (
    "kernel: Linux in virtual time; the link's randomness is seeded and the clock repeats, what the kernel itself "
    "draws at random does not"
)

_STATUS_STYLE = {"reproduced": "green", "not reproduced": "bold red", "cannot be decided": "yellow"}


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the summary table: one of our metrics, and whether the source published it."""

    metric: str
    heading: str


_TIME = _Column("elapsed_s", "time, s")
_GOODPUT = _Column("goodput_bps", "goodput,\nbit/s")
_REQUESTS = (_Column("task_completion_s", "request,\nmean, s"), _Column("task_completion_p95_s", "\n95 %, s"))
_COLUMNS = (
    _TIME,
    _Column("packets_lost", "lost"),
    _Column("retransmissions", "retransm."),
    _Column("unnecessary_retransmissions", "unnecessary"),
    _Column("spurious_timeouts", "timeouts\nspurious"),
    _Column("genuine_timeouts", "\ngenuine"),
)


def print_summary(
    out: Console,
    experiment: Experiment,
    cells: Sequence[Cell],
    differences: Sequence[Difference],
    judgements: Sequence[Judgement],
    *,
    copied: Collection[str] = (),
) -> None:
    """Print a table for each link, then how live and simulated differ, then the claims.

    `copied` are the links on which all repetitions are copies of one run.
    """
    out.print()
    out.print(Text(experiment.title or experiment.name, style="bold"))
    if experiment.title:
        out.print(Text(experiment.name, style="dim"))
    for link in experiment.links:
        here = [cell for cell in cells if cell.link == link.name]
        out.print()
        of = f"{experiment.average}s of {_runs(here)}"
        if link.name in copied:
            of = f"one run: nothing here is random, and its {max(cell.runs for cell in here)} repetitions are copies"
        out.print(Text.assemble((link.title or link.name, "bold"), f", {of}"))
        out.print(_table(experiment, here))
        for variants, remark in _remarks(here, experiment.average):
            out.print(Text.assemble((", ".join(variants), "bold"), f": {remark}", style="yellow"))
    if experiment.published:
        out.print(Text(f"paper: {experiment.published.source}", style="dim"))
    testbeds = {cell.testbed for cell in cells}
    if KERNEL in testbeds:
        out.print(Text(IN_VIRTUAL_TIME, style="dim"))
    if testbeds - {SIMULATED, KERNEL}:
        out.print(Text(NOT_SEEDED, style="dim"))
    shown = [one for one in differences if one.metric == _TIME.metric]
    if shown:
        out.print()
        out.print(_differences(experiment, shown))
    if judgements:
        out.print()
        out.print(Text("Claims", style="bold"))
        several = len({judgement.testbed for judgement in judgements}) > 1
        for judgement in judgements:
            out.print(_claim(judgement, several=several))


def print_left_out(out: Console, runs: Sequence[Run], failed: Sequence[Failed]) -> None:
    """Name the runs that no number above contains, and say why."""
    invalid = [(run.key, "; ".join(run.invalid)) for run in runs if run.invalid is not None]
    for what, named in (
        ("not valid by certificate, excluded above", invalid),
        ("not ended in order, excluded above", [(run.key, run.unfinished) for run in runs if run.unfinished]),
        ("failed", [(run.key, run.reason) for run in failed]),
    ):
        if named:
            out.print()
            out.print(Text(f"{len(named)} {'run' if len(named) == 1 else 'runs'} {what}:", style="yellow"))
            for key, why in named[:LISTED]:
                out.print(Padding(Text.assemble((key, "bold"), f": {why}"), (0, 0, 0, 2)))
            if len(named) > LISTED:
                out.print(Text(f"  and {len(named) - LISTED} more; the report names them all", style="dim"))


def _table(experiment: Experiment, cells: Sequence[Cell]) -> Table:
    columns = _usual(cells)
    columns += _only_published(experiment, besides={column.metric for column in columns})
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text("variant"), no_wrap=True, vertical="bottom")
    digits = {column.metric: _digits(column.metric, cells, experiment.average) for column in columns}
    if any(cell.testbed != SIMULATED for cell in cells):
        _fill_by_testbed(table, experiment, columns, cells, digits)
    else:
        _fill(table, experiment, columns, cells, digits)
    return table


def _usual(cells: Sequence[Cell]) -> list[_Column]:
    """Return the columns that say most.

    Of transfers that all take a set time, how much arrived in it; of requests, how long they took.
    """
    times = {value for cell in cells if _TIME.metric in cell.metrics for value in cell.metrics[_TIME.metric].values}
    set_time = len(times) == 1 and len(cells) > 1 and all(_GOODPUT.metric in cell.metrics for cell in cells)
    goodput = [_GOODPUT] if set_time else []
    requests = [column for column in _REQUESTS if any(column.metric in cell.metrics for cell in cells)]
    return [_TIME, *goodput, *requests, *_COLUMNS[1:]]


def _remarks(cells: Sequence[Cell], average: Average) -> list[tuple[list[str], str]]:
    """Return what is to be said of these cells in words, and of which variants."""
    several = len({cell.testbed for cell in cells}) > 1
    of: dict[str, list[str]] = {}
    for cell in cells:
        values = {name: summary.average(average) for name, summary in cell.metrics.items()}
        for remark in remarks(values):
            of.setdefault(remark, []).append(f"{cell.variant} ({cell.testbed})" if several else cell.variant)
    return [(variants, remark) for remark, variants in of.items()]


def _fill(
    table: Table,
    experiment: Experiment,
    columns: Sequence[_Column],
    cells: Sequence[Cell],
    digits: Mapping[str, int],
) -> None:
    """Add a row for each variant, the paper's number beside ours."""
    for column in columns:
        paper = _is_published(experiment, column.metric)
        heading = f"{column.heading}\nours" if paper else column.heading
        table.add_column(Text(heading), justify="right", no_wrap=True, vertical="bottom")
        if paper:
            table.add_column(Text("\npaper", style="dim"), justify="right", no_wrap=True, style="dim")
    for cell in cells:
        row = [cell.variant]
        for column in columns:
            row.append(_value(cell, column.metric, digits, experiment.average))
            if _is_published(experiment, column.metric):
                row.append(_paper(experiment, cell, column.metric))
        table.add_row(*(Text(text) for text in row))


def _fill_by_testbed(
    table: Table,
    experiment: Experiment,
    columns: Sequence[_Column],
    cells: Sequence[Cell],
    digits: Mapping[str, int],
) -> None:
    """Add a row for each testbed of a variant and one for the paper: what is compared stands below each other."""
    table.add_column(Text("testbed"), no_wrap=True, vertical="bottom")
    table.add_column(Text("runs"), justify="right", no_wrap=True, vertical="bottom")
    for column in columns:
        table.add_column(Text(column.heading), justify="right", no_wrap=True, vertical="bottom")
    for variant in dict.fromkeys(cell.variant for cell in cells):
        of_it = [cell for cell in cells if cell.variant == variant]
        for cell in of_it:
            name = variant if cell is of_it[0] else ""
            values = (_value(cell, column.metric, digits, experiment.average) for column in columns)
            table.add_row(*(Text(text) for text in (name, cell.testbed, str(cell.runs), *values)))
        papers = [_paper(experiment, of_it[0], column.metric) for column in columns]
        if any(paper != "-" for paper in papers):
            table.add_row(*(Text(text, style="dim") for text in ("", "paper", "", *papers)))


def _value(cell: Cell, name: str, digits: Mapping[str, int], average: Average) -> str:
    summary = cell.metrics.get(name)
    return number(summary.average(average), digits[name]) if summary else "-"


def _paper(experiment: Experiment, cell: Cell, name: str) -> str:
    value = experiment.published.value(cell.variant, name, cell.link) if experiment.published else None
    if value is None:
        return "-"
    given = len(f"{value:.12g}".partition(".")[2])
    return number(value, max(given, metric(name).digits))


def _digits(name: str, cells: Sequence[Cell], average: Average) -> int:
    """Return how many decimals a column needs: a count has one in all its rows if one is no whole number.

    Means of few have two, as the papers print them.
    """
    values = [cell.metrics[name].average(average) for cell in cells if name in cell.metrics]
    broken = any(value % 1 != 0 and value < 1000 for value in values)
    few = average == "mean" and all(value < 100 for value in values)
    return metric(name).digits or int(broken) * (2 if few else 1)


def _is_published(experiment: Experiment, name: str) -> bool:
    return experiment.published is not None and any(column.metric == name for column in experiment.published.columns)


def _only_published(experiment: Experiment, besides: Collection[str]) -> list[_Column]:
    """Return columns for metrics that the source published and that are not `besides`."""
    published = experiment.published.columns if experiment.published else ()
    return [_Column(column.metric, column.metric) for column in published if column.metric not in besides]


def _runs(cells: Sequence[Cell]) -> str:
    """Say how many repetitions it is of; after an interrupt the variants may differ."""
    counts = {cell.runs for cell in cells}
    if not counts:
        return "no run"
    low, high = min(counts), max(counts)
    span = str(low) if low == high else f"{low} to {high}"
    return f"{span} {'run' if high == 1 else 'runs'}"


def _differences(experiment: Experiment, differences: Sequence[Difference]) -> Table:
    several = len(experiment.links) > 1
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.title = Text("Live against simulated, median elapsed time", style="bold")
    table.title_justify = "left"
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for one in differences:
        name = f"{one.link}: {one.variant}" if several else one.variant
        percent = "-" if one.percent is None else f"{one.percent:+.1f} %"
        table.add_row(Text(name), Text(percent), Text(significance(one), style="dim"))
    return table


def significance(one: Difference) -> str:
    """Say in words what so many runs can tell of a difference."""
    sure = f", 95 % interval {one.interval[0]:+.1f} to {one.interval[1]:+.1f} %" if one.interval else ""
    pairs = f"{one.pairs} {'pair' if one.pairs == 1 else 'pairs'}"
    match one.telling:
        case "too few":
            return f"{pairs} of runs: too few to tell a difference from chance (it takes {FEWEST})"
        case "equal":
            return f"every one of {pairs} is equal"
        case "differs":
            return f"they differ{sure}"
        case _:
            return f"not told apart{sure}"


def _claim(judgement: Judgement, *, several: bool) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=17, no_wrap=True)
    grid.add_column()
    said = judgement.measured
    if judgement.status == "not reproduced":
        said = f"{said}; it takes: {judgement.criterion}"
    grid.add_row(
        Text(judgement.status, style=_STATUS_STYLE[judgement.status]),
        Text.assemble(judgement.text, f" ({judgement.testbed})" if several else "", "\n", (said, "dim")),
    )
    return grid
