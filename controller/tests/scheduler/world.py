"""A small world for the machine: a database that keeps its promises, workers, and the edge between, which may fail."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windlull.runner.messages import SIMULATED
from windlull.scheduler.machine import Machine
from windlull.scheduler.words import (
    Cause,
    Event,
    GivenOut,
    GiveOut,
    Instruction,
    NotGiven,
    Polled,
    Record,
    Recorded,
    Requeue,
    Returned,
    Stop,
    Trouble,
    Worker,
    WorkersAre,
)
from windlull.store.runs import Held, Waiting
from windlull.store.tables import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ENGINE = ("0.1.0", "0123456789ab")


def waiting(
    run_id: int, *, batch: int = 1, testbed: str = SIMULATED, priority: int = 0, key: str | None = None
) -> Waiting:
    return Waiting(run_id, batch, run_id, testbed, priority, key, ENGINE)


def worker(name: str, host: str = "here", testbeds: Iterable[str] = (SIMULATED, "netns")) -> Worker:
    return Worker(name, host, frozenset(testbeds), ENGINE)


@dataclass
class Row:
    """A run in the database; `ends` counts how often it ended since it was last queued by a person."""

    waiting: Waiting
    state: State = State.QUEUED
    attempt: int = 0
    ends: int = 0


@dataclass
class World:
    """Everything around the machine. What was to be done and failed is tried again, as the edge does."""

    machine: Machine = field(default_factory=Machine)
    rows: dict[int, Row] = field(default_factory=dict)
    workers: dict[str, Worker] = field(default_factory=dict)
    working: dict[int, GiveOut] = field(default_factory=dict)
    """Tasks that a worker of the present scheduler has."""
    outcomes: dict[int, frozenset[int]] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    stopped: set[int] = field(default_factory=set)
    failing_claims: list[str] = field(default_factory=list)
    """How the next claims fail: `before` it is kept, or `after`."""
    history: list[tuple[Event, list[Instruction]]] = field(default_factory=list)

    def tell(self, event: Event) -> None:
        """Tell the machine, and do what it says."""
        instructions = self.machine.handle(event)
        self.history.append((event, instructions))
        for instruction in instructions:
            match instruction:
                case GiveOut():
                    self._give_out(instruction)
                case Stop(task):
                    self.stopped.add(task)
                case Record():
                    self.records.append(instruction)
                case Requeue(held):
                    self._requeue(held)

    def submit(self, runs: Iterable[Waiting]) -> None:
        self.rows |= {run.id: Row(run) for run in runs}

    def cancel(self, run_id: int) -> None:
        row = self.rows[run_id]
        if not row.state.ended:
            row.state = State.CANCELLED

    def retry(self, run_id: int) -> None:
        row = self.rows[run_id]
        if row.state in {State.CANCELLED, State.FAILED}:
            row.state, row.ends = State.QUEUED, 0

    def join(self, *workers: Worker) -> None:
        self.workers |= {one.address: one for one in workers}
        self.tell(WorkersAre(tuple(self.workers.values())))

    def leave(self, address: str) -> None:
        """A worker dies, and what it had with it."""
        del self.workers[address]
        self.working = {task: given for task, given in self.working.items() if given.worker != address}
        self.tell(WorkersAre(tuple(self.workers.values())))

    def poll(self, limit: int = 1000) -> None:
        wanted = self.machine.wanted()
        queue = [
            row.waiting for row in self.rows.values() if row.state is State.QUEUED and row.waiting.testbed in wanted
        ]
        front: list[Waiting] = []
        for testbed, (engines, _) in wanted.items():
            here = sorted(
                (one for one in queue if one.testbed == testbed and one.engine in engines), key=lambda o: o.rank
            )
            front += here[:limit]
        held = {Held(run_id, row.attempt) for run_id, row in self.rows.items() if row.state is State.RUNNING}
        self.tell(Polled(tuple(front), frozenset(held)))

    def come_back(self, task: int, ended: int | None = None, trouble: Trouble | None = None) -> None:
        """A task comes back with the first `ended` of its outcomes; all if None."""
        given = self.working.pop(task)
        ids = [run.id for run in given.runs][:ended]
        if task in self.stopped:
            ids, trouble = [], Trouble(Cause.STOPPED, "stopped")
        self.outcomes.setdefault(task, frozenset(ids))
        self.tell(Returned(task, frozenset(ids), 0.01, 1000 * len(ids), trouble))

    def record(self, fails: str | None = None) -> None:
        """Write the oldest record down: it may fail before it is kept, or after."""
        record = self.records[0]
        if fails == "before":
            return
        task = self.machine.tasks[record.task]
        failed = {held for held, _ in record.failed}
        again = {held for held, _ in record.again}
        for held in task.held:
            row = self.rows[held.id]
            if (row.state, row.attempt) != (State.RUNNING, held.attempt):
                continue
            if held in again:
                row.state = State.QUEUED
            else:
                row.state = State.FAILED if held in failed else State.DONE
                row.ends += 1
        if fails != "after":
            self.tell(Recorded(self.records.pop(0).task))

    def killed(self) -> None:
        """The scheduler dies with its workers, and another one starts."""
        self.machine = Machine()
        self.working.clear()
        self.outcomes.clear()
        self.records.clear()
        self.history.clear()
        self.workers = {f"{address}'": Worker(f"{address}'", one.host, one.testbeds, one.engine)
                        for address, one in self.workers.items()}  # fmt: skip
        self.tell(WorkersAre(tuple(self.workers.values())))

    def drain(self, patience: int = 10_000) -> None:
        """Go on without any trouble until nothing is left to do."""
        self.failing_claims.clear()
        for _ in range(patience):
            self.poll()
            for task in list(self.working):
                self.come_back(task)
            while self.records:
                self.record()
            if all(row.state.ended for row in self.rows.values()):
                return
        raise AssertionError("it does not come to an end")

    def on_host(self, host: str) -> list[GiveOut]:
        """What runs on a host now."""
        return [given for given in self.working.values() if self.workers[given.worker].host == host]

    def states(self, ids: Sequence[int] | None = None) -> list[State]:
        return [self.rows[run_id].state for run_id in ids or sorted(self.rows)]

    def _give_out(self, given: GiveOut) -> None:
        fails = self.failing_claims.pop() if self.failing_claims else None
        held = []
        for run in given.runs:
            row = self.rows[run.id]
            if row.state is State.QUEUED and fails != "before":
                row.state, row.attempt = State.RUNNING, row.attempt + 1
                held.append(Held(run.id, row.attempt))
        if fails:
            self.tell(NotGiven(given.task))
            return
        self.tell(GivenOut(given.task, tuple(held)))
        if held:
            kept = {one.id for one in held}
            runs = tuple(run for run in given.runs if run.id in kept)
            self.working[given.task] = GiveOut(given.task, given.worker, runs)

    def _requeue(self, held: Iterable[Held]) -> None:
        for one in held:
            row = self.rows[one.id]
            if (row.state, row.attempt) == (State.RUNNING, one.attempt):
                row.state = State.QUEUED
