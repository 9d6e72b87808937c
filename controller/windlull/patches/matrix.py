"""A suite over several kernels, the oldest first: what each measured, and where one is not as the one before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from windlull.patches.scenarios import Kernels
from windlull.patches.verdicts import judge
from windlull.reports.verdicts import STYLES, bare, heading, method

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console

    from windlull.patches.scenarios import Measured, Played
    from windlull.stats.compare import Comparison
    from windlull.stats.decision import Verdict

_NAMED = {"worse", "better", "differs"}
"""The verdicts that a cell names: beside the others the number stands alone."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a metric of a scenario is on a kernel: its median, None if no run counts; a failure; the kernel's verdict.

    The verdict holds the kernel against the one before it. The first has none, nor has one beside a failure.
    """

    median: float | None
    failed: bool = False
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A metric of a scenario, on each of the kernels."""

    scenario: str
    metric: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The rows, by scenario and metric, and the comparison that their verdicts are of."""

    kernels: tuple[str, ...]
    rows: tuple[Row, ...]
    comparison: Comparison


def matrix(kernels: Sequence[str], measured: Sequence[Measured]) -> Matrix:
    """Hold each kernel against the one before, in all scenarios at once: Holm's correction covers the whole matrix."""
    steps = [Kernels(*pair) for pair in pairwise(kernels)]
    check = judge([_step(one.between(step), step) for step in steps for one in measured])
    verdicts = {(finding.link, finding.metric): finding.verdict for finding in check.comparison.findings}
    rows = [
        Row(name, metric, tuple(_entries(one, (name, metric), medians, kernels, verdicts)))
        for one in measured
        for metric in one.scenario.metrics
        for name, medians in one.medians(metric, kernels).items()
    ]
    order = {name: place for place, name in enumerate(dict.fromkeys(row.scenario for row in rows))}
    rows.sort(key=lambda row: order[row.scenario])
    return Matrix(tuple(kernels), tuple(rows), check.comparison)


def _step(played: Played, step: Kernels) -> Played:
    """Name the matches by the step, too: a scenario has one for each."""
    named = tuple(replace(match, link=_called(step.candidate, match.link)) for match in played.matches)
    return replace(played, matches=named)


def _called(kernel: str, scenario: str) -> str:
    return f"{kernel}: {scenario}"


def _entries(
    of: Measured,
    row: tuple[str, str],
    medians: Sequence[float | None],
    kernels: Sequence[str],
    verdicts: Mapping[tuple[str, str], Verdict],
) -> Iterable[Entry]:
    name, metric = row
    for place, (kernel, median) in enumerate(zip(kernels, medians, strict=True)):
        failed = bool(of.failed[kernel])
        beside = failed or (place > 0 and bool(of.failed[kernels[place - 1]]))
        yield Entry(median, failed, None if beside else verdicts.get((_called(kernel, name), metric)))


def _cell(metric: str, entry: Entry) -> tuple[str, str]:
    """Return what a cell says of a kernel, and its colour."""
    if entry.failed:
        return "failed", STYLES["fail"]
    if entry.median is None:
        return "-", ""
    said = bare(metric, entry.median)
    return (f"{said} {entry.verdict}" if entry.verdict in _NAMED else said), STYLES.get(entry.verdict or "", "")


def print_matrix(out: Console, title: str, of: Matrix) -> None:
    """Print a row for each metric of each scenario, with a column for each kernel."""
    out.print(Text(title, style="bold"))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("scenario", "", *of.kernels):
        table.add_column(Text(column), no_wrap=True)
    before = ""
    for row in of.rows:
        cells = [Text(said, style=style) for said, style in (_cell(row.metric, entry) for entry in row.entries)]
        table.add_row(Text("" if row.scenario == before else row.scenario), Text(heading(row.metric)), *cells)
        before = row.scenario
    out.print(table)
    out.print(Text(method(of.comparison), style="dim"))


def matrix_markdown(title: str, of: Matrix) -> bytes:
    """Return the matrix as a section of Markdown."""
    lines = [f"### {title}", "", "| scenario | | " + " | ".join(of.kernels) + " |"]
    lines.append("|---|---|" + "---|" * len(of.kernels))
    before = ""
    for row in of.rows:
        cells = [_cell(row.metric, entry)[0] for entry in row.entries]
        name = "" if row.scenario == before else row.scenario
        lines.append(f"| {name} | {heading(row.metric)} | " + " | ".join(cells) + " |")
        before = row.scenario
    return "\n".join([*lines, "", method(of.comparison), ""]).encode()
