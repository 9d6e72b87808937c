"""Options that more than one subcommand has: where a service keeps what it keeps, and how much of it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from windlull.errors import BadInputError


class Size(click.ParamType[int]):
    """A number of bytes, as 500M or 20G (powers of 1024)."""

    name = "SIZE"

    _UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}  # noqa: RUF012 - never changed

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it. Fails as click's types do."""
        text = str(value).strip().upper().removesuffix("IB").removesuffix("B")
        number, unit = text.rstrip("KMGT"), text.lstrip("0123456789")
        if not number.isdecimal() or unit not in self._UNITS:
            self.fail(f"{value!r} is not a size; write a number followed by K, M, G or T, such as 20G", param, ctx)
        return int(number) * self._UNITS[unit]


class Scheduler(click.ParamType[str]):
    """The address of a Dask scheduler."""

    name = "ADDRESS"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read it. Fails as click's types do."""
        if not re.fullmatch(r"(tcp|tls)://([^\s:/]+|\[[0-9a-fA-F:.%]+\]):[0-9]{1,5}/?", str(value)):
            self.fail(f"{value!r} is not the address of a Dask scheduler, such as tls://HOST:8786", param, ctx)
        return str(value)


INSECURE_CLUSTER = click.option(
    "--insecure-cluster",
    is_flag=True,
    envvar="WINDLULL_INSECURE_CLUSTER",
    help="Speak to a cluster without TLS: whoever reaches its scheduler can run anything on all its machines.",
)


def cluster_address(address: str | None, *, insecure: bool) -> str | None:
    """Return the address of a cluster. Raises BadInputError for one without TLS, unless that was asked for."""
    if address is not None and not address.startswith("tls://") and not insecure:
        raise BadInputError(
            f"{address}: whoever reaches a Dask scheduler without TLS can run anything on all its machines; give "
            f"tls://HOST:PORT, with the certificates that Dask's configuration names, or --insecure-cluster where "
            f"only machines that you trust reach it"
        )
    return address


def default_data() -> Path:
    """Return the place that the XDG base directories give to a program's data."""
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "windlull"


DATA = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="WINDLULL_DATA",
    default=default_data,
    help="The data directory.  [default: WINDLULL_DATA, else ~/.local/share/windlull]",
)
DATABASE = click.option(
    "--database",
    metavar="URL",
    envvar="WINDLULL_DATABASE",
    help="The database, as postgresql://USER@HOST/NAME. Better in the variable WINDLULL_DATABASE: others cannot read a "
    "password there.  [default: SQLite in the data directory]",
)
RETAIN = click.option(
    "--retain",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Remove the files of results that are older; their numbers stay.  [default: none]",
)
QUOTA = click.option(
    "--quota",
    type=Size(),
    help="Remove files of the oldest results while all have more bytes than this, as 20G.  [default: none]",
)

EMULATOR = click.option(
    "--emulator",
    "url",
    metavar="URL",
    envvar="WINDLULL_EMULATOR",
    default="http://127.0.0.1:7411",
    show_default=True,
    help="Where the emulator serves HTTP. WINDLULL_EMULATOR says the same.",
)
