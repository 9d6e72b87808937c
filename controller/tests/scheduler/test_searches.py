"""Searches, on both databases, with a process that does what a test says."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from windlull.scheduler import searches
from windlull.scheduler.searches import Searches
from windlull.store import searches as store
from windlull.store.tables import Search, SearchState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from windlull.store.database import Database
    from windlull.store.home import Home

PATIENCE_S = 30.0

SEARCHES = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
out = pathlib.Path(sys.argv[1]) / "out"
out.mkdir(parents=True, exist_ok=True)
with (out / "trials.jsonl").open("a") as trials:
    trials.write("{}\\n{}\\n{}\\n")
while not (out / "may-end").exists():
    time.sleep(0.01)
"""
MISSES_THE_FIRST = """
import os, signal, sys
signal.signal(signal.SIGINT, lambda *_: signal.signal(signal.SIGINT, signal.SIG_DFL))
os.makedirs(sys.argv[1])
while True:
    signal.pause()
"""
FAILS = "import sys; sys.exit('error: --variant x: the experiment has sack')"


@pytest.fixture
def command() -> list[str]:
    """The program that searches; a test may replace it."""
    return [SEARCHES]


@pytest.fixture
def made(
    database: Database, home: Home, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Searches]:  # fmt: skip
    """The searches of a scheduler."""
    monkeypatch.setattr(searches, "LOOK_S", 0.0)
    one = Searches(database, home, lambda directory: [sys.executable, "-c", command[0], str(directory)])
    yield one
    one.end()


def ask(database: Database) -> int:
    with database.session() as session:
        return store.ask(session, experiment="mine", title="Mine", asked={}, now=datetime.now(UTC)).id


def found(database: Database, number: int) -> Search:
    with database.reader() as session:
        return session.get_one(Search, number)


def until(made: Searches, is_so: Callable[[], bool], *, room: bool = True) -> None:
    """Let the scheduler go on until something is so."""
    give_up = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < give_up
        made.step(room=room)


def may_end(home: Home, number: int) -> Path:
    return home.searches / str(number) / "out" / "may-end"


def test_searches_run_one_after_the_other_and_tell_how_far_they_are(
    database: Database, home: Home, made: Searches
) -> None:
    one, other = ask(database), ask(database)
    until(made, lambda: found(database, one).tried == 2)
    assert found(database, one).state == SearchState.RUNNING
    assert found(database, other).state == SearchState.WAITING
    may_end(home, one).touch()
    until(made, lambda: found(database, one).state == SearchState.DONE)
    assert found(database, one).ended_at is not None
    until(made, lambda: found(database, other).state == SearchState.RUNNING)


def test_one_that_is_stopped_goes_on_where_it_was(database: Database, made: Searches) -> None:
    number = ask(database)
    until(made, lambda: found(database, number).tried == 2)
    with database.session() as session:
        assert store.stop(session, number, now=datetime.now(UTC))
    until(made, lambda: found(database, number).state == SearchState.STOPPED)
    with database.session() as session:
        assert store.resume(session, number)
    until(made, lambda: found(database, number).tried == 5)


def test_one_that_is_interrupted_before_it_can_say_so_was_stopped(
    database: Database, made: Searches, command: list[str]
) -> None:
    command[0] = SEARCHES.replace("sys.exit(130)", "sys.exit('Fatal Python error: init_import_site')")
    number = ask(database)
    until(made, lambda: found(database, number).tried == 2)
    with database.session() as session:
        assert store.stop(session, number, now=datetime.now(UTC))
    until(made, lambda: found(database, number).state == SearchState.STOPPED)


def test_one_that_misses_the_word_is_told_again(
    database: Database, home: Home, made: Searches, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "AGAIN_S", 0.2)
    command[0] = MISSES_THE_FIRST
    number = ask(database)
    until(made, (home.searches / str(number)).exists)
    with database.session() as session:
        assert store.stop(session, number, now=datetime.now(UTC))
    until(made, lambda: found(database, number).state == SearchState.STOPPED)


def test_one_that_fails_says_why(database: Database, made: Searches, command: list[str]) -> None:
    command[0] = FAILS
    number = ask(database)
    until(made, lambda: found(database, number).state == SearchState.FAILED)
    assert found(database, number).reason == "variant x: the experiment has sack"


def test_it_waits_while_there_is_no_room(database: Database, made: Searches) -> None:
    number = ask(database)
    for _ in range(5):
        made.step(room=False)
    assert found(database, number).state == SearchState.WAITING
    until(made, lambda: found(database, number).tried == 2)
    until(made, lambda: not made.busy, room=False)
    assert found(database, number).state == SearchState.WAITING


def test_the_next_scheduler_goes_on_with_it(database: Database, home: Home, made: Searches) -> None:
    number = ask(database)
    until(made, lambda: found(database, number).tried == 2)
    made.end()
    assert found(database, number).state == SearchState.WAITING
    # One that was killed could not say so.
    with database.session() as session:
        assert store.begin(session, number, now=datetime.now(UTC))
    following = Searches(database, home, lambda directory: [sys.executable, "-c", SEARCHES, str(directory)])
    until(following, lambda: found(database, number).tried == 5)
    following.end()
