"""`windlull sweep`: an experiment at every point of a grid of parameters."""

from __future__ import annotations

from pathlib import Path
from signal import Signals
from typing import TYPE_CHECKING, NoReturn

import click

from windlull import signals
from windlull.commands.options import INSECURE_CLUSTER, Scheduler, cluster_address
from windlull.commands.run_options import run_options
from windlull.errors import BadInputError
from windlull.sweep.file import SweepFile, read
from windlull.sweep.grid import Grid, axis

if TYPE_CHECKING:
    from windlull.errors import ExitCode
    from windlull.runner.options import RunOptions

_FILE = click.Path(path_type=Path)


@click.command("sweep")
@click.argument("experiment")
@click.option("--grid", "grid", multiple=True, metavar="KEY=VALUES",
              help="A key and its values: 'link.both.rate=28.8 kbit/s,64 kbit/s', 'tcp.initial_window=1..10', "
                   "'link=gprs,edge'. Give it once for each key.")  # fmt: skip
@click.option(
    "--out", type=_FILE, required=True, help="Where parts and results go; an unfinished sweep there is continued."
)
@click.option("--json", "json_file", type=_FILE, help="Also write the medians of every metric to this file.")
@run_options("repetitions", "seed")
@click.option("--jobs", type=click.IntRange(min=1), help="Workers on this machine.  [default: one a core]")
@click.option("--cluster", type=Scheduler(),
              help="Work on the Dask cluster at this address, as tls://HOST:8786, not on this machine.")  # fmt: skip
@INSECURE_CLUSTER
def command(
    experiment: str,
    grid: tuple[str, ...],
    out: Path,
    json_file: Path | None,
    options: RunOptions,
    jobs: int | None,
    cluster: str | None,
    insecure_cluster: bool,  # noqa: FBT001
) -> ExitCode:
    """Run EXPERIMENT at every point of a grid, simulated, and write a row a run to OUT/results.parquet.

    EXPERIMENT is a name of `windlull list experiments`, an experiment's .toml file, or a sweep's own: a .toml file with
    `experiment` and a table `[grid]`. If it was interrupted or killed, the same command continues it.
    """
    if jobs is not None and cluster is not None:
        raise BadInputError("--jobs counts workers on this machine; with --cluster the cluster's own do the work")
    written = read(Path(experiment)) if experiment.endswith(".toml") else None
    asked = written or SweepFile(experiment, None, None, ())
    axes = (*asked.axes, *(axis(option) for option in grid))
    # Columns and clusters take a while to load, and no other command needs them.
    from windlull.sweep.plan import Request  # noqa: PLC0415
    from windlull.sweep.run import Target, run  # noqa: PLC0415

    request = Request(
        asked.experiment,
        Grid(axes),
        asked.repetitions if options.repetitions is None else options.repetitions,
        asked.seed if options.seed is None else options.seed,
    )
    with signals.heard(_interrupt, Signals.SIGTERM):
        return run(request, Target(out, json_file, jobs, cluster_address(cluster, insecure=insecure_cluster)))


def _interrupt(_number: Signals) -> NoReturn:
    """Do on SIGTERM what Ctrl-C does."""
    raise KeyboardInterrupt
