"""Searches for the worst link, one at a time, each in a process of its own beside the workers.

    waits --nothing else is searched--> runs --told of as it goes--> written down --> gone
      ^                                  |
      +--somebody needs the machine------+

Who asks for one leaves a row in the database (`store/searches.py`) and the experiment's files in a directory
(`search/job.py`). The process keeps what it has tried there, so that one which was stopped, or whose service ended,
goes on where it was. It has workers of its own, or those of the service's cluster.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING

import structlog

from windlull.errors import ExitCode
from windlull.store import searches as store
from windlull.store.tables import SearchState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from windlull.store.database import Database
    from windlull.store.home import Home

LOOK_S = 2.0
"""How often it is looked how far a search is, and whether it is to stop."""
AGAIN_S = 30.0
"""How long a search may take to stop before it is told again, which makes it throw away the runs that it has."""
ENDING_S = 6.0
"""How long a search may take to end when the scheduler does; what it has tried is kept at once."""
MOST_REASON = 2000

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Running:
    """The one that runs: its number, its process, and what the process says of what went wrong."""

    number: int
    directory: Path
    process: subprocess.Popen[bytes]
    said: IO[bytes]
    told_to_stop: float | None = None
    """When it was told last."""
    due: float = field(default_factory=time.monotonic)

    def reason(self) -> str:
        """Return the end of what it said."""
        self.said.seek(0)
        text = self.said.read().decode("utf-8", errors="replace").strip()
        return text[-MOST_REASON:] or f"the search ended with code {self.process.returncode} and no message"


class Searches:
    """The searches that were asked for in a database. All but the searching is done in the caller's thread."""

    def __init__(self, database: Database, home: Home, command: Callable[[Path], list[str]] | None = None) -> None:
        """`command` returns what searches in a directory; it ends when its standard input does."""
        self._database = database
        self._home = home
        self._command = command or command_of(None)
        self._running: _Running | None = None
        self._begun = False
        self._due = 0.0

    @property
    def busy(self) -> bool:
        """Whether one runs."""
        return self._running is not None

    def step(self, *, room: bool) -> None:
        """Go on. With `room` one that waits may begin; without, the one that runs waits until there is some.

        Raises UnavailableError; it is tried again the next time.
        """
        now = time.monotonic()
        if self._running is not None:
            if not room:
                self._interrupt(self._running)
            if now >= self._running.due or self._running.process.poll() is not None:
                self._running.due = now + LOOK_S
                self._look(self._running)
            return
        if not room or now < self._due:
            return
        self._due = now + LOOK_S
        if not self._begun:
            # By a scheduler that is gone: there is one at a time, and this one searches nothing yet.
            with self._database.session() as session:
                for left in store.at_work(session):
                    store.give_back(session, left.id, now=_now())
            self._begun = True
        with self._database.reader() as session:
            found = store.next_waiting(session)
        if found is not None:
            self._begin(found.id)

    def end(self) -> None:
        """Stop what runs, and let it wait for the next scheduler. Raises UnavailableError."""
        running = self._running
        if running is None:
            return
        self._interrupt(running)
        try:
            running.process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            os.killpg(running.process.pid, signal.SIGKILL)
            running.process.wait()
        self._look(running)

    def _begin(self, number: int) -> None:
        directory = self._home.searches / str(number)
        with self._database.session() as session:
            if not store.begin(session, number, now=_now()):
                return
        said = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the search has ended
        try:
            process = subprocess.Popen(  # noqa: S603 - a list of our own
                self._command(directory),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
                process_group=0,
            )
        except OSError as error:
            said.close()
            with self._database.session() as session:
                store.end(session, number, SearchState.FAILED, now=_now(), reason=f"cannot start it: {error.strerror}")
            return
        _log.info("search begins", search=number)
        self._running = _Running(number, directory, process, said)

    def _look(self, running: _Running) -> None:
        """Tell how far it is; write down what came of it, or tell it to stop."""
        returned = running.process.poll()
        tried = tried_in(running.directory)
        with self._database.session() as session:
            store.progress(session, running.number, tried)
            wanted = store.state_of(session, running.number)
            if returned == ExitCode.OK:
                store.end(session, running.number, SearchState.DONE, now=_now())
            elif returned is not None and running.told_to_stop is not None:
                # Whatever it returned: an interrupt while Python starts is told as any other failure. What fails by
                # itself fails again when it goes on.
                store.give_back(session, running.number, now=_now())
            elif returned is not None:
                reason = _in_words(running.reason())
                store.end(session, running.number, SearchState.FAILED, now=_now(), reason=reason)
        if returned is not None:
            _log.info("search ended", search=running.number, code=returned, tried=tried)
            self._close(running)
        elif wanted is not SearchState.RUNNING:
            self._interrupt(running)

    def _interrupt(self, running: _Running) -> None:
        """Tell it to stop, and again if it does not; it ends when the runs that it has are done."""
        now = time.monotonic()
        told = running.told_to_stop
        if (told is None or now - told >= AGAIN_S) and running.process.poll() is None:
            running.told_to_stop = now
            running.process.send_signal(signal.SIGINT)

    def _close(self, running: _Running) -> None:
        running.said.close()
        if running.process.stdin is not None:
            running.process.stdin.close()
        self._running = None


def command_of(cluster: str | None) -> Callable[[Path], list[str]]:
    """Return what searches in a directory: on a cluster, or on half of the cores, beside the workers of the service."""
    jobs = max(1, (os.cpu_count() or 1) // 2)
    where = ["--jobs", str(jobs)] if cluster is None else ["--cluster", cluster]
    return lambda directory: [sys.executable, "-m", "windlull.search", str(directory), "--lifeline", *where]


def tried_in(directory: Path) -> int:
    """Return how many links a search has tried: the lines of its journal but for the first, the base link."""
    try:
        with (directory / "out" / "trials.jsonl").open("rb") as stream:
            return max(0, sum(1 for line in stream if line.endswith(b"\n")) - 1)
    except OSError:
        return 0


def _in_words(reason: str) -> str:
    """Return a message of the command's without the word before it and the dashes of its options."""
    return reason.removeprefix("error: ").replace("--fail-if", "fail_if").replace("--", "")


def _now() -> datetime:
    return datetime.now(UTC)
