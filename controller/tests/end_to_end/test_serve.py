"""The whole service: it runs what it is asked for, and nothing that happens to it needs a hand.

Each start costs seconds of two cores; so a test does with one service all that one can show.
"""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.end_to_end.command import windlull
from tests.end_to_end.serving import alive, descendants, serving
from windlull.store.home import Home
from windlull.store.migrate import migrate

if TYPE_CHECKING:
    from tests.end_to_end.serving import Service
    from tests.store.postgres import Postgres

pytestmark = pytest.mark.long

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
        batch = service.submit("papers/sarolahti2003/table-1", repetitions=7, captures=True)
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


def test_it_asks_for_a_token_by_itself_and_its_printed_address_logs_in_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, "--web", "2", with_token=True) as service:
        assert service.process.stdout is not None
        login, token_line = (service.process.stdout.readline() for _ in range(2))
        page, _, code = login.rpartition(": ")[2].strip().partition("#login=")
        assert page == f"{service.url}session"
        assert token_line.strip().endswith(str(data / "token"))
        assert service.ask("GET", "health/live")[0] == 200
        for method, path in (("GET", "batches"), ("POST", "batches"), ("GET", "metrics")):
            assert service.ask(method, path)[0] == 401, path
        # The processes that answer share what was used.
        assert [service.ask("POST", "session", {"code": code})[0] for _ in range(6)] == [204] + [403] * 5
        token = (data / "token").read_text(encoding="ascii").strip()
        service.authorization = f"Bearer {token}"
        assert service.ask("GET", "batches")[0] == 200
        assert code not in str(service.logged)
        assert token not in str(service.logged)
    assert list((data / "login").iterdir()) == []
    with serving(data, with_token=True) as service:
        service.authorization = f"Bearer {token}"
        assert service.ask("GET", "batches")[0] == 200, "the token stays"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--no-token", "--token-file", "/dev/null"], "give one of the two"),
        (["--no-token", "--host", "192.0.2.1"], "--token-file"),
        (["--host", "192.0.2.1"], "--token-file"),
        (["--database", "mysql://x/y"], "mysql: is no database that we know"),
        (["--token-file", "/dev/null"], "holds no token"),
    ],
)
def test_what_cannot_be_served_is_told(tmp_path: Path, options: list[str], what: str) -> None:
    done = windlull("serve", "--data", tmp_path / "data", "--port", "0", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert what in done.stderr


def test_the_database_of_a_newer_version_is_refused_in_a_sentence(tmp_path: Path) -> None:
    data = tmp_path / "data"
    migrate(Home(data).database_url)
    with closing(sqlite3.connect(data / "windlull.sqlite")) as opened, opened:
        opened.execute("UPDATE alembic_version SET version_num = '9999'")
    done = windlull("serve", "--data", data, "--port", "0", "--no-token")
    assert (done.returncode, done.stdout) == (1, "")
    assert "a newer version of Windlull has made this database (step 9999; this version knows" in done.stderr
    assert "install that version, or give another data directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_bounds_are_set_by_variables_and_held(tmp_path: Path) -> None:
    most = {"WINDLULL_MOST_HEAD_S": "1", "WINDLULL_MOST_DOCUMENTS": "1", "WINDLULL_MOST_WATCHERS_OF_CLIENT": "1"}
    with serving(tmp_path, environment=most) as service:
        made = [service.ask("POST", "links", {"name": name, "copy_of": "gprs"}) for name in ("one", "two")]
        assert [status for status, _ in made] == [201, 507]
        assert made[1][1]["error"]["code"] == "too-many-documents"
        place = urlsplit(service.url)
        address = (str(place.hostname), int(place.port or 0))
        with socket.create_connection(address, timeout=60) as slow:
            slow.sendall(b"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n")
            assert slow.recv(4096).startswith(b"HTTP/1.1 408 ")
        with socket.create_connection(address, timeout=60) as watching:
            watching.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert watching.recv(4096).startswith(b"HTTP/1.1 200 ")
            status, answer = service.ask("GET", "events")
            assert (status, answer["error"]["code"]) == (429, "too-many-watchers")
        # It has gone, which its thread finds out at its next look.
        service.until(lambda answer: answer["watchers"] == 0)


def test_what_is_no_bound_is_told_before_anything_is_made(tmp_path: Path) -> None:
    environment = {**os.environ, "WINDLULL_MOST_DOCUMENTS": "many"}
    done = windlull("serve", "--data", tmp_path / "data", "--port", "0", env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert "WINDLULL_MOST_DOCUMENTS=many: write a whole number from 1 to " in done.stderr
    assert not (tmp_path / "data").exists()
