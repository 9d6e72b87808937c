"""The words of the scheduler's machine: what it is told, and what it answers with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from windlull.runner.messages import VIRTUAL

if TYPE_CHECKING:
    from windlull.runner.limits import Limits
    from windlull.store.runs import Held, Waiting


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker process. Workers of the same `host` share a machine, whose `name` is for people.

    A `refused` one is given nothing; it says why. `limits` are those of its engine's process, if it said them.
    """

    address: str
    host: str
    testbeds: frozenset[str]
    engine: tuple[str, str]
    refused: str | None = None
    name: str = ""
    limits: Limits | None = None


class Cause(StrEnum):
    """Why some runs of a task have no outcome."""

    DIED = "died"  # the engine was killed or broke down, or the worker; one of the runs may be the cause
    ERROR = "error"  # the engine ended with an error; it is of one of the runs
    BAD = "bad"  # the engine refused all of them
    REFUSED = "refused"  # the worker cannot do any work at present
    MISSING = "missing"  # what makes runs on this testbed is not there, or went away; none of the runs is the cause
    STOPPED = "stopped"  # it was asked to stop


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why some runs of a task have no outcome, and the words for it."""

    cause: Cause
    reason: str


# --- events -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WorkersAre:
    """All workers that there are now."""

    workers: tuple[Worker, ...]


@dataclass(frozen=True, slots=True)
class Polled:
    """What the database says now: the front of the queue in any order, and all runs that it has as running."""

    queue: tuple[Waiting, ...]
    held: frozenset[Held]


@dataclass(frozen=True, slots=True)
class GivenOut:
    """What of a task was still queued and has been given to its worker; the task is without the others."""

    task: int
    held: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class NotGiven:
    """A task could not be given out, and it is not known whether the database has its runs as running."""

    task: int


@dataclass(frozen=True, slots=True)
class Returned:
    """A task came back with outcomes of the runs `ended`, and with so many bytes of files.

    `seconds` is how long a run of it took; of one alone, with the start of its engine.
    """

    task: int
    ended: frozenset[int]
    seconds: float = 0.0
    size_bytes: int = 0
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """A task will not come back."""

    task: int
    reason: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a `Record` asked for is in the database."""

    task: int


@dataclass(frozen=True, slots=True)
class Paused:
    """Give nothing out while this lasts; `about` tells it from other reasons, `why` is for people."""

    about: str
    why: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a `Paused` of the same `about` said is over."""

    about: str


@dataclass(frozen=True, slots=True)
class Looked:
    """What makes runs on a testbed was looked for: it is there, or `why` says what is missing."""

    testbed: str
    why: str | None


@dataclass(frozen=True, slots=True)
class Ending:
    """The scheduler is to end: give nothing out any more, stop what is live."""


Event = WorkersAre | Polled | GivenOut | NotGiven | Returned | Lost | Recorded | Paused | Resumed | Looked | Ending


# --- instructions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GiveOut:
    """Mark these runs of one batch as running and send them to the worker; answered by `GivenOut` or `NotGiven`."""

    task: int
    worker: str
    runs: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Tell the worker to end this task. It comes back all the same."""

    task: int


@dataclass(frozen=True, slots=True)
class Record:
    """Write down the outcomes of a task, that `failed` runs failed, and that `again` are queued again.

    Until that has succeeded and `Recorded` says so, it must be tried again.
    """

    task: int
    failed: tuple[tuple[Held, str], ...] = ()
    again: tuple[tuple[Held, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Requeue:
    """Queue these runs again: the database has them as running, and nobody does them."""

    held: tuple[Held, ...]
    reason: str


Instruction = GiveOut | Stop | Record | Requeue


# --- what the machine remembers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Missing:
    """What makes runs on a testbed is missing, as the worker with this address found; `why` is for people."""

    address: str
    why: str


class Phase(StrEnum):
    """Where a task is; machine.py has the diagram."""

    ASKED = "asked"
    OUT = "out"
    STOPPING = "stopping"
    BACK = "back"


WITH_WORKER = (Phase.ASKED, Phase.OUT, Phase.STOPPING)


@dataclass(frozen=True, slots=True)
class Task:
    """A chunk of runs with a worker. `held` is empty until it is known which of the `runs` were given out."""

    id: int
    worker: Worker
    runs: tuple[Waiting, ...]
    phase: Phase = Phase.ASKED
    held: tuple[Held, ...] = ()

    @property
    def testbed(self) -> str:
        """Where its runs run."""
        return self.runs[0].testbed

    @property
    def live(self) -> bool:
        """Whether it needs its host for itself."""
        return self.testbed not in VIRTUAL
