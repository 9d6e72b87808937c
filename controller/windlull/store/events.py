"""What happened, in order: what clients watch, and where they go on after a lost connection.

A client that has seen event N asks for those after N, so no event may become visible after a higher one. SQLite has one
writer at a time. PostgreSQL gives out a number when a row is written but shows the row when its transaction is kept,
and transactions are not kept in the order of their numbers. So events are written last of all, under a lock that lasts
until the transaction has ended; being last, who holds the lock waits for nothing that somebody holds who waits for it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, event, func, select
from sqlalchemy.orm import Session

from windlull.store.tables import Event
from windlull.store.turns import take_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

_PENDING = "windlull.events"


def append(
    session: Session, kind: str, data: dict[str, Any], *, batch_id: int | None = None, run_id: int | None = None
) -> None:
    """Tell that something happened, if the session is kept. `data` is JSON; it has its number only when it is kept."""
    pending: list[Event] = session.info.setdefault(_PENDING, [])
    pending.append(Event(at=datetime.now(UTC), kind=kind, data=data, batch_id=batch_id, run_id=run_id))


@event.listens_for(Session, "before_commit")
def _write(session: Session) -> None:
    if session.in_nested_transaction() or not (pending := session.info.pop(_PENDING, None)):
        return
    session.flush()
    take_turn(session, "events")
    session.add_all(pending)


def after(
    session: Session, last_id: int, *, limit: int, batch_id: int | None = None, run_id: int | None = None
) -> Sequence[Event]:
    """Return the first `limit` events after number `last_id`, of everything, or of one batch or run."""
    wanted = select(Event).where(Event.id > last_id).order_by(Event.id).limit(limit)
    if batch_id is not None:
        wanted = wanted.where(Event.batch_id == batch_id)
    if run_id is not None:
        wanted = wanted.where(Event.run_id == run_id)
    return session.scalars(wanted).all()


def last(session: Session) -> int:
    """Return the number of the last event there is, 0 if there is none."""
    return session.scalar(select(func.max(Event.id))) or 0


def first(session: Session) -> int:
    """Return the number of the oldest event that is still there, 0 if there is none: who saw less has missed some."""
    return session.scalar(select(func.min(Event.id))) or 0


def trim(session: Session, before: datetime) -> int:
    """Forget events that are older; return how many. The last one stays, so that numbers are known to go on."""
    newest = select(func.max(Event.id)).scalar_subquery()
    forgotten = delete(Event).where(Event.at < before, Event.id < newest).returning(Event.id)
    return len(session.scalars(forgotten).all())
