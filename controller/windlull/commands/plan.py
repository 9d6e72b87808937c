"""`windlull plan`: how many runs an experiment has, and what they are likely to need, before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from windlull import locate
from windlull.commands import structured
from windlull.commands.run_options import run_options
from windlull.errors import ExitCode
from windlull.reports import needs
from windlull.runner import plans
from windlull.runner.limits import limits

if TYPE_CHECKING:
    from windlull.runner.options import RunOptions


@click.command("plan")
@click.argument("experiment")
@run_options("repetitions", "testbed")
@click.option("--json", "as_json", is_flag=True, help="Print the estimate as JSON.")
def command(experiment: str, options: RunOptions, as_json: bool) -> ExitCode:  # noqa: FBT001 - click passes options by name
    """Show how many runs EXPERIMENT has, and estimate their packets, disk and time; nothing runs."""
    planned = plans.plan(experiment, options, profiles=[locate.profiles()], brief=True)
    estimate = planned.estimate and planned.estimate.within(limits(None))
    if as_json:
        structured.write({"runs": planned.count, "estimate": estimate})
    else:
        click.echo("\n".join(needs.lines(planned.count, estimate)))
    return ExitCode.OK
