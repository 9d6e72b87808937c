"""Batches and runs in the database: who may change which state, and that a run ends exactly once.

    QUEUED --claim--> RUNNING --record--> DONE, INVALID or FAILED
       |  <--requeue--   |
       +---- cancel -----+--> CANCELLED      a run whose result is known goes from QUEUED to DONE: answer_from_cache
    FAILED, INVALID, CANCELLED --retry--> QUEUED

Every change is conditional on the state that it leaves, and what a worker brings also on the attempt that it was given:
whoever comes second changes nothing. All functions work in the caller's session; all is kept, or nothing. On PostgreSQL
those that write take one lock first, as SQLite does by itself: so they come one after the other, and a result cannot be
deleted by one while another lets a run point to it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import CursorResult, and_, delete, exists, func, insert, or_, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from windlull.errors import BadInputError
from windlull.store import events
from windlull.store.tables import Artefact, Batch, Result, Run, State
from windlull.store.turns import take_turn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from windlull.contract.engine import PlannedRun

CAPTURE = "server.pcapng"
"""The file that a result has if captures were asked for."""

RETRIED = (State.FAILED, State.INVALID, State.CANCELLED)
"""The states that `retry` takes back into the queue."""

_UNDER_WAY = (State.QUEUED, State.RUNNING)
_T = TypeVar("_T")
_PIECE = 500
"""How many rows one statement names."""


class QueueFullError(BadInputError):
    """More runs would wait than may; nothing was queued."""


@dataclass(frozen=True, slots=True)
class Order:
    """A batch to be: the columns of `Batch` that its maker chooses, and the runs of its plan."""

    experiment: str
    title: str
    testbed: str
    plane: str | None
    repetitions: int
    seed: str
    captures: bool
    priority: int
    bundle: str
    plan: str
    engine_version: str
    engine_commit: str
    runs: Sequence[PlannedRun]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A run in the queue, with what the scheduler decides by. `place` is that in the plan of its batch."""

    id: int
    batch_id: int
    place: int
    testbed: str
    priority: int
    key: str | None
    engine: tuple[str, str]

    @property
    def rank(self) -> tuple[int, int]:
        """Sorts the queue: higher priority first, then older."""
        return -self.priority, self.id


@dataclass(frozen=True, slots=True, order=True)
class Held:
    """A run that was given out, and which attempt of it."""

    id: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A file of a result that is in the blobs."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Ended:
    """What a worker brought of a run: how it ended, what it measured, which files.

    `state` is DONE, INVALID or FAILED. `metrics` is None for a run that left nothing. `shared` says that the result may
    answer for every run of the same key.
    """

    held: Held
    state: State
    reason: str | None = None
    metrics: Mapping[str, Any] | None = None
    certificate: Mapping[str, Any] | None = None
    attempts: int = 1
    files: Mapping[str, Stored] = field(default_factory=dict)
    shared: bool = True


# --- what people ask for ----------------------------------------------------------------------------------------------


def submit(session: Session, order: Order, *, now: datetime, most_queued: int | None = None) -> Batch:
    """Make a batch with all its runs in the queue; those whose result is known are done at once.

    Raises QueueFullError if more than `most_queued` would wait then, of all batches; the caller's session must end.
    """
    take_turn(session, "runs")
    columns = {name: getattr(order, name) for name in Order.__slots__ if name != "runs"}
    batch = Batch(**columns, imported=False, created_at=now)
    session.add(batch)
    session.flush()
    for piece in _pieces(order.runs):
        rows = [
            {
                "batch_id": batch.id, "place": run.place, "testbed": run.testbed, "variant": run.variant,
                "link": run.link, "repetition": run.repetition, "seed": run.seed, "directory": run.directory,
                "key": run.key, "priority": order.priority, "state": State.QUEUED, "attempt": 0, "cached": False,
                "queued_at": now,
            }
            for run in piece
        ]  # fmt: skip
        session.execute(insert(Run), rows)
    _answer(session, Run.batch_id == batch.id, now=now)
    _require_room(session, most_queued)
    _tell_batch(session, batch.id, "submitted")
    return batch


def queued(session: Session) -> int:
    """Return how many runs wait, of all batches."""
    return session.scalar(select(func.count()).select_from(Run).where(Run.state == State.QUEUED)) or 0


def _require_room(session: Session, most: int | None) -> None:
    if most is not None and (count := queued(session)) > most:
        raise QueueFullError(f"{count:,} runs would wait then, at most {most:,} may; come back when some have ended")


def cancel(session: Session, chosen: Iterable[int], *, now: datetime) -> int:
    """Cancel the runs of these numbers that have not ended; return how many. Their engines are stopped soon after."""
    take_turn(session, "runs")
    cancelled = 0
    for piece in _pieces(sorted(set(chosen))):
        cancelled += len(_cancel(session, Run.id.in_(piece), now=now, tell_each=True))
    return cancelled


def cancel_batch(session: Session, batch_id: int, *, now: datetime) -> int:
    """Cancel all runs of a batch that have not ended; return how many."""
    take_turn(session, "runs")
    cancelled = _cancel(session, Run.batch_id == batch_id, now=now, tell_each=False)
    if cancelled:
        _tell_batch(session, batch_id, "cancelled")
    return len(cancelled)


def retry(session: Session, chosen: Iterable[int], *, now: datetime, most_queued: int | None = None) -> int:
    """Queue the runs of these numbers again that failed, are invalid or were cancelled; return how many.

    Raises QueueFullError as `submit` does.
    """
    take_turn(session, "runs")
    retried = 0
    for piece in _pieces(sorted(set(chosen))):
        again = _retry(session, Run.id.in_(piece), now=now)
        retried += len(again)
        for run_id, batch_id in again:
            _tell_run(session, run_id, batch_id, State.QUEUED)
    _require_room(session, most_queued if retried else None)
    return retried


def retry_batch(session: Session, batch_id: int, *, now: datetime, most_queued: int | None = None) -> int:
    """Queue all runs of a batch again that failed, are invalid or were cancelled; return how many.

    Raises QueueFullError as `submit` does.
    """
    take_turn(session, "runs")
    again = _retry(session, Run.batch_id == batch_id, now=now)
    if again:
        _require_room(session, most_queued)
        _tell_batch(session, batch_id, "retried")
    return len(again)


def set_priority(session: Session, batch_id: int, priority: int) -> bool:
    """Give a batch and its runs another priority; say whether there is such a batch."""
    take_turn(session, "runs")
    if not _count(session.execute(update(Batch).where(Batch.id == batch_id).values(priority=priority))):
        return False
    session.execute(update(Run).where(Run.batch_id == batch_id).values(priority=priority))
    _tell_batch(session, batch_id, "priority")
    return True


def delete_batch(session: Session, batch_id: int) -> bool:
    """Delete a batch, its runs, and the results that only these had; say whether there was one.

    A run under way is stopped soon after.
    """
    take_turn(session, "runs")
    return _delete(session, Run.batch_id == batch_id, batch_id, whole=True)


def delete_run(session: Session, run_id: int) -> bool:
    """Delete one run, and its result if only this run had it; say whether there was one."""
    take_turn(session, "runs")
    batch_id = session.scalar(select(Run.batch_id).where(Run.id == run_id))
    return batch_id is not None and _delete(session, Run.id == run_id, batch_id, whole=False)


def counts(session: Session, batch_ids: Iterable[int]) -> dict[int, dict[State, int]]:
    """Return how many runs each batch has in each state; a state without runs is left out."""
    found: dict[int, dict[State, int]] = {batch_id: {} for batch_id in batch_ids}
    for piece in _pieces(sorted(found)):
        asked = select(Run.batch_id, Run.state, func.count()).where(Run.batch_id.in_(piece))
        for batch_id, state, count in session.execute(asked.group_by(Run.batch_id, Run.state)):
            found[batch_id][State(state)] = count
    return found


def counts_known(session: Session, batch_ids: Iterable[int]) -> dict[int, int]:
    """Return how many runs of each batch were not made again, as an equal run had its result already."""
    found = dict.fromkeys(batch_ids, 0)
    for piece in _pieces(sorted(found)):
        asked = select(Run.batch_id, func.count()).where(Run.batch_id.in_(piece), Run.cached)
        found.update((batch_id, count) for batch_id, count in session.execute(asked.group_by(Run.batch_id)))
    return found


# --- what the scheduler asks for --------------------------------------------------------------------------------------


def waiting(session: Session, testbed: str, *, engines: Collection[tuple[str, str]], limit: int) -> list[Waiting]:
    """Return the front of a testbed's queue in its order, of batches that one of these engines planned."""
    if not engines:
        return []
    planned_by = or_(*(and_(Batch.engine_version == v, Batch.engine_commit == c) for v, c in sorted(set(engines))))
    found: list[Waiting] = []
    below: int | None = None
    # A priority at a time: so the index is read from where the front is, forwards, and no more of it than needed.
    while len(found) < limit:
        here = and_(Run.state == State.QUEUED, Run.testbed == testbed)
        level = select(func.max(Run.priority)).where(here if below is None else and_(here, Run.priority < below))
        below = session.scalar(level)
        if below is None:
            break
        columns = (Run.id, Run.batch_id, Run.place, Run.key, Batch.engine_version, Batch.engine_commit)
        front = select(*columns).join(Batch, Run.batch_id == Batch.id).where(here, Run.priority == below, planned_by)
        for row in session.execute(front.order_by(Run.id).limit(limit - len(found))):
            found.append(Waiting(row[0], row[1], row[2], testbed, below, row[3], (row[4], row[5])))  # noqa: PERF401
    return found


def engines_awaited(session: Session) -> dict[tuple[str, str], int]:
    """Return how many runs wait for each engine, by its version and commit."""
    columns = (Batch.engine_version, Batch.engine_commit)
    asked = select(*columns, func.count()).join(Run, Run.batch_id == Batch.id).where(Run.state == State.QUEUED)
    return {(version, commit): count for version, commit, count in session.execute(asked.group_by(*columns))}


def under_way(session: Session) -> dict[State, int]:
    """Return how many runs are queued and how many are running."""
    asked = select(Run.state, func.count()).where(Run.state.in_(_UNDER_WAY)).group_by(Run.state)
    return {State(state): count for state, count in session.execute(asked)}


def held(session: Session) -> list[Held]:
    """Return all runs that are RUNNING as far as the database knows."""
    rows = session.execute(select(Run.id, Run.attempt).where(Run.state == State.RUNNING))
    return [Held(run_id, attempt) for run_id, attempt in rows]


def claim(session: Session, chosen: Sequence[int], worker: str, *, now: datetime) -> list[Held]:
    """Give queued runs to a worker; return those that were still queued, with their attempt."""
    take_turn(session, "runs")
    taken = (
        update(Run)
        .where(Run.id.in_(chosen), Run.state == State.QUEUED)
        .values(state=State.RUNNING, attempt=Run.attempt + 1, worker=worker, started_at=now, reason=None)
        .returning(Run.id, Run.attempt, Run.batch_id)
    )
    rows = sorted(session.execute(taken))
    for run_id, _, batch_id in rows:
        _tell_run(session, run_id, batch_id, State.RUNNING)
    return [Held(run_id, attempt) for run_id, attempt, _ in rows]


def requeue(session: Session, lost: Iterable[Held], reason: str, *, now: datetime) -> int:
    """Queue runs again whose attempt came to nothing; return how many those were that still were RUNNING in it."""
    take_turn(session, "runs")
    again = 0
    for one in sorted(lost):
        back = (
            update(Run)
            .where(Run.id == one.id, Run.state == State.RUNNING, Run.attempt == one.attempt)
            .values(state=State.QUEUED, worker=None, started_at=None, queued_at=now, reason=reason)
            .returning(Run.batch_id)
        )
        batch_id = session.scalar(back)
        if batch_id is not None:
            _tell_run(session, one.id, batch_id, State.QUEUED, reason)
            again += 1
    return again


def record(session: Session, ended: Iterable[Ended], *, now: datetime) -> list[Held]:
    """Write down how runs ended, and what they measured. The files must be in the blobs before.

    Returns those that were written; the others were cancelled, deleted or given out anew meanwhile, and of them nothing
    is kept.
    """
    take_turn(session, "runs")
    brought: dict[Held, Ended] = {}
    for one in ended:
        brought.setdefault(one.held, one)
    taken: list[tuple[Ended, int, str | None]] = []
    for (state, reason), alike in _alike(brought.values()).items():
        still = tuple_(Run.id, Run.attempt).in_([(held.id, held.attempt) for held in alike])
        # The state first: on PostgreSQL this row's lock decides between us and whoever cancels or deletes.
        end = (
            update(Run)
            .where(Run.state == State.RUNNING, still)
            .values(state=state, reason=reason, ended_at=now, cached=False)
            .returning(Run.id, Run.attempt, Run.batch_id, Run.key)
            .execution_options(synchronize_session=False)
        )
        for run_id, attempt, batch_id, key in session.execute(end):
            taken.append((brought[Held(run_id, attempt)], batch_id, key))
    taken.sort(key=lambda one: one[0].held)
    _keep(session, [(one, key if one.shared else None) for one, _, key in taken if one.metrics is not None], now=now)
    for one, batch_id, _ in taken:
        _tell_run(session, one.held.id, batch_id, one.state, one.reason)
    _tell_ends(session, {batch_id for _, batch_id, _ in taken})
    return [one.held for one, _, _ in taken]


def answer_from_cache(session: Session, chosen: Sequence[int], *, now: datetime) -> list[int]:
    """Let queued runs be done whose result is known, with its files if captures are asked for; return their numbers."""
    take_turn(session, "runs")
    answered = _answer(session, Run.id.in_(chosen), now=now)
    for run_id, batch_id in answered:
        _tell_run(session, run_id, batch_id, State.DONE)
    _tell_ends(session, {batch_id for _, batch_id in answered})
    return [run_id for run_id, _ in answered]


# --- how --------------------------------------------------------------------------------------------------------------


def _answer(session: Session, which: ColumnElement[bool], *, now: datetime) -> list[tuple[int, int]]:
    whole = exists().where(Artefact.result_id == Result.id, Artefact.name == CAPTURE)
    wants_files = select(Batch.captures).where(Batch.id == Run.batch_id).correlate(Run).scalar_subquery()
    serves = or_(wants_files.is_(False), and_(Result.evicted_at.is_(None), whole))
    known = select(Result.id).where(Result.key == Run.key, serves).correlate(Run).scalar_subquery()
    done = (
        update(Run)
        .where(which, Run.state == State.QUEUED, Run.key.is_not(None), known.is_not(None))
        .values(state=State.DONE, cached=True, result_id=known, started_at=None, ended_at=now, reason=None)
        .returning(Run.id, Run.batch_id)
        .execution_options(synchronize_session=False)
    )
    return [(run_id, batch_id) for run_id, batch_id in sorted(session.execute(done))]


def _alike(ended: Iterable[Ended]) -> dict[tuple[State, str | None], list[Held]]:
    """Return the runs that ended in the same way, so that one statement says so of all of them."""
    found: dict[tuple[State, str | None], list[Held]] = {}
    for one in ended:
        found.setdefault((one.state, one.reason), []).append(one.held)
    return found


def _keep(session: Session, ended: Sequence[tuple[Ended, str | None]], *, now: datetime) -> None:
    """Give runs their results, by the keys if there are; a result that is there gets the files that it lacks."""
    if not ended:
        return
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    new = {key: _result(one, key, now) for one, key in ended if key is not None}
    if new:
        session.execute(
            dialect.insert(Result).values(list(new.values())).on_conflict_do_nothing(index_elements=["key"])
        )
    ids = dict(session.execute(select(Result.key, Result.id).where(Result.key.in_(new))).all()) if new else {}
    results: dict[int, Ended] = {}
    rows: list[dict[str, int]] = []
    for one, key in ended:
        if key is None:
            result_id = session.scalars(insert(Result).values(**_result(one, None, now)).returning(Result.id)).one()
        else:
            result_id = ids[key]
        results[result_id] = one
        rows.append({"id": one.held.id, "result_id": result_id})
    session.execute(update(Run), rows)
    _add_files(session, results, now=now)


def _result(ended: Ended, key: str | None, now: datetime) -> dict[str, Any]:
    return {
        "key": key, "metrics": dict(ended.metrics or {}), "attempts": ended.attempts, "size_bytes": 0,
        "certificate": None if ended.certificate is None else dict(ended.certificate), "created_at": now,
    }  # fmt: skip


def _add_files(session: Session, results: Mapping[int, Ended], *, now: datetime) -> None:
    """Let results have those of the files that they lack."""
    sizes = dict(
        session.execute(select(Result.id, Result.size_bytes).where(Result.id.in_(results)).with_for_update()).all()
    )
    there = set(session.execute(select(Artefact.result_id, Artefact.name).where(Artefact.result_id.in_(results))).all())
    new: list[dict[str, Any]] = []
    added: Counter[int] = Counter()
    for result_id, one in sorted(results.items(), key=lambda item: item[0]):
        for name, file in sorted(one.files.items()):
            if (result_id, name) not in there:
                new.append({"result_id": result_id, "name": name, "sha256": file.sha256, "size_bytes": file.size_bytes})
                added[result_id] += file.size_bytes
    if not new:
        return
    session.execute(insert(Artefact), new)
    session.execute(
        update(Result),
        [
            {"id": one, "size_bytes": sizes[one] + more, "evicted_at": None, "created_at": now}
            for one, more in added.items()
        ],
    )


def _cancel(session: Session, which: ColumnElement[bool], *, now: datetime, tell_each: bool) -> list[tuple[int, int]]:
    stop = (
        update(Run)
        .where(which, Run.state.in_(_UNDER_WAY))
        .values(state=State.CANCELLED, ended_at=now, reason=None)
        .returning(Run.id, Run.batch_id)
        .execution_options(synchronize_session=False)
    )
    stopped = [(run_id, batch_id) for run_id, batch_id in sorted(session.execute(stop))]
    if tell_each:
        for run_id, batch_id in stopped:
            _tell_run(session, run_id, batch_id, State.CANCELLED)
        _tell_ends(session, {batch_id for _, batch_id in stopped})
    return stopped


def _retry(session: Session, which: ColumnElement[bool], *, now: datetime) -> list[tuple[int, int]]:
    again = (
        update(Run)
        .where(which, Run.state.in_(RETRIED))
        .values(
            state=State.QUEUED, queued_at=now, started_at=None, ended_at=None, worker=None, reason=None, cached=False,
            result_id=None,
        )
        .returning(Run.id, Run.batch_id)
        .execution_options(synchronize_session=False)
    )  # fmt: skip
    before = set(
        session.scalars(select(Run.result_id).where(which, Run.state.in_(RETRIED), Run.result_id.is_not(None)))
    )
    retried = [(run_id, batch_id) for run_id, batch_id in sorted(session.execute(again))]
    _drop(session, before)
    return retried


def _delete(session: Session, which: ColumnElement[bool], batch_id: int, *, whole: bool) -> bool:
    before = set(session.scalars(select(Run.result_id).where(which, Run.result_id.is_not(None))))
    gone = _count(session.execute(delete(Run).where(which)))
    if whole:
        gone = _count(session.execute(delete(Batch).where(Batch.id == batch_id)))
    _drop(session, before)
    if gone:
        events.append(session, "batch", {"change": "deleted" if whole else "shortened"}, batch_id=batch_id)
    return bool(gone)


def _drop(session: Session, results: Iterable[int | None]) -> None:
    """Delete those of the results that no run has any more; their blobs go when blobs are swept."""
    used = exists().where(Run.result_id == Result.id)
    for piece in _pieces(sorted(result for result in results if result is not None)):
        session.execute(delete(Result).where(Result.id.in_(piece), ~used).execution_options(synchronize_session=False))


def _tell_run(session: Session, run_id: int, batch_id: int, state: State, reason: str | None = None) -> None:
    data = {"state": state.value} | ({"reason": reason} if reason else {})
    events.append(session, "run", data, batch_id=batch_id, run_id=run_id)


def _tell_batch(session: Session, batch_id: int, change: str) -> None:
    found = counts(session, [batch_id])[batch_id]
    numbers = {state.value: count for state, count in sorted(found.items())}
    events.append(session, "batch", {"change": change, "runs": numbers}, batch_id=batch_id)


def _tell_ends(session: Session, batches: Iterable[int]) -> None:
    """Tell of those batches of which no run is under way any more."""
    for batch_id in sorted(batches):
        left = select(Run.id).where(Run.batch_id == batch_id, Run.state.in_(_UNDER_WAY)).limit(1)
        if session.scalar(left) is None:
            _tell_batch(session, batch_id, "ended")


def _count(result: Any) -> int:  # noqa: ANN401 - an UPDATE's or DELETE's
    assert isinstance(result, CursorResult)  # noqa: S101 - what they return
    return result.rowcount


def _pieces(things: Sequence[_T]) -> Iterator[Sequence[_T]]:
    return (things[start : start + _PIECE] for start in range(0, len(things), _PIECE))
