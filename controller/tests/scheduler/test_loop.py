"""The effects, on both databases, with workers that do what a test says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from sqlalchemy import func, select

from tests.examples import CERTIFICATE, INVALID
from tests.scheduler.fake_pool import ENGINE, FakePool, made, submitted
from windlull.contract.engine import Certificate
from windlull.runner.messages import Failed, Run
from windlull.runner.work import Outcome, Unfinished
from windlull.scheduler import status
from windlull.scheduler.loop import Loop
from windlull.scheduler.words import Cause, Trouble
from windlull.scheduler.worker_tasks import Report
from windlull.store import events, runs
from windlull.store.blobs import Blobs, DiskFullError
from windlull.store.consistency import faults
from windlull.store.database import Database, UnavailableError
from windlull.store.migrate import migrate
from windlull.store.tables import Artefact, Result, State
from windlull.store.tables import Run as Row

if TYPE_CHECKING:
    from tests.store.postgres import Postgres
    from windlull.store.home import Home

Start = Callable[..., Loop]


@pytest.fixture
def pool() -> FakePool:
    return FakePool()


@pytest.fixture
def loop(database: Database, home: Home, pool: FakePool, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setattr("windlull.scheduler.loop.POLL_S", (0.0, 0.0))
    return Loop(database, home, pool)  # type: ignore[arg-type]


def rows(database: Database) -> list[Row]:
    with database.reader() as session:
        return list(session.scalars(select(Row).order_by(Row.id)))


def until(loop: Loop, holds: Callable[[], bool]) -> None:
    for _ in range(500):
        loop.step()
        if holds():
            return
    raise AssertionError("it does not come to it")


def all_ended(database: Database) -> Callable[[], bool]:
    return lambda: all(State(row.state).ended for row in rows(database))


def seen(database: Database) -> status.Status:
    with database.reader() as session:
        found = status.read(session)
    assert found is not None
    return found.status


def test_all_runs_of_a_batch_are_made_and_written_down(loop: Loop, database: Database, home: Home) -> None:
    batch_id = submitted(database, home, 40)
    until(loop, all_ended(database))
    assert {row.state for row in rows(database)} == {State.DONE}
    with database.reader() as session:
        assert session.scalar(select(func.count()).select_from(Result)) == 40
        artefact = session.scalars(
            select(Artefact).where(Artefact.name == "run.json").order_by(Artefact.result_id)
        ).first()
        assert artefact is not None
        assert json.loads(home.blobs.path(artefact.sha256).read_bytes())["place"] == 0
        last = events.after(session, 0, limit=500, batch_id=batch_id)[-1]
    assert last.data == {"change": "ended", "runs": {"done": 40}}
    assert faults(database, home.blobs, thorough=True) == []


def test_equal_runs_are_made_once(loop: Loop, database: Database, home: Home, pool: FakePool) -> None:
    submitted(database, home, 10)
    submitted(database, home, 10)
    until(loop, all_ended(database))
    assert len(pool.performed) == 10
    assert [row.cached for row in rows(database)] == [False] * 10 + [True] * 10


def test_each_outcome_has_its_state(loop: Loop, database: Database, home: Home, pool: FakePool) -> None:
    ended: dict[int, Callable[[Run], Any]] = {
        0: lambda run: run,
        1: lambda run: Failed(**common(run), attempts=2, reason="no socket"),
        2: lambda run: Unfinished(run, "met its time limit"),
        3: lambda run: Run(**common(run), metrics={}, certificate=msgspec.convert(CERTIFICATE, Certificate)),
        4: lambda run: Run(**common(run), metrics={"elapsed_s": 1}, certificate=msgspec.convert(INVALID, Certificate)),
    }

    def common(run: Run) -> dict[str, Any]:
        names = ("testbed", "variant", "link", "repetition", "seed", "directory", "place")
        return {name: getattr(run, name) for name in names}

    pool.outcome = lambda run, place: Outcome(place, ended[place](run), {} if place == 1 else {"run.json": b"{}"})
    submitted(database, home, 5)
    until(loop, all_ended(database))
    found = rows(database)
    assert [str(row.state) for row in found] == ["done", "failed", "failed", "done", "invalid"]
    assert [row.reason for row in found] == [
        None, "no socket", "met its time limit", None, "the captures dropped 3 packets",
    ]  # fmt: skip
    assert [row.result_id is None for row in found] == [False, True, False, False, False]
    with database.reader() as session:
        keys = {result.id: result.key for result in session.scalars(select(Result))}
    assert [keys.get(row.result_id or 0) is None for row in found] == [False, True, True, False, False]


def test_a_cancelled_batch_is_stopped_and_what_still_comes_is_dropped(
    loop: Loop, database: Database, home: Home, pool: FakePool
) -> None:
    pool.patient = True
    batch_id = submitted(database, home, 4)
    until(loop, lambda: len(pool.tasks) == 4)
    with database.session() as session:
        runs.cancel_batch(session, batch_id, now=made())
    until(loop, lambda: len(pool.stopped) == 4)
    pool.finish()
    loop.step()
    loop.step()
    assert {row.state for row in rows(database)} == {State.CANCELLED}
    with database.reader() as session:
        assert session.scalar(select(func.count()).select_from(Result)) == 0


def test_a_lost_worker_is_replaced(loop: Loop, database: Database, home: Home, pool: FakePool) -> None:
    pool.patient = True
    submitted(database, home, 4)
    until(loop, lambda: len(pool.tasks) == 4)
    pool.die("tcp://w1")
    until(loop, lambda: sum(row.state == State.QUEUED for row in rows(database)) == 2)
    assert {row.reason for row in rows(database) if row.state == State.QUEUED} == {"the worker tcp://w1 went away"}
    pool.join("tcp://w3")
    pool.patient = False
    pool.finish()
    until(loop, all_ended(database))
    assert {row.state for row in rows(database)} == {State.DONE}


def test_what_a_killed_scheduler_had_given_out_is_done_by_the_next(
    loop: Loop, database: Database, home: Home, pool: FakePool
) -> None:
    pool.patient = True
    submitted(database, home, 4)
    until(loop, lambda: len(pool.tasks) == 4)
    assert [row.state for row in rows(database)] == [State.RUNNING] * 4
    another = Loop(database, home, FakePool())  # type: ignore[arg-type]
    until(another, all_ended(database))
    assert [(row.state, row.attempt) for row in rows(database)] == [(State.DONE, 2)] * 4
    pool.finish()
    loop.step()
    assert [(row.state, row.attempt) for row in rows(database)] == [(State.DONE, 2)] * 4
    with database.reader() as session:
        assert session.scalar(select(func.count()).select_from(Result)) == 4


class Fails:
    """Stands for a method and fails for so long."""

    def __init__(self, inner: Callable[..., Any], error: Exception) -> None:
        self.inner = inner
        self.error: Exception | None = error

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.error is not None:
            raise self.error
        return self.inner(*arguments, **named)


def test_a_full_disk_is_waited_out_and_nothing_is_lost(
    loop: Loop, database: Database, home: Home, pool: FakePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(database, home, 30)
    put = Fails(home.blobs.put, DiskFullError("the disk is full"))
    monkeypatch.setattr(Blobs, "put", lambda _self, content: put(content))
    until(loop, lambda: len(pool.performed) == 4)
    until(loop, lambda: seen(database).state == "paused")
    assert seen(database).why == "the disk is full"
    for _ in range(10):
        loop.step()
    assert len(pool.performed) == 4, "no more is given out than the workers had"
    put.error = None
    until(loop, all_ended(database))
    assert {row.state for row in rows(database)} == {State.DONE}
    assert len(pool.performed) == 30, "what was measured is not measured again"
    until(loop, lambda: seen(database).state == "idle")


def test_it_pauses_before_the_disk_is_full(
    loop: Loop, database: Database, home: Home, pool: FakePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(database, home, 3)
    monkeypatch.setenv("WINDLULL_RESERVE_BYTES", str(1 << 60))
    until(loop, lambda: seen(database).state == "paused")
    assert "MiB left" in (seen(database).why or "")
    assert not pool.performed
    monkeypatch.delenv("WINDLULL_RESERVE_BYTES")
    until(loop, all_ended(database))


def test_a_database_that_is_gone_is_waited_for_and_nothing_is_lost(
    loop: Loop, database: Database, home: Home, pool: FakePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(database, home, 30)
    pool.patient = True
    until(loop, lambda: len(pool.tasks) == 4)
    gone = UnavailableError("the database: the connection is lost")
    session, reader = Fails(database.session, gone), Fails(database.reader, gone)
    monkeypatch.setattr(database, "session", session)
    monkeypatch.setattr(database, "reader", reader)
    pool.patient = False
    pool.finish()
    for _ in range(10):
        loop.step()
    assert len(pool.performed) == 4
    session.error = reader.error = None
    until(loop, all_ended(database))
    assert {row.state for row in rows(database)} == {State.DONE}
    assert [row.attempt for row in rows(database)] == [1] * 30
    assert len(pool.performed) == 30


def test_a_claim_that_was_kept_without_anybody_knowing_is_made_good(
    loop: Loop, database: Database, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(database, home, 3)
    claim = runs.claim
    broken = iter([True, True, True])

    def claimed_and_lost(*arguments: Any, **named: Any) -> Any:
        held = claim(*arguments, **named)
        if next(broken, False):
            arguments[0].commit()
            raise UnavailableError("the database: the connection is lost")
        return held

    monkeypatch.setattr(runs, "claim", claimed_and_lost)
    until(loop, all_ended(database))
    assert {(row.state, row.attempt) for row in rows(database)} == {(State.DONE, 2)}


def test_a_batch_without_its_files_fails_and_says_so(loop: Loop, database: Database, home: Home) -> None:
    submitted(database, home, 3, bundle="0" * 64)
    until(loop, all_ended(database))
    assert {row.state for row in rows(database)} == {State.FAILED}
    assert all("the files of its experiment cannot be read" in (row.reason or "") for row in rows(database))


def test_an_engine_that_breaks_on_one_run_fails_that_run_alone(
    loop: Loop, database: Database, home: Home, pool: FakePool
) -> None:
    pool.breaks_on = 7
    submitted(database, home, 20)
    until(loop, all_ended(database))
    assert [row.place for row in rows(database) if row.state != State.DONE] == [7]
    assert (rows(database)[7].reason or "").startswith("error: it broke")


def test_how_far_a_live_run_is(loop: Loop, database: Database, home: Home, pool: FakePool) -> None:
    pool.patient = True
    batch_id = submitted(database, home, 1, testbed="netns")
    until(loop, lambda: len(pool.tasks) == 1)
    pool.say({"at_s": 1.5, "octets": 1000, "of": 5000, "variant": "sack"})
    loop.step()
    with database.reader() as session:
        progress = [one for one in events.after(session, 0, limit=100, batch_id=batch_id) if one.kind == "progress"]
    assert [(one.run_id, one.data) for one in progress] == [(1, {"at_s": 1.5, "octets": 1000, "of": 5000})]


def test_a_worker_that_could_not_work_is_given_work_again_when_it_can(
    loop: Loop, database: Database, home: Home, pool: FakePool
) -> None:
    pool.die("tcp://w2")
    pool.patient = True
    submitted(database, home, 1)
    until(loop, lambda: bool(pool.tasks))
    (task,) = pool.tasks
    del pool.tasks[task]
    pool.bring(task, Report((), 0.0, Trouble(Cause.REFUSED, "there is no room")))
    until(loop, lambda: seen(database).state == "paused")
    assert [worker.refused for worker in pool.workers()] == ["there is no room"]
    pool.join("tcp://w1")
    until(loop, lambda: bool(pool.tasks))


def test_the_status_says_who_is_there_and_what_is_awaited(
    loop: Loop, database: Database, home: Home, pool: FakePool
) -> None:
    submitted(database, home, 2)
    submitted(database, home, 3, engine=("0.0.9", "old"))
    pool.join("tcp://w9", refused="there is no engine")
    until(loop, lambda: seen(database).state == "idle")
    found = seen(database)
    assert found.queued == 3
    assert found.note == "3 runs wait for a worker with the engine 0.0.9, commit old, that planned them"
    assert [(one.address, one.engine, one.refused) for one in found.workers] == [
        ("tcp://w1", " ".join(ENGINE), None),
        ("tcp://w2", " ".join(ENGINE), None),
        ("tcp://w9", " ".join(ENGINE), "there is no engine"),
    ]
    for address in ("tcp://w1", "tcp://w2"):
        pool.die(address)
    until(loop, lambda: seen(database).state == "paused")
    assert seen(database).why == "no worker can work"


def test_a_server_that_is_stopped_for_a_while(
    postgres: Postgres, home: Home, pool: FakePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windlull.scheduler.loop.POLL_S", (0.0, 0.0))
    with postgres.fresh() as name:
        migrate(postgres.url(name))
        database = Database(postgres.url(name))
        loop = Loop(database, home, pool)  # type: ignore[arg-type]
        submitted(database, home, 30)
        pool.patient = True
        until(loop, lambda: len(pool.tasks) == 4)
        postgres.stop()
        pool.patient = False
        pool.finish()
        for _ in range(5):
            loop.step()
        assert len(pool.performed) == 4
        postgres.start()
        until(loop, all_ended(database))
        assert [(row.state, row.attempt) for row in rows(database)] == [(State.DONE, 1)] * 30
        assert faults(database, home.blobs) == []
        database.dispose()


def test_a_report_of_nothing_it_knows_is_ignored(loop: Loop, pool: FakePool) -> None:
    pool.bring(99, Report((), 0.0, Trouble(Cause.DIED, "late")))
    loop.step()
    loop.step()
