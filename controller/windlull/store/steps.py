"""The steps under `migrations/versions/`: which there are, which a database has done, and how they are done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from windlull.errors import FailureError

if TYPE_CHECKING:
    from sqlalchemy import Connection

DIRECTORY = Path(__file__).parent / "migrations"


def current(connection: Connection) -> str | None:
    """Return the last step that the database has done, None if it is empty."""
    return MigrationContext.configure(connection).get_current_revision()


def newest() -> str | None:
    """Return the last step that there is."""
    return ScriptDirectory(str(DIRECTORY)).get_current_head()


def known(step: str | None) -> bool:
    """Whether it is a step of this version."""
    return any(one.revision == step for one in ScriptDirectory(str(DIRECTORY)).walk_revisions())


def upgrade(connection: Connection, step: str = "head") -> None:
    """Do the steps up to `step` that the database has not done, in its transaction. Raises FailureError."""
    config = Config()
    config.set_main_option("script_location", str(DIRECTORY).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, step)
    except CommandError as error:
        raise FailureError(
            f"a newer version of Windlull has made this database (step {current(connection)}; "
            f"this version knows {newest()}): install that version, or give another data directory"
        ) from error
