"""`python -m windlull.search DIRECTORY`: a search that a service was asked for, in a process of its own.

DIRECTORY/
  request.json   what was asked for
  bundle.json    the experiment with all its files
  space.toml     what may vary, if that was said
  out/           the search's own directory: what was tried, and what was found
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--jobs", type=click.IntRange(min=1), help="How many workers of our own.")
@click.option("--cluster", help="The address of a Dask scheduler.  [default: workers of our own]")
@click.option("--lifeline", is_flag=True, help="End when standard input ends.")
def main(directory: Path, jobs: int | None, cluster: str | None, lifeline: bool) -> None:  # noqa: FBT001 - click's way
    """Search until it is done or interrupted; the exit code says which, standard error why."""
    # Here and not above: worker processes import this module again, and need nothing of it.
    from windlull import lifeline as parent  # noqa: PLC0415
    from windlull.errors import ExitCode, WindlullError  # noqa: PLC0415
    from windlull.search import job  # noqa: PLC0415

    if lifeline:
        parent.watch(lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        code = job.run(directory, jobs=jobs, cluster=cluster)
    except KeyboardInterrupt:
        raise SystemExit(ExitCode.INTERRUPTED) from None
    except WindlullError as error:
        click.echo(str(error), err=True)
        raise SystemExit(error.exit_code) from error
    raise SystemExit(code)


if __name__ == "__main__":
    # It ends at once until there is something to tidy up. A KeyboardInterrupt may get lost while modules are loaded,
    # and click makes another exit code of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    main()
