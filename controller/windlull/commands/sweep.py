"""`windlull sweep`: an experiment at every point of a grid of parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlull import locate, signals
from windlull.commands.run_options import run_options
from windlull.commands.workers import worker_options
from windlull.errors import ExitCode
from windlull.reports.terminal import console
from windlull.runner import directory
from windlull.sweep.file import SweepFile, read
from windlull.sweep.grid import Grid, axis

if TYPE_CHECKING:
    from windlull.commands.workers import Workers
    from windlull.runner.options import RunOptions

_FILE = click.Path(path_type=Path)


@click.command("sweep")
@click.argument("experiment")
@click.option("--grid", "grid", multiple=True, metavar="KEY=VALUES",
              help="A key and its values: 'link.both.rate=28.8 kbit/s,64 kbit/s', 'tcp.initial_window=1..10', "
                   "'link=gprs,edge'. Give it once for each key.")  # fmt: skip
@click.option(
    "--out",
    type=_FILE,
    help="Where parts and results go; an unfinished sweep there is continued.  [default: out/EXPERIMENT-sweep]",
)
@click.option("--json", "json_file", type=_FILE, help="Also write the medians of every metric to this file.")
@run_options("repetitions", "seed")
@worker_options
def command(
    experiment: str,
    grid: tuple[str, ...],
    out: Path | None,
    json_file: Path | None,
    options: RunOptions,
    workers: Workers,
) -> ExitCode:
    """Run EXPERIMENT at every point of a grid, simulated, and write a row a run to OUT/results.parquet.

    EXPERIMENT is a name of `windlull list experiments`, an experiment's .toml file, or a sweep's own: a .toml file with
    `experiment` and a table `[grid]`. If it was interrupted or killed, the same command continues it.
    """
    written = read(Path(experiment)) if experiment.endswith(".toml") else None
    asked = written or SweepFile(experiment, None, None, ())
    axes = (*asked.axes, *(axis(option) for option in grid))
    # Columns and clusters take a while to load, and no other command needs them.
    from windlull.experiments.place import Place  # noqa: PLC0415
    from windlull.experiments.swept import Swept  # noqa: PLC0415
    from windlull.sweep.directory import Target  # noqa: PLC0415
    from windlull.sweep.plan import Request  # noqa: PLC0415
    from windlull.sweep.run import make  # noqa: PLC0415

    request = Request(
        asked.experiment,
        Grid(axes),
        asked.repetitions if options.repetitions is None else options.repetitions,
        asked.seed if options.seed is None else options.seed,
    )
    if out is None:
        own = directory.default_directory(experiment, locate.profiles(), Path())
        # Beside that of `windlull run`: neither replaces what the other has written.
        out = own.with_name(f"{own.name}-sweep")
    target = Target(out, json_file, workers.jobs, workers.cluster)
    with signals.as_interrupt():
        made = make(request, target)
        if made.results is None:
            console(to_stderr=True).print(
                f"interrupted; {made.finished:,} of {made.sweep.runs:,} runs are in {out}; the same command goes on",
                soft_wrap=True,
            )
            return ExitCode.INTERRUPTED
        Swept(made.sweep, made.results, Place(out)).print(console())
    return ExitCode.OK
