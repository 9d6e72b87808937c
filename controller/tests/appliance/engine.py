"""A Docker engine: the one that is there, or one of our own that ends with the tests. Its images stay.

`python -m tests.appliance.engine` tries whether this machine lets containers run; if not it says why, and ends with 1.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.appliance.queries import ROOT
from tests.appliance.traces import none_left

if TYPE_CHECKING:
    from collections.abc import Iterator

STATE = ROOT / "target" / "compose"
PATIENCE_S = 60
PROOF = "windlull/proof"
ASKED_OF_A_CONTAINER = [
    "--cap-drop=ALL", "--cap-add=NET_ADMIN", "--memory=64m", "--cpus=0.5", "--pids-limit=16", "--read-only",
    "--sysctl=net.ipv4.ip_forward=0", "--security-opt=systempaths=unconfined",
]  # fmt: skip
"""What compose.yaml asks of the engine, and a machine may forbid to it."""


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
    with none_left(), _started(place, variables):
        yield variables


@contextmanager
def _started(place: Path, variables: dict[str, str]) -> Iterator[None]:
    """Have an engine answer while the body lasts."""
    with (STATE / "dockerd.log").open("wb") as log:
        process = subprocess.Popen(
            ["dockerd", "--host", variables["DOCKER_HOST"], "--data-root", str(STATE / "docker"),
             "--exec-root", str(place / "exec"), "--pidfile", str(place / "docker.pid")],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0,
        )  # fmt: skip
    try:
        until_s = time.monotonic() + PATIENCE_S
        while not _answers(variables):
            assert process.poll() is None, f"dockerd ended at once: {_last_words(STATE / 'dockerd.log')}"
            assert time.monotonic() < until_s, f"dockerd does not answer; {STATE / 'dockerd.log'} may say why"
            threading.Event().wait(0.2)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        shutil.rmtree(place, ignore_errors=True)


def why_not() -> str:
    """Return why no container can run on this machine, nothing if one has run."""
    try:
        with engine() as variables:
            environment = os.environ | variables
            commands: list[tuple[list[str], bytes]] = [
                (["import", "-", PROOF], _smallest_system()),
                (["run", "--rm", *ASKED_OF_A_CONTAINER, PROOF, "/bin/true"], b""),
                (["image", "rm", PROOF], b""),
            ]
            for command, stdin in commands:
                done = subprocess.run(
                    ["docker", *command], env=environment, input=stdin, capture_output=True, check=False
                )
                if done.returncode != 0:
                    return f"docker {command[0]}: {done.stderr.decode(errors='replace').strip()}"
    except AssertionError as error:
        return str(error)
    return ""


def _smallest_system() -> bytes:
    """Return an archive of /bin/true and what it is linked with: no image can be asked for before it is known."""
    linked = subprocess.run(["ldd", "/bin/true"], capture_output=True, text=True, check=True).stdout
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", dereference=True) as archive:
        for file in ("/bin/true", *(word for word in linked.split() if word.startswith("/"))):
            archive.add(file)
    return content.getvalue()


def _last_words(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return " ".join(line.strip() for line in lines if not line.startswith("time=")) or "it said nothing"


def _answers(variables: dict[str, str]) -> bool:
    if shutil.which("docker") is None:
        return False
    asked = ["docker", "version", "--format", "{{.Server.Version}}"]
    return subprocess.run(asked, env=os.environ | variables, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(why_not() or 0)
