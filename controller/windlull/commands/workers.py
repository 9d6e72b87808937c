"""Who makes the runs of a sweep or a search, as options: workers of this machine, or a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from windlull.commands.options import INSECURE_CLUSTER, Scheduler, cluster_address
from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Callable

_JOBS = click.option("--jobs", type=click.IntRange(min=1), help="Workers on this machine.  [default: one a core]")
_CLUSTER = click.option(
    "--cluster",
    type=Scheduler(),
    help="Work on the Dask cluster at this address, as tls://HOST:8786, not on this machine.",
)


@dataclass(frozen=True, slots=True)
class Workers:
    """So many of this machine, or those of the cluster at an address."""

    jobs: int | None
    cluster: str | None


def worker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --jobs, --cluster and --insecure-cluster; it gets them as one argument, `workers`.

    It is not called with both kinds of workers, or with a cluster without TLS that was not asked for: BadInputError.
    """

    @wraps(command)
    def gathered(jobs: int | None, cluster: str | None, *, insecure_cluster: bool, **given: Any) -> Any:  # noqa: ANN401 - as the command
        if jobs is not None and cluster is not None:
            raise BadInputError("--jobs counts workers on this machine; with --cluster the cluster's own do the work")
        return command(workers=Workers(jobs, cluster_address(cluster, insecure=insecure_cluster)), **given)

    return _JOBS(_CLUSTER(INSECURE_CLUSTER(gathered)))
