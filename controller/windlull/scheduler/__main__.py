"""`python -m windlull.scheduler`: the scheduler of one data directory, until SIGTERM or the end of its input."""

from __future__ import annotations

import gc
from pathlib import Path

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--data", type=click.Path(path_type=Path), required=True, help="The data directory.")
@click.option("--database", envvar="WINDLULL_DATABASE", help="Its URL.  [default: SQLite in the data directory]")
@click.option("--cluster", help="The address of a Dask scheduler.  [default: workers of our own]")
@click.option("--workers", type=click.IntRange(min=1), help="How many workers of our own.  [default: one a core]")
@click.option("--lifeline", is_flag=True, help="End when standard input ends.")
def main(data: Path, database: str | None, cluster: str | None, workers: int | None, lifeline: bool) -> None:  # noqa: FBT001
    """Bring the queued runs of a data directory to workers, and write down what comes of them."""
    # Here and not above: worker processes import this module again, and need nothing of it.
    from windlull.contract.prepared import prepare  # noqa: PLC0415
    from windlull.scheduler.service import serve  # noqa: PLC0415

    prepare()
    # What is loaded stays for good: the collector need not look through it, least of all when the process ends.
    gc.freeze()
    raise SystemExit(serve(data, database, cluster, workers, lifeline=lifeline))


if __name__ == "__main__":
    main()
