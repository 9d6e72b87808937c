"""What a worker does for the scheduler. Everything here runs in the worker's process, on whatever machine that is."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from distributed import get_worker

from windlull.errors import EngineDiedError, EngineError, ExitCode, WindlullError
from windlull.runner import engine
from windlull.runner.cluster import LEFT
from windlull.runner.limits import limits_of_a_worker
from windlull.runner.messages import Failed
from windlull.runner.work import EngineMismatchError, perform
from windlull.scheduler.words import Cause, Trouble

if TYPE_CHECKING:
    from windlull.runner.limits import Limits
    from windlull.runner.messages import Progress
    from windlull.runner.work import Chunk, Outcome

PROGRESS = "windlull-progress"
"""The topic under which live runs say how far they are: `(task, how far)`."""
SCRATCH_BYTES = 32 << 20
"""The room for temporary files without which a worker takes no work."""

LONGEST_S = 5.0
"""When a chunk is given back in part: its runs were thought to be shorter."""

_stops: dict[str, threading.Event] = {}
_MOST_STOPS = 1000


@dataclass(frozen=True, slots=True)
class Greeting:
    """Who a worker is: the `host` is the same for all processes of a machine, `name` is that machine's.

    `limits` are those of its engine's process.
    """

    host: str
    name: str
    engine: tuple[str, str]
    refused: str | None = None
    limits: Limits | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a task: the outcomes of its runs, and why some have none if so.

    `seconds` is how long a run takes: between outcomes, without the engine's start, if there are two; else with it.
    """

    outcomes: tuple[Outcome, ...]
    seconds: float
    trouble: Trouble | None = None


def greet() -> Greeting:
    """Say who this worker is, and whether it can work."""
    name = platform.node()
    try:
        # Containers of one machine have different names, and disturb each other all the same.
        host = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        host = name
    try:
        said = engine.version()
        limits = limits_of_a_worker()
    except WindlullError as error:
        return Greeting(host, name, ("", ""), str(error))
    return Greeting(host, name, (said.get("version", ""), said.get("commit", "")), _short_of_room(), limits)


def work(task: str, chunk: Chunk) -> Report:
    """Make the runs of a chunk, until it is stopped by its name. Never raises: what went wrong is in the report."""
    moments = [time.monotonic()]
    outcomes: list[Outcome] = []
    missing: list[str] = []
    stop = _stop_of(task)
    trouble: Trouble | None = None

    def take(outcome: Outcome) -> None:
        if isinstance(outcome.run, Failed) and outcome.run.missing:
            missing.append(outcome.run.reason)
            stop.set()
            return
        outcomes.append(outcome)
        moments.append(time.monotonic())
        if moments[-1] - moments[0] > LONGEST_S:
            stop.set()

    try:
        if stop.is_set():
            return Report((), 0.0, Trouble(Cause.STOPPED, "it was stopped before it began"))
        perform(chunk, on_outcome=take, on_progress=lambda said: _tell(task, said), stop=stop, leave=_leave(task))
    except EngineMismatchError as error:
        trouble = Trouble(Cause.REFUSED, str(error))
    except EngineError as error:
        trouble = _of_engine(error)
    except Exception as error:  # noqa: BLE001 - the scheduler must hear of it, whatever it is
        trouble = Trouble(Cause.DIED, str(error) if isinstance(error, WindlullError) else repr(error))
    finally:
        _stops.pop(task, None)
    if missing:
        trouble = Trouble(Cause.MISSING, missing[0])
    if trouble is None and len(outcomes) < len(chunk.places):
        trouble = Trouble(Cause.STOPPED, "it was stopped, or others of its chunk took longer than planned")
    elif (
        trouble is not None and trouble.cause is not Cause.MISSING and not stop.is_set() and (short := _short_of_room())
    ):
        trouble = Trouble(Cause.REFUSED, short)
    first, *others = moments[1:] or [time.monotonic()]
    seconds = (others[-1] - first) / len(others) if others else first - moments[0]
    return Report(tuple(outcomes), seconds, trouble)


def _leave(task: str) -> Path | None:
    """Return where the files of a task are left for whoever gave it out; None if they go there as its answer."""
    left = os.environ.get(LEFT)
    return None if left is None else Path(left) / task


async def stop(task: str) -> None:
    """End a task, also one that has not begun. A coroutine, since Dask waits for anything else."""
    _stop_of(task).set()


def _stop_of(task: str) -> threading.Event:
    while len(_stops) > _MOST_STOPS:
        _stops.pop(next(iter(_stops)), None)  # of tasks that never came
    return _stops.setdefault(task, threading.Event())


def _tell(task: str, said: Progress) -> None:
    get_worker().log_event(PROGRESS, (task, msgspec.to_builtins(said)))


def _of_engine(error: EngineError) -> Trouble:
    if error.exit_code == ExitCode.BAD_INPUT:
        return Trouble(Cause.BAD, str(error))
    if error.exit_code == ExitCode.MISSING:
        return Trouble(Cause.MISSING, str(error).removeprefix("error: "))
    died = isinstance(error, EngineDiedError) or error.exit_code == ExitCode.INTERRUPTED
    return Trouble(Cause.DIED if died else Cause.ERROR, str(error))


def _short_of_room() -> str | None:
    directory = tempfile.gettempdir()
    free = shutil.disk_usage(directory).free
    return f"there is no room for temporary files in {directory}" if free < SCRATCH_BYTES else None
