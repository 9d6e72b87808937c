"""What does not agree with itself is found, each kind of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from tests.store import rows
from windlull.store import consistency
from windlull.store.tables import State

if TYPE_CHECKING:
    from windlull.store.blobs import Blobs
    from windlull.store.database import Database
    from windlull.store.home import Home


@pytest.fixture
def blobs(home: Home) -> Blobs:
    return home.blobs


@pytest.fixture(autouse=True)
def _rows(database: Database, blobs: Blobs) -> None:
    with database.session() as session:
        batch = rows.batch(session, blobs)
        rows.run(session, batch, 0, State.QUEUED)
        rows.run(session, batch, 1, State.RUNNING)
        rows.done(session, blobs, batch, 2, {"server.pcapng": b"packets"})
        rows.run(session, batch, 3, State.CANCELLED)
        rows.run(session, batch, 4, State.FAILED, reason="the engine broke")


def test_all_is_well(database: Database, blobs: Blobs) -> None:
    assert consistency.faults(database, blobs, thorough=True) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE runs SET result_id = NULL WHERE place = 2", "is done and has no result"),
        ("UPDATE runs SET result_id = (SELECT max(id) FROM results) WHERE place = 0", "has not ended and has a result"),
        ("UPDATE runs SET ended_at = NULL WHERE place = 3", "has ended, no one knows when"),
        ("UPDATE runs SET ended_at = queued_at WHERE place = 1", "has not ended, but a moment when it did"),
        ("UPDATE runs SET worker = NULL WHERE place = 1", "is running and was given to nobody"),
        ("UPDATE runs SET state = 'lost' WHERE place = 4", "is in a state that there is not"),
        (
            "UPDATE results SET key = 'a'; UPDATE runs SET key = 'b' WHERE place = 2",
            "has the result of another content",
        ),
        ("DELETE FROM runs", "batch 1 has no runs"),
        ("UPDATE results SET size_bytes = 8", "has files of other sizes than it says"),
        ("UPDATE results SET evicted_at = created_at", "has files though they have made room for others"),
        ("UPDATE artefacts SET size_bytes = 8; UPDATE results SET size_bytes = 8", "has 7 bytes, not 8"),
        ("UPDATE artefacts SET sha256 = 'gone'", "result 1 names blob gone, which is not there"),
        ("UPDATE batches SET bundle = 'gone'", "batch 1 names blob gone, which is not there"),
    ],
)
def test_what_is_wrong_is_found(database: Database, blobs: Blobs, change: str, fault: str) -> None:
    with database.session() as session:
        for statement in change.split(";"):
            session.execute(text(statement))
    found = consistency.faults(database, blobs)
    assert len(found) == 1, found
    assert fault in found[0]


def test_another_content_is_found_by_who_reads_it(database: Database, blobs: Blobs) -> None:
    name = blobs.put(b"packets")
    blobs.path(name).write_bytes(b"changed")
    assert consistency.faults(database, blobs) == []
    assert consistency.faults(database, blobs, thorough=True) == [f"blob {name} has another content than its name says"]


def test_of_many_some_are_told(database: Database, blobs: Blobs) -> None:
    with database.session() as session:
        batch = rows.batch(session, blobs)
        for place in range(30):
            rows.run(session, batch, place, State.DONE)
    found = consistency.faults(database, blobs)
    assert len(found) == 21
    assert found[-1].startswith("and 10 more")
