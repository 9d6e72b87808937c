"""What there is, printed for a person: the links, variants, workloads and experiments, and one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from windlull.reports.indented import readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console


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
