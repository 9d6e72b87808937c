"""What `windlull diff` prints: where two runs part, in the engine's sentences; or the kinds of partings of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from windlull.metrics import metric, number
from windlull.reports import stories

if TYPE_CHECKING:
    from rich.console import Console

    from windlull.contract.engine import ComparedRun, CostDifference, DifferenceOfRuns, SettingDifference
    from windlull.stats.partings import Partings

_WHOSE = {"both": "", "a": "A", "b": "B"}
_HOW = {
    "octets": "both sent then, and not the same octets",
    "time": "one sent then what the other sent later",
    "one-alone": "one sent then, and the other did not",
}
_ORIGIN = {
    "sender": "The senders part by a decision of their own: both had heard the same.",
    "receiver": "The receivers did otherwise first: the senders had heard other acknowledgements.",
    "link": "The link did otherwise first: the two runs did not meet the same fates.",
    "unknown": "The senders had heard other packets; whether by the link or by the receivers, no fates tell.",
}


def print_difference(out: Console, found: DifferenceOfRuns) -> None:
    """Print both runs, where they part and by which decisions, and what it cost."""
    for name, run in (("A", found.a), ("B", found.b)):
        out.print(Text.assemble((name, "bold"), f"  {title(run)}"))
    for line in about(found):
        out.print(Text(line, style="dim"))
    for note in found.notes:
        out.print(Text.assemble(("note: ", "bold"), note), soft_wrap=True)
    if found.settings:
        out.print()
        out.print(_settings(found.settings))
    out.print()
    parting = found.parting
    for line, style in zip(lead(found), ("bold", ""), strict=False):
        out.print(Text(line, style=style))
    if found.story:
        out.print()
        out.print(_story(found))
    if parting is not None:
        for name, deed in (("A", parting.a), ("B", parting.b)):
            if deed.untold:
                more = f"  and {number(deed.untold, 0)} more changes of window and timer in {name} alone"
                out.print(Text(more, style="dim"))
        out.print()
        out.print(_decisions(found))
    if found.costs:
        out.print()
        out.print(_costs(found.costs))


def print_partings(out: Console, found: Partings) -> None:
    """Print the kinds of partings of a batch, the most frequent first, each with an example."""
    a, b = found.variants
    out.print(Text.assemble(("A", "bold"), f"  {a}\n", ("B", "bold"), f"  {b}"))
    pairs = f"{number(found.pairs, 0)} pair{'' if found.pairs == 1 else 's'} of runs"
    out.print(Text(f"{pairs}; in {number(found.alike, 0)} both senders sent the same all along", style="dim"))
    if not found.kinds:
        return
    table = _table()
    for column in ("pairs", "A", "B", "first otherwise"):
        table.add_column(Text(column), justify="right" if column == "pairs" else "left", no_wrap=True)
    table.add_column(Text("B takes longer, s"), justify="right", no_wrap=True)
    table.add_column(Text("example"))
    for kind in found.kinds:
        one = kind.example
        table.add_row(
            Text(number(kind.count, 0)),
            Text(kind.a),
            Text(kind.b),
            Text("not known" if kind.origin == "unknown" else kind.origin),
            Text("-" if kind.elapsed_s is None else f"{kind.elapsed_s:+,.3f}"),
            Text(f"{one.link}, repetition {one.repetition}, at {number(one.at_ns / 1e9, 3)} s"),
        )
    out.print()
    out.print(table)
    first = found.kinds[0].example
    out.print()
    out.print(Text(f"windlull diff {first.a} {first.b}", style="dim"), soft_wrap=True)


def title(run: ComparedRun) -> str:
    """Return which run it is."""
    of = run.provenance
    kernel = f" {of.kernel}" if of.kernel else ""
    return f"{stories.title(of)}; {of.experiment}, {of.testbed}{kernel}, Windlull {of.version}"


def lead(found: DifferenceOfRuns) -> tuple[str, ...]:
    """Return where two runs part in sentences: when and how, and who did otherwise first."""
    parting = found.parting
    if parting is None:
        return (f"They do not part: both senders sent the same {number(found.sent_alike, 0)} packets.",)
    return f"They part at {number(parting.at_ns / 1e9, 6)} s: {_HOW[parting.how]}.", _ORIGIN[parting.origin]


def about(found: DifferenceOfRuns) -> list[str]:
    """Return how they were compared, in sentences."""
    lines = []
    if found.tolerance_ns:
        lines.append(f"Instants within {number(found.tolerance_ns / 1e6, 3)} ms count as the same.")
    if found.fates.first is not None:
        lines.append("Not on the same fates: the link did otherwise to a packet before they part.")
    elif found.fates.compared is not None:
        lines.append(f"On the same fates: {number(found.fates.compared, 0)} packets until then.")
    return lines


def digits_of(cost: CostDifference) -> int:
    """Return with how many decimals it is written: two runs of one link differ by less than people ask of one."""
    digits = metric(cost.metric).digits
    return digits and digits + 1


def _table(*, header: bool = True) -> Table:
    kind = box.SIMPLE_HEAD if header else box.SIMPLE
    return Table(box=kind, show_header=header, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))


def _story(found: DifferenceOfRuns) -> Table:
    table = _table(header=False)
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for told in found.story:
        table.add_row(Text(f"{number(told.at_ns / 1e9, 6)} s"), Text(_WHOSE[told.of]), Text(told.text))
    return table


def _decisions(found: DifferenceOfRuns) -> Table:
    table = _table()
    for column in ("", "decided", "by the rule"):
        table.add_column(Text(column), overflow="fold")
    if found.parting is not None:
        for name, deed in (("A", found.parting.a), ("B", found.parting.b)):
            table.add_row(Text(name), Text(deed.decision.name), Text(deed.decision.rule or "-"))
    return table


def _settings(settings: tuple[SettingDifference, ...]) -> Table:
    table = _table()
    for column in ("setting", "A", "B"):
        table.add_column(Text(column), overflow="fold")
    for one in settings:
        table.add_row(Text(one.key), Text(one.a or "-"), Text(one.b or "-"))
    return table


def _costs(costs: tuple[CostDifference, ...]) -> Table:
    table = _table()
    table.add_column(Text("in the end"), no_wrap=True)
    for column in ("A", "B", "B - A"):
        table.add_column(Text(column), justify="right", no_wrap=True)
    for cost in costs:
        of, digits = metric(cost.metric), digits_of(cost)
        heading = f"{of.label}, {of.unit}" if digits else of.label
        table.add_row(
            Text(heading),
            Text(number(cost.a, digits)),
            Text(number(cost.b, digits)),
            Text(f"{cost.difference:+,.{digits}f}"),
        )
    return table
