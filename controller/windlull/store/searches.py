"""Searches for the worst link: what was asked for, and how far each is.

    WAITING --begin--> RUNNING --end--> DONE, FAILED
       |                  |  +--give_back--> WAITING       the scheduler ends; what was tried stays
       |                  +--stop--> STOPPING --end--> STOPPED
       +--stop--> STOPPED
    STOPPED, FAILED --resume--> WAITING

One runs at a time, the oldest first. What it tries and finds are files in its directory (`search/job.py`), so that a
search that goes on begins where it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete as delete_from
from sqlalchemy import func, select, update

from windlull.errors import BadInputError
from windlull.store import events
from windlull.store.tables import Search, SearchState
from windlull.store.turns import take_turn

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

KEPT = 200
"""So many are kept; whoever wants another deletes one."""

AT_WORK = (SearchState.RUNNING, SearchState.STOPPING)
RESUMED = (SearchState.STOPPED, SearchState.FAILED)


class TooManySearchesError(BadInputError):
    """There are as many searches as are kept."""


def ask(session: Session, *, experiment: str, title: str, asked: dict[str, Any], now: datetime) -> Search:
    """Ask for one. Raises TooManySearchesError."""
    take_turn(session, "searches")
    if (session.scalar(select(func.count()).select_from(Search)) or 0) >= KEPT:
        raise TooManySearchesError(f"there are {KEPT} searches, which is as many as are kept; delete one")
    made = Search(
        experiment=experiment, title=title, asked=asked, state=SearchState.WAITING, tried=0, asked_at=now
    )  # fmt: skip
    session.add(made)
    session.flush()
    _tell(session, made.id, {"state": made.state.value})
    return made


def newest(session: Session, *, before: int | None, limit: int) -> Sequence[Search]:
    """Return `limit` of them, newest first; of those with a number below `before`, if that is given."""
    wanted = select(Search).order_by(Search.id.desc()).limit(limit)
    if before is not None:
        wanted = wanted.where(Search.id < before)
    return session.scalars(wanted).all()


def next_waiting(session: Session) -> Search | None:
    """Return the one that has waited longest."""
    return session.scalars(
        select(Search).where(Search.state == SearchState.WAITING).order_by(Search.id).limit(1)
    ).first()  # fmt: skip


def at_work(session: Session) -> Sequence[Search]:
    """Return those that somebody has begun."""
    return session.scalars(select(Search).where(Search.state.in_(AT_WORK)).order_by(Search.id)).all()


def state_of(session: Session, number: int) -> SearchState | None:
    """Return how far one is, None if there is no such search."""
    return session.scalar(select(Search.state).where(Search.id == number))


def begin(session: Session, number: int, *, now: datetime) -> bool:
    """Say that one which waits runs now; False if it does not wait any more."""
    return _changed(session, number, (SearchState.WAITING,), state=SearchState.RUNNING, started_at=now, reason=None)


def stop(session: Session, number: int, *, now: datetime) -> bool:
    """Say that one is to stop, or has stopped if it had not begun; False if it had ended, or was stopping already."""
    return _changed(session, number, (SearchState.WAITING,), state=SearchState.STOPPED, ended_at=now) or _changed(
        session, number, (SearchState.RUNNING,), state=SearchState.STOPPING
    )


def resume(session: Session, number: int) -> bool:
    """Let one that has stopped or failed wait again; False if it is in another state."""
    return _changed(session, number, RESUMED, state=SearchState.WAITING, ended_at=None, reason=None)


def give_back(session: Session, number: int, *, now: datetime) -> None:
    """Let one that was begun wait again, as whoever ran it is gone; one that was to stop has stopped."""
    if not _changed(session, number, (SearchState.RUNNING,), state=SearchState.WAITING):
        _changed(session, number, (SearchState.STOPPING,), state=SearchState.STOPPED, ended_at=now)


def end(session: Session, number: int, state: SearchState, *, now: datetime, reason: str | None = None) -> bool:
    """Write down what came of one that was begun. Written twice, it stays as it was."""
    return _changed(session, number, AT_WORK, state=state, ended_at=now, reason=reason)


def progress(session: Session, number: int, tried: int) -> None:
    """Write down how many links were tried, and tell of it."""
    changed = update(Search).where(Search.id == number, Search.tried != tried).values(tried=tried).returning(Search.id)
    if session.scalar(changed) is not None:
        _tell(session, number, {"tried": tried})


def delete(session: Session, number: int) -> bool:
    """Forget one that is not at work; False if it is, or if there is no such search. Its files are the caller's."""
    removed = delete_from(Search).where(Search.id == number, Search.state.not_in(AT_WORK)).returning(Search.id)
    if session.scalar(removed) is None:
        return False
    _tell(session, number, {"change": "deleted"})
    return True


def _changed(session: Session, number: int, before: Collection[SearchState], **values: object) -> bool:
    changed = update(Search).where(Search.id == number, Search.state.in_(before)).values(**values).returning(Search.id)
    if session.scalar(changed.execution_options(synchronize_session=False)) is None:
        return False
    _tell(session, number, {"state": str(values["state"])})
    return True


def _tell(session: Session, number: int, data: dict[str, Any]) -> None:
    events.append(session, "search", {"id": number} | data)
