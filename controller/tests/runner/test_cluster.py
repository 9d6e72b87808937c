"""Workers of our own: who they are, what they leave, and that they end whatever happens to their parent."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from distributed import KilledWorker
from distributed.comm.core import CommClosedError
from distributed.utils import warn_on_duration

from tests.test_kernels import built
from windlull.errors import FailureError
from windlull.runner import cluster, engine
from windlull.runner.cluster import Tender, connect

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 60


def octets(size: int) -> bytes:
    return b"x" * size


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


STRANGER = """
import sys
from distributed import Client
from distributed.security import Security
Client(sys.argv[1], timeout=3, security=eval(sys.argv[2])).submit(print, "here").result(3)
"""
"""Another process of this machine, which knows where the scheduler is and has not its key."""


@pytest.mark.parametrize(
    ("scheme", "security"),
    [
        ("tcp", "None"),
        ("tls", "Security.temporary()"),
    ],
)
def test_a_stranger_on_this_machine_can_have_our_workers_do_nothing(tmp_path: Path, scheme: str, security: str) -> None:
    with connect(None, 1, scratch=tmp_path) as client:
        address = str(client.scheduler_info()["address"]).replace("tls://", f"{scheme}://")
        for at in (address, *(one.replace("tls", scheme) for one in client.scheduler_info()["workers"])):
            asked = subprocess.run(
                [sys.executable, "-c", STRANGER, at, security], capture_output=True, text=True, check=False
            )
            assert asked.returncode != 0
            assert "here" not in asked.stdout
        assert client.submit(octets, 3, pure=False).result(PATIENCE_S) == b"xxx"


def test_workers_of_our_own(tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    with connect(None, 2, testbeds=("sim", "netns"), scratch=tmp_path) as client:
        client.wait_for_workers(2, PATIENCE_S)
        started = client.scheduler_info(n_workers=-1)["workers"]
        assert len(started) == 2
        for worker in started.values():
            assert (worker["nthreads"], worker["memory_limit"]) == (1, 0)
            assert worker["resources"] == {"sim": 1, "netns": 1}
        assert len(client.submit(octets, 1 << 20, pure=False).result(PATIENCE_S)) == 1 << 20
        assert set(client.run(os.getenv, "TMPDIR").values()) == {str(tmp_path)}

        made = set(psutil.Process().children(recursive=True)) - before
        for process in {psutil.Process(), *made}:
            listening = [one for one in process.net_connections() if one.status == psutil.CONN_LISTEN]
            assert {one.laddr.ip for one in listening} <= {cluster.LOOPBACK}
        for process in made:
            listening = [one for one in process.net_connections() if one.status == psutil.CONN_LISTEN]
            assert len(listening) <= 1, "no port for a web page"
    workers = [one for one in made if "resource_tracker" not in line(one)]
    _, left = psutil.wait_procs(workers, PATIENCE_S)
    assert not left


def line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def test_a_busy_machine_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask warns of directories that took a second to make; here of any, and warnings are errors in tests."""
    monkeypatch.setattr("distributed.core.warn_on_duration", lambda _, message: warn_on_duration("0 s", message))
    with connect(None, 1, scratch=tmp_path) as client:
        client.wait_for_workers(1, PATIENCE_S)


def log_failure(error: Exception) -> None:
    try:
        raise error
    except OSError:
        logging.getLogger("distributed.worker").exception("Failed to communicate with scheduler during heartbeat.")


def test_a_worker_of_our_own_says_nothing_of_a_maker_that_has_gone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A heartbeat may be under way when its maker ends."""
    with connect(None, 1, scratch=tmp_path) as client:
        client.run(log_failure, CommClosedError("in a closed connection"))
        client.run(log_failure, OSError("of another kind"))
    said = capfd.readouterr().err
    assert "OSError: of another kind" in said
    assert "CommClosedError" not in said


def test_what_a_killed_worker_had_is_not_repeated_by_itself(tmp_path: Path) -> None:
    with connect(None, 1, scratch=tmp_path) as client:
        client.wait_for_workers(1, PATIENCE_S)
        with pytest.raises(KilledWorker):
            client.submit(die, pure=False, retries=0).result(PATIENCE_S)
        # Another one takes its place, without being asked.
        assert client.submit(octets, 3, pure=False).result(PATIENCE_S) == b"xxx"


def test_a_worker_that_dask_lets_go_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a killed worker takes longer to come back than Dask waits for it."""
    monkeypatch.setattr(cluster, "TEND_S", 0.2)
    monkeypatch.setitem(cluster.SETTINGS, "distributed.deploy.lost-worker-timeout", "1 ms")
    with connect(None, 1, scratch=tmp_path) as client:
        client.wait_for_workers(1, PATIENCE_S)
        tender = Tender(client)
        with pytest.raises(KilledWorker):
            client.submit(die, pure=False, retries=0).result(PATIENCE_S)
        answers: list[bytes] = []
        for _ in range(2 * PATIENCE_S):
            tender.look()
            # One that Dask lets go the moment that it comes takes its task with it.
            with suppress(TimeoutError, KilledWorker):
                answers.append(client.submit(octets, 3, pure=False).result(0.5))
            if answers:
                break
        assert answers == [b"xxx"]


PARENT = """
import os, sys, psutil
from pathlib import Path
from windlull.runner.cluster import connect

if __name__ == "__main__":
    with connect(None, 2, scratch=Path(sys.argv[1])) as client:
        client.wait_for_workers(2, 60)
        print(*(child.pid for child in psutil.Process().children(recursive=True)), flush=True)
        client.submit(__import__("time").sleep, 1000, pure=False).result()
"""


def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    (tmp_path / "parent.py").write_text(PARENT, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "parent.py"), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        assert parent.stdout is not None
        children = [psutil.Process(int(pid)) for pid in parent.stdout.readline().split()]
        assert len(children) >= 2
        parent.kill()
    _, left = psutil.wait_procs(children, PATIENCE_S)
    assert not left


def test_a_cluster_that_is_not_there_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    monkeypatch.setitem(cluster.SETTINGS, "distributed.comm.timeouts.connect", "0.5 s")
    with pytest.raises(FailureError, match=r"cannot reach the Dask scheduler at tcp://127\.0\.0\.1:1"):
        connect("tcp://127.0.0.1:1", None).__enter__()


def _finds(monkeypatch: pytest.MonkeyPatch, *, netns: bool) -> None:
    """Let the engine find that network namespaces can be made, or cannot."""
    found = {"testbeds": [{"name": "sim", "works": True}, {"name": "netns", "works": netns}]}
    monkeypatch.setattr(engine, "doctor", lambda: found)


def test_runs_in_namespaces_are_offered_only_where_the_engine_makes_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path / "none"))
    monkeypatch.setenv("WINDLULL_ORDERS", str(tmp_path))
    _finds(monkeypatch, netns=False)
    assert cluster.live_here() == ("compose",)
    monkeypatch.setattr(engine, "doctor", _without_an_engine)
    assert cluster.live_here() == ("compose",)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({"testbeds": [{"name": "compose", "works": True, "why": None}]}, None),
        ({"testbeds": [{"name": "compose", "works": False, "why": "no server"}]}, "no server"),
        ({"testbeds": [{"name": "compose", "works": False}]}, "compose does not work here"),
        ({"testbeds": []}, "the engine here knows no testbed compose"),
        ({"beds": []}, "the engine's answer to doctor cannot be understood: KeyError('testbeds')"),
        ({"testbeds": None}, "cannot be understood"),
        (None, "cannot be understood"),
    ],
)
def test_what_a_testbed_lacks_is_asked_in_one_place(
    monkeypatch: pytest.MonkeyPatch, found: Any, why: str | None
) -> None:
    monkeypatch.setattr(engine, "doctor", lambda: found)
    reason = engine.lacking("compose")
    assert reason is None if why is None else why in str(reason)
    monkeypatch.setattr(engine, "doctor", _without_an_engine)
    assert engine.lacking("compose") == "there is no engine"


def _without_an_engine() -> dict[str, Any]:
    raise FailureError("there is no engine")


def test_runs_between_containers_are_offered_where_there_is_a_place_for_orders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _finds(monkeypatch, netns=True)
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path / "none"))
    monkeypatch.setenv("WINDLULL_ORDERS", str(tmp_path))
    assert cluster.live_here() == ("netns", "compose")
    monkeypatch.setenv("WINDLULL_ORDERS", str(tmp_path / "none"))
    assert cluster.live_here() == ("netns",)


def test_runs_in_kernels_are_offered_where_one_was_built_or_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _finds(monkeypatch, netns=True)
    monkeypatch.setenv("WINDLULL_ORDERS", str(tmp_path / "none"))
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path))
    assert cluster.live_here() == ("netns",)
    assert cluster.live_here(kernels_may_come=True) == ("netns", "kernel")
    built(tmp_path, "stock", "release 6.12.107\n")
    assert cluster.live_here() == ("netns", "kernel")


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(FailureError, match="is not the address of a Dask scheduler"):
        cluster.serve("tcp://[", ["sim"], say=print)
