"""What a search prints: what was tried in a line, then a table of what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from windlull.metrics import significant
from windlull.runner.messages import SIMULATED
from windlull.search.outcome import MATTERS

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from windlull.search.plan import Search
    from windlull.search.results import Reported, Result
    from windlull.search.steady import Steadiness


def print_result(out: Console, search: Search, result: Result, directory: Path) -> None:
    """Print a row for each kind of failure, the worst first, then where its files are."""
    aim = search.aim
    about = f"{aim.metric.name} of {aim.variant}" + (f", {aim.by} to {aim.baseline}" if aim.baseline else "")
    out.print()
    out.print(
        Text.assemble((search.experiment, "bold"), f": worst {about}, {len(result.explored.trials) - 1:,} links tried")
    )
    base = aim.badness(result.explored.base.outcome)
    out.print(Text(f"on the base link {'-' if base is None else significant(aim.shown(base))}", style="dim"))
    if not result.found:
        out.print(Text(_nothing(search)))
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text(""), justify="right", no_wrap=True)
    table.add_column(Text("what the link does"), overflow="fold")
    table.add_column(Text("value"), justify="right", no_wrap=True)
    table.add_column(Text("fails again"), no_wrap=True)
    table.add_column(Text("95 % interval"), no_wrap=True, style="dim")
    table.add_column(Text("wrong decisions"), overflow="fold")
    for place, one in enumerate(result.found, 1):
        table.add_row(*(Text(cell) for cell in _row(search, place, one)))
    out.print(table)
    if not search.random:
        out.print(Text("nothing is random on these links: one run of each tells all", style="dim"))
    for place, one in enumerate(result.found, 1):
        out.print()
        out.print(Text(f"{place}: {one.sentence}"), soft_wrap=True)
        out.print(Text(f"   fails if {one.finding.failing.text}", style="dim"), soft_wrap=True)
        steady = one.finding.steady
        if steady is not None and steady.answer != "high":
            out.print(Text(f"   {_doubt(steady)}", style="dim"), soft_wrap=True)
        where = "" if search.testbed == SIMULATED else f" --testbed {search.testbed}"
        again = f"windlull run {directory / one.files.experiment}{where}"
        out.print(Text(f"   {again}", style="dim"), soft_wrap=True)
        if one.files.no_script:
            out.print(Text(f"   no script for packetdrill: {one.files.no_script}", style="dim"), soft_wrap=True)


def _nothing(search: Search) -> str:
    if search.request.rule is not None:
        return "none of them breaks the rule"
    than = "the base link" if search.aim.baseline is None else f"{search.aim.baseline}, and than the base link,"
    return f"on none of them {search.aim.variant} does worse than {than} by more than {MATTERS:.0%}"


def _doubt(steady: Steadiness) -> str:
    return f"failed on {steady.hits} of {steady.runs} other seeds: it is not shown to fail on more than 95 % of them"


def _row(search: Search, place: int, one: Reported) -> tuple[str, ...]:
    finding, confirmed = one.finding, one.finding.confirmed
    low, high = confirmed.interval
    return (
        str(place),
        finding.candidate.words(),
        significant(search.aim.shown(finding.badness)),
        f"{confirmed.hits} of {len(confirmed.fails)}" if search.random else "-",
        f"{100 * low:.0f} % to {100 * high:.0f} %" if search.random else "-",
        ", ".join(finding.kind.wrong) or "-",
    )
