"""The script that starts PostgreSQL in the appliance, in a process namespace, as a container has one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import windlull
from tests.store.postgres import end_with_the_tests, programs, user_of_tests

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = Path(windlull.__file__).parent.parent.parent / "images" / "postgres.sh"
READY = "database system is ready to accept connections"
INIT = '"$@" & wait $!'
"""What Docker's init does: process 1, which starts another and ends when that has ended."""


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory with the script, for its places changed, and a password; its `data` is whose PostgreSQL runs."""
    with tempfile.TemporaryDirectory(prefix="windlull-image-", dir="/tmp") as name:
        directory, data = Path(name), Path(name) / "data"
        directory.chmod(0o755)
        data.mkdir()
        if user := user_of_tests():
            os.chown(data, user["user"], user["group"])
        text = SCRIPT.read_text(encoding="utf-8")
        for there, here in (
            ("data=/var/lib/postgresql/17", f"data={data}/17"),
            ("unix_socket_directories=/tmp", f"unix_socket_directories={data}"),
            ("listen_addresses='*'", "listen_addresses="),
        ):
            assert there in text
            text = text.replace(there, here)
        (directory / "postgres.sh").write_text(text, encoding="utf-8")
        (directory / "password").write_text("secret\n", encoding="ascii")
        yield directory


@contextmanager
def booted(place: Path) -> Iterator[list[str]]:
    """What it says until it is ready or has ended; then all its processes are killed, as by `docker kill`."""
    user = user_of_tests()
    lower = (
        ["setpriv", f"--reuid={user['user']}", f"--regid={user['group']}", "--clear-groups", "--pdeathsig=KILL"]
        if user
        else []
    )
    container = ["unshare", *([] if user else ["--user", "--map-current-user"]), "--pid", "--fork", "--kill-child"]
    process = subprocess.Popen(
        [*container, *lower, "sh", "-c", INIT, "init", "sh", place / "postgres.sh"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/",
        env={"PATH": f"{programs()}:{os.environ['PATH']}", "LC_ALL": "C",
             "WINDLULL_PASSWORD_FILE": str(place / "password")},
        preexec_fn=end_with_the_tests,  # noqa: PLW1509 - one system call, no lock
    )  # fmt: skip
    assert process.stdout is not None
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            if READY in line:
                break
        yield said
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        process.stdout.close()


def test_postgresql_starts_again_after_it_was_killed(place: Path) -> None:
    assert shutil.which("unshare"), "the tests need unshare, of util-linux"
    for _ in range(2):
        with booted(place) as said:
            assert READY in "".join(said[-1:]), "".join(said)
        assert (place / "data" / "17" / "postmaster.pid").exists(), "it had no time to clean up"
