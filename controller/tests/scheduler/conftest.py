from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from windlull.store.home import Home


@pytest.fixture
def sqlite(home: Home, _sqlite_template: Path) -> Iterator[Database]:
    """A database of its own, in a file."""
    (home.path / "windlull.sqlite").write_bytes(_sqlite_template.read_bytes())
    opened = Database(home.database_url)
    yield opened
    opened.dispose()
