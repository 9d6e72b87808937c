"""`windlull kernel`: Linux kernels that run as programs, for `--testbed kernel`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich import box
from rich.table import Table
from rich.text import Text

from windlull import kernels, locate
from windlull.commands import kernel_bisect, kernel_check, kernel_matrix
from windlull.reports import terminal

if TYPE_CHECKING:
    from windlull.errors import ExitCode


@click.group("kernel")
def command() -> None:
    """Build, check and list Linux kernels that run as programs; `--testbed kernel` makes runs in them."""


command.add_command(kernel_check.command)
command.add_command(kernel_bisect.command)
command.add_command(kernel_matrix.command)


@command.command("build")
@click.option("--version", metavar="V", help="A version of Debian's kernel source (6.12.107-1), or a series (6.1), "
              "from the suite that has it.  [default: the pinned one]")  # fmt: skip
@click.option("--source", type=click.Path(path_type=Path, exists=True),
              help="A tree of Linux, or a tar file of one, instead of Debian's.")  # fmt: skip
@click.option("--ref", metavar="REF", help="A commit of that tree, instead of its files as they stand.")
@click.option("--patch", "patches", type=click.Path(path_type=Path, exists=True, dir_okay=False), multiple=True,
              help="A patch to that source; several are applied in order.")  # fmt: skip
@click.option("--name", default=kernels.STOCK, show_default=True,
              help="What the kernel is called, as NAME in the variant linux@NAME.")  # fmt: skip
def _build(version: str | None, source: Path | None, ref: str | None, patches: tuple[Path, ...], name: str) -> ExitCode:
    """Build a kernel with network namespaces, netem, nftables and all of TCP, as an ordinary user.

    It takes some minutes the first time, and half a minute for one more patch. What was built of the same source,
    patches and configuration is not built again.
    """
    options: list[str] = []
    if version is not None:
        options += ["--version", version]
    if source is not None:
        options += ["--source", str(source.absolute())]
    if ref is not None:
        options += ["--ref", ref]
    for patch in patches:
        options += ["--patch", str(patch.absolute())]
    return kernels.build(locate.kernel_builder(), locate.kernels(), name, options)


@command.command("list")
def _list() -> None:
    """List the kernels that were built, and their sources."""
    directory = locate.kernels()
    found = kernels.found(directory)
    if not found:
        click.echo(f"there is no kernel in {directory}; `windlull kernel build` makes one")
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("name", "release", "source", "patches"):
        table.add_column(Text(heading))
    for kernel in found:
        table.add_row(kernel.name, kernel.release, kernel.source, ", ".join(kernel.patches))
    terminal.console().print(table)
    click.echo(f"\nthey lie in {directory}")
