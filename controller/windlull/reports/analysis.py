"""What `windlull analyze` prints of the engine's analysis of captures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from windlull.metrics import in_order, metric, number

if TYPE_CHECKING:
    from rich.console import Console


def print_analysis(out: Console, answer: dict[str, Any]) -> None:
    """Print the metrics, then what cannot be known from these captures."""
    metrics: dict[str, float | None] = answer.get("metrics", {})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim")
    for name in in_order(set(metrics)):
        what = metric(name)
        value = metrics[name]
        table.add_row(
            Text(what.label),
            Text("not known" if value is None else number(value, what.digits)),
            Text(what.unit),
        )
    out.print(table)
    for note in answer.get("notes", []):
        out.print(Text.assemble(("note: ", "bold"), str(note)))
