"""The steps make what `tables.py` says, once, whoever asks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from windlull.errors import FailureError
from windlull.store.database import Database
from windlull.store.migrate import current, migrate, newest, require_newest
from windlull.store.tables import Base

if TYPE_CHECKING:
    from windlull.store.home import Home


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
