"""`windlull calibrate`: how exact the live testbed is on this machine."""

from __future__ import annotations

import click

from windlull.commands import structured
from windlull.reports import machine, terminal
from windlull.runner import engine


@click.command("calibrate")
@click.option("--plane", type=click.Choice(["model", "netem"]), help="The link plane to measure.  [default: model]")
@click.option("--pace", type=click.Choice(["precise", "frugal"]),
              help="Wait by polling the clock at the end, or by timers alone.  [default: precise]")  # fmt: skip
@click.option("--thorough", is_flag=True, help="Measure for several minutes instead of one.")
@click.option("--json", "as_json", is_flag=True, help="Print the engine's answer as JSON.")
def command(plane: str | None, pace: str | None, thorough: bool, as_json: bool) -> None:  # noqa: FBT001
    """Measure how exact the live testbed is on this machine: delays, rates, losses, and up to what rate.

    Leave the machine alone meanwhile: what else runs on it is measured as well.
    """
    options = [word for option, value in (("--plane", plane), ("--pace", pace)) if value for word in (option, value)]
    answer = engine.ask(["calibrate", *options, *(["--thorough"] if thorough else [])], with_profiles=False)
    if as_json:
        structured.write(answer)
    else:
        machine.print_calibration(terminal.console(), answer)
