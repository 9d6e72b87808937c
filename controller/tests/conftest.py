"""What every room's tests may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings

from tests.store.fixtures import (
    _postgresql_template,
    _sqlite_template,
    database,
    database_url,
    empty_url,
    home,
    postgres,
)

if TYPE_CHECKING:
    import pytest

__all__ = ["_postgresql_template", "_sqlite_template", "database", "database_url", "empty_url", "home", "postgres"]

# The library's own deadline is a wall clock's: a busy machine would fail what is right.
settings.register_profile("windlull", deadline=None)
settings.load_profile("windlull")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long files first: the last one to end has the machine to itself."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
