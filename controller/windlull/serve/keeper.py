"""Keeps the data directory in bounds: lets old files go, sweeps blobs, every minute while the service runs."""

from __future__ import annotations

import threading
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import structlog

from windlull.store import retention
from windlull.store.database import Database, UnavailableError

if TYPE_CHECKING:
    from windlull.store.home import Home
    from windlull.store.retention import Pruned, Rules

EVERY_S = 60.0
SWEEP_EVERY = 10
"""Of how many rounds one looks at every blob; with a full disk each does."""

_log = structlog.get_logger(__name__)


class Keeper:
    """A thread that does a round every EVERY_S, from `start` to `stop`."""

    def __init__(self, home: Home, database_url: str, rules: Rules) -> None:
        self._home = home
        self._database = Database(database_url, connections=1)
        self._rules = rules
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
        self._rounds = 0
        self._waiting = False

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a round under way is not waited for long: what it leaves undone, the next one does."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(1)
        self._database.dispose()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._tell(self.round())
                self._waiting = False
            except UnavailableError as error:
                # The processes that need the database say so too; once is enough of us.
                if not self._waiting:
                    _log.warning("files are kept for now", why=str(error))
                self._waiting = True
            except Exception:  # noqa: BLE001 - told, and tried again with the next round
                _log.exception("the round failed")
            self._stopping.wait(EVERY_S)

    def round(self) -> Pruned:
        """Do what is due. Raises UnavailableError."""
        pruned = retention.prune(self._database, self._home.blobs, self._rules, now=datetime.now(UTC))
        full = self._home.free_bytes() < self._home.reserve_bytes
        if full or self._rounds % SWEEP_EVERY == 0:
            pruned += retention.sweep(self._database, self._home.blobs)
        self._rounds += 1
        return pruned

    def _tell(self, pruned: Pruned) -> None:
        if pruned:
            _log.info("removed", **asdict(pruned))
