"""`windlull stacks`: transports from elsewhere, as QUIC's, for variants of `stack = "transport"`."""

from __future__ import annotations

from pathlib import Path

import click
from rich import box
from rich.table import Table
from rich.text import Text

from windlull import locate, stacks
from windlull.errors import BadInputError, FailureError
from windlull.reports import terminal


@click.group("stacks")
def command() -> None:
    """Build and list transports from elsewhere, as QUIC's; variants of `stack = "transport"` run them."""


@command.command("build")
@click.argument("names", nargs=-1, required=True, metavar="STACK...")
@click.option("--version", metavar="V", help="Another version of the stack's package than the pinned one.")
@click.option("--path", "checkout", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="CHECKOUT",
              help="A checkout of the stack, instead of a published version.")  # fmt: skip
@click.option("--name", metavar="NAME", help="What such a build is called, as NAME in the variant quinn@NAME.  "
              "[default: the version, or the checkout's directory]")  # fmt: skip
def _build(names: tuple[str, ...], version: str | None, checkout: Path | None, name: str | None) -> None:
    """Build engines with these stacks in them, as an ordinary user. It takes some minutes the first time."""
    instead = None
    if version is not None or checkout is not None:
        if version is not None and checkout is not None:
            raise BadInputError("--version and --path exclude each other; give one of the two")
        instead = stacks.Instead(version, checkout, name)
    elif name is not None:
        raise BadInputError("--name goes with --version or --path; the pinned version is called as the stack is")
    for stack in names:
        engine = stacks.build(locate.stack_sources(), stack, locate.stacks(), instead)
        click.echo(f"{engine.parent.name}: {engine}")


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
    try:
        adapters = stacks.adapters(locate.stack_sources())
    except FailureError:
        # What is installed without the repository builds none; it may have some all the same, as the appliance.
        if not found:
            raise
        return
    left = sorted({*adapters} - {stack.name for stack in found})
    if left:
        click.echo(f"not built: {', '.join(left)}; `windlull stacks build NAME` builds one")
