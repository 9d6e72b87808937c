"""What handlers work with: the store, the profiles, the settings. One for each application; `current()` finds it."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from flask import Flask, current_app
from sqlalchemy.orm import Session

from windlull import locate
from windlull.api.remembered import Remembered
from windlull.api.settings import Settings
from windlull.api.watch import Watch
from windlull.store import documents
from windlull.store.blobs import Blobs
from windlull.store.database import Database
from windlull.store.home import Home

_EXTENSION = "windlull"


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of the service that a handler may use."""

    settings: Settings
    home: Home
    database: Database
    blobs: Blobs
    watch: Watch
    remembered: Remembered

    def profiles(self, session: Session) -> list[Path]:
        """Return the directories in which the engine finds names: the shipped files, then the user's own."""
        return [locate.profiles(), documents.materialise(session, self.home.cache)]


def attach(app: Flask, context: Context) -> None:
    """Make `context` the application's."""
    app.extensions[_EXTENSION] = context


def of(app: Flask) -> Context:
    """Return the application's context."""
    return cast("Context", app.extensions[_EXTENSION])


def current() -> Context:
    """Return the context of the request under way."""
    return of(current_app)
