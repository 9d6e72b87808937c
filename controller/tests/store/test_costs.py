"""What a batch took is told of the newest one that was run that way, and of what was run for it alone."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.store import rows
from windlull.store import costs
from windlull.store.costs import Cost
from windlull.store.tables import State

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from windlull.store.database import Database
    from windlull.store.home import Home
    from windlull.store.tables import Batch

EXPERIMENT = "tests/two-variants"


def done(session: Session, home: Home, batch: Batch, place: int, begins_s: float, ends_s: float, **more: Any) -> None:
    """A run with a file of 100 octets, from and to so many seconds after NOW."""
    result = rows.result(session, home.blobs, {"fates.csv": bytes([place]) * 100})
    moments = {
        "started_at": rows.NOW + timedelta(seconds=begins_s),
        "ended_at": rows.NOW + timedelta(seconds=ends_s),
    }
    rows.run(session, batch, place, State.DONE, **{"result_id": result.id} | moments | more)


def last(session: Session, *, testbed: str = "sim", captures: bool = True) -> Cost | None:
    return costs.last(session, EXPERIMENT, testbed=testbed, captures=captures)


def test_a_batch_took_from_its_first_run_to_its_last(database: Database, home: Home) -> None:
    with database.session() as session:
        assert last(session) is None
        batch = rows.batch(session, home.blobs)
        done(session, home, batch, 0, 10, 14)
        done(session, home, batch, 1, 10, 22.5)
        # Neither was run for it: one was known before, one failed.
        done(session, home, batch, 2, 0, 99, cached=True, started_at=None)
        rows.run(session, batch, 3, State.FAILED, ended_at=rows.NOW + timedelta(seconds=99))
        ended = rows.NOW + timedelta(seconds=22.5)
        assert last(session) == Cost(batch.id, 3, 4, 2, 12.5, 200, ended)
        assert last(session, testbed="netns") is None
        assert last(session, captures=False) is None
        assert costs.last(session, "other", testbed="sim", captures=True) is None


def test_the_newest_that_has_ended_is_told(database: Database, home: Home) -> None:
    with database.session() as session:
        first, second, third, fourth = (
            rows.batch(session, home.blobs),
            rows.batch(session, home.blobs),
            rows.batch(session, home.blobs),
            rows.batch(session, home.blobs, imported=True),
        )
        for batch in (first, second, third, fourth):
            done(session, home, batch, 0, 1, 3)
        rows.run(session, third, 1, State.RUNNING)
        found = last(session)
        assert found is not None
        assert found.batch == second.id
