"""`windlull worker`: this machine's engine at the service of a Dask cluster."""

from __future__ import annotations

import click

from windlull.commands.options import INSECURE_CLUSTER, Scheduler, cluster_address
from windlull.runner.engine import made_of


@click.command("worker")
@click.argument("address", type=Scheduler())
@click.option("--live", is_flag=True, help="Also make runs in real time, on an otherwise idle machine.")
@INSECURE_CLUSTER
def command(address: str, live: bool, insecure_cluster: bool) -> None:  # noqa: FBT001 - click passes options by name
    """Work for the Dask scheduler at ADDRESS, as tls://HOST:8786, until Ctrl-C.

    One process does one run at a time: start as many as the machine has cores, and for runs in real time one alone. It
    makes runs in kernels of their own if one was built here. It needs an engine of the same commit as that which
    planned the runs.
    """
    cluster_address(address, insecure=insecure_cluster)
    # Dask takes a while to load, and no other command needs it.
    from windlull.runner import cluster, engine  # noqa: PLC0415
    from windlull.runner.messages import SIMULATED, VIRTUAL  # noqa: PLC0415

    said = engine.version()
    click.echo(f"engine {said.get('version', '?')}, {made_of(said.get('commit'))}", err=True)
    testbeds = [name for name in (SIMULATED, *cluster.live_here()) if live or name in VIRTUAL]
    cluster.serve(address, testbeds, say=lambda words: click.echo(words, err=True))
