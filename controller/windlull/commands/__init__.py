"""The subcommands that have a file of their own; `cli.py` adds those of COMMANDS to the `windlull` command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull.commands import (
    capsule,
    compare,
    explain,
    gate,
    kernel,
    learn,
    link,
    papers,
    plan,
    serve,
    store,
    sweep,
    worker,
)

if TYPE_CHECKING:
    import click

COMMANDS: tuple[click.Command, ...] = (
    capsule.command,
    compare.command,
    explain.command,
    gate.command,
    kernel.command,
    learn.command,
    link.command,
    papers.command,
    plan.command,
    serve.command,
    store.command,
    sweep.command,
    worker.command,
)
