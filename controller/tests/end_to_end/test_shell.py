"""Programs behind links by an ordinary user, through the commands that people know from Mahimahi.

Times are bounded from below alone: nothing here depends on how fast the machine is.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import windlull as package
from tests.end_to_end.user import ordinary_user

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live

SIZE = 300_000
"""Octets that the service answers with."""
PACKETS = SIZE // 1448
"""As many packets at least: of 1500 octets with TCP's time stamps."""

CLIENT = f"""
import json, os, socket, sys, time
begun = time.monotonic()
stream = socket.create_connection((os.environ["MAHIMAHI_BASE"], int(sys.argv[1])))
connected = time.monotonic()
stream.sendall(b"?")
got = len(stream.recv(65536))
answered = time.monotonic()
while piece := stream.recv(65536):
    got += len(piece)
ended = time.monotonic()
assert got == {SIZE}, got
print(json.dumps([connected - begun, answered - connected, ended - answered]))
"""

MAIN = {
    "windlull": "from windlull.cli import main; main()",
    "mm-delay": "from windlull.mahimahi import delay; delay()",
    "mm-link": "from windlull.mahimahi import link; link()",
}


@dataclass(frozen=True)
class Commands:
    """The commands on a path, and who uses them."""

    home: Path
    environment: dict[str, str]
    number: int | None
    python: str

    def said(self, *words: str) -> str:
        """Return what a command line prints; it must end well."""
        done = subprocess.run(
            [str(self.home / words[0]), *words[1:]], check=False, capture_output=True, text=True, timeout=120,
            cwd=self.home, env=self.environment, user=self.number, group=self.number,
            extra_groups=None if self.number is None else [],
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    user = ordinary_user()
    python = user.python or sys.executable
    # Not below pytest's own directory, which is the tester's alone.
    home = Path(tempfile.mkdtemp(prefix="windlull-shell-"))
    try:
        for name, text in MAIN.items():
            (home / name).write_text(f"#!/bin/sh\nexec {python} -c '{text}' \"$@\"\n", encoding="utf-8")
            (home / name).chmod(0o755)
        # One opportunity a millisecond each way.
        for name in ("up", "down"):
            (home / name).write_text("1\n", encoding="utf-8")
        home.chmod(0o755)
        if user.number is not None:
            os.chown(home, user.number, user.number)
        packages = [str(Path(package.__file__).parents[1]), sysconfig.get_path("purelib")]
        environment = os.environ | {
            "HOME": str(home),
            "PATH": f"{home}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(packages),
        }
        yield Commands(home, environment, user.number, python)
    finally:
        shutil.rmtree(home)


@pytest.fixture
def service() -> Iterator[str]:
    """The port of the loopback address at which each question is answered."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            stream, _ = listener.accept()
            with stream:
                stream.recv(1)
                stream.sendall(bytes(SIZE))

        thread = threading.Thread(target=answer)
        thread.start()
        yield str(listener.getsockname()[1])
        thread.join()


def test_the_delays_and_rates_of_nested_commands_are_those_that_a_program_meets(
    commands: Commands, service: str
) -> None:
    said = commands.said(
        "mm-delay", "20", "mm-link", "up", "down", "--downlink-log=down.log", "--",
        commands.python, "-c", CLIENT, service,
    )  # fmt: skip
    connected, answered, ended = json.loads(said)
    # A round trip each; and a packet a millisecond, of which the first answer's part may have had all but the last.
    assert connected >= 0.04
    assert answered >= 0.04
    assert answered + ended >= 0.04 + (PACKETS - 1) * 0.001

    lines = [line.split() for line in (commands.home / "down.log").read_text(encoding="utf-8").splitlines()]
    events = Counter(line[1] for line in lines if not line[0].startswith("#"))
    assert events["+"] == events["-"] >= PACKETS
    # An opportunity each millisecond; no more octets ever passed than they have room for.
    opportunities = [int(line[0]) for line in lines if line[1] == "#" and line[0] != "#"]
    assert opportunities == list(range(1, len(opportunities) + 1))
    passed = 0
    for line in lines:
        if line[1] == "-":
            passed += int(line[2])
            assert passed <= int(line[0]) * 1504


def test_a_program_finds_the_user_that_started_it_and_its_own_rights(commands: Commands) -> None:
    said = commands.said("windlull", "shell", "--delay", "1 ms", "--", "sh", "-c", "id -u; echo $MAHIMAHI_BASE")
    number = os.geteuid() if commands.number is None else commands.number
    assert said == f"{number}\n100.64.0.1\n"
