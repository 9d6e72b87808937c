"""Calibrations of the live testbed: what was asked for, and what was measured.

    WAITING --begin--> RUNNING --end--> DONE, FAILED
       |                  +--forget_running--> FAILED     who measured is gone
       +--end--> FAILED

At most one waits or runs at a time: they would only wait for each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update

from windlull.store import events
from windlull.store.tables import Calibration, CalibrationState
from windlull.store.turns import take_turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

KEPT = 200
"""So many are remembered; the oldest are forgotten."""

UNDER_WAY = (CalibrationState.WAITING, CalibrationState.RUNNING)


def ask(session: Session, *, pace: str, thorough: bool, now: datetime) -> Calibration | None:
    """Ask for one; None if another is under way."""
    take_turn(session, "calibrations")
    if under_way(session) is not None:
        return None
    asked = Calibration(pace=pace, thorough=thorough, state=CalibrationState.WAITING, asked_at=now)
    session.add(asked)
    session.flush()
    session.execute(delete(Calibration).where(Calibration.id <= asked.id - KEPT))
    _tell(session, asked.id, asked.state)
    return asked


def under_way(session: Session) -> Calibration | None:
    """Return the one that waits or runs, if there is one."""
    return session.scalars(select(Calibration).where(Calibration.state.in_(UNDER_WAY)).limit(1)).first()


def newest(session: Session, *, before: int | None, limit: int) -> Sequence[Calibration]:
    """Return `limit` of them, newest first; of those with a number below `before`, if that is given."""
    wanted = select(Calibration).order_by(Calibration.id.desc()).limit(limit)
    if before is not None:
        wanted = wanted.where(Calibration.id < before)
    return session.scalars(wanted).all()


def begin(session: Session, number: int, *, now: datetime) -> bool:
    """Say that one which waits is measured now; False if it does not wait any more."""
    begun = (
        update(Calibration)
        .where(Calibration.id == number, Calibration.state == CalibrationState.WAITING)
        .values(state=CalibrationState.RUNNING, started_at=now)
        .returning(Calibration.id)
    )
    if session.scalar(begun) is None:
        return False
    _tell(session, number, CalibrationState.RUNNING)
    return True


def end(
    session: Session, number: int, *, now: datetime, result: dict[str, Any] | None = None, reason: str | None = None
) -> None:
    """Write down what came of one: its `result`, or the `reason` why it has none. Written twice, it stays as it was."""
    state = CalibrationState.FAILED if result is None else CalibrationState.DONE
    ended = (
        update(Calibration)
        .where(Calibration.id == number, Calibration.state.in_(UNDER_WAY))
        .values(state=state, ended_at=now, result=result, reason=reason)
        .returning(Calibration.id)
    )
    if session.scalar(ended) is not None:
        _tell(session, number, state)


def forget_running(session: Session, reason: str, *, now: datetime) -> None:
    """Say of those that another process had begun that nothing came of them."""
    running = select(Calibration.id).where(Calibration.state == CalibrationState.RUNNING)
    for number in session.scalars(running).all():
        end(session, number, now=now, reason=reason)


def _tell(session: Session, number: int, state: CalibrationState) -> None:
    events.append(session, "calibration", {"id": number, "state": state.value})
