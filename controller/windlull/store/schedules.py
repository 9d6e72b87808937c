"""Schedules and their rounds: which are due, and how far each is.

    WAITING --begin, with its batch--> RUNNING --end--> ENDED
       |                                  +--fail--> FAILED     the batch was deleted
       +--fail--> FAILED                                        no batch can be made
    SKIPPED      it was due while a round before it had not ended

A schedule has one round at a time that runs. Those that somebody asked for wait for it, the oldest first; one that the
clock asks for is skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete as delete_from
from sqlalchemy import func, select, update

from windlull.errors import BadInputError
from windlull.store import events
from windlull.store.tables import Batch, Cause, Round, RoundState, Run, Schedule, State
from windlull.store.turns import take_turn

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

KEPT = 200
"""So many schedules are kept; whoever wants another deletes one."""
ROUNDS_KEPT = 1000
"""So many rounds of a schedule are remembered; the oldest are forgotten, their batches stay."""
MOST_WAITING = 20
"""So many rounds of a schedule wait at most."""

UNDER_WAY = (RoundState.WAITING, RoundState.RUNNING)
NOT_A_BASELINE = ("fail",)
"""Verdicts after which a batch is not what the next one is compared with."""

SKIPPED = "the round before it had not ended when it was due"


class TooManySchedulesError(BadInputError):
    """There are as many schedules as are kept."""


class NameTakenError(BadInputError):
    """Another schedule has the name."""


class TooManyWaitError(BadInputError):
    """As many rounds of the schedule wait as may."""


def add(session: Session, schedule: Schedule) -> None:
    """Keep a schedule. Raises TooManySchedulesError, NameTakenError."""
    take_turn(session, "schedules")
    if (session.scalar(select(func.count()).select_from(Schedule)) or 0) >= KEPT:
        raise TooManySchedulesError(f"there are {KEPT} schedules, which is as many as are kept; delete one")
    _require_free(session, schedule.name, None)
    session.add(schedule)
    session.flush()
    tell(session, schedule.id, "created")


def change(session: Session, schedule: Schedule, values: dict[str, Any]) -> None:
    """Give a schedule other values, by column. Raises NameTakenError."""
    take_turn(session, "schedules")
    if "name" in values:
        _require_free(session, values["name"], schedule.id)
    for name, value in values.items():
        setattr(schedule, name, value)
    tell(session, schedule.id, "changed")


def delete(session: Session, number: int) -> bool:
    """Forget a schedule with its rounds and notices; False if there is none. Its batches stay."""
    removed = delete_from(Schedule).where(Schedule.id == number).returning(Schedule.id)
    if session.scalar(removed) is None:
        return False
    tell(session, number, "deleted")
    return True


def newest(session: Session, *, before: int | None, limit: int) -> Sequence[Schedule]:
    """Return `limit` of them, newest first; of those with a number below `before`, if that is given."""
    wanted = select(Schedule).order_by(Schedule.id.desc()).limit(limit)
    return session.scalars(wanted if before is None else wanted.where(Schedule.id < before)).all()


def due(session: Session, now: datetime) -> Sequence[Schedule]:
    """Return those whose time has come."""
    return session.scalars(select(Schedule).where(Schedule.next_at <= now).order_by(Schedule.id)).all()


# --- rounds -----------------------------------------------------------------------------------------------------------


def came(session: Session, schedule: Schedule, next_at: datetime | None, *, now: datetime) -> Round:
    """Begin a round since its time has come, and say when that is next; it is skipped if another is under way."""
    before = session.scalar(
        select(Round.id).where(Round.schedule_id == schedule.id, Round.state.in_(UNDER_WAY)).limit(1)
    )
    schedule.next_at = next_at
    if before is None:
        return _round(session, schedule.id, Cause.TIME, None, RoundState.WAITING, now=now)
    made = _round(session, schedule.id, Cause.TIME, None, RoundState.SKIPPED, now=now)
    made.ended_at, made.reason = now, SKIPPED
    return made


def ask(session: Session, number: int, cause: Cause, commit: str | None, *, now: datetime) -> Round:
    """Ask for a round, for this commit. Raises TooManyWaitError."""
    take_turn(session, "schedules")
    waiting = select(func.count()).select_from(Round)
    waiting = waiting.where(Round.schedule_id == number, Round.state == RoundState.WAITING)
    if (session.scalar(waiting) or 0) >= MOST_WAITING:
        raise TooManyWaitError(f"{MOST_WAITING} rounds of schedule {number} wait, which is the limit")
    return _round(session, number, cause, commit, RoundState.WAITING, now=now)


def next_rounds(session: Session) -> list[tuple[Round, Schedule]]:
    """Return the rounds that may begin: the oldest that waits, of each schedule of which none runs."""
    busy = select(Round.schedule_id).where(Round.state == RoundState.RUNNING)
    oldest = (
        select(func.min(Round.id))
        .where(Round.state == RoundState.WAITING, Round.schedule_id.not_in(busy))
        .group_by(Round.schedule_id)
    )
    found = select(Round, Schedule).join(Schedule, Round.schedule_id == Schedule.id).where(Round.id.in_(oldest))
    return [(made, schedule) for made, schedule in session.execute(found.order_by(Round.id))]


def finished(session: Session) -> list[tuple[Round, Schedule]]:
    """Return the rounds that run and whose batch has no run any more that waits or runs."""
    left = select(Run.id).where(Run.batch_id == Round.batch_id, Run.state.in_((State.QUEUED, State.RUNNING))).exists()
    found = select(Round, Schedule).join(Schedule, Round.schedule_id == Schedule.id)
    found = found.where(Round.state == RoundState.RUNNING, ~left).order_by(Round.id)
    return [(made, schedule) for made, schedule in session.execute(found)]


def rounds_of(session: Session, number: int, *, before: int | None, limit: int) -> Sequence[Round]:
    """Return `limit` rounds of a schedule, newest first; of those with a number below `before`, if that is given."""
    wanted = select(Round).where(Round.schedule_id == number).order_by(Round.id.desc()).limit(limit)
    return session.scalars(wanted if before is None else wanted.where(Round.id < before)).all()


def last_rounds(session: Session, numbers: Collection[int]) -> dict[int, Round]:
    """Return the newest round of each of these schedules that has one."""
    newest_of = select(func.max(Round.id)).where(Round.schedule_id.in_(numbers)).group_by(Round.schedule_id)
    return {one.schedule_id: one for one in session.scalars(select(Round).where(Round.id.in_(newest_of)))}


def of_batch(session: Session, batch_id: int) -> tuple[Round, Schedule] | None:
    """Return the round that made a batch, if one did."""
    found = select(Round, Schedule).join(Schedule, Round.schedule_id == Schedule.id).where(Round.batch_id == batch_id)
    row = session.execute(found.limit(1)).one_or_none()
    return None if row is None else (row[0], row[1])


def batch_before(session: Session, made: Round) -> int | None:
    """Return the batch that a round's is compared with: the newest before it that did not fail."""
    wanted = select(Round.batch_id).where(
        Round.schedule_id == made.schedule_id,
        Round.id < made.id,
        Round.state == RoundState.ENDED,
        Round.reason.is_(None),
        Round.batch_id.in_(select(Batch.id)),
        Round.verdict.is_(None) | Round.verdict.not_in(NOT_A_BASELINE),
    )
    return session.scalar(wanted.order_by(Round.id.desc()).limit(1))


def still_waits(session: Session, number: int) -> bool:
    """Whether a round waits; nobody changes that before this transaction has ended."""
    state = session.scalar(select(Round.state).where(Round.id == number).with_for_update())
    return state is RoundState.WAITING


def begin(session: Session, number: int, batch_id: int, *, now: datetime) -> bool:
    """Say that the batch of a round is made; False if it does not wait any more."""
    return _changed(
        session, number, RoundState.WAITING, state=RoundState.RUNNING, batch_id=batch_id, started_at=now
    )  # fmt: skip


def end(
    session: Session,
    number: int,
    *,
    verdict: str | None,
    judged: dict[str, Any] | None,
    reason: str | None,
    now: datetime,
) -> bool:
    """Write down how a round's batch was judged; `reason` says what is wrong with it. False if that was done before."""
    return _changed(
        session, number, RoundState.RUNNING, state=RoundState.ENDED, ended_at=now, verdict=verdict, judged=judged,
        reason=reason,
    )  # fmt: skip


def fail(session: Session, number: int, before: RoundState, reason: str, *, now: datetime) -> bool:
    """Say why nothing comes of a round; False if it is in another state than `before`."""
    return _changed(session, number, before, state=RoundState.FAILED, ended_at=now, reason=reason)


def tell(session: Session, number: int, change: str, **more: Any) -> None:  # noqa: ANN401 - JSON
    """Tell those who watch that something changed of a schedule."""
    events.append(session, "schedule", {"id": number, "change": change, **more})


def _round(
    session: Session, number: int, cause: Cause, commit: str | None, state: RoundState, *, now: datetime
) -> Round:
    made = Round(schedule_id=number, cause=cause, commit=commit, state=state, asked_at=now)
    session.add(made)
    session.flush()
    old = select(Round.id).where(Round.schedule_id == number).order_by(Round.id.desc()).offset(ROUNDS_KEPT)
    session.execute(delete_from(Round).where(Round.id.in_(session.scalars(old).all()), Round.state.not_in(UNDER_WAY)))
    tell(session, number, "round", round=made.id, state=state.value)
    return made


def _changed(session: Session, number: int, before: RoundState, **values: object) -> bool:
    changed = update(Round).where(Round.id == number, Round.state == before).values(**values)
    schedule = session.scalar(changed.returning(Round.schedule_id).execution_options(synchronize_session=False))
    if schedule is None:
        return False
    tell(session, schedule, "round", round=number, state=str(values["state"]))
    return True


def _require_free(session: Session, name: str, number: int | None) -> None:
    other = session.scalar(select(Schedule.id).where(Schedule.name == name))
    if other is not None and other != number:
        raise NameTakenError(f"schedule {other} has the name {name}; choose another")
