"""A session is kept whole or not at all, a reader sees one picture, and trouble has one name; on both databases."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import exc, func, select, text

from windlull.errors import BadInputError
from windlull.store import database as module
from windlull.store.database import Database, UnavailableError, read_url
from windlull.store.migrate import migrate
from windlull.store.tables import Moment, Note

if TYPE_CHECKING:
    from pathlib import Path

    from tests.store.postgres import Postgres
    from windlull.store.home import Home

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def note(name: str = "x") -> Note:
    return Note(name=name, data={"a": [1, None]}, at=NOW)


def count(database: Database) -> int:
    with database.reader() as session:
        return session.scalar(select(func.count()).select_from(Note)) or 0


def test_a_session_is_kept(database: Database) -> None:
    with database.session() as session:
        written = note()
        session.add(written)
    with database.reader() as session:
        read = session.get_one(Note, "x")
    assert (read.data, read.at) == (written.data, NOW)


def test_a_session_that_raises_leaves_nothing(database: Database) -> None:
    def fail() -> None:
        with database.session() as session:
            session.add(note())
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert count(database) == 0


def test_a_reader_sees_one_picture(database: Database) -> None:
    with database.reader() as reader:
        assert reader.get(Note, "x") is None
        with database.session() as session:
            session.add(note())
        assert reader.scalar(select(func.count()).select_from(Note)) == 0
    assert count(database) == 1


def test_a_reader_cannot_write(database: Database) -> None:
    with (
        pytest.raises((UnavailableError, exc.InternalError), match=r"cannot be written|read-only"),
        database.reader() as r,
    ):
        r.execute(text("DELETE FROM notes"))


def test_a_wrong_statement_is_no_trouble_of_the_database(database: Database) -> None:
    with pytest.raises(exc.DBAPIError), database.session() as session:
        session.execute(text("SELECT colour FROM nowhere"))


def test_writers_take_turns(database: Database) -> None:
    """Forty additions, each to what it has read: none is lost."""
    with database.session() as session:
        session.add(Note(name="sum", data={"n": 0}, at=NOW))

    def add() -> None:
        for _ in range(10):
            with database.session() as session:
                found = session.scalars(select(Note).where(Note.name == "sum").with_for_update()).one()
                found.data = {"n": found.data["n"] + 1}

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.reader() as session:
        assert session.get_one(Note, "sum").data == {"n": 40}


def test_a_moment_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="without a time zone"):
        Moment().process_bind_param(datetime(2026, 1, 1), None)  # type: ignore[arg-type]  # noqa: DTZ001


def test_sqlite_that_another_holds_is_waited_for_and_then_given_up(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0)
    migrate(home.database_url)
    one, other = Database(home.database_url), Database(home.database_url)
    with one.session() as session:
        session.add(note())
        session.flush()
        with pytest.raises(UnavailableError, match="another process has held it"), other.session() as second:
            second.add(note("y"))
        assert count(other) == 0
    assert count(other) == 1
    one.dispose()
    other.dispose()


def test_sqlite_without_its_file_is_unavailable(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'gone' / 'windlull.sqlite'}")
    with pytest.raises(UnavailableError, match="cannot be opened") as error, database.reader() as session:
        session.get(Note, "x")
    assert not error.value.full
    database.dispose()


def test_sqlite_of_something_else_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no database at all, but long enough to be looked at" * 100, encoding="utf-8")
    database = Database(f"sqlite:///{tmp_path / 'x'}")
    with pytest.raises(UnavailableError, match="none of SQLite's"), database.reader() as session:
        session.get(Note, "x")
    database.dispose()


def test_postgresql_that_went_comes_back(postgres: Postgres) -> None:
    def write_while_it_goes(database: Database) -> None:
        with database.session() as session:
            session.add(note("lost"))
            session.flush()
            postgres.stop()

    with postgres.fresh() as name:
        migrate(postgres.url(name))
        database = Database(postgres.url(name))
        try:
            with database.session() as session:
                session.add(note())
            with pytest.raises(UnavailableError):
                write_while_it_goes(database)
            with pytest.raises(UnavailableError):
                count(database)
        finally:
            postgres.start()
        assert count(database) == 1
        database.dispose()


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("nonsense", "cannot be read"),
        ("mysql://host/x", "mysql: is no database that we know"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
    ],
)
def test_other_databases_are_refused(url: str, what: str) -> None:
    with pytest.raises(BadInputError, match=what):
        read_url(url)


def test_a_url_is_told_without_its_password() -> None:
    assert "secret" not in str(read_url("postgresql://me:secret@host/name"))
