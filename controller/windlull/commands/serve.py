"""`windlull serve`: Windlull as a service."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlull.commands import options
from windlull.emulator import Emulator
from windlull.errors import BadInputError

if TYPE_CHECKING:
    from windlull.serve.service import Ready


def _emulator(_context: click.Context, _option: click.Parameter, url: str | None) -> str | None:
    return None if url is None else Emulator(url).url


@click.command("serve")
@options.DATA
@options.DATABASE
@click.option("--host", default="127.0.0.1", show_default=True,
              help="The address to listen on. One that others can reach needs --token-file.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8642, show_default=True, help="0 for any that is free.")
@click.option("--token-file", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="A file with the token that clients must show.  [default: DATA/token, which is made]")  # fmt: skip
@click.option("--no-token", is_flag=True, help="Ask for no token: every user of this machine may use the service.")
@click.option(
    "--https", is_flag=True, help="Clients come through a proxy that speaks HTTPS: send cookies only over it."
)
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes that simulate.  [default: one a core]")
@click.option(
    "--cluster",
    type=options.Scheduler(),
    envvar="WINDLULL_CLUSTER",
    help="Simulate on the Dask cluster at this address, as tls://HOST:8786.  [default: WINDLULL_CLUSTER, else none]",
)
@options.INSECURE_CLUSTER
@click.option("--emulator", metavar="URL", callback=_emulator, envvar="WINDLULL_EMULATOR",
              help="Let clients see and change this emulator's link, such as http://127.0.0.1:7411.")  # fmt: skip
@click.option("--web", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes that answer requests.")
@click.option("--copied", is_flag=True,
              help="A copy of the database exists: do not make one before updating its tables.")  # fmt: skip
@options.RETAIN
@options.QUOTA
def command(
    data: Path,
    database: str | None,
    host: str,
    port: int,
    token_file: Path | None,
    no_token: bool,  # noqa: FBT001 - click passes options by name
    https: bool,  # noqa: FBT001 - click passes options by name
    workers: int | None,
    cluster: str | None,
    insecure_cluster: bool,  # noqa: FBT001
    emulator: str | None,
    web: int,
    copied: bool,  # noqa: FBT001
    retain: float | None,
    quota: int | None,
) -> None:
    """Serve the API and the web page, and run what is queued, until Ctrl-C.

    The address is printed when the service answers, with another one that logs a browser in, once. What happens is
    logged on standard error, as JSON lines unless that is a terminal. WINDLULL_LOG_LEVEL chooses how much: debug, info,
    warning. Variables WINDLULL_MOST_... bound what clients may have; docs/serve.md lists them.
    """
    # The web server and the database take a while to load, and no other command needs them.
    from windlull import bounds, logs  # noqa: PLC0415
    from windlull.serve.service import Service, serve  # noqa: PLC0415
    from windlull.store.access import read_token  # noqa: PLC0415
    from windlull.store.retention import Rules  # noqa: PLC0415

    if no_token and token_file is not None:
        raise BadInputError("--no-token asks for no token, --token-file for the one in a file; give one of the two")
    logs.configure("serve")
    service = Service(
        data=data,
        database=database,
        host=host,
        port=port,
        token=read_token(token_file) if token_file else None,
        no_token=no_token,
        https=https,
        workers=workers,
        cluster=options.cluster_address(cluster, insecure=insecure_cluster),
        emulator=emulator,
        web=web,
        copied=copied,
        bounds=bounds.read(os.environ),
        rules=Rules(age=None if retain is None else timedelta(days=retain), quota_bytes=quota),
    )
    serve(service, _tell)


def _tell(ready: Ready) -> None:
    from windlull.store.access import LOGIN_S  # noqa: PLC0415

    click.echo(f"Windlull is at {ready.url}")
    if ready.login is not None:
        click.echo(f"Log in, once and within {LOGIN_S // 60} minutes: {ready.login}")
        click.echo(f"The token for programs, and for later logins, is in {ready.token_file}")
