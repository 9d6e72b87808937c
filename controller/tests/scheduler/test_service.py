"""The loop with real workers and the real engine: of our own, and of a cluster that is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import dask
import psutil
from distributed import LocalCluster
from sqlalchemy import select

from tests.test_kernels import built
from windlull import locate
from windlull.runner.bundle import Bundle
from windlull.runner.cluster import SETTINGS, connect, left_in
from windlull.runner.plans import plan
from windlull.scheduler import status
from windlull.scheduler.loop import Loop
from windlull.scheduler.worker_pool import WorkerPool
from windlull.store import runs
from windlull.store.consistency import faults
from windlull.store.tables import Artefact, Result, Run, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from windlull.store.database import Database
    from windlull.store.home import Home

STEPS = 600
"""At most so many times 0.1 to 0.5 s: bounded, and never waited out when all is well."""

LONG = """\
title       = "Long"
link        = "bench-s3"
variants    = ["sack"]
workload    = "long"
repetitions = 2
seed        = 1
time_limit  = "100 h"
"""
WORKLOAD = """\
title     = "More than anybody waits for"
kind      = "bulk"
size      = "100 GB"
direction = "down"
"""


def submit(
    database: Database, home: Home, experiment: str, *profiles: Path, captures: bool = True, commit: str | None = None
) -> int:
    planned = plan(experiment, profiles=profiles or [locate.profiles()])
    about = planned.experiment
    order = runs.Order(
        experiment=experiment, title="", testbed="sim", plane=None, repetitions=about["repetitions"],
        seed=about["seed"], captures=captures, priority=0, bundle=home.blobs.put(Bundle.of(planned).json()),
        plan=home.blobs.put(json.dumps(about).encode()), engine_version=about["version"],
        engine_commit=commit or about["commit"], runs=planned.runs,
    )  # fmt: skip
    with database.session() as session:
        return runs.submit(session, order, now=datetime.now(UTC)).id


def until(loop: Loop, holds: Callable[[], bool]) -> None:
    for _ in range(STEPS):
        loop.step()
        if holds():
            return
    raise AssertionError("it does not come to it")


def states(database: Database, batch_id: int) -> dict[State, int]:
    with database.reader() as session:
        return runs.counts(session, [batch_id])[batch_id]


def ended(database: Database, batch_id: int) -> Callable[[], bool]:
    return lambda: all(state.ended for state in states(database, batch_id))


def engines() -> list[psutil.Process]:
    return [one for one in psutil.Process().children(recursive=True) if one.name() == "windlull-engine"]


def test_an_experiment_comes_out_as_the_engine_alone_makes_it(sqlite: Database, home: Home, tmp_path: Path) -> None:
    with connect(None, 2, scratch=tmp_path) as client:
        loop = Loop(sqlite, home, WorkerPool(client, left_in(tmp_path)))
        batch_id = submit(sqlite, home, "first-look")
        until(loop, lambda: any(left_in(tmp_path).glob("*/*/server.pcapng")))
        until(loop, ended(sqlite, batch_id))
        # What was left for the service is taken, and gone.
        until(loop, lambda: not list(left_in(tmp_path).iterdir()))
    out = tmp_path / "out"
    command = [str(locate.engine()), "run", "first-look", "--profiles", str(locate.profiles()), "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    assert states(sqlite, batch_id) == {State.DONE: 10}
    with sqlite.reader() as session:
        for run in session.scalars(select(Run)):
            result = session.get(Result, run.result_id)
            assert result is not None
            written = out / run.directory
            assert result.metrics == json.loads((written / "run.json").read_bytes())["metrics"]
            files = session.scalars(select(Artefact).where(Artefact.result_id == result.id))
            made = {one.name: home.blobs.path(one.sha256).read_bytes() for one in files}
            assert made == {file.name: file.read_bytes() for file in written.iterdir()}
    assert faults(sqlite, home.blobs, thorough=True) == []


def test_a_cancelled_run_stops_its_engine(sqlite: Database, home: Home, tmp_path: Path) -> None:
    profiles = tmp_path / "profiles"
    (profiles / "experiments").mkdir(parents=True)
    (profiles / "workloads").mkdir()
    (profiles / "experiments" / "long.toml").write_text(LONG, encoding="utf-8")
    (profiles / "workloads" / "long.toml").write_text(WORKLOAD, encoding="utf-8")
    with connect(None, 1, scratch=tmp_path) as client:
        loop = Loop(sqlite, home, WorkerPool(client))
        batch_id = submit(sqlite, home, "long", locate.profiles(), profiles, captures=False)
        until(loop, lambda: bool(engines()))
        with sqlite.session() as session:
            assert runs.cancel_batch(session, batch_id, now=datetime.now(UTC)) == 2
        until(loop, lambda: not engines())
        # The worker is free for others again.
        another = submit(sqlite, home, "first-look", captures=False)
        until(loop, ended(sqlite, another))
    assert states(sqlite, batch_id) == {State.CANCELLED: 2}
    assert states(sqlite, another) == {State.DONE: 10}


@contextmanager
def worker(address: str, *options: str, **environment: str) -> Iterator[None]:
    """`windlull worker`, as on another machine."""
    command = [sys.executable, "-m", "windlull", "worker", address, "--insecure-cluster", *options]
    with subprocess.Popen(command, env=os.environ | environment, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


def test_a_cluster_of_others_and_a_worker_of_another_engine(sqlite: Database, home: Home, tmp_path: Path) -> None:
    other = tmp_path / "windlull-engine"
    other.write_text("""#!/bin/sh\necho '{"version":"0.0.1","commit":"another"}'\n""", encoding="utf-8")
    other.chmod(0o755)
    built(tmp_path / "kernels", "stock", "release 6.12.107\n")

    def seen() -> list[status.WorkerStatus]:
        with sqlite.reader() as session:
            found = status.read(session)
        return [] if found is None else list(found.status.workers)

    with (
        dask.config.set(SETTINGS),
        LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as cluster,  # type: ignore[no-untyped-call]
        worker(cluster.scheduler_address, WINDLULL_ENGINE=str(other), WINDLULL_KERNELS=str(tmp_path / "kernels")),
        connect(cluster.scheduler_address, None) as client,
    ):
        loop = Loop(sqlite, home, WorkerPool(client))
        batch_id = submit(sqlite, home, "first-look")
        until(loop, lambda: [one.engine for one in seen()] == ["0.0.1 another"])
        assert states(sqlite, batch_id) == {State.QUEUED: 10}
        with sqlite.reader() as session:
            found = status.read(session)
        assert found is not None
        assert (found.status.note or "").startswith("10 runs wait for a worker with the engine")
        here = {"WINDLULL_ORDERS": str(tmp_path), "WINDLULL_KERNELS": str(tmp_path / "none")}
        with worker(cluster.scheduler_address, "--live", **here):
            until(loop, ended(sqlite, batch_id))
            assert sorted(one.testbeds for one in seen()) == [("compose", "netns", "sim"), ("kernel", "sim")]
        assert states(sqlite, batch_id) == {State.DONE: 10}
