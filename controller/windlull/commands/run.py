"""`windlull run`: an experiment from its file to its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlull import locate
from windlull.commands import failures, scripts
from windlull.commands.run_options import run_options
from windlull.errors import ExitCode
from windlull.experiments import own_files
from windlull.experiments.source import Source
from windlull.reports import summary, terminal
from windlull.reports.unmet import print_unmet
from windlull.runner.directory import default_directory

if TYPE_CHECKING:
    from windlull.run import Outcome
    from windlull.runner.options import RunOptions

_FILE = click.Path(path_type=Path)


@click.command("run")
@click.argument("experiment")
@click.argument("more", nargs=-1, metavar="[SCRIPT.pkt]...")
@click.option("--out", type=_FILE, help="Where runs, results and report go.  [default: out/EXPERIMENT]")
@click.option("--json", "json_file", type=_FILE, help="Also write the results to this file.")
@click.option("--variant", metavar="NAME", help="Of scripts: the TCP to test.  [default: that of the exported run]")
@click.option("--packetdrill", "program", type=_FILE, metavar="PATH",
              help="Of scripts on --testbed kernel: the packetdrill that runs them.")  # fmt: skip
@click.option("--kernel", metavar="NAME", help="Of scripts on --testbed kernel: which kernel.  [default: stock]")
@run_options("repetitions", "seed", "jobs", "captures", "testbed", "variants", "plane", "attempts")
def command(
    experiment: str,
    more: tuple[str, ...],
    out: Path | None,
    json_file: Path | None,
    variant: str | None,
    program: Path | None,
    kernel: str | None,
    options: RunOptions,
) -> ExitCode:
    """Run EXPERIMENT (a name of `windlull list experiments`, or a .toml file), sum it up and write a report.

    Or run scripts of packetdrill (.pkt) and say in TAP whether they hold: against a TCP of ours, or with --testbed
    kernel by your packetdrill in a Linux kernel in virtual time.
    """
    wanted = scripts.Wanted(variant, program, kernel)
    if scripts.is_script(experiment):
        others = [flag for flag, value in (("--out", out), ("--json", json_file)) if value is not None]
        return scripts.run((experiment, *more), wanted, options, others)
    scripts.refuse(more, wanted)
    own_files.refuse_others(experiment)
    options.refuse_misfit()
    target = out or default_directory(experiment, locate.profiles(), Path())
    outcome = Source(experiment).attempt(target, options, json=json_file)
    _print_outcome(outcome, target)
    return outcome.exit_code


def _print_outcome(outcome: Outcome, target: Path) -> None:
    out = terminal.console()
    if outcome.experiment is not None and outcome.runs:
        summary.print_summary(
            out, outcome.experiment, outcome.cells, outcome.differences, outcome.judgements, copied=outcome.copied
        )
        print_unmet(out, target, outcome.runs)
    summary.print_left_out(out, outcome.runs, outcome.failed)
    if outcome.experiment is not None and outcome.runs:
        click.echo()
        if outcome.report:
            click.echo(f"report: {outcome.report}")
    if outcome.error:
        failures.say(outcome.error)
    if outcome.exit_code == ExitCode.INTERRUPTED:
        click.echo("interrupted", err=True)
    finished = len(outcome.runs)
    if outcome.experiment is not None and 0 < finished < outcome.planned:
        click.echo(f"{finished} of {outcome.planned} runs are finished and can be read in {target}", err=True)
