"""`windlull list`: what there is."""

from __future__ import annotations

import click

from windlull import about
from windlull.reports import library, terminal
from windlull.runner import engine


@click.command("list")
@click.argument("kind", type=click.Choice(about.KINDS))
def command(kind: str) -> None:
    """List what there is: name, title, source."""
    library.print_list(terminal.console(), engine.ask(["list", kind]))
