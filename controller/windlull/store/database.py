"""The database: SQLite in the data directory, or PostgreSQL. The same calls, the same promises.

    session()   reads and writes; all of it is kept, or nothing
    reader()    reads one unchanging picture; cannot write
    glance()    the answer of one statement that reads, for one journey to the server

On SQLite a session holds the one right to write from its first statement, so that two never wait for each other in a
circle; readers see the last picture kept and wait for nobody. On PostgreSQL sessions run beside each other and see what
others have kept meanwhile (READ COMMITTED): who decides by what it read writes on the condition that it still holds.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from sqlalchemy import create_engine, event, exc, make_url, text
from sqlalchemy.orm import Session, sessionmaker

from windlull.errors import BadInputError, FailureError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection

PATIENCE_S = 10
"""How long a statement waits for a lock that another holds before it gives up with `UnavailableError`."""

_POSTGRESQL = {
    "connect_timeout": 5,
    # A server that vanished without a word is noticed by unanswered packets, not by a query that never ends.
    "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 15_000,
    "options": f"-c lock_timeout={PATIENCE_S}s -c statement_timeout=60s -c idle_in_transaction_session_timeout=60s",
    "application_name": "windlull",
}  # fmt: skip


class UnavailableError(FailureError):
    """The database is gone, full, or held by another for too long. What was asked did not happen; ask again later.

    `full` says that the disk or the quota of the database is used up.
    """

    def __init__(self, message: str, *, full: bool = False) -> None:
        super().__init__(message)
        self.full = full


class Database:
    """One database, from any number of threads. Fork first, then make it: connections are not for two processes.

    `connections` are kept open; as many again are made when needed.
    """

    def __init__(self, url: str, *, connections: int = 8) -> None:
        self.url = read_url(url)
        self._engines = _engines(self.url, connections)
        writer, reader, self._glancer = self._engines
        self._session = sessionmaker(writer, expire_on_commit=False)
        self._reader = sessionmaker(reader, expire_on_commit=False, autoflush=False)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Read and write: kept when the body ends, undone when it raises.

        Raises UnavailableError. If that comes from the end itself, as when the server goes in that moment, nobody knows
        whether it was kept: what is written must bear being written again.
        """
        with _translated(), self._session.begin() as session:
            yield session

    @contextmanager
    def reader(self) -> Iterator[Session]:
        """Read one picture of the database, which refuses what is written here. Raises UnavailableError."""
        with _translated(), self._reader() as session:
            yield session

    def glance(self, statement: str) -> Any:  # noqa: ANN401 - the first value of the first row, whatever it is
        """Return the first value that the statement reads, None if there is none. Raises UnavailableError.

        It is a transaction by itself, and no connection is tried before: one that was lost is an error here.
        """
        with _translated(), self._glancer.connect() as connection:
            return connection.exec_driver_sql(statement).scalar()

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """One connection in a transaction that excludes every other one of `alone`; for migrations."""
        with _translated(), self._engines[0].begin() as connection:
            if self.url.get_backend_name() == "postgresql":
                connection.execute(text("SET LOCAL lock_timeout = 0"))
                connection.execute(text("SET LOCAL statement_timeout = 0"))
                connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('windlull.alone'))"))
            yield connection

    def dispose(self) -> None:
        """Close the connections. Those in use are closed when they come back."""
        for engine in self._engines:
            engine.dispose()


def read_url(url: str) -> URL:
    """Return the URL with the driver we use. Raises BadInputError for anything but SQLite's files and PostgreSQL."""
    try:
        read = make_url(url)
    except exc.ArgumentError as error:
        raise BadInputError("the database's URL cannot be read; sqlite:////path or postgresql://host/name") from error
    match read.get_backend_name():
        case "sqlite" if read.database and read.database != ":memory:":
            return read.set(drivername="sqlite")
        case "postgresql" | "postgres":
            return read.set(drivername="postgresql+psycopg")
        case "sqlite":
            raise BadInputError("a database in memory is another one for every process; sqlite:////path/to/a/file")
        case other:
            raise BadInputError(f"{other}: is no database that we know; sqlite:////path or postgresql://host/name")


def _engines(url: URL, connections: int) -> tuple[Engine, Engine, Engine]:
    """Return what writes, what reads, and what glances."""
    size = {"pool_size": connections, "max_overflow": connections, "pool_timeout": PATIENCE_S}
    if url.get_backend_name() == "postgresql":
        # `pre_ping`: connections of before a restart of the server are replaced without anybody noticing.
        engine = create_engine(url, connect_args=_POSTGRESQL, pool_pre_ping=True, **size)
        reader = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        return engine, reader, create_engine(url, connect_args=_POSTGRESQL, isolation_level="AUTOCOMMIT", **size)

    def make(begin: str | None, *pragmas: str) -> Engine:
        engine = create_engine(url, connect_args={"timeout": PATIENCE_S}, **size)

        @event.listens_for(engine, "connect")
        def _prepare(connection: DBAPIConnection, _record: object) -> None:
            # Python's driver would begin by itself, too late and without IMMEDIATE.
            connection.isolation_level = None
            for pragma in ("foreign_keys = ON", "journal_mode = WAL", "synchronous = FULL", *pragmas):
                connection.execute(f"PRAGMA {pragma}").close()

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            if begin:
                connection.exec_driver_sql(begin)

        return engine

    return make("BEGIN IMMEDIATE"), make("BEGIN", "query_only = ON"), make(None, "query_only = ON")


@contextmanager
def _translated() -> Iterator[None]:
    """Raise UnavailableError for what is not the fault of a statement."""
    try:
        yield
    except exc.TimeoutError as error:
        raise UnavailableError("the database has no free connection") from error
    except exc.DBAPIError as error:
        trouble = _trouble(error)
        if trouble is None:
            raise
        raise trouble from error


def _trouble(error: exc.DBAPIError) -> UnavailableError | None:
    """Return what the machine or the server has, None if the statement itself is wrong."""
    match error.orig:
        case sqlite3.Error() as original:
            code = getattr(original, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code not in _SQLITE:
                return None
            return UnavailableError(f"the database: {_SQLITE[code]}", full=code == sqlite3.SQLITE_FULL)
        case psycopg.errors.DiskFull():
            return UnavailableError("the database: its disk is full", full=True)
        case psycopg.OperationalError() | psycopg.InterfaceError() as original:
            first, *_ = str(original).strip().splitlines() or [type(original).__name__]
            return UnavailableError(f"the database: {first}")
        case _:
            return UnavailableError("the database: the connection is lost") if error.connection_invalidated else None


_SQLITE: dict[int, str] = {
    sqlite3.SQLITE_BUSY: f"another process has held it for {PATIENCE_S} s",
    sqlite3.SQLITE_LOCKED: "another connection holds it",
    sqlite3.SQLITE_PROTOCOL: "too many processes wait for it",
    sqlite3.SQLITE_FULL: "its disk is full",
    sqlite3.SQLITE_IOERR: "its file cannot be read or written",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
    sqlite3.SQLITE_READONLY: "its file cannot be written",
    sqlite3.SQLITE_PERM: "its file may not be opened",
    sqlite3.SQLITE_CORRUPT: "its file is damaged",
    sqlite3.SQLITE_NOTADB: "its file is none of SQLite's",
    sqlite3.SQLITE_NOMEM: "there is no memory left",
}
