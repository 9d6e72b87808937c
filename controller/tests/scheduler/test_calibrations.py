"""Calibrations, on both databases, with a measurement that does what a test says."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.scheduler.fake_pool import FakePool, made, submitted
from tests.scheduler.test_loop import all_ended, rows, seen, until
from windlull.errors import FailureError
from windlull.scheduler import calibrations
from windlull.scheduler.calibrations import CUT_SHORT, LEFT, Calibrations
from windlull.scheduler.loop import CALIBRATING, Loop
from windlull.store import calibrations as store
from windlull.store import events
from windlull.store.tables import Calibration, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.store.database import Database
    from windlull.store.home import Home


class Bench:
    """A measurement that ends when the test lets it."""

    def __init__(self) -> None:
        self.begun: list[list[str]] = []
        self.may_end = threading.Event()
        self.fault: Exception | None = None

    def measure(self, options: list[str], stop: threading.Event) -> dict[str, Any]:
        self.begun.append(options)
        while not self.may_end.wait(0.01):
            if stop.is_set():
                raise FailureError(CUT_SHORT)
        if self.fault is not None:
            raise self.fault
        return {"highest_rate_bps": 1_000_000}


@pytest.fixture
def pool() -> FakePool:
    return FakePool()


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def loop(database: Database, home: Home, pool: FakePool, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setattr("windlull.scheduler.loop.POLL_S", (0.0, 0.01))
    return Loop(database, home, pool, Calibrations(database, bench.measure))  # type: ignore[arg-type]


def ask(database: Database, *, thorough: bool = False) -> int:
    with database.session() as session:
        asked = store.ask(session, pace="precise", thorough=thorough, now=made())
        assert asked is not None
        return asked.id


def found(database: Database, number: int) -> Calibration:
    with database.reader() as session:
        row = session.get(Calibration, number)
        assert row is not None
        return row


def is_in(database: Database, number: int, state: str) -> Callable[[], bool]:
    return lambda: found(database, number).state == state


def test_what_was_asked_for_is_measured_and_written_down(loop: Loop, database: Database, bench: Bench) -> None:
    bench.may_end.set()
    number = ask(database, thorough=True)
    until(loop, is_in(database, number, "done"))
    row = found(database, number)
    assert bench.begun == [["--pace", "precise", "--thorough"]]
    assert row.result == {"highest_rate_bps": 1_000_000}
    assert row.reason is None
    assert row.started_at is not None
    assert row.ended_at is not None
    with database.reader() as session:
        changes = [event.data for event in events.after(session, 0, limit=50) if event.kind == "calibration"]
    assert changes == [{"id": number, "state": state} for state in ("waiting", "running", "done")]


def test_nothing_is_given_out_meanwhile(
    loop: Loop, database: Database, home: Home, pool: FakePool, bench: Bench
) -> None:
    number = ask(database)
    until(loop, is_in(database, number, "running"))
    submitted(database, home, 4)
    for _ in range(20):
        loop.step()
    assert pool.tasks == {}
    assert {row.state for row in rows(database)} == {State.QUEUED}
    until(loop, lambda: seen(database).why == CALIBRATING)
    bench.may_end.set()
    until(loop, all_ended(database))
    assert {row.state for row in rows(database)} == {State.DONE}
    until(loop, lambda: seen(database).why is None)


def test_it_waits_for_what_the_workers_have(
    loop: Loop, database: Database, home: Home, pool: FakePool, bench: Bench
) -> None:
    pool.patient = True
    submitted(database, home, 1, testbed="netns")
    until(loop, lambda: len(pool.tasks) == 1)
    number = ask(database)
    for _ in range(20):
        loop.step()
    assert found(database, number).state == "waiting"
    assert bench.begun == []
    pool.finish()
    until(loop, is_in(database, number, "running"))
    bench.may_end.set()
    until(loop, is_in(database, number, "done"))


def test_one_that_fails_says_why(loop: Loop, database: Database, bench: Bench) -> None:
    bench.may_end.set()
    bench.fault = FailureError("no namespaces here")
    number = ask(database)
    until(loop, is_in(database, number, "failed"))
    assert found(database, number).reason == "no namespaces here"


def test_a_fault_of_ours_is_no_end_of_the_scheduler(loop: Loop, database: Database, bench: Bench) -> None:
    bench.may_end.set()
    bench.fault = ValueError("what?")
    number = ask(database)
    until(loop, is_in(database, number, "failed"))
    assert "what?" in (found(database, number).reason or "")


def test_the_end_of_the_service_cuts_it_short(loop: Loop, database: Database) -> None:
    number = ask(database)
    until(loop, is_in(database, number, "running"))
    ending = threading.Event()
    ending.set()
    loop.run(ending)
    assert (found(database, number).state, found(database, number).reason) == ("failed", CUT_SHORT)


def test_one_that_a_killed_service_measured_has_failed(loop: Loop, database: Database, bench: Bench) -> None:
    number = ask(database)
    with database.session() as session:
        assert store.begin(session, number, now=made())
    until(loop, is_in(database, number, "failed"))
    assert found(database, number).reason == LEFT
    assert bench.begun == []


def test_one_is_under_way_at_a_time(database: Database) -> None:
    number = ask(database)
    with database.session() as session:
        assert store.ask(session, pace="frugal", thorough=False, now=made()) is None
        store.end(session, number, now=made(), reason="no")
    assert ask(database) == number + 1


def test_the_oldest_are_forgotten(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KEPT", 2)
    numbers = []
    for _ in range(4):
        numbers.append(ask(database))
        with database.session() as session:
            store.end(session, numbers[-1], now=made(), result={})
    _, _, older, newest = numbers
    with database.reader() as session:
        assert [row.id for row in store.newest(session, before=None, limit=9)] == [newest, older]
        assert [row.id for row in store.newest(session, before=newest, limit=9)] == [older]


def test_the_engine_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real engine: it has ended when the wish to stop is told of."""
    stop = threading.Event()
    stop.set()
    with pytest.raises(FailureError, match=CUT_SHORT):
        calibrations._by_engine([], stop)
    monkeypatch.setattr(calibrations, "LONGEST_S", -60)
    with pytest.raises(FailureError, match="took more than"):
        calibrations._by_engine([], threading.Event())
