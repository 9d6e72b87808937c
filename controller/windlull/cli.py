"""The `windlull` command: its subcommand's options in, a sentence and an exit code out."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from windlull import about
from windlull.commands import Subcommands, failures, structured
from windlull.errors import ExitCode, WindlullError


def main() -> NoReturn:
    """Run the command and leave with one of the documented exit codes."""
    leave_by(group)


def leave_by(command: click.Command) -> NoReturn:
    """Run a program of ours and leave with one of the documented exit codes."""
    try:
        code = command.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        # A command may have another for a wrong option than the usual one.
        code = error.exit_code if isinstance(error, click.UsageError) else ExitCode.BAD_INPUT
    except WindlullError as error:
        failures.say(error)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone, as in `windlull list links | head -1`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = ExitCode.FAILURE
    except OSError as error:
        click.echo(f"error: {error}", err=True)
        code = ExitCode.FAILURE
    sys.exit(code or ExitCode.OK)


@click.group(name="windlull", cls=Subcommands, invoke_without_command=True, no_args_is_help=True,
             context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})  # fmt: skip
@click.option("--version", is_flag=True, help="Say which Windlull this is: versions and commits of command and engine, "
              "profiles, Python, libraries.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="With --version: as JSON.")
@click.pass_context
def group(context: click.Context, version: bool, as_json: bool) -> None:  # noqa: FBT001 - click passes options by name
    """Windlull: how TCP recovers on links that misbehave.

    Exit codes: 0 done, 1 failure, 2 bad input, 130 interrupted.
    After a failure or an interrupt the finished runs can be read.
    """
    if version:
        _say_version(context, as_json=as_json)
    if as_json:
        raise click.UsageError("--json needs --version, or a command that has it before it")
    if context.invoked_subcommand is None:
        raise click.UsageError("Missing command.")


def _say_version(context: click.Context, *, as_json: bool) -> NoReturn:
    known = about.collect()
    if as_json:
        structured.write(known)
    else:
        click.echo("\n".join(about.lines(known)))
    for why in about.missing(known):
        click.echo(f"error: {why}", err=True)
    context.exit(ExitCode.FAILURE if about.missing(known) else ExitCode.OK)
