"""Workers for tests of the loop: they do their work at once, or when the test says so."""

from __future__ import annotations

import json
import queue
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from tests.examples import CERTIFICATE, planned_run
from windlull.contract.engine import Certificate
from windlull.runner.bundle import Bundle
from windlull.runner.messages import Run
from windlull.runner.work import Outcome
from windlull.scheduler.words import Cause, Trouble, Worker
from windlull.scheduler.worker_pool import CameBack, HowFar, News, WentWrong
from windlull.scheduler.worker_tasks import Report
from windlull.store import runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.runner.work import Chunk
    from windlull.store.database import Database
    from windlull.store.home import Home

ENGINE = ("0.1.0", "0123456789ab")


def made() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


def submitted(
    database: Database,
    home: Home,
    count: int,
    *,
    testbed: str = "sim",
    engine: tuple[str, str] = ENGINE,
    bundle: str | None = None,
) -> int:
    """Queue a batch of so many runs; equal batches have equal keys."""
    planned = [planned_run(place, testbed, f"key-{place}" if testbed == "sim" else None) for place in range(count)]
    files = bundle or home.blobs.put(Bundle("one", {"experiments/one.toml": ""}).json())
    order = runs.Order(
        experiment="one", title="One", testbed=testbed, plane=None, repetitions=1, seed="1", captures=True, priority=0,
        bundle=files, plan=home.blobs.put(b"{}"), engine_version=engine[0], engine_commit=engine[1], runs=planned,
    )  # fmt: skip
    with database.session() as session:
        return runs.submit(session, order, now=made()).id


def done(chunk: Chunk, place: int) -> Run:
    return Run(
        variant="sack", link="gprs", repetition=1, seed="1", directory="runs/sack/001", metrics={"elapsed_s": place},
        testbed="sim", place=place,
    ) if chunk.testbed == "sim" else Run(
        variant="sack", link="gprs", repetition=1, seed="1", directory="runs/sack/001", metrics={}, testbed="netns",
        place=place, certificate=msgspec.convert(CERTIFICATE, Certificate),
    )  # fmt: skip


class FakePool:
    """What the loop takes for a `WorkerPool`."""

    def __init__(self) -> None:
        self.news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self.patient = False
        """Whether work is done only when the test says `finish`."""
        self.breaks_on: int | None = None
        self.outcome: Callable[[Run, int], Outcome] = lambda run, place: Outcome(
            place, run, {"run.json": json.dumps({"place": place}).encode(), runs.CAPTURE: b"both"}
        )
        self.performed: list[int] = []
        self.cleared: list[int] = []
        self.tasks: dict[int, tuple[str, Chunk]] = {}
        self.given: dict[int, str] = {}
        self.sought: list[tuple[str, str]] = []
        self.stopped: list[int] = []
        self._workers: dict[str, Worker] = {}
        self.join("tcp://w1")
        self.join("tcp://w2")

    def join(self, address: str, refused: str | None = None) -> None:
        self._workers[address] = Worker(address, "here", frozenset({"sim", "netns"}), ENGINE, refused, "here")

    def die(self, address: str) -> None:
        """The worker goes with what it has; of one of its tasks Dask says so first."""
        del self._workers[address]
        lost = [task for task, (where, _) in self.tasks.items() if where == address]
        for task in lost:
            del self.tasks[task]
        if lost:
            self.news.put(WentWrong(lost[0], "KilledWorker"))

    def finish(self) -> None:
        for task in list(self.tasks):
            self._perform(task, *self.tasks.pop(task))

    def say(self, said: dict[str, Any]) -> None:
        for task in self.tasks:
            self.news.put(HowFar(task, said))

    def bring(self, task: int, report: Report) -> None:
        self.news.put(CameBack(task, report))

    # what the loop calls

    def workers(self, *, now: bool = False) -> tuple[Worker, ...]:  # noqa: ARG002
        return tuple(self._workers[address] for address in sorted(self._workers))

    def give(self, task: int, address: str, chunk: Chunk) -> None:
        self.given[task] = address
        if self.patient:
            self.tasks[task] = (address, chunk)
        else:
            self._perform(task, address, chunk)

    def stop(self, task: int) -> None:
        self.stopped.append(task)

    def clear(self, task: int) -> None:
        self.cleared.append(task)

    def forget(self, task: int) -> None:
        pass

    def refused(self, task: int, reason: str) -> None:
        self.join(self.given[task], refused=reason)

    def seek(self, testbed: str, address: str) -> None:
        self.sought.append((testbed, address))

    def _perform(self, task: int, _address: str, chunk: Chunk) -> None:
        outcomes: list[Outcome] = []
        trouble = None
        for place in chunk.places:
            if place == self.breaks_on:
                trouble = Trouble(Cause.ERROR, "error: it broke")
                break
            self.performed.append(place)
            outcomes.append(self.outcome(done(chunk, place), place))
        self.bring(task, Report(tuple(outcomes), 0.01, trouble))
