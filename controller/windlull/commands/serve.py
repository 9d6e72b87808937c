"""`windlull serve`: Windlull as a service."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import click

from windlull.commands import options
from windlull.emulator import Emulator


def _emulator(_context: click.Context, _option: click.Parameter, url: str | None) -> str | None:
    return None if url is None else Emulator(url).url


@click.command("serve")
@options.DATA
@options.DATABASE
@click.option("--host", default="127.0.0.1", show_default=True,
              help="The address to listen on. One that others can reach needs --token-file.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8642, show_default=True, help="0 for any that is free.")
@click.option("--token-file", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="A file with the token that clients must show.")  # fmt: skip
@click.option("--https", is_flag=True, help="Clients come through a proxy that speaks HTTPS: cookies travel only so.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes that simulate.  [default: one a core]")
@click.option(
    "--cluster",
    type=options.Scheduler(),
    envvar="WINDLULL_CLUSTER",
    help="Simulate on the Dask cluster at this address, as tcp://HOST:8786.  [default: WINDLULL_CLUSTER, else none]",
)
@click.option("--emulator", metavar="URL", callback=_emulator, envvar="WINDLULL_EMULATOR",
              help="Let clients see and change this emulator's link, as http://127.0.0.1:7411.")  # fmt: skip
@click.option("--web", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes that answer requests.")
@options.RETAIN
@options.QUOTA
def command(
    data: Path,
    database: str | None,
    host: str,
    port: int,
    token_file: Path | None,
    https: bool,  # noqa: FBT001 - click passes options by name
    workers: int | None,
    cluster: str | None,
    emulator: str | None,
    web: int,
    retain: float | None,
    quota: int | None,
) -> None:
    """Serve the API and the web page, and run what is queued, until Ctrl-C.

    The address is printed when the service answers; what happens is logged on standard error, as JSON lines unless that
    is a terminal. WINDLULL_LOG_LEVEL chooses how much: debug, info, warning.
    """
    # The web server and the database take a while to load, and no other command needs them.
    from windlull import logs  # noqa: PLC0415
    from windlull.serve.address import read_token  # noqa: PLC0415
    from windlull.serve.service import Service, serve  # noqa: PLC0415
    from windlull.store.retention import Rules  # noqa: PLC0415

    logs.configure("serve")
    service = Service(
        data=data,
        database=database,
        host=host,
        port=port,
        token=read_token(token_file) if token_file else None,
        https=https,
        workers=workers,
        cluster=cluster,
        emulator=emulator,
        web=web,
        rules=Rules(age=None if retain is None else timedelta(days=retain), quota_bytes=quota),
    )
    serve(service, lambda url: click.echo(f"Windlull is at {url}"))
