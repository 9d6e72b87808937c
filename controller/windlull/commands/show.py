"""`windlull show`: one link, variant, workload or experiment."""

from __future__ import annotations

import click

from windlull.commands import structured
from windlull.experiments import own_files
from windlull.reports import library, terminal
from windlull.runner import engine


@click.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print the engine's answer as JSON.")
def command(name: str, as_json: bool) -> None:  # noqa: FBT001
    """Show a link, variant, workload or experiment: its file, and what it resolves to."""
    own_files.refuse_others(name)
    shown = engine.ask(["show", name])
    if as_json:
        structured.write(shown)
    else:
        library.print_shown(terminal.console(), shown)
