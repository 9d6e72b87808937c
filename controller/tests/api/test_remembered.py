from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from windlull.api.remembered import MOST_ANSWERS, Remembered
from windlull.store import events
from windlull.store.database import Database, UnavailableError
from windlull.store.migrate import migrate

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from tests.store.postgres import Postgres


def tell(database: Database, kind: str) -> None:
    with database.session() as session:
        events.append(session, kind, {})


def body(remembered: Remembered, database: Database, asked: str, value: object) -> bytes:
    return remembered.body(database, asked, lambda _session: value)[0]


@pytest.mark.parametrize("kind", ["run", "batch"])
def test_an_answer_holds_until_something_happens(database: Database, kind: str) -> None:
    remembered = Remembered()
    assert body(remembered, database, "a", 1) == b"1"
    assert body(remembered, database, "a", 2) == b"1"
    tell(database, kind)
    assert body(remembered, database, "a", 3) == b"3"
    assert body(remembered, database, "b", 4) == b"4"


@pytest.mark.parametrize("kind", ["progress", "scheduler", "document"])
def test_what_changes_no_list_lets_it_stand(database: Database, kind: str) -> None:
    remembered = Remembered()
    tell(database, "run")
    assert body(remembered, database, "a", 1) == b"1"
    tell(database, kind)
    assert body(remembered, database, "a", 2) == b"1"


def test_an_answer_belongs_to_the_picture_that_it_was_made_of(database: Database) -> None:
    """What happens while an answer is made is not in it: the next who asks gets another."""
    remembered = Remembered()
    tell(database, "run")

    def make(_session: Session) -> int:
        tell(database, "run")
        return 1

    assert remembered.body(database, "a", make)[0] == b"1"
    assert body(remembered, database, "a", 2) == b"2"
    assert body(remembered, database, "a", 3) == b"2"


def test_who_asks_the_same_waits_for_the_answer(database: Database) -> None:
    remembered = Remembered()
    tell(database, "run")
    made = []
    begun, go_on = threading.Event(), threading.Event()

    def make(_session: Session) -> int:
        made.append(1)
        begun.set()
        go_on.wait(60)
        return len(made)

    with ThreadPoolExecutor(8) as threads:
        first = threads.submit(remembered.body, database, "a", make)
        begun.wait(60)
        others = [threads.submit(remembered.body, database, "a", make) for _ in range(7)]
        go_on.set()
        assert {one.result(60)[0] for one in (first, *others)} == {b"1"}
    assert made == [1]


def test_an_answer_is_found_when_the_server_is_back(postgres: Postgres) -> None:
    with postgres.fresh() as name:
        migrate(postgres.url(name))
        database = Database(postgres.url(name))
        remembered = Remembered()
        try:
            assert body(remembered, database, "a", 1) == b"1"
            postgres.stop()
            with pytest.raises(UnavailableError):
                body(remembered, database, "a", 2)
        finally:
            postgres.start()
        assert body(remembered, database, "a", 3) == b"1"
        database.dispose()


def test_only_so_many_are_kept(database: Database) -> None:
    remembered = Remembered()
    for number in range(MOST_ANSWERS + 1):
        body(remembered, database, str(number), 1)
    assert body(remembered, database, "0", 2) == b"2"
    assert body(remembered, database, str(MOST_ANSWERS), 2) == b"1"
