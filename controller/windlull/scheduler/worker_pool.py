"""The workers as the loop sees them: who is there, work to them, news from them.

News come from Dask's thread; the loop takes them one after the other in its own. A worker is told of once it has said
which machine and which engine it is, and is asked again from time to time while it cannot work.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
import secrets
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from windlull.runner import engine
from windlull.runner.cluster import Tender
from windlull.scheduler import worker_tasks
from windlull.scheduler.words import Worker

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from distributed import Client, Future

    from windlull.runner.work import Chunk
    from windlull.scheduler.worker_tasks import Greeting, Report

LOOK_S = 0.5
"""How often it is looked who is there."""
ASK_AGAIN_S = 5.0
"""How often a worker that cannot work is asked whether it can."""
LOOK_AGAIN_S = 2.0
"""How often a worker looks for what makes runs on a testbed, while it is missing."""
ANSWER_S = 30
"""How long Dask's scheduler may take to say who is there, before it is taken for gone."""

Waiter = concurrent.futures.Future[None]


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


@dataclass(frozen=True, slots=True)
class SaidHello:
    """A worker has said who it is; `WorkerPool.welcome` wants to know."""

    worker: Worker


@dataclass(frozen=True, slots=True)
class SawTestbed:
    """A worker has looked for what makes runs on a testbed; `why` says what is missing, None if all is there."""

    testbed: str
    why: str | None


News = CameBack | WentWrong | HowFar | SaidHello | SawTestbed


class WorkerPool:
    """All workers of a Dask cluster, from one thread.

    Nothing here waits for a worker: what has been asked of one is awaited in Dask's event loop, for ever if the worker
    goes in the wrong moment, until somebody lets go of it.
    """

    def __init__(self, client: Client) -> None:
        self.news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._client = client
        # Another scheduler's tasks on the same workers, dead or alive, shall not be taken for ours.
        self._ours = secrets.token_hex(4)
        self._awaited: dict[int, Waiter] = {}
        self._addresses: dict[int, str] = {}
        self._known: dict[str, tuple[Worker, float]] = {}
        self._asked: dict[str, Waiter] = {}
        self._sought: dict[str, tuple[Waiter, float]] = {}
        self._there: dict[str, frozenset[str]] = {}
        self._looked = 0.0
        self._tender = Tender(client)
        client.subscribe_topic(worker_tasks.PROGRESS, self._hear)  # type: ignore[no-untyped-call]

    def workers(self, *, now: bool = False) -> tuple[Worker, ...]:
        """Return the workers that have said who they are, as of LOOK_S ago at most; `now` looks again."""
        if now or time.monotonic() - self._looked > LOOK_S:
            self._look()
        return tuple(self._known[address][0] for address in sorted(self._known))

    def give(self, task: int, address: str, chunk: Chunk) -> None:
        """Send a task to a worker."""
        name = self._name(task)
        future = self._client.submit(
            worker_tasks.work,
            name,
            chunk,
            key=name,
            workers=[address],
            allow_other_workers=False,
            retries=0,
            pure=False,
        )
        self._addresses[task] = address
        self._awaited[task] = self._await(self._bring(task, future))

    def stop(self, task: int) -> None:
        """Ask a worker to end a task."""
        if (address := self._addresses.get(task)) is not None:
            self._client.run(worker_tasks.stop, self._name(task), workers=[address], wait=False, on_error="ignore")

    def forget(self, task: int) -> None:
        """Let go of a task that came back or was given up."""
        self._addresses.pop(task, None)
        if (waiter := self._awaited.pop(task, None)) is not None:
            waiter.cancel()

    def seek(self, testbed: str, address: str) -> None:
        """Have a worker look for what makes runs on a testbed, unless it does, or has a moment ago."""
        waiter, since = self._sought.get(testbed, (None, 0.0))
        if time.monotonic() - since < (LOOK_AGAIN_S if waiter is None or waiter.done() else ANSWER_S):
            return
        if waiter is not None:
            waiter.cancel()
        future = self._client.submit(engine.lacking, testbed, workers=[address], retries=0, pure=False, priority=1)
        self._sought[testbed] = self._await(self._see(testbed, future)), time.monotonic()

    def _name(self, task: int) -> str:
        return f"windlull-{self._ours}-{task}"

    # --- in Dask's event loop -----------------------------------------------------------------------------------------

    def _await(self, what: Coroutine[Any, Any, None]) -> Waiter:
        loop: Any = self._client.loop
        return asyncio.run_coroutine_threadsafe(what, loop.asyncio_loop)

    async def _bring(self, task: int, future: Future[Any]) -> None:
        try:
            report: Report = await future
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - by whatever, the task has ended
            self.news.put(WentWrong(task, str(error) or type(error).__name__))
        else:
            self.news.put(CameBack(task, report))

    async def _greet(self, address: str, future: Future[Any]) -> None:
        testbeds = self._there[address]
        try:
            said: Greeting = await future
            worker = Worker(address, said.host, testbeds, said.engine, said.refused, said.name, said.limits)
        except Exception as error:  # noqa: BLE001 - as with another version of this package
            worker = Worker(address, address, testbeds, ("", ""), f"its identity could not be read: {error}")
        self.news.put(SaidHello(worker))

    async def _see(self, testbed: str, future: Future[Any]) -> None:
        try:
            why: str | None = await future
        except Exception as error:  # noqa: BLE001 - the worker may have gone; who is there is asked elsewhere
            why = f"what makes runs on {testbed} could not be checked: {error}"
        self.news.put(SawTestbed(testbed, why))

    def _hear(self, event: tuple[float, tuple[str, dict[str, Any]]]) -> None:
        _, (name, said) = event
        if name.startswith(prefix := self._name(0)[:-1]):
            self.news.put(HowFar(int(name.removeprefix(prefix)), said))

    # --- who is there -------------------------------------------------------------------------------------------------

    def welcome(self, worker: Worker) -> None:
        """Take in that a worker has said who it is."""
        if self._asked.pop(worker.address, None) is not None:
            self._known[worker.address] = (worker, time.monotonic())

    def refused(self, task: int, reason: str) -> None:
        """Take in that a task came back because its worker cannot work at present; it is asked again whether it can."""
        known = self._known.get(self._addresses.get(task, ""))
        if known is not None:
            worker, _ = known
            self._known[worker.address] = (replace(worker, refused=reason), time.monotonic())

    def _look(self) -> None:
        self._tender.look()
        self._there = self._who_is_there()
        self._looked = time.monotonic()
        for address in {*self._known, *self._asked} - self._there.keys():
            self._known.pop(address, None)
            if (waiter := self._asked.pop(address, None)) is not None:
                waiter.cancel()
        for address in self._there:
            known, since = self._known.get(address, (None, 0.0))
            stale = known is not None and known.refused and time.monotonic() - since > ASK_AGAIN_S
            if address not in self._asked and (known is None or stale):
                future = self._client.submit(worker_tasks.greet, workers=[address], retries=0, pure=False, priority=1)
                self._asked[address] = self._await(self._greet(address, future))

    def _who_is_there(self) -> dict[str, frozenset[str]]:
        """Return the testbeds of each worker that is there, by its address; nobody if the cluster cannot be reached."""
        scheduler: Any = self._client.scheduler
        try:
            told = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=ANSWER_S)  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001 - Dask has many words for being gone
            return {}
        return {
            address: frozenset(name for name, amount in one["resources"].items() if amount)
            for address, one in told["workers"].items()
            if one.get("status", "running") == "running"
        }
