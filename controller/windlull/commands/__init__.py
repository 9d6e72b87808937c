"""The subcommands of `windlull`: each is the `command` of the file of its name, loaded when it is asked for."""

from __future__ import annotations

import gc
from importlib import import_module
from typing import Final

import click

NAMES: Final = (
    "analyze",
    "calibrate",
    "capsule",
    "check",
    "compare",
    "diff",
    "doctor",
    "explain",
    "export",
    "gate",
    "kernel",
    "learn",
    "link",
    "list",
    "papers",
    "plan",
    "run",
    "search",
    "serve",
    "shell",
    "show",
    "stacks",
    "store",
    "sweep",
    "worker",
)


class Subcommands(click.Group):
    """A command with these subcommands; none waits until what only another needs is loaded."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click asks
        """Return their names."""
        return [*NAMES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as click asks
        """Load one; `None` if there is none of this name."""
        if cmd_name not in NAMES:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        # What is loaded stays for good: the collector need not look through it, least of all when the process ends.
        gc.freeze()
        return command
