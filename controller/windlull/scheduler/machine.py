"""The scheduler's decisions: an event in, instructions out. No clock, no database, no worker: those are at the edge.

What is durable is the database's: which runs wait, which were given out. The machine knows beside that only what it has
asked for and not heard of yet, so a new one in the place of a killed one needs to be told nothing:

    the database says                 the machine has         hence
    queued                            -                       GiveOut, when a worker has room
    running, attempt n                a task with attempt n   nothing: it will come back, or be lost
    running, attempt n                no such task            Requeue: it was another scheduler's, or lost in a claim
    cancelled, deleted                a task with it          Stop, when all runs of the task are

A task is a chunk of runs with one worker:

    ASKED --GivenOut--> OUT --Returned, Lost--> BACK --Recorded--> gone
      |                  +--Polled: all cancelled--> STOPPING --Returned, Lost--> BACK
      +--GivenOut of nothing, NotGiven--> gone

The same events give the same instructions.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from windlull.runner.messages import SIMULATED, VIRTUAL
from windlull.scheduler.placement import AHEAD, Placement, load
from windlull.scheduler.words import (
    WITH_WORKER,
    Cause,
    Ending,
    Event,
    GivenOut,
    GiveOut,
    Instruction,
    Looked,
    Lost,
    Missing,
    NotGiven,
    Paused,
    Phase,
    Polled,
    Record,
    Recorded,
    Requeue,
    Resumed,
    Returned,
    Stop,
    Task,
    Trouble,
    Worker,
    WorkersAre,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from windlull.store.runs import Held, Waiting

CHUNK_S = 1.0
"""How long a task should take: long beside what it costs to hand out, short beside what a person waits."""
ROUGH_S = 2.5
"""A run alone that took longer is long; in a shorter one it may all be the engine's start."""
CHUNK_RUNS = 256
CHUNK_BYTES = 32 << 20
"""How much a task should bring back at once: it is in memory until it is written."""
MOST_DEATHS = 5
"""How often a run may be alone with a worker or an engine that dies, before it is taken for the cause."""
MOST_MISSED = 20
"""How often what makes a run may go away while it has the run, before the run is taken for the cause."""
FORGOTTEN = "the scheduler was killed, or lost the database, while it ran"
_REMEMBERED = 4096
_K = TypeVar("_K")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Pace:
    """How long a run of a batch on a testbed takes and how much it brings, as far as known.

    `exact` unless all that is known is of runs alone, whose time has the engine's start in it.
    """

    seconds: float
    size_bytes: float
    exact: bool

    def room(self) -> int:
        """How many runs make a task of the right size."""
        by_time = int(CHUNK_S / max(self.seconds, 1e-6))
        if not self.exact and self.seconds < ROUGH_S:
            by_time = max(2, by_time)  # two tell how long one takes
        by_size = int(CHUNK_BYTES / max(self.size_bytes, 1.0))
        return max(1, min(CHUNK_RUNS, by_time, by_size))


@dataclass(slots=True)
class Machine:
    """The state between two events."""

    workers: dict[str, Worker] = field(default_factory=dict)
    tasks: dict[int, Task] = field(default_factory=dict)
    paused: dict[str, str] = field(default_factory=dict)
    """Why nothing is given out at present, by what it is about."""
    missing: dict[str, Missing] = field(default_factory=dict)
    """Testbeds whose runs wait, as what makes them is not there."""
    _last: int = 0
    _pace: dict[tuple[int, str], _Pace] = field(default_factory=dict)
    """By batch and testbed."""
    _deaths: dict[int, int] = field(default_factory=dict)
    """How often a run was alone with what died; a run that is in here is given out alone."""
    _missed: dict[int, int] = field(default_factory=dict)
    """How often what makes a run was missing when it was to be made."""

    def handle(self, event: Event) -> list[Instruction]:  # noqa: PLR0911 - one branch an event
        """Take an event in; return what is to be done, in this order."""
        match event:
            case WorkersAre(workers):
                return self._workers_are(workers)
            case Polled(queue, held):
                return [*self._forgotten(held), *self._stop_cancelled(held), *self._give_out(queue)]
            case GivenOut(task_id, held):
                self._given_out(task_id, held)
                return []
            case NotGiven(task_id) | Recorded(task_id):
                self.tasks.pop(task_id, None)
                return []
            case Returned():
                return self._returned(event)
            case Lost(task_id, reason):
                return self._lost(task_id, reason)
            case Paused(about, why):
                self.paused[about] = why
                return []
            case Resumed(about):
                self.paused.pop(about, None)
                return []
            case Looked(testbed, why):
                self._looked(testbed, why)
                return []
            case Ending():
                self.paused["end"] = "the scheduler is ending"
                return [self._stop(task) for task in self._in(Phase.OUT) if task.live]

    def _looked(self, testbed: str, why: str | None) -> None:
        known = self.missing.pop(testbed, None)
        if known is not None and why is not None:
            self.missing[testbed] = replace(known, why=why)

    def wanted(self) -> dict[str, tuple[set[tuple[str, str]], int]]:
        """Return which testbeds' queues matter: for which engines, and how many tasks there is room for.

        Also of one without room the front matters: what is younger must not go before it.
        """
        wanted: dict[str, tuple[set[tuple[str, str]], int]] = {}
        if not self.paused:
            busy = load(self._in(*WITH_WORKER))
            for worker in self.usable():
                for testbed in worker.testbeds - self.missing.keys():
                    engines, room = wanted.get(testbed, (set(), 0))
                    wanted[testbed] = (engines | {worker.engine}, room + max(0, AHEAD - busy[worker.address]))
        return wanted

    def usable(self) -> list[Worker]:
        """Return the workers that are not refused."""
        return [self.workers[address] for address in sorted(self.workers) if not self.workers[address].refused]

    # --- what comes back ----------------------------------------------------------------------------------------------

    def _given_out(self, task_id: int, held: tuple[Held, ...]) -> None:
        task = self.tasks[task_id]
        if held:
            self.tasks[task_id] = replace(task, phase=Phase.OUT, held=held)
        else:
            del self.tasks[task_id]

    def _returned(self, event: Returned) -> list[Instruction]:
        task = self.tasks.get(event.task)
        if task is None or task.phase is Phase.BACK:
            return []  # it was given up, as with a worker that was thought dead; its runs are with others now
        self._learn(task, event)
        for run_id in event.ended:
            self._deaths.pop(run_id, None)
            self._missed.pop(run_id, None)
        rest = [held for held in task.held if held.id not in event.ended]
        return [self._back(task, rest, event.trouble or Trouble(Cause.DIED, "it came back without an outcome"))]

    def _lost(self, task_id: int, reason: str) -> list[Instruction]:
        task = self.tasks.get(task_id)
        if task is None or task.phase is Phase.BACK:
            return []
        # What a worker has not begun when it dies cannot be what killed it.
        first = min(one.id for one in self._in(*WITH_WORKER) if one.worker.address == task.worker.address)
        cause = Cause.DIED if task.id == first else Cause.STOPPED
        return [self._back(task, task.held, Trouble(cause, reason))]

    def _back(self, task: Task, rest: Iterable[Held], trouble: Trouble) -> Record:
        rest = tuple(rest)
        self.tasks[task.id] = replace(task, phase=Phase.BACK)
        if trouble.cause is Cause.REFUSED and task.worker.address in self.workers:
            self.workers[task.worker.address] = replace(task.worker, refused=trouble.reason)
        if trouble.cause is Cause.MISSING:
            self.missing[task.testbed] = Missing(task.worker.address, trouble.reason)
        failed = [(held, reason) for held in rest if (reason := self._fault(held, trouble, alone=len(rest) == 1))]
        out = {held for held, _ in failed}
        again = [(held, trouble.reason) for held in rest if held not in out]
        return Record(task.id, tuple(failed), tuple(again))

    def _fault(self, held: Held, trouble: Trouble, *, alone: bool) -> str | None:
        """Return why the run has failed, None if it is to be tried again."""
        if trouble.cause is Cause.BAD or (trouble.cause is Cause.ERROR and alone):
            self._deaths.pop(held.id, None)
            return trouble.reason
        if trouble.cause in {Cause.DIED, Cause.ERROR}:
            deaths = self._deaths.pop(held.id, 0) + alone
            if deaths >= MOST_DEATHS:
                return f"{trouble.reason}; {deaths} times with this run alone, so that it is likely the cause"
            _remember(self._deaths, held.id, deaths)
        if trouble.cause is Cause.MISSING:
            missed = self._missed.pop(held.id, 0) + 1
            if missed >= MOST_MISSED:
                return f"{trouble.reason}; {missed} times when this run was to be made, so that it is likely the cause"
            _remember(self._missed, held.id, missed)
        return None

    def _learn(self, task: Task, event: Returned) -> None:
        runs, alike = len(event.ended), (task.runs[0].batch_id, task.testbed)
        known = self._pace.get(alike)
        if runs == 0 or (runs == 1 and known is not None):
            return
        pace = _Pace(event.seconds, event.size_bytes / runs, exact=runs > 1)
        if known is not None and known.exact:
            # The latest counts half: a batch goes through its variants one after the other.
            seconds, size = (pace.seconds + known.seconds) / 2, (pace.size_bytes + known.size_bytes) / 2
            pace = _Pace(seconds, size, exact=True)
        self._pace.pop(alike, None)
        _remember(self._pace, alike, pace)

    # --- what the world looks like ------------------------------------------------------------------------------------

    def _workers_are(self, workers: tuple[Worker, ...]) -> list[Instruction]:
        self.workers = {worker.address: worker for worker in workers}
        # Another worker may find what makes the runs.
        self.missing = {name: found for name, found in self.missing.items() if found.address in self.workers}
        # The last first: what a worker had not begun is told from what it had by what is still with it.
        gone = [task for task in self._in(*WITH_WORKER) if task.worker.address not in self.workers]
        return [
            instruction
            for task in reversed(gone)
            for instruction in self._lost(task.id, f"the worker {task.worker.address} went away")
        ]

    def _forgotten(self, held: frozenset[Held]) -> Iterator[Instruction]:
        ours = {one for task in self.tasks.values() for one in task.held}
        if forgotten := tuple(sorted(held - ours)):
            yield Requeue(forgotten, FORGOTTEN)

    def _stop_cancelled(self, held: frozenset[Held]) -> Iterator[Instruction]:
        for task in self._in(Phase.OUT):
            if held.isdisjoint(task.held):
                yield self._stop(task)

    def _stop(self, task: Task) -> Stop:
        self.tasks[task.id] = replace(task, phase=Phase.STOPPING)
        return Stop(task.id)

    # --- what goes out ------------------------------------------------------------------------------------------------

    def _give_out(self, queue: tuple[Waiting, ...]) -> list[GiveOut]:
        """Give the queue out in its order, as far as there is room."""
        if self.paused or not queue:
            return []
        share = Counter((run.batch_id, run.testbed) for run in queue)
        sharing = max(1, sum(SIMULATED in worker.testbeds for worker in self.usable()))
        plan = Placement(
            self.usable(),
            self._in(*WITH_WORKER),
            lambda run: min(self._room(run), math.ceil(share[run.batch_id, run.testbed] / sharing)),
        )
        under_way = {run.key for task in self.tasks.values() for run in task.runs if run.key}
        for run in sorted(queue, key=lambda one: one.rank):
            if run.testbed in self.missing:
                continue
            if run.testbed not in VIRTUAL:
                plan.place_live(run)
            elif run.key in under_way:
                continue  # of two runs with one key the second waits for the first's result
            elif plan.place(run, alone=run.id in self._deaths) and run.key:
                under_way.add(run.key)
        given = []
        for worker, runs in plan.chunks:
            self._last += 1
            self.tasks[self._last] = Task(self._last, worker, tuple(runs))
            given.append(GiveOut(self._last, worker.address, tuple(runs)))
        return given

    def _room(self, run: Waiting) -> int:
        pace = self._pace.get((run.batch_id, run.testbed))
        return 1 if pace is None else pace.room()

    def _in(self, *phases: Phase) -> list[Task]:
        return [task for task in self.tasks.values() if task.phase in phases]


def _remember(into: dict[_K, _T], key: _K, value: _T) -> None:
    """Keep the value; the oldest is forgotten when there are too many."""
    into[key] = value
    if len(into) > _REMEMBERED:
        del into[next(iter(into))]
