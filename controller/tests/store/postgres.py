"""A real PostgreSQL of the tests' own: on a Unix socket in a directory of its own, gone with the tests."""

from __future__ import annotations

import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
_READY = "database system is ready to accept connections"


class Postgres:
    """A server. It refuses to be root's, so root's tests run it as `postgres` or `nobody`."""

    def __init__(self, directory: Path) -> None:
        self._programs = programs()
        self._user = user_of_tests()
        self._directory = directory
        self._process: subprocess.Popen[str] | None = None
        self._numbers = itertools.count(1)
        self._run("initdb", "--pgdata", self._data, "--username=windlull", "--auth=trust", "--no-sync",
                  "--encoding=UTF8", "--locale=C.UTF-8")  # fmt: skip

    def url(self, database: str) -> str:
        """The URL of one of its databases."""
        return f"postgresql://windlull@/{database}?host={quote(str(self._directory), safe='')}"

    def start(self) -> None:
        """Start it; it answers when this returns."""
        # It stops when the tests are killed, and says in English when it is ready.
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", self._data, "-k", self._directory, "-c", "listen_addresses=",
             "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=32MB"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, **self._user,
            preexec_fn=end_with_the_tests,  # noqa: PLW1509 - one system call, no lock
        )  # fmt: skip
        assert self._process.stderr is not None
        said = []
        for line in self._process.stderr:
            said.append(line)
            if _READY in line:
                # What it says later is read and forgotten, so that it never waits for a reader.
                threading.Thread(target=_drain, args=[self._process.stderr], daemon=True).start()
                return
        raise AssertionError(f"PostgreSQL did not start:\n{''.join(said)}")

    def stop(self) -> None:
        """Stop it at once, as if the machine went: every connection is cut."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGQUIT)
            process.wait(60)

    @contextmanager
    def fresh(self, template: str = "template1") -> Iterator[str]:
        """The name of a new database, a copy of `template`, which vanishes at the end."""
        name = f"fresh_{next(self._numbers)}"
        self._command(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield name
        finally:
            self._command(f"DROP DATABASE {name} WITH (FORCE)")

    def _command(self, command: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(command.encode())

    @property
    def _data(self) -> Path:
        return self._directory / "data"

    def _run(self, program: str, *arguments: str | Path) -> None:
        subprocess.run([self._programs / program, *arguments], check=True, capture_output=True, cwd="/", **self._user)


@contextmanager
def running() -> Iterator[Postgres]:
    """A server that runs, in a directory short enough for the name of a socket, and open to others than root."""
    directory = Path(mkdtemp(prefix="windlull-postgres-", dir=place()))
    user = user_of_tests()
    try:
        if user:
            os.chown(directory, user["user"], user["group"])
        server = Postgres(directory)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(directory)


def place() -> Path:
    """In memory, where that has room for it: a new database is three hundred files, and every second test wants one."""
    memory = Path("/dev/shm")  # noqa: S108 - `mkdtemp` makes a name of its own
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30 else Path("/tmp")  # noqa: S108


def programs() -> Path:
    """Where PostgreSQL's programs are; Debian has the server's not on the PATH."""
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    assert installed, "the tests need PostgreSQL's server: apt install postgresql"
    return installed[-1].parent


def user_of_tests() -> dict[str, Any]:
    """Who else than root it runs as; nothing if we are not root."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _drain(stream: IO[str]) -> None:
    with stream:
        stream.read()


def end_with_the_tests() -> None:
    """For a child to call before it becomes another program: it gets SIGQUIT when we are killed."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT, 0, 0, 0)
