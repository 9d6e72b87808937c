"""`windlull store`: look after a data directory."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from windlull.commands import options
from windlull.errors import ExitCode, FailureError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from windlull.store.database import Database
    from windlull.store.home import Home


@click.group("store")
def command() -> None:
    """Look after the data directory of a service."""


@command.command("check")
@options.DATA
@options.DATABASE
@click.option("--thorough", is_flag=True, help="Read every file as well, and compare it with its hash.")
def _check(data: Path, database: str | None, thorough: bool) -> ExitCode:  # noqa: FBT001 - click passes by name
    """Say whether database and files agree, and what does not. Nothing is changed.

    Exit codes: 0 if all is well, 1 if something is wrong.
    """
    from windlull.store import consistency  # noqa: PLC0415 - no other command needs a database

    with opened(data, database) as (home, there):
        faults = consistency.faults(there, home.blobs, thorough=thorough)
    for fault in faults:
        click.echo(fault)
    if not faults:
        click.echo(f"{home.path}: all is well")
    return ExitCode.FAILURE if faults else ExitCode.OK


@command.command("prune")
@options.DATA
@options.DATABASE
@options.RETAIN
@options.QUOTA
def _prune(data: Path, database: str | None, retain: float | None, quota: int | None) -> None:
    """Remove files of old results as --retain and --quota say, and files that nothing names.

    Numbers stay, and so do the files of pinned batches. A service that runs does it by itself, every minute.
    """
    from windlull.store import retention  # noqa: PLC0415 - as above

    rules = retention.Rules(None if retain is None else timedelta(days=retain), quota)
    with opened(data, database) as (home, there):
        pruned = retention.prune(there, home.blobs, rules, now=datetime.now(UTC))
        pruned += retention.sweep(there, home.blobs)
    click.echo(
        f"removed the files of {pruned.results:,} results: {pruned.blobs:,} files, {pruned.freed_bytes / 1e6:.1f} MB; "
        f"{pruned.events:,} events, {pruned.answers:,} answers"
    )


@command.command("restore")
@options.DATA
@options.DATABASE
@click.option("--step", metavar="STEP", help="Of which step, as 0002.  [default: the last copy]")
def _restore(data: Path, database: str | None, step: str | None) -> None:
    """Restore the database to what it was before an update, to go back to the previous version.

    The service must not run. Later changes are lost; the copy stays.
    """
    from windlull.store import copies  # noqa: PLC0415 - as above

    home = _home(data, database)
    with home.lock():
        restored = copies.restore(database or home.database_url, step)
    click.echo(f"the database is as it was at step {restored}; the next start of this version updates it again")


@contextmanager
def opened(data: Path, url: str | None) -> Iterator[tuple[Home, Database]]:
    """Open an existing data directory; never create one. Raises FailureError if it is no data directory."""
    from windlull.store.database import Database  # noqa: PLC0415
    from windlull.store.migrate import require_newest  # noqa: PLC0415

    home = _home(data, url)
    database = Database(url or home.database_url, connections=1)
    try:
        require_newest(database)
        yield home, database
    finally:
        database.dispose()


def _home(data: Path, url: str | None) -> Home:
    from windlull.store.home import Home  # noqa: PLC0415

    if not data.is_dir() or (url is None and not (data / "windlull.sqlite").exists()):
        raise FailureError(f"{data} is not a data directory: `windlull serve` makes one")
    return Home(data)
