"""Notices to the receivers of schedules: each is sent until it is taken, or was tried often enough.

    WAITING --answered(taken)--> DELIVERED
       |  <--answered(not taken), later and later--+
       +--answered(not taken), at the last attempt--> GIVEN_UP

What was sent and not written down, since the service was killed, is sent again: receivers know it by its key.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from windlull.store.schedules import tell
from windlull.store.tables import Notice, NoticeState, Round, Schedule

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy.orm import Session

AGAIN_AFTER = tuple(
    timedelta(seconds=seconds) for seconds in (10, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600)
)  # fmt: skip
"""How long after each attempt that was not taken the next one follows; after one more it is given up."""


def add(session: Session, round_id: int, key: str, body: str, *, now: datetime) -> None:
    """Have one sent."""
    session.add(
        Notice(round_id=round_id, key=key, body=body, state=NoticeState.WAITING, attempts=0, made_at=now, next_at=now)
    )


def due(session: Session, now: datetime) -> list[tuple[Notice, Schedule]]:
    """Return those that are to be sent now, with their schedule, the oldest first."""
    found = select(Notice, Schedule).join(Round, Notice.round_id == Round.id)
    found = found.join(Schedule, Round.schedule_id == Schedule.id)
    found = found.where(Notice.state == NoticeState.WAITING, Notice.next_at <= now).order_by(Notice.id)
    return [(notice, schedule) for notice, schedule in session.execute(found)]


def answered(session: Session, number: int, *, taken: bool, answer: str, now: datetime) -> None:
    """Write down what came of an attempt: it was taken, or is made again, or was the last."""
    row = session.get(Notice, number)
    if row is None or row.state is not NoticeState.WAITING:
        return
    row.attempts += 1
    row.answer = answer
    if taken or row.attempts > len(AGAIN_AFTER):
        row.state = NoticeState.DELIVERED if taken else NoticeState.GIVEN_UP
        row.next_at, row.ended_at = None, now
    else:
        row.next_at = now + AGAIN_AFTER[row.attempts - 1]
    schedule = session.scalar(select(Round.schedule_id).where(Round.id == row.round_id))
    if schedule is not None:
        tell(session, schedule, "notice", round=row.round_id, state=row.state.value)


def of_rounds(session: Session, rounds: Collection[int]) -> dict[int, list[Notice]]:
    """Return the notices of each of these rounds, the oldest first."""
    found: dict[int, list[Notice]] = {number: [] for number in rounds}
    for notice in session.scalars(select(Notice).where(Notice.round_id.in_(rounds)).order_by(Notice.id)):
        found[notice.round_id].append(notice)
    return found
