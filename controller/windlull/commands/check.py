"""`windlull check`: whether files are right."""

from __future__ import annotations

import click

from windlull import locate
from windlull.commands import failures
from windlull.errors import BadInputError, EngineError, ExitCode
from windlull.experiments import own_files
from windlull.runner import engine


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def command(files: tuple[str, ...]) -> ExitCode:
    """Check link, variant, workload and experiment files.

    Every file is checked, whatever is wrong with those before it.
    """
    codes = {_check(file) for file in files}
    # A failure comes first: what is wrong with that file is not known yet.
    return next((code for code in (ExitCode.FAILURE, ExitCode.BAD_INPUT) if code in codes), ExitCode.OK)


def _check(file: str) -> ExitCode:
    """Say whether a file is right, or all that is wrong with it. Raises FailureError if the engine cannot be asked."""
    try:
        own_files.refuse_others(file)
        engine.ask(["check", "--stacks", str(locate.stacks()), file])
    except (BadInputError, EngineError) as error:
        failures.say(error)
        return ExitCode(error.exit_code)
    click.echo(f"{file}: ok")
    return ExitCode.OK
