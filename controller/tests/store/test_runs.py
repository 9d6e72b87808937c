"""A run ends exactly once, whoever comes first; what is known is not measured again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from tests.examples import planned_run
from windlull.store import events, runs
from windlull.store.runs import Ended, Held, Order, Stored
from windlull.store.tables import Artefact, Batch, Event, Result, Run, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from windlull.contract.engine import PlannedRun
    from windlull.store.database import Database

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = NOW + timedelta(seconds=7)
ENGINE = ("0.1.0", "0123456789ab")
FILES = {"run.json": Stored("a" * 64, 10), runs.CAPTURE: Stored("b" * 64, 100)}


def cells(count: int, prefix: str | None = "k", testbed: str = "sim") -> list[PlannedRun]:
    return [planned_run(place, testbed, None if prefix is None else f"{prefix}{place}") for place in range(count)]


def order(planned: Sequence[PlannedRun], **changes: Any) -> Order:
    usual = Order(
        experiment="tests/one", title="One", testbed="sim", plane=None, repetitions=3, seed="1", captures=True,
        priority=0, bundle="c" * 64, plan="d" * 64, engine_version=ENGINE[0], engine_commit=ENGINE[1], runs=planned,
    )  # fmt: skip
    return replace(usual, **changes)


def submit(database: Database, planned: Sequence[PlannedRun], **changes: Any) -> int:
    with database.session() as session:
        return runs.submit(session, order(planned, **changes), now=NOW).id


def ids(database: Database, batch_id: int) -> list[int]:
    with database.reader() as session:
        return list(session.scalars(select(Run.id).where(Run.batch_id == batch_id).order_by(Run.place)))


def claim(database: Database, chosen: Sequence[int]) -> list[Held]:
    with database.session() as session:
        return runs.claim(session, chosen, "tcp://w", now=NOW)


def record(database: Database, *ended: Ended) -> list[Held]:
    with database.session() as session:
        return runs.record(session, ended, now=LATER)


def done(held: Held, **changes: Any) -> Ended:
    return replace(Ended(held, State.DONE, metrics={"elapsed_s": 1.5}, files=FILES), **changes)


def states(database: Database, batch_id: int) -> list[State]:
    with database.reader() as session:
        return [
            State(one) for one in session.scalars(select(Run.state).where(Run.batch_id == batch_id).order_by(Run.place))
        ]


def run(database: Database, run_id: int) -> Run:
    with database.reader() as session:
        found = session.get(Run, run_id)
        assert found is not None
        return found


def total(session: Session, table: Any) -> int:
    return session.scalar(select(func.count()).select_from(table)) or 0


def logged(database: Database) -> list[tuple[str, int | None, Any]]:
    with database.reader() as session:
        return [(one.kind, one.run_id, one.data) for one in events.after(session, 0, limit=500)]


def test_a_batch_is_submitted_with_all_its_runs(database: Database) -> None:
    batch_id = submit(database, cells(1203), priority=4)
    with database.reader() as session:
        assert runs.counts(session, [batch_id, 99]) == {batch_id: {State.QUEUED: 1203}, 99: {}}
        front = runs.waiting(session, "sim", engines=[ENGINE], limit=2)
    assert [(one.place, one.priority, one.key, one.engine) for one in front] == [
        (0, 4, "k0", ENGINE),
        (1, 4, "k1", ENGINE),
    ]
    assert logged(database) == [("batch", None, {"change": "submitted", "runs": {"queued": 1203}})]


def test_the_queue_goes_by_priority_then_age_and_each_testbed_has_its_own(database: Database) -> None:
    old, live = submit(database, cells(2, "a")), submit(database, cells(2, None, "netns"), testbed="netns")
    high = submit(database, cells(2, "b"), priority=3)
    low = submit(database, cells(2, "c"), priority=-3)
    with database.reader() as session:
        front = runs.waiting(session, "sim", engines=[ENGINE], limit=5)
        assert [one.batch_id for one in front] == [high, high, old, old, low]
        assert sorted(front, key=lambda one: one.rank) == front
        assert [one.batch_id for one in runs.waiting(session, "netns", engines=[ENGINE], limit=5)] == [live, live]
        assert runs.waiting(session, "sim", engines=[], limit=5) == []
        assert runs.waiting(session, "sim", engines=[("0.1.0", "another")], limit=5) == []
        assert runs.engines_awaited(session) == {ENGINE: 8}
    with database.session() as session:
        assert runs.set_priority(session, low, 9)
        assert not runs.set_priority(session, 99, 9)
        front = runs.waiting(session, "sim", engines=[ENGINE], limit=3)
        assert [one.batch_id for one in front] == [low, low, high]


def test_a_run_is_claimed_once(database: Database) -> None:
    first, second = ids(database, submit(database, cells(2)))
    assert claim(database, [first]) == [Held(first, 1)]
    assert claim(database, [first, second]) == [Held(second, 1)]
    with database.reader() as session:
        assert sorted(runs.held(session)) == [Held(first, 1), Held(second, 1)]
    assert run(database, first).worker == "tcp://w"
    assert run(database, first).started_at == NOW


def test_a_run_ends_once(database: Database) -> None:
    batch_id = submit(database, cells(1))
    (held,) = claim(database, ids(database, batch_id))
    assert record(database, done(held)) == [held]
    assert record(database, done(held), done(held, state=State.FAILED)) == []
    assert states(database, batch_id) == [State.DONE]
    with database.reader() as session:
        assert (total(session, Result), total(session, Artefact)) == (1, 2)
        result = session.scalars(select(Result)).one()
        assert (result.metrics, result.size_bytes, result.key) == ({"elapsed_s": 1.5}, 110, "k0")
    assert logged(database)[-2:] == [
        ("run", held.id, {"state": "done"}),
        ("batch", None, {"change": "ended", "runs": {"done": 1}}),
    ]


def test_what_comes_of_an_earlier_attempt_is_not_taken(database: Database) -> None:
    batch_id = submit(database, cells(1))
    (first,) = claim(database, ids(database, batch_id))
    with database.session() as session:
        assert runs.requeue(session, [first], "the worker went", now=NOW) == 1
        assert runs.requeue(session, [first], "the worker went", now=NOW) == 0
    assert run(database, first.id).reason == "the worker went"
    (second,) = claim(database, [first.id])
    assert second == Held(first.id, 2)
    assert record(database, done(first)) == []
    with database.session() as session:
        assert runs.requeue(session, [first], "late", now=NOW) == 0
    assert record(database, done(second)) == [second]
    assert run(database, first.id).reason is None


def test_a_cancelled_run_stays_cancelled_whatever_comes(database: Database) -> None:
    batch_id = submit(database, cells(3))
    held = claim(database, ids(database, batch_id)[:2])
    with database.session() as session:
        assert runs.cancel(session, [held[0].id, held[0].id], now=LATER) == 1
        assert runs.cancel(session, [held[0].id], now=LATER) == 0
    assert record(database, *map(done, held)) == [held[1]]
    with database.session() as session:
        assert runs.cancel_batch(session, batch_id, now=LATER) == 1
    assert states(database, batch_id) == [State.CANCELLED, State.DONE, State.CANCELLED]
    with database.reader() as session:
        assert total(session, Result) == 1


def test_what_did_not_succeed_can_be_retried(database: Database) -> None:
    batch_id = submit(database, cells(4, None))
    held = claim(database, ids(database, batch_id))
    ends = (State.DONE, State.FAILED, State.INVALID)
    record(database, *(done(one, state=state, reason="why") for one, state in zip(held, ends, strict=False)))
    with database.session() as session:
        runs.cancel(session, [held[3].id], now=LATER)
        assert runs.retry(session, [held[0].id, held[1].id], now=LATER) == 1
        assert runs.retry_batch(session, batch_id, now=LATER) == 2
        assert runs.retry_batch(session, batch_id, now=LATER) == 0
    assert states(database, batch_id) == [State.DONE, State.QUEUED, State.QUEUED, State.QUEUED]
    again = run(database, held[1].id)
    assert (again.reason, again.ended_at, again.result_id, again.attempt) == (None, None, None, 1)
    assert record(database, done(held[3])) == []
    with database.reader() as session:
        assert total(session, Result) == 1, "results that no run has any more are gone"


def test_a_known_result_answers_for_equal_runs(database: Database) -> None:
    first = submit(database, cells(2))
    waiting = submit(database, cells(2))
    held = claim(database, ids(database, first))
    record(database, *(done(one) for one in held))
    with database.session() as session:
        known = ids(database, waiting)
        assert runs.answer_from_cache(session, [*known, held[0].id], now=LATER) == known
        assert runs.answer_from_cache(session, known, now=LATER) == []
    third = submit(database, cells(3))
    assert states(database, third) == [State.DONE, State.DONE, State.QUEUED]
    cached = run(database, ids(database, third)[0])
    assert cached.cached
    assert cached.result_id == run(database, held[0].id).result_id
    with database.reader() as session:
        assert total(session, Result) == 2


def test_numbers_alone_answer_only_who_asks_for_no_captures(database: Database) -> None:
    bare = submit(database, cells(1), captures=False)
    record(database, done(claim(database, ids(database, bare))[0], files={"run.json": FILES["run.json"]}))
    assert states(database, submit(database, cells(1), captures=False)) == [State.DONE]
    full = submit(database, cells(1))
    assert states(database, full) == [State.QUEUED]
    record(database, done(claim(database, ids(database, full))[0]))
    assert states(database, submit(database, cells(1))) == [State.DONE]
    with database.reader() as session:
        assert session.scalars(select(Result)).one().size_bytes == 110
        assert total(session, Artefact) == 2


def test_evicted_files_come_back_with_the_next_run(database: Database) -> None:
    held = claim(database, ids(database, submit(database, cells(1))))
    record(database, done(held[0]))
    with database.session() as session:
        result = session.scalars(select(Result)).one()
        result.evicted_at, result.size_bytes = LATER, 0
        for artefact in session.scalars(select(Artefact)):
            session.delete(artefact)
    again = submit(database, cells(1))
    assert states(database, again) == [State.QUEUED]
    assert states(database, submit(database, cells(1), captures=False)) == [State.DONE]
    record(database, done(claim(database, ids(database, again))[0]))
    with database.reader() as session:
        result = session.scalars(select(Result)).one()
        assert (result.evicted_at, result.size_bytes) == (None, 110)


@pytest.mark.parametrize("state", [State.FAILED, State.INVALID])
def test_what_answers_for_itself_alone_has_no_key(database: Database, state: State) -> None:
    """A transfer that met its time limit is looked at with its files, and is no result for others."""
    batch_id = submit(database, cells(1))
    record(database, done(claim(database, ids(database, batch_id))[0], state=state, reason="so", shared=False))
    assert states(database, submit(database, cells(1))) == [State.QUEUED]
    assert run(database, ids(database, batch_id)[0]).reason == "so"
    with database.reader() as session:
        assert total(session, Artefact) == 2


def test_a_run_that_left_nothing_has_no_result(database: Database) -> None:
    batch_id = submit(database, cells(1))
    record(database, Ended(claim(database, ids(database, batch_id))[0], State.FAILED, reason="no socket"))
    assert run(database, ids(database, batch_id)[0]).result_id is None


def test_deleting_takes_the_results_that_nobody_else_has(database: Database) -> None:
    first = submit(database, cells(2))
    record(database, *(done(one) for one in claim(database, ids(database, first))))
    second = submit(database, cells(1))
    with database.session() as session:
        assert runs.delete_batch(session, first)
        assert not runs.delete_batch(session, first)
        assert (total(session, Batch), total(session, Run), total(session, Result)) == (1, 1, 1)
        assert runs.delete_run(session, ids(database, second)[0])
        assert not runs.delete_run(session, 12345)
        assert (total(session, Batch), total(session, Run), total(session, Result)) == (1, 0, 0)
        assert total(session, Artefact) == 0


def test_what_comes_of_a_deleted_run_is_not_taken(database: Database) -> None:
    batch_id = submit(database, cells(1))
    held = claim(database, ids(database, batch_id))
    with database.session() as session:
        runs.delete_batch(session, batch_id)
    assert record(database, done(held[0])) == []
    with database.reader() as session:
        assert total(session, Result) == 0


def test_what_is_undone_was_not_told(database: Database) -> None:
    def submitted_in_vain() -> None:
        with database.session() as session:
            runs.submit(session, order(cells(1)), now=NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        submitted_in_vain()
    with database.reader() as session:
        assert (total(session, Batch), total(session, Run), total(session, Event)) == (0, 0, 0)
