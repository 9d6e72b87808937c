"""Live runs whose processes are missing: they wait, and others go on. Real workers, the real engine."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.scheduler.test_service import ended, states, submit, until
from windlull import locate
from windlull.runner.bundle import Bundle
from windlull.runner.cluster import connect
from windlull.runner.options import RunOptions
from windlull.runner.plans import plan
from windlull.scheduler import status
from windlull.scheduler.loop import Loop
from windlull.scheduler.worker_pool import WorkerPool
from windlull.store import runs
from windlull.store.tables import State

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from windlull.store.database import Database
    from windlull.store.home import Home


def submit_live(database: Database, home: Home) -> int:
    planned = plan("first-look-live", RunOptions(testbed="compose"), profiles=[locate.profiles()])
    about = planned.experiment
    order = runs.Order(
        experiment="first-look-live", title="", testbed="compose", plane=None, repetitions=about["repetitions"],
        seed=about["seed"], captures=False, priority=0, bundle=home.blobs.put(Bundle.of(planned).json()),
        plan=home.blobs.put(json.dumps(about).encode()), engine_version=about["version"],
        engine_commit=about["commit"],
        runs=[run for run in planned.runs if run.testbed == "compose"],
    )  # fmt: skip
    with database.session() as session:
        return runs.submit(session, order, now=datetime.now(UTC)).id


def note(database: Database) -> str:
    with database.reader() as session:
        found = status.read(session)
    return "" if found is None else found.status.note or ""


def test_live_runs_wait_for_what_makes_them_and_simulated_ones_go_on(
    sqlite: Database, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDLULL_ORDERS", str(tmp_path / "orders"))
    with connect(None, 1, scratch=tmp_path, testbeds=("sim", "compose")) as client:
        loop = Loop(sqlite, home, WorkerPool(client))
        live = submit_live(sqlite, home)
        until(loop, lambda: note(sqlite).startswith("runs on compose wait: "))
        assert "no process answers for the" in note(sqlite)
        simulated = submit(sqlite, home, "first-look", captures=False)
        until(loop, ended(sqlite, simulated))
    assert states(sqlite, simulated) == {State.DONE: 10}
    assert set(states(sqlite, live)) == {State.QUEUED}
