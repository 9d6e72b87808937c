"""A Docker engine: the one that is there, or one of our own that ends with the tests. Its images stay."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.appliance.queries import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

STATE = ROOT / "target" / "compose"
PATIENCE_S = 60


@contextmanager
def engine() -> Iterator[dict[str, str]]:
    """The variables by which `docker` finds an engine. Raises AssertionError, which says what is missing."""
    if _answers({}):
        yield {}
        return
    missing = [program for program in ("docker", "dockerd", "iptables") if shutil.which(program) is None]
    assert not missing, f"no Docker engine answers, and to start one {', '.join(missing)} is missing"
    assert os.geteuid() == 0, "no Docker engine answers, and only root can start one"
    place = Path(tempfile.mkdtemp(prefix="windlull-docker-"))
    STATE.mkdir(parents=True, exist_ok=True)
    variables = {"DOCKER_HOST": f"unix://{place / 'docker.sock'}"}
    with (STATE / "dockerd.log").open("wb") as log:
        process = subprocess.Popen(
            ["dockerd", "--host", variables["DOCKER_HOST"], "--data-root", str(STATE / "docker"),
             "--exec-root", str(place / "exec"), "--pidfile", str(place / "docker.pid")],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0,
        )  # fmt: skip
    try:
        until_s = time.monotonic() + PATIENCE_S
        while not _answers(variables):
            assert process.poll() is None, f"dockerd ended at once; {STATE / 'dockerd.log'} says why"
            assert time.monotonic() < until_s, f"dockerd does not answer; {STATE / 'dockerd.log'} may say why"
            threading.Event().wait(0.2)
        yield variables
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        shutil.rmtree(place, ignore_errors=True)


def _answers(variables: dict[str, str]) -> bool:
    if shutil.which("docker") is None:
        return False
    asked = ["docker", "version", "--format", "{{.Server.Version}}"]
    return subprocess.run(asked, env=os.environ | variables, capture_output=True, check=False).returncode == 0
