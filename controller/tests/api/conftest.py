"""A client of the application, on each database, that holds every answer against the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.api.client import UNHURRIED, Client
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from windlull.store.database import Database
    from windlull.store.home import Home


@pytest.fixture
def app(database: Database, home: Home) -> Iterator[Flask]:
    """The application on an empty data directory, for loopback, without a token."""
    made = create_app(Settings(home.path, bounds=UNHURRIED), database)
    yield made
    of(made).watch.close()


@pytest.fixture
def client(app: Flask) -> Client:
    """Asks the application; an answer that the document does not have fails the test."""
    return Client(app)
