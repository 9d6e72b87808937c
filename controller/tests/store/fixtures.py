"""Databases to test with: each test that asks for one runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.store import postgres as server
from windlull.store.database import Database
from windlull.store.home import Home
from windlull.store.migrate import migrate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.store.postgres import Postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server, started once."""
    with server.running() as running:
        yield running


@pytest.fixture(scope="session")
def _postgresql_template(postgres: Postgres) -> Iterator[str]:
    with postgres.fresh() as name:
        migrate(postgres.url(name))
        yield name


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("template") / "windlull.sqlite"
    migrate(f"sqlite:///{file}")
    return file


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A data directory of the test's own, without a database."""
    return Home(tmp_path / "data")


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, home: Home) -> Iterator[str]:
    """The URL of a database without tables."""
    if request.param == "sqlite":
        yield home.database_url
    else:
        running: Postgres = request.getfixturevalue("postgres")
        with running.fresh() as name:
            yield running.url(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, home: Home) -> Iterator[str]:
    """The URL of a database with all tables, and nothing in them."""
    if request.param == "sqlite":
        shutil.copyfile(request.getfixturevalue("_sqlite_template"), home.path / "windlull.sqlite")
        yield home.database_url
    else:
        running: Postgres = request.getfixturevalue("postgres")
        with running.fresh(request.getfixturevalue("_postgresql_template")) as name:
            yield running.url(name)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with all tables, and nothing in them."""
    opened = Database(database_url)
    yield opened
    opened.dispose()
