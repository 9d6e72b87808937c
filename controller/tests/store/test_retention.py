"""Old files go, oldest first; numbers, pinned batches and young blobs stay."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.store import rows
from windlull.store import consistency, events, retention
from windlull.store.retention import Pruned, Rules
from windlull.store.tables import Answer, Artefact, Event, Result

if TYPE_CHECKING:
    from windlull.store.blobs import Blobs
    from windlull.store.database import Database
    from windlull.store.home import Home

NOW = rows.NOW
DAY = timedelta(days=1)


@pytest.fixture
def blobs(home: Home) -> Blobs:
    return home.blobs


def age_all(blobs: Blobs) -> None:
    long_ago = time.time() - 2 * retention.GRACE_S
    for name, _ in list(blobs.names()):
        os.utime(blobs.path(name), (long_ago, long_ago))


def fill(database: Database, blobs: Blobs, *, pinned: bool = False, days: tuple[int, ...] = (1, 2, 3)) -> list[int]:
    """A batch with a run for each age in days, of 1000 bytes each; returns the numbers of the results."""
    with database.session() as session:
        batch = rows.batch(session, blobs, pinned=pinned)
        results = []
        for place, old in enumerate(days):
            content = bytes([old, pinned]) * 500
            run = rows.done(session, blobs, batch, place, {"server.pcapng": content}, created_at=NOW - old * DAY)
            results.append(run.result_id or 0)
    age_all(blobs)
    return results


def with_files(database: Database) -> set[int]:
    with database.reader() as session:
        return {artefact.result_id for artefact in session.query(Artefact)}


def test_files_go_when_they_are_too_old(database: Database, blobs: Blobs) -> None:
    young, middle, old = fill(database, blobs)
    pruned = retention.prune(database, blobs, Rules(age=2.5 * DAY), now=NOW)
    assert pruned == Pruned(results=1, blobs=1, freed_bytes=1000)
    assert with_files(database) == {young, middle}
    with database.reader() as session:
        gone = session.get_one(Result, old)
        assert (gone.evicted_at, gone.metrics) == (NOW, {"elapsed_s": 1.5})
    assert consistency.faults(database, blobs, thorough=True) == []
    assert not retention.prune(database, blobs, Rules(age=2.5 * DAY), now=NOW)


def test_the_oldest_go_when_there_is_too_much(database: Database, blobs: Blobs) -> None:
    young, _, _ = fill(database, blobs)
    assert retention.used_bytes(database) == 3000
    pruned = retention.prune(database, blobs, Rules(quota_bytes=1999), now=NOW)
    assert pruned == Pruned(results=2, blobs=2, freed_bytes=2000)
    assert with_files(database) == {young}
    assert consistency.faults(database, blobs) == []


def test_what_fits_stays(database: Database, blobs: Blobs) -> None:
    fill(database, blobs)
    assert retention.prune(database, blobs, Rules(age=3 * DAY, quota_bytes=3000), now=NOW) == Pruned()


def test_pinned_batches_stay(database: Database, blobs: Blobs) -> None:
    kept = fill(database, blobs, pinned=True)
    fill(database, blobs, days=(4, 5))
    assert retention.prune(database, blobs, Rules(age=DAY / 2, quota_bytes=0), now=NOW).results == 2
    assert with_files(database) == set(kept)


def test_equal_files_are_one_and_go_with_the_last(database: Database, blobs: Blobs) -> None:
    with database.session() as session:
        batch = rows.batch(session, blobs)
        for place, old in enumerate((1, 3)):
            rows.done(session, blobs, batch, place, {"fates.csv": b"equal"}, created_at=NOW - old * DAY)
    age_all(blobs)
    assert retention.used_bytes(database) == 5
    assert retention.prune(database, blobs, Rules(age=2 * DAY), now=NOW) == Pruned(results=1)
    assert consistency.faults(database, blobs) == []
    assert retention.prune(database, blobs, Rules(quota_bytes=4), now=NOW) == Pruned(results=1, blobs=1, freed_bytes=5)


def test_many_go_in_pieces(database: Database, blobs: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_PIECE", 2)
    fill(database, blobs, days=(1, 2, 3, 4, 5))
    assert retention.prune(database, blobs, Rules(age=timedelta()), now=NOW).results == 5
    assert with_files(database) == set()
    with database.reader() as session:
        assert session.query(Result).count() == 5


def test_blobs_that_no_row_names_are_swept_when_they_are_old(database: Database, blobs: Blobs) -> None:
    fill(database, blobs)
    old = blobs.put(b"left by a killed process")
    age_all(blobs)
    young = blobs.put(b"its row is on its way")
    assert retention.sweep(database, blobs) == Pruned(blobs=1, freed_bytes=24)
    left = {name for name, _ in blobs.names()}
    assert young in left
    assert old not in left
    assert consistency.faults(database, blobs, thorough=True) == []


def test_a_blob_that_is_put_again_meanwhile_stays(
    database: Database, blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is old and no row names it when the rows are read; then somebody puts the same content."""
    name = blobs.put(b"again")
    age_all(blobs)
    found = retention.named

    def meanwhile(*arguments: object) -> set[str]:
        blobs.put(b"again")
        return found(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(retention, "named", meanwhile)
    assert not retention.sweep(database, blobs)
    assert blobs.size(name) == 5


def test_old_events_and_answers_are_forgotten(database: Database, blobs: Blobs) -> None:
    now = datetime.now(UTC)
    with database.session() as session:
        session.add(Event(at=now - 8 * DAY, kind="run", data={}))
        session.add(Event(at=now - 6 * DAY, kind="run", data={}))
        for key, old in (("old", 3), ("young", 1)):
            session.add(Answer(key=key, request="0" * 64, status=201, body="{}", created_at=now - old * DAY))
    assert retention.prune(database, blobs, Rules(), now=now) == Pruned(events=1, answers=1)
    with database.reader() as session:
        assert [answer.key for answer in session.query(Answer)] == ["young"]
        assert len(events.after(session, 0, limit=10)) == 1
