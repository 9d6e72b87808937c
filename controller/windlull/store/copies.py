"""Copies of a database from before an update, and the way back to one.

SQLite's file is copied to a file beside it. PostgreSQL's tables are copied into a schema of the same database, in the
transaction of the update itself: that needs no program of the server's version, which may run in another container, and
the copy is there exactly if the update is.

The way back makes the tables as the steps up to the copy's make them, and fills them from the copy.
"""

from __future__ import annotations

import logging
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from sqlalchemy import MetaData, exc, inspect, text

from windlull.errors import BadInputError, FailureError
from windlull.store import steps
from windlull.store.database import Database, read_url
from windlull.store.tables import Base

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

_SCHEMA = "windlull_of_step_"
_SEQUENCES = "windlull_sequences"
"""The table of a copy that has how far each sequence was."""
_MADE = "windlull_made"
"""The table of a copy that has which tables the update has made."""

_log = logging.getLogger(__name__)


def file_of(file: Path, step: str) -> Path:
    """Return where the copy of a database of SQLite goes that has done its steps up to `step`."""
    return file.with_name(f"{file.name}.of-step-{step}")


def schema_of(step: str) -> str:
    """Return the schema of PostgreSQL that has the copy."""
    return f"{_SCHEMA}{step}"


def make(connection: Connection, url: URL, step: str) -> None:
    """Copy the database as it is, before a step after `step` is done on this connection. Raises FailureError."""
    if connection.dialect.name == "sqlite":
        file = Path(url.database or "")
        _copy_file(file, file_of(file, step))
    else:
        _copy_tables(connection, schema_of(step))


def complete(connection: Connection, step: str) -> None:
    """Note in the copy of `step` which tables the update has made since: they go on the way back."""
    if connection.dialect.name == "sqlite":
        return
    schema = schema_of(step)
    connection.execute(text(f"CREATE TABLE {schema}.{_MADE} (name TEXT)"))
    for name in set(_tables(connection)).difference(inspect(connection).get_table_names(schema=schema)):
        connection.execute(text(f"INSERT INTO {schema}.{_MADE} VALUES (:name)"), {"name": name})  # noqa: S608


def kept(url: str) -> list[str]:
    """Return the steps of which there is a copy, in their order. Raises UnavailableError, BadInputError for the URL."""
    read = read_url(url)
    if read.get_backend_name() == "sqlite":
        file = Path(read.database or "")
        files = [one for one in file.parent.glob(f"{file.name}.of-step-*") if one.is_file()]
        return sorted(one.name.rpartition("-")[2] for one in files)
    database = Database(url, connections=1)
    try:
        with database.alone() as connection:
            return [schema.removeprefix(_SCHEMA) for schema in _schemas(connection)]
    finally:
        database.dispose()


def restore(url: str, step: str | None = None) -> str:
    """Make the database what the copy of `step` has, or the last copy; return its step. The copy stays.

    Nobody else may use the database meanwhile. Raises BadInputError if there is no such copy, UnavailableError, and
    FailureError if it cannot be restored; then the database is as it was.
    """
    there = kept(url)
    wanted = step or (there[-1] if there else None)
    if wanted is None or wanted not in there:
        known = f"there are copies of the steps {', '.join(there)}" if there else "no update of this database made one"
        raise BadInputError(f"there is no copy of step {step}; {known}" if step else f"there is no copy: {known}")
    read = read_url(url)
    if read.get_backend_name() == "sqlite":
        file = Path(read.database or "")
        _restore_file(file, file_of(file, wanted))
        return wanted
    database = Database(url, connections=1)
    try:
        with database.alone() as connection:
            _restore_tables(connection, wanted)
    finally:
        database.dispose()
    return wanted


def _copy_file(file: Path, copy: Path) -> None:
    """Copy the database as it was kept last; the copy has its name when it is whole."""
    draft = copy.with_name(f".{copy.name}.part")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(0o600)
        kept_last = f"{file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(kept_last, uri=True)) as source, closing(sqlite3.connect(draft)) as target:
            source.backup(target)
        draft.replace(copy)
    except (OSError, sqlite3.Error) as error:
        draft.unlink(missing_ok=True)
        raise FailureError(
            f"the database is of an older version of Windlull, and cannot be copied to {copy} before it is brought up "
            f"to date: {error}; nothing was changed"
        ) from error
    _log.info("copied the database", extra={"to": str(copy)})


def _restore_file(file: Path, copy: Path) -> None:
    draft = file.with_name(f".{file.name}.part")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(0o600)
        shutil.copyfile(copy, draft)
        for beside in ("-wal", "-shm"):
            file.with_name(f"{file.name}{beside}").unlink(missing_ok=True)
        draft.replace(file)
    except OSError as error:
        raise FailureError(f"cannot restore {copy} to {file}: {error.strerror or error}") from error


def _copy_tables(connection: Connection, schema: str) -> None:
    """Copy all tables of ours into a schema, in the connection's transaction."""
    try:
        connection.execute(text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))
        connection.execute(text(f"CREATE SCHEMA {schema}"))
        for name in _tables(connection):
            connection.execute(text(f"CREATE TABLE {schema}.{name} AS TABLE {name}"))
        connection.execute(
            text(
                f"CREATE TABLE {schema}.{_SEQUENCES} AS "  # noqa: S608 - a name of ours
                "SELECT sequencename AS name, last_value AS value FROM pg_sequences WHERE schemaname = current_schema()"
            )
        )
    except exc.DBAPIError as error:
        if not isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
            raise
        raise FailureError(
            f"the database is of an older version of Windlull, and its user may not copy it to the schema {schema} "
            "before it is brought up to date; nothing was changed. Let it: GRANT CREATE ON DATABASE ... TO ...; or "
            "make a copy with pg_dump, and start once with --copied"
        ) from error
    _log.info("copied the database", extra={"to": f"schema {schema}"})


def _restore_tables(connection: Connection, step: str) -> None:
    schema = schema_of(step)
    copied = set(inspect(connection).get_table_names(schema=schema))
    ours = {*Base.metadata.tables, *copied, *_made(connection)}
    for name in ours.intersection(_tables(connection)):
        connection.execute(text(f"DROP TABLE {name} CASCADE"))
    steps.upgrade(connection, step)
    made = MetaData()
    made.reflect(connection)
    # In the order in which rows name each other.
    for table in made.sorted_tables:
        if table.name in copied and table.name != "alembic_version":
            columns = ", ".join(f'"{column.name}"' for column in table.columns)
            connection.execute(
                text(f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM {schema}.{table.name}")  # noqa: S608
            )
    connection.execute(
        text(
            "SELECT setval(format('%I.%I', current_schema(), name)::regclass, value) "  # noqa: S608 - a name of ours
            f"FROM {schema}.{_SEQUENCES} WHERE value IS NOT NULL"
        )
    )


def _made(connection: Connection) -> set[str]:
    """Return the tables that updates have made of which there is a copy from before."""
    found: set[str] = set()
    for schema in _schemas(connection):
        if _MADE in inspect(connection).get_table_names(schema=schema):
            found.update(connection.scalars(text(f"SELECT name FROM {schema}.{_MADE}")))  # noqa: S608
    return found


def _schemas(connection: Connection) -> list[str]:
    names = inspect(connection).get_schema_names()
    return sorted(name for name in names if re.fullmatch(f"{_SCHEMA}[0-9a-z_]+", name))


def _tables(connection: Connection) -> list[str]:
    """Return the tables that are there, of those whose names can be ours: they stand in statements as they are."""
    return sorted(name for name in inspect(connection).get_table_names() if re.fullmatch("[a-z_]+", name))
