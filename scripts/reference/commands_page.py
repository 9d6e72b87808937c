"""The page of the `windlull` command: what `--help` says, of every subcommand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
from tables import plain, table
from windlull import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDE = 1000
"""Columns: help that is not broken into lines."""

HEAD = """# The `windlull` command

What `windlull --help` and `windlull COMMAND --help` say, made from the command itself. Exit codes of all commands:
0 done, 1 failure, 2 bad input, 130 interrupted; `gate` has [two more](../ci.md#exit-codes).

"""


def page() -> str:
    """The page."""
    group = cli.group
    commands = list(_commands(group, [group.name or ""]))
    overview = table(
        ("command", "what it does"),
        (
            (f"[`{' '.join(path)}`](#{'-'.join(path)})", plain(each.get_short_help_str(WIDE)))
            for path, each in commands[1:]
        ),
    )
    return HEAD + overview + "".join(_section(each, path) for path, each in commands)


def _commands(command: click.Command, path: list[str]) -> Iterator[tuple[list[str], click.Command]]:
    """The command and all below it, in the order of their names."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in sorted(command.list_commands(context)):
            if (each := command.get_command(context, name)) is not None:
                yield from _commands(each, [*path, name])


def _section(command: click.Command, path: list[str]) -> str:
    context = click.Context(command, info_name=" ".join(path), max_content_width=WIDE, terminal_width=WIDE)
    usage = " ".join(command.collect_usage_pieces(context))
    options = [
        (f"`{record[0]}`", plain(record[1]))
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context)) is not None
    ]
    return (
        f"## `{' '.join(path)}`\n\n```text\n{' '.join(path)} {usage}\n```\n\n"
        f"{_help(command.help or '')}\n\n{table(('option', 'meaning'), options)}"
    )


def _help(text: str) -> str:
    r"""The docstring: a paragraph behind `\b` keeps its lines."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        "```text\n" + each.removeprefix("\b\n") + "\n```" if each.startswith("\b") else plain(" ".join(each.split()))
        for each in paragraphs
    )
