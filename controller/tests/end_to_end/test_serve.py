"""The whole service: it runs what it is asked for, and nothing that happens to it needs a hand.

Each start costs seconds of two cores; so a test does with one service all that one can show.
"""

from __future__ import annotations

import os
import signal
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull
from tests.end_to_end.serving import alive, descendants, serving

if TYPE_CHECKING:
    from tests.end_to_end.serving import Service
    from tests.store.postgres import Postgres

RESERVE_BYTES = 8 << 20
SMALL_DISK = 'mount -t tmpfs -o size=96M none "$1" && shift && exec "$@"'


def all_is_well(data: Path, *options: str) -> None:
    checked = windlull("store", "check", "--data", data, "--thorough", *options)
    assert checked.returncode == 0, checked.stdout


def test_it_runs_what_it_is_asked_for_and_ends_without_a_trace(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data) as service:
        batch = service.until_ended(service.submit(repetitions=2, captures=True))
        assert batch["runs"] == {"done": batch["total"]}
        again = service.until_ended(service.submit(repetitions=2, captures=True))
        assert again["runs"] == {"done": again["total"]}
        runs = service.get(f"runs?batch={again['id']}&limit=500")["items"]
        assert [run["cached"] for run in runs] == [True] * again["total"]

        # Children that are killed are started again, and what they were at is done.
        hurt = service.submit(repetitions=20, seed="2")
        for name in ("web", "scheduler"):
            os.kill(service.child(name), signal.SIGKILL)
            service.until(lambda starts: starts == 2, partial(service.starts, name))
        batch = service.until_ended(hurt)
        assert batch["runs"] == {"done": batch["total"]}
        service.until(lambda health: health["ready"] and health["working"])

        below = descendants(service.process.pid)
        assert len(below) >= 3
        assert service.stop() == 0
        assert not [pid for pid in below if alive(pid)]
        assert service.strange == [], "all that is logged is JSON"
        assert {"started", "ended", "stopping", "stopped"} <= {said["event"] for said in service.logged}
    all_is_well(data)


def test_nothing_outlives_a_service_that_is_killed_and_the_next_one_goes_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data) as service:
        batch = service.submit(repetitions=20)
        below = descendants(service.process.pid)
        service.process.kill()
        service.process.wait()
        for pid in below:
            subprocess.run(["tail", f"--pid={pid}", "-f", "/dev/null"], timeout=60, check=True)
    with serving(data) as service:
        done = service.until_ended(batch)
        assert done["runs"] == {"done": done["total"]}
    all_is_well(data)


def test_postgresql_may_come_late_and_be_gone_for_a_while(tmp_path: Path, postgres: Postgres) -> None:
    def start_it_when_it_is_missed(service: Service) -> None:
        service.until_logged("waiting for the database")
        postgres.start()

    data = tmp_path / "data"
    with postgres.fresh() as name:
        postgres.stop()
        environment = {"WINDLULL_DATABASE": postgres.url(name)}
        with serving(data, environment=environment, meanwhile=start_it_when_it_is_missed) as service:
            batch = service.submit(repetitions=40)
            postgres.stop()
            try:
                gone = service.until(lambda health: not health["database"]["works"])
                assert (gone["ready"], gone["working"]) == (False, False)
                assert gone["database"]["why"].startswith("the database: ")
                assert service.ask("GET", "health/ready")[0] == 503
                assert service.ask("GET", "health/live") == (200, {"live": True})
                status, refused = service.ask("GET", "batches")
                assert (status, refused["error"]["code"]) == (503, "unavailable")
            finally:
                postgres.start()
            service.until(lambda health: health["ready"] and health["working"])
            done = service.until_ended(batch)
            assert done["runs"] == {"done": done["total"]}
            assert [service.starts(child) for child in ("web", "scheduler")] == [1, 1]
            assert service.strange == []
        all_is_well(data, "--database", postgres.url(name))


def test_a_disk_that_fills_up_is_waited_for(tmp_path: Path) -> None:
    """The data directory is a small disk of its own, which somebody fills and, later, empties."""
    data = tmp_path / "data"
    data.mkdir()
    on_a_small_disk = ["unshare", "-Urm", "sh", "-c", SMALL_DISK, "sh", str(data)]
    environment = {"WINDLULL_RESERVE_BYTES": str(RESERVE_BYTES)}
    with serving(data, wrapper=on_a_small_disk, environment=environment) as service:
        seen = Path(f"/proc/{service.process.pid}/root{data}")
        batch = service.submit(repetitions=20, captures=True)
        subprocess.run(["dd", "if=/dev/zero", f"of={seen}/filler", "bs=64k"], check=False, capture_output=True)
        full = service.until(lambda health: health["disk"]["full"] and not health["working"])
        assert full["disk"]["free_bytes"] < RESERVE_BYTES
        status, refused = service.ask("POST", "batches", {"experiment": "first-look"})
        assert (status, refused["error"]["code"]) == (507, "disk-full")
        (seen / "filler").unlink()
        service.until(lambda health: health["working"])
        done = service.until_ended(batch)
        assert done["runs"] == {"done": done["total"]}
        assert [service.starts(child) for child in ("web", "scheduler")] == [1, 1]
        assert service.strange == []


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--host", "192.0.2.1"], "--token-file"),
        (["--database", "mysql://x/y"], "mysql: is no database that we know"),
        (["--token-file", "/dev/null"], "holds no token"),
    ],
)
def test_what_cannot_be_served_is_told(tmp_path: Path, options: list[str], what: str) -> None:
    done = windlull("serve", "--data", tmp_path / "data", "--port", "0", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert what in done.stderr
