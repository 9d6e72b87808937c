"""`windlull doctor`: what works on this machine."""

from __future__ import annotations

import click

from windlull.commands import structured
from windlull.errors import ExitCode
from windlull.reports import machine, terminal
from windlull.runner import engine


@click.command("doctor")
@click.option("--clean", is_flag=True, help="First remove what killed runs left on the machine.")
@click.option("--json", "as_json", is_flag=True, help="Print the engine's answer as JSON.")
def command(clean: bool, as_json: bool) -> ExitCode:  # noqa: FBT001
    """Say which testbeds and link planes work on this machine, what is missing, and how to get it.

    Exit codes: 0 if sim and a live testbed in real time work (netns, or compose in the appliance); 1 otherwise.
    """
    answer = engine.doctor(*(["--clean"] if clean else []))
    health = machine.read_health(answer)
    if as_json:
        structured.write(answer)
    else:
        machine.print_health(terminal.console(), health, cleaned=clean)
    return ExitCode.OK if health.works else ExitCode.FAILURE
