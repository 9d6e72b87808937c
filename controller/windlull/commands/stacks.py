"""`windlull stacks`: transports from elsewhere, as QUIC's, for variants of `stack = "transport"`."""

from __future__ import annotations

import click
from rich import box
from rich.table import Table
from rich.text import Text

from windlull import locate, stacks
from windlull.reports import terminal


@click.group("stacks")
def command() -> None:
    """Build and list transports from elsewhere, as QUIC's; variants of `stack = "transport"` run them."""


@command.command("build")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def _build(names: tuple[str, ...]) -> None:
    """Build engines with these stacks in them, as an ordinary user. It takes some minutes the first time."""
    for name in names:
        engine = stacks.build(locate.stack_sources(), name, locate.stacks())
        click.echo(f"{name}: {engine}")


@command.command("list")
def _list() -> None:
    """List the stacks: their versions and options, and those that are not built yet."""
    found = stacks.found(locate.stacks())
    if found:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for heading in ("name", "package", "option", "meaning"):
            table.add_column(Text(heading))
        for stack in found:
            name, version = stack.name, stack.version
            for option, meaning in stack.options.items() or [("", "")]:
                table.add_row(name, version, option, meaning)
                name = version = ""
        terminal.console().print(table)
    left = sorted({*stacks.adapters(locate.stack_sources())} - {stack.name for stack in found})
    if left:
        click.echo(f"not built: {', '.join(left)}; `windlull stacks build NAME` builds one")
