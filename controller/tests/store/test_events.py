"""Events come in the order of their numbers, whoever writes beside whom."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from windlull.store import events

if TYPE_CHECKING:
    from windlull.store.database import Database


def tell(database: Database, *words: str, batch_id: int | None = None, run_id: int | None = None) -> None:
    with database.session() as session:
        for word in words:
            events.append(session, "run", {"word": word}, batch_id=batch_id, run_id=run_id)


def heard(database: Database, last_id: int = 0, limit: int = 100, batch_id: int | None = None,
          run_id: int | None = None) -> list[str]:  # fmt: skip
    with database.reader() as session:
        found = events.after(session, last_id, limit=limit, batch_id=batch_id, run_id=run_id)
        return [event.data["word"] for event in found]


def last(database: Database) -> int:
    with database.reader() as session:
        return events.last(session)


def test_events_are_read_on_from_where_one_was(database: Database) -> None:
    assert last(database) == 0
    tell(database, "a", "b")
    seen = last(database)
    tell(database, "c")
    assert heard(database) == ["a", "b", "c"]
    assert heard(database, limit=2) == ["a", "b"]
    assert heard(database, seen) == ["c"]


def test_events_of_one_batch_or_run(database: Database) -> None:
    tell(database, "a", batch_id=1, run_id=1)
    tell(database, "b", batch_id=1, run_id=2)
    tell(database, "c", batch_id=2, run_id=3)
    assert heard(database, batch_id=1) == ["a", "b"]
    assert heard(database, run_id=2) == ["b"]


def test_what_is_undone_is_not_told(database: Database) -> None:
    def fail() -> None:
        with database.session() as session:
            events.append(session, "run", {"word": "never"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    tell(database, "a")
    assert heard(database) == ["a"]


def test_a_savepoint_tells_nothing_by_itself(database: Database) -> None:
    with database.session() as session:
        events.append(session, "run", {"word": "once"})
        with session.begin_nested():
            session.execute(text("DELETE FROM notes"))
        assert events.last(session) == 0
    assert heard(database) == ["once"]


def test_old_ones_are_forgotten_but_numbers_go_on(database: Database) -> None:
    tell(database, "a", "b")
    before = last(database)
    with database.session() as session:
        assert events.trim(session, datetime.now(UTC) + timedelta(hours=1)) == 1
        assert events.first(session) == before
    tell(database, "c")
    assert heard(database, before) == ["c"]


def test_no_event_appears_before_one_that_was_seen(database: Database) -> None:
    """Three write, one reads on and on from the last it saw: it misses none."""
    writers, each = 3, 12

    def write() -> None:
        for _ in range(each):
            tell(database, "x", "y")
            # SQLite's lock is not handed on in turn: without a breath, a slow disk lets one writer starve.
            time.sleep(0.002)

    seen, position, going = 0, 0, True
    with ThreadPoolExecutor(writers) as pool:
        written = [pool.submit(write) for _ in range(writers)]
        while going:
            going = not all(future.done() for future in written)
            with database.reader() as session:
                for event in events.after(session, position, limit=1000):
                    seen, position = seen + 1, event.id
        for future in written:
            future.result()
    assert seen == writers * each * 2
