"""Bring a database to the tables of this version, by the steps under `migrations/versions/`.

A step is a file of its own, written by hand; once released it is never changed. A test compares what the steps make
with `tables.py` on both databases, so that neither is changed without the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from windlull.errors import FailureError
from windlull.store.database import Database

if TYPE_CHECKING:
    from sqlalchemy import Connection

_STEPS = Path(__file__).parent / "migrations"


def migrate(url: str) -> None:
    """Do the steps that the database has not done. Any number of processes may ask at once; one does it.

    A step that fails leaves the database as it was. Raises UnavailableError, BadInputError for the URL, and
    FailureError if a newer version of Windlull has made the database.
    """
    database = Database(url, connections=1)
    try:
        with database.alone() as connection:
            _upgrade(connection)
    finally:
        database.dispose()


def require_newest(database: Database) -> None:
    """Raise FailureError if the database has not done all the steps, or more of them."""
    with database.reader() as session:
        done = current(session.connection())
    if done != newest():
        raise FailureError(
            f"the database is of another version of Windlull (step {done}; this version knows {newest()}): "
            "`windlull serve` brings an older one up to date"
        )


def current(connection: Connection) -> str | None:
    """Return the last step that the database has done, None if it is empty."""
    return MigrationContext.configure(connection).get_current_revision()


def newest() -> str | None:
    """Return the last step that there is."""
    return ScriptDirectory(str(_STEPS)).get_current_head()


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(_STEPS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise FailureError(
            f"a newer version of Windlull has made this database (step {current(connection)}; "
            f"this version knows {newest()}): install that version, or give another data directory"
        ) from error
