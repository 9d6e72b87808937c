"""Which worker gets which runs: the queue in its order, put into chunks as far as there is room.

A run in real time has its host to itself. It is given out when the host has nothing else, and nothing else is given to
the host until it is back; for the one that is next a host is kept free, so that it is not starved. Runs in virtual
time, simulated or in kernels of their own, share their host. No run takes the place of an older one of the same
priority that could have it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from windlull.runner.messages import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from windlull.scheduler.words import Task, Worker
    from windlull.store.runs import Waiting

AHEAD = 2
"""How many tasks a worker has at a time, so that the next is there when one is done. A live run is alone."""


class Placement:
    """Chunks in the making: which worker gets which runs."""

    def __init__(self, workers: Iterable[Worker], tasks: Iterable[Task], room: Callable[[Waiting], int]) -> None:
        """`tasks` are those that the workers have; `room` says how many runs like one make a chunk."""
        self.chunks: list[tuple[Worker, list[Waiting]]] = []
        self._room = room
        self._open: dict[tuple[int, str], list[Waiting]] = {}
        """By batch and testbed."""
        self._workers = tuple(workers)
        tasks = tuple(tasks)
        self._load = load(tasks)
        self._on_host = Counter(task.worker.host for task in tasks)
        self._closed = {task.worker.host for task in tasks if task.live}
        """Hosts that have a live run, or are kept for one."""
        self._simulated = {worker.host for worker in self._workers if SIMULATED in worker.testbeds}
        self._kept: set[str] = set()
        """Testbeds that have a host kept free."""
        self._older_waits = False
        """Whether a run in virtual time was left over: no later one may take a host from it."""

    def place(self, run: Waiting, *, alone: bool) -> bool:
        """Put a run in virtual time into a chunk; say whether there was room."""
        alike = (run.batch_id, run.testbed)
        chunk = self._open.get(alike)
        if chunk is not None and not alone and len(chunk) < self._room(run):
            chunk.append(run)
            return True
        able = [
            worker
            for worker in self._workers
            if run.testbed in worker.testbeds and worker.engine == run.engine
            and worker.host not in self._closed and self._load[worker.address] < AHEAD
        ]  # fmt: skip
        if not able:
            self._older_waits = True
            return False
        chunk = self._start(min(able, key=lambda worker: (self._load[worker.address], worker.address)), run)
        if not alone:
            self._open[alike] = chunk
        return True

    def place_live(self, run: Waiting) -> None:
        """Give a run in real time a host that has nothing else, or keep one free for it."""
        able = [
            worker
            for worker in self._workers
            if run.testbed in worker.testbeds and worker.engine == run.engine and worker.host not in self._closed
            and not (self._older_waits and worker.host in self._simulated)
        ]  # fmt: skip
        if not able or run.testbed in self._kept:
            return
        worker = min(able, key=lambda one: (self._on_host[one.host], one.address))
        if self._on_host[worker.host]:
            self._kept.add(run.testbed)
        else:
            self._start(worker, run)
        self._closed.add(worker.host)

    def _start(self, worker: Worker, run: Waiting) -> list[Waiting]:
        chunk = [run]
        self.chunks.append((worker, chunk))
        self._load[worker.address] += 1
        self._on_host[worker.host] += 1
        return chunk


def load(tasks: Iterable[Task]) -> Counter[str]:
    """Return how many of the tasks each worker has, by its address."""
    return Counter(task.worker.address for task in tasks)
