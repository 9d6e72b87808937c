"""What every room's tests may ask for."""

from __future__ import annotations

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

__all__ = ["_postgresql_template", "_sqlite_template", "database", "database_url", "empty_url", "home", "postgres"]

# The library's own deadline is a wall clock's: a busy machine would fail what is right.
settings.register_profile("windlull", deadline=None)
settings.load_profile("windlull")
