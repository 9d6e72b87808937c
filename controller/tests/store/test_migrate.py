"""The steps make what `tables.py` says, once, whoever asks."""

from __future__ import annotations

import shutil
import sqlite3
import tarfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select, text

from tests.store import rows
from windlull.errors import BadInputError, FailureError
from windlull.store import consistency, copies, events, steps, tags
from windlull.store.copies import file_of
from windlull.store.database import Database
from windlull.store.home import Home
from windlull.store.migrate import migrate, require_newest
from windlull.store.steps import current, newest
from windlull.store.tables import Base, Batch, Event, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.store.postgres import Postgres

BEFORE = Path(__file__).parent / "data-of-c248d7e.tar.xz"
"""The data directory of a service of commit c248d7e that ran `first-look` once, simulated and without captures."""


def test_the_steps_make_the_tables(database: Database) -> None:
    with database.alone() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_the_comparison_can_fail(database: Database) -> None:
    with database.alone() as connection:
        connection.execute(text("ALTER TABLE events ADD COLUMN colour INTEGER"))
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) != []


def test_many_may_ask_at_once(empty_url: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(migrate, [empty_url] * 8))
    database = Database(empty_url)
    with database.alone() as connection:
        assert current(connection) == newest()
    database.dispose()


def test_a_newer_database_is_left_alone(database: Database, database_url: str) -> None:
    with database.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(FailureError, match=r"newer version.*step 9999"):
        migrate(database_url)
    with pytest.raises(FailureError, match="another version"):
        require_newest(database)


def test_what_is_up_to_date_may_be_used(database: Database, home: Home) -> None:
    require_newest(database)
    empty = Database(f"sqlite:///{home.path / 'empty.sqlite'}")
    with pytest.raises(FailureError, match="step None"):
        require_newest(empty)
    empty.dispose()


@pytest.fixture
def before(tmp_path: Path) -> Home:
    """What the release before has left."""
    with tarfile.open(BEFORE) as packed:
        # Ours: no filter is needed, and Debian's Python 3.11 knows none.
        packed.extractall(tmp_path / "before")  # noqa: S202
    return Home(tmp_path / "before")


@pytest.fixture
def one_step_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let this version know a step more, which does what it is given."""

    def add(statement: str) -> None:
        more = tmp_path / "migrations"
        shutil.copytree(steps.DIRECTORY, more)
        (more / "versions" / "0999_more.py").write_text(
            f"from alembic import op\nrevision = '0999'\ndown_revision = '{newest()}'\n"
            f"def upgrade():\n    op.execute('CREATE TABLE more (id INTEGER)')\n    op.execute({statement!r})\n",
            encoding="utf-8",
        )
        monkeypatch.setattr(steps, "DIRECTORY", more)

    return add


def step_of(file: Path) -> str:
    with closing(sqlite3.connect(file)) as opened:
        (step,) = opened.execute("SELECT version_num FROM alembic_version").fetchone()
        return str(step)


def test_what_the_release_before_has_left_is_opened_with_all_that_is_in_it(before: Home) -> None:
    file = before.path / "windlull.sqlite"
    assert step_of(file) == "0002"
    migrate(before.database_url)
    database = Database(before.database_url)
    require_newest(database)
    assert consistency.faults(database, before.blobs, thorough=True) == []
    with database.reader() as session:
        batch = session.get_one(Batch, 1)
        assert (batch.experiment, batch.engine_commit[:7]) == ("first-look", "c248d7e")
        assert (batch.note, tags.of(session, [1])) == ("", {1: []})
        results = session.query(Result).all()
        assert len(results) == batch.repetitions * 2
        assert all(result.metrics["elapsed_s"] > 0 for result in results)
    database.dispose()
    assert file_of(file, "0002").exists() == (newest() != "0002"), "a copy is made where there is a step to do"


def test_a_database_is_copied_before_a_step_is_done_to_it(before: Home, one_step_more: Callable[[str], None]) -> None:
    file = before.path / "windlull.sqlite"
    one_step_more("INSERT INTO more VALUES (7)")
    migrate(before.database_url)
    copy = file_of(file, "0002")
    assert (step_of(file), step_of(copy)) == ("0999", "0002")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(one.name for one in before.path.glob("*of-step*")) == [copy.name]
    # The copy serves the version before.
    shutil.copyfile(copy, file)
    for beside in ("windlull.sqlite-wal", "windlull.sqlite-shm"):
        (before.path / beside).unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert opened.execute("SELECT count(*) FROM batches").fetchone() == (1,)


def test_a_step_that_fails_leaves_the_database_as_it_was(before: Home, one_step_more: Callable[[str], None]) -> None:
    file = before.path / "windlull.sqlite"
    one_step_more("INSERT INTO nowhere VALUES (7)")
    with pytest.raises(Exception, match="nowhere"):
        migrate(before.database_url)
    assert step_of(file) == "0002"
    with closing(sqlite3.connect(file)) as opened:
        assert opened.execute("SELECT count(*) FROM sqlite_master WHERE name = 'more'").fetchone() == (0,)


def test_nothing_is_done_where_no_copy_can_be_made(before: Home, one_step_more: Callable[[str], None]) -> None:
    file = before.path / "windlull.sqlite"
    one_step_more("INSERT INTO more VALUES (7)")
    file_of(file, "0002").mkdir()
    with pytest.raises(FailureError, match=r"cannot be copied to .*; nothing was changed"):
        migrate(before.database_url)
    assert step_of(file) == "0002"


def test_a_copy_that_was_made_is_not_made_again(before: Home, one_step_more: Callable[[str], None]) -> None:
    file = before.path / "windlull.sqlite"
    one_step_more("INSERT INTO more VALUES (7)")
    file_of(file, "0002").mkdir()
    migrate(before.database_url, copied=True)
    assert step_of(file) == "0999"


def test_a_batch_has_the_commit_of_the_round_that_made_it(empty_url: str) -> None:
    database = Database(empty_url)
    with database.alone() as connection:
        steps.upgrade(connection, "0006")
        for number in (1, 2):
            connection.execute(
                text(
                    "INSERT INTO batches (id, experiment, title, testbed, repetitions, seed, captures, priority, "
                    "bundle, plan, engine_version, engine_commit, imported, pinned, created_at) VALUES "
                    "(:id, 'one', 'One', 'sim', 1, '1', false, 0, 'a', 'b', '0.1.0', '0123456789ab', false, false, "
                    "'2026-01-02 03:04:05')"
                ),
                {"id": number},
            )
        connection.execute(
            text(
                "INSERT INTO schedules (id, name, asked, zone, paused, address, created_at) VALUES "
                "(1, 'nightly', '{}', 'UTC', false, '', '2026-01-02 03:04:05')"
            )
        )
        connection.execute(
            text(
                'INSERT INTO rounds (id, schedule_id, cause, "commit", state, asked_at, batch_id) VALUES (1, 1, '
                "'trigger', 'aaaa1111', 'ended', '2026-01-02 03:04:05', 2)"
            )
        )
    migrate(empty_url, copied=True)
    with database.reader() as session:
        assert [session.get_one(Batch, number).commit for number in (1, 2)] == [None, "aaaa1111"]
    database.dispose()


# --- the way back, on both databases ----------------------------------------------------------------------------------


def fill(url: str, home: Home) -> None:
    """Put rows into a database that name each other, and leave a gap in the events."""
    database = Database(url)
    with database.session() as session:
        batch = rows.batch(session, home.blobs)
        rows.done(session, home.blobs, batch, 0, {"fates.csv": b"fates"})
        for change in ("one", "two", "three"):
            events.append(session, "batch", {"change": change}, batch_id=1)
    with database.session() as session:
        session.execute(text("DELETE FROM events WHERE id = 3"))
    database.dispose()


def contents(url: str) -> dict[str, list[Any]]:
    """All rows of all tables, and how the tables are made."""
    database = Database(url)
    with database.alone() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        found = {
            name: sorted(map(repr, connection.execute(text(f"SELECT * FROM {name}")).all()))  # noqa: S608
            for name in ("alembic_version", *Base.metadata.tables)
        }
    database.dispose()
    return found


def test_there_is_a_way_back_to_what_was_before_an_update(
    empty_url: str, home: Home, one_step_more: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty_url)
    fill(empty_url, home)
    before, step = contents(empty_url), newest()
    one_step_more("INSERT INTO more VALUES (7)")
    migrate(empty_url)
    assert copies.kept(empty_url) == [step]
    database = Database(empty_url)
    with database.session() as session:
        session.execute(text("DELETE FROM runs"))
        session.execute(text("ALTER TABLE batches ADD COLUMN colour INTEGER"))
    database.dispose()
    assert copies.restore(empty_url) == step
    monkeypatch.undo()
    # This version, which knows no more steps, finds what was: rows, tables, indexes, and the next number.
    migrate(empty_url)
    assert contents(empty_url) == before
    database = Database(empty_url)
    with database.session() as session:
        events.append(session, "batch", {"change": "four"}, batch_id=1)
    with database.reader() as session:
        assert session.scalars(select(Event.id).order_by(Event.id.desc()).limit(1)).one() == 4
    database.dispose()


def test_what_was_restored_is_updated_again(empty_url: str, home: Home, one_step_more: Callable[[str], None]) -> None:
    migrate(empty_url)
    fill(empty_url, home)
    step = newest()
    one_step_more("INSERT INTO more VALUES (7)")
    for _ in range(2):
        migrate(empty_url)
        assert copies.restore(empty_url, step) == step
    with pytest.raises(BadInputError, match=f"no copy of step 0001; there are copies of the steps {step}"):
        copies.restore(empty_url, "0001")


def test_an_update_of_postgresql_that_fails_leaves_no_copy(
    postgres: Postgres, one_step_more: Callable[[str], None]
) -> None:
    with postgres.fresh() as name:
        url = postgres.url(name)
        migrate(url)
        one_step_more("INSERT INTO nowhere VALUES (7)")
        with pytest.raises(Exception, match="nowhere"):
            migrate(url)
        assert copies.kept(url) == []


def test_a_user_of_postgresql_who_may_make_no_schema_is_told_what_to_do(
    postgres: Postgres, one_step_more: Callable[[str], None]
) -> None:
    with postgres.fresh() as name:
        database = Database(postgres.url(name))
        with database.session() as session:
            session.execute(text("DROP ROLE IF EXISTS guest"))
            session.execute(text("CREATE ROLE guest LOGIN"))
            session.execute(text("GRANT CREATE, USAGE ON SCHEMA public TO guest"))
        url = postgres.url(name).replace("windlull@", "guest@")
        migrate(url)
        one_step_more("INSERT INTO more VALUES (7)")
        with pytest.raises(FailureError, match=r"may not copy it .* nothing was changed.*GRANT CREATE.*--copied"):
            migrate(url)
        assert copies.kept(url) == []
        migrate(url, copied=True)
        with database.alone() as connection:
            assert current(connection) == "0999"
        database.dispose()


def test_without_a_copy_there_is_no_way_back(database_url: str) -> None:
    with pytest.raises(BadInputError, match="there is no copy: no update of this database made one"):
        copies.restore(database_url)
