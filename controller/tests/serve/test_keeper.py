"""The keeper does its rounds, and a database that is gone does not end it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.store import rows
from windlull.serve import keeper as module
from windlull.serve.keeper import Keeper
from windlull.store.database import UnavailableError
from windlull.store.retention import Pruned, Rules

if TYPE_CHECKING:
    import pytest

    from windlull.store.database import Database
    from windlull.store.home import Home


def test_a_round_keeps_the_rules(database: Database, database_url: str, home: Home) -> None:
    with database.session() as session:
        batch = rows.batch(session, home.blobs)
        for place, old in enumerate((1, 30)):
            then = datetime.now(UTC) - timedelta(days=old)
            rows.done(session, home.blobs, batch, place, {"fates.csv": b"x" * old}, created_at=then)
    keeper = Keeper(home, database_url, Rules(age=timedelta(days=7)))
    assert keeper.round().results == 1
    assert keeper.round() == Pruned()
    keeper.stop()


def test_trouble_is_waited_out(home: Home, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = threading.Semaphore(0)
    troubles: list[Exception] = [UnavailableError("gone"), UnavailableError("gone"), ZeroDivisionError()]
    monkeypatch.setattr(module, "EVERY_S", 0.0)

    def play(_: Keeper) -> Pruned:
        rounds.release()
        if troubles:
            raise troubles.pop(0)
        return Pruned()

    monkeypatch.setattr(Keeper, "round", play)
    keeper = Keeper(home, database_url, Rules())
    keeper.start()
    for _ in range(5):
        assert rounds.acquire(timeout=60)
    keeper.stop()
