"""The workers as the loop sees them: who is there, work to them, news from them.

News come from Dask's thread; the loop takes them one after the other in its own. A worker is told of once it has said
which machine and which engine it is, and is asked again from time to time while it cannot work.
"""

from __future__ import annotations

import queue
import secrets
import shutil
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from windlull.runner import engine
from windlull.runner.dispatch import ANSWER_S, Dispatch
from windlull.scheduler import worker_tasks
from windlull.scheduler.words import Looked, Worker

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from distributed import Client

    from windlull.runner.dispatch import Call
    from windlull.runner.work import Chunk
    from windlull.scheduler.worker_tasks import Greeting, Report

ASK_AGAIN_S = 5.0
"""How often a worker that cannot work is asked whether it can."""
LOOK_AGAIN_S = 2.0
"""How often a worker looks for what makes runs on a testbed, while it is missing."""


@dataclass(frozen=True, slots=True)
class CameBack:
    """A task came back."""

    task: int
    report: Report


@dataclass(frozen=True, slots=True)
class WentWrong:
    """A task will not come back; the worker may be gone or not."""

    task: int
    reason: str


@dataclass(frozen=True, slots=True)
class HowFar:
    """A live run of a task says how far it is; `said` is the engine's message."""

    task: int
    said: dict[str, Any]


News = CameBack | WentWrong | HowFar | Worker | Looked
"""A `Worker` has said who it is; `WorkerPool.welcome` wants to know."""


class WorkerPool:
    """All workers of a Dask cluster, from one thread, which never waits for a worker."""

    def __init__(self, client: Client, left: Path | None = None) -> None:
        """`left` is where workers leave the files of their runs, if they do."""
        self.news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._dispatch = Dispatch(client)
        self._left = left
        # Another scheduler's tasks on the same workers, dead or alive, shall not be taken for ours.
        self._ours = f"windlull-{secrets.token_hex(4)}-"
        self._given: dict[int, tuple[str, Call]] = {}
        self._known: dict[str, tuple[Worker, float]] = {}
        self._asked: dict[str, Call] = {}
        self._sought: dict[str, tuple[Call, float]] = {}
        self._dispatch.hear(worker_tasks.PROGRESS, self._hear)

    def workers(self, *, now: bool = False) -> tuple[Worker, ...]:
        """Return the workers that have said who they are, as of a moment ago; `now` looks again."""
        self._greet(self._dispatch.there(now=now))
        return tuple(self._known[address][0] for address in sorted(self._known))

    def give(self, task: int, address: str, chunk: Chunk) -> None:
        """Send a task to a worker."""
        name = self._name(task)
        answered = partial(self._came_back, task)
        self._given[task] = (
            address, self._dispatch.call(address, worker_tasks.work, name, chunk, key=name, answered=answered),
        )  # fmt: skip

    def stop(self, task: int) -> None:
        """Ask a worker to end a task."""
        if (given := self._given.get(task)) is not None:
            self._dispatch.tell(given[0], worker_tasks.stop, self._name(task))

    def forget(self, task: int) -> None:
        """Let go of a task that came back or was given up."""
        if (given := self._given.pop(task, None)) is not None:
            given[1].cancel()

    def clear(self, task: int) -> None:
        """Remove what a task has left; whoever takes it has taken it."""
        if self._left is not None:
            shutil.rmtree(self._left / self._name(task), ignore_errors=True)

    def seek(self, testbed: str, address: str) -> None:
        """Have a worker look for what makes runs on a testbed, unless it does, or has a moment ago."""
        call, since = self._sought.get(testbed, (None, 0.0))
        if time.monotonic() - since < (LOOK_AGAIN_S if call is None or call.done() else ANSWER_S):
            return
        if call is not None:
            call.cancel()
        answered = partial(self._saw, testbed)
        call = self._dispatch.call(address, engine.lacking, testbed, answered=answered, priority=1)
        self._sought[testbed] = call, time.monotonic()

    def welcome(self, worker: Worker) -> None:
        """Take in that a worker has said who it is."""
        if self._asked.pop(worker.address, None) is not None:
            self._known[worker.address] = (worker, time.monotonic())

    def refused(self, task: int, reason: str) -> None:
        """Take in that a task came back because its worker cannot work at present; it is asked again whether it can."""
        address = self._given[task][0] if task in self._given else ""
        if (known := self._known.get(address)) is not None:
            self._known[address] = (replace(known[0], refused=reason), time.monotonic())

    def _greet(self, there: Mapping[str, frozenset[str]]) -> None:
        """Ask new workers, and now and then those that cannot work, who they are; let go of those that have gone."""
        for address in {*self._known, *self._asked} - there.keys():
            self._known.pop(address, None)
            if (call := self._asked.pop(address, None)) is not None:
                call.cancel()
        for address, testbeds in there.items():
            known, since = self._known.get(address, (None, 0.0))
            stale = known is not None and known.refused and time.monotonic() - since > ASK_AGAIN_S
            if address not in self._asked and (known is None or stale):
                answered = partial(self._said_hello, address, testbeds)
                self._asked[address] = self._dispatch.call(address, worker_tasks.greet, answered=answered, priority=1)

    def _name(self, task: int) -> str:
        return f"{self._ours}{task}"

    # --- in Dask's thread ---------------------------------------------------------------------------------------------

    def _came_back(self, task: int, report: Report, error: BaseException | None) -> None:
        if error is None:
            self.news.put(CameBack(task, report))
        else:
            self.news.put(WentWrong(task, str(error) or type(error).__name__))

    def _said_hello(
        self, address: str, testbeds: frozenset[str], said: Greeting, error: BaseException | None
    ) -> None:  # fmt: skip
        if error is None:
            worker = Worker(address, said.host, testbeds, said.engine, said.refused, said.name, said.limits)
        else:  # as with another version of this package
            worker = Worker(address, address, testbeds, ("", ""), f"its identity could not be read: {error}")
        self.news.put(worker)

    def _saw(self, testbed: str, why: str | None, error: BaseException | None) -> None:
        if error is not None:  # the worker may have gone; who is there is asked elsewhere
            why = f"what makes runs on {testbed} could not be checked: {error}"
        self.news.put(Looked(testbed, why))

    def _hear(self, said: tuple[str, dict[str, Any]]) -> None:
        name, far = said
        if name.startswith(self._ours):
            self.news.put(HowFar(int(name.removeprefix(self._ours)), far))
