"""How the scheduler is, as it says so in the database for processes that show it.

It leaves a note whenever something changes, and every BEAT_S seconds. Who finds an older one than STALE_S knows that no
scheduler runs, or that it cannot reach the database.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

import msgspec

from windlull.runner.limits import Limits
from windlull.store import events
from windlull.store.tables import Note

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

NOTE = "scheduler"
BEAT_S = 5
STALE_S = 20


class WorkerStatus(msgspec.Struct, frozen=True):
    """A worker: where it is, what it takes, its engine, and how many runs it has.

    `refused` says why it is given nothing, None if it is. `busy_with` is `sim`, the name of a live testbed, or None.
    `limits` are those of its engine's process, None if it has not said them.
    """

    address: str
    host: str
    testbeds: tuple[str, ...]
    engine: str
    runs: int = 0
    busy_with: str | None = None
    refused: str | None = None
    limits: Limits | None = None


class Status(msgspec.Struct, frozen=True):
    """How the scheduler is.

    `state` is `paused` if it gives nothing out whatever waits; `why` says the reason, and what to do if it does not go
    away by itself. `note` is something to know that does not stop it. `missing` says of testbeds whose runs wait what
    their runs lack.
    """

    state: Literal["idle", "working", "paused"]
    why: str | None = None
    note: str | None = None
    missing: dict[str, str] = {}
    queued: int = 0
    running: int = 0
    workers: tuple[WorkerStatus, ...] = ()


class Seen(msgspec.Struct, frozen=True):
    """A status and when the scheduler said it, in UTC."""

    status: Status
    at: datetime

    def alive(self, now: datetime) -> bool:
        """Whether the scheduler that said it is there as far as anybody can know."""
        return now - self.at < timedelta(seconds=STALE_S)


def say(session: Session, status: Status, *, now: datetime, changed: bool) -> None:
    """Leave the note; if it `changed` since the last one, tell watching clients too."""
    data = msgspec.to_builtins(status)
    session.merge(Note(name=NOTE, data=data, at=now))
    if changed:
        summary = {"state": status.state, "why": status.why, "note": status.note, "workers": len(status.workers)}
        events.append(session, "scheduler", summary)


def read(session: Session) -> Seen | None:
    """Return the last status, None if no scheduler ever ran on this database."""
    note = session.get(Note, NOTE)
    return None if note is None else Seen(msgspec.convert(note.data, Status), note.at)
