"""`windlull plan`: how many runs an experiment has, and what they are likely to need, before anything runs."""

from __future__ import annotations

import click
import msgspec

from windlull import locate
from windlull.errors import ExitCode
from windlull.reports import needs
from windlull.runner import plans
from windlull.runner.limits import limits
from windlull.runner.messages import SIMULATED, TESTBEDS


@click.command("plan")
@click.argument("experiment")
@click.option("--reps", type=click.IntRange(1, 100_000), help="Repetitions instead of the experiment's own number.")
@click.option(
    "--testbed", type=click.Choice(TESTBEDS), default=SIMULATED, show_default=True, help="Where it would run."
)
@click.option("--json", "as_json", is_flag=True, help="Print the estimate as JSON.")
def command(experiment: str, reps: int | None, testbed: str, as_json: bool) -> ExitCode:  # noqa: FBT001 - click passes options by name
    """Say how many runs EXPERIMENT has, and estimate packets, disk and time of all of them; nothing runs."""
    planned = plans.plan(experiment, profiles=[locate.profiles()], reps=reps, testbed=testbed, brief=True)
    estimate = planned.estimate and planned.estimate.within(limits(None))
    if as_json:
        told = {"runs": planned.count, "estimate": estimate}
        click.echo(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
    else:
        click.echo("\n".join(needs.lines(planned.count, estimate)))
    return ExitCode.OK
