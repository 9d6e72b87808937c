"""Bring a database to the tables of this version, by the steps under `migrations/versions/`.

A step is a file of its own, written by hand; once released it is never changed. A test compares what the steps make
with `tables.py` on both databases, so that neither is changed without the other.

The database is copied before a step is done to it (`copies.py`), so that the version before can be had again. On both
databases all steps are done, or none.
"""

from __future__ import annotations

from windlull.errors import FailureError
from windlull.store import copies
from windlull.store.database import Database
from windlull.store.steps import current, known, newest, upgrade


def migrate(url: str, *, copied: bool = False) -> None:
    """Do the steps that the database has not done. Any number of processes may ask at once; one does it.

    It is copied before the first of them, unless that was done: `copied`. A step that fails leaves the database as it
    was. Raises UnavailableError, BadInputError for the URL, and FailureError if a newer version of Windlull has made
    the database, or if it cannot be copied.
    """
    database = Database(url, connections=1)
    try:
        with database.alone() as connection:
            done = current(connection)
            before = done if done != newest() and known(done) and not copied else None
            if before is not None:
                copies.make(connection, database.url, before)
            upgrade(connection)
            if before is not None:
                copies.complete(connection, before)
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
