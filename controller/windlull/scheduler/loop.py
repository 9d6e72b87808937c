"""The machine's effects: the database is asked, workers are given work, what they bring is written down.

One thread does all of it, one thing after the other, so that what the machine is told is in the order in which it
happened. What cannot be done now because the database is gone or the disk is full is kept and tried again; meanwhile
nothing is given out, so that it does not become more than what the workers have.
"""

from __future__ import annotations

import queue
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import structlog

from windlull.errors import FailureError, WindlullError
from windlull.runner.bundle import Bundle
from windlull.runner.engine import made_of
from windlull.runner.messages import Run
from windlull.runner.work import Chunk, EngineId, Left, Unfinished
from windlull.scheduler import counts, status
from windlull.scheduler.ahead import SERIES, Ahead
from windlull.scheduler.calibrations import Calibrations
from windlull.scheduler.machine import CHUNK_RUNS, Machine
from windlull.scheduler.schedules import Schedules
from windlull.scheduler.searches import Searches
from windlull.scheduler.words import (
    WITH_WORKER,
    Cause,
    Ending,
    GivenOut,
    GiveOut,
    Looked,
    Lost,
    NotGiven,
    Paused,
    Polled,
    Record,
    Recorded,
    Requeue,
    Resumed,
    Returned,
    Stop,
    Trouble,
    Worker,
    WorkersAre,
)
from windlull.scheduler.worker_pool import CameBack, HowFar, WentWrong
from windlull.store import events, runs
from windlull.store.blobs import DiskFullError
from windlull.store.database import UnavailableError
from windlull.store.runs import Ended, Stored
from windlull.store.tables import Batch, State

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from windlull.runner.work import Outcome
    from windlull.scheduler.words import Event
    from windlull.scheduler.worker_pool import News, WorkerPool
    from windlull.store.database import Database
    from windlull.store.home import Home
    from windlull.store.runs import Held

POLL_S = (0.1, 0.5)
"""How long it waits between two looks at the database: at first, and at most when nothing happens."""
ENDING_S = 8.0
"""How long simulations may go on after the scheduler was asked to end."""
DATABASE, DISK, CALIBRATION = "database", "disk", "calibration"
CALIBRATING = "the live testbed of this machine is being calibrated"
_BATCHES = 64

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Out:
    """A task that was given out: which held run is at which place of the plan, and what came back if it has."""

    held: dict[int, Held]
    batch_id: int
    outcomes: tuple[Outcome, ...] = ()


class Loop:
    """The scheduler of one data directory and database, with the workers of a pool."""

    def __init__(
        self,
        database: Database,
        home: Home,
        pool: WorkerPool,
        calibrations: Calibrations | None = None,
        searches: Searches | None = None,
        schedules: Schedules | None = None,
    ) -> None:
        self._database = database
        self._calibrations = calibrations or Calibrations(database)
        self._searches = searches or Searches(database, home)
        self._schedules = schedules or Schedules(database, home)
        self._home = home
        self._pool = pool
        self._machine = Machine()
        self._ahead = Ahead(home.cache / "series", home.blobs)
        self._out: dict[int, _Out] = {}
        self._records: dict[int, Record] = {}
        """What is to be written yet, by task."""
        self._chunks: OrderedDict[int, Chunk] = OrderedDict()
        """What the chunks of a batch have in common."""
        self._workers: tuple[Worker, ...] = ()
        self._said: tuple[object, ...] | None = None
        self._said_at = 0.0
        self._pause_s = POLL_S[0]

    def run(self, ending: threading.Event) -> None:
        """Go on until `ending` is set; then let simulations finish for a moment, and give back what does not."""
        while not ending.is_set():
            self.step()
        self._tell(Ending())
        self._try(self._calibrations.end)
        self._try(self._searches.end)
        self._schedules.end()
        until = time.monotonic() + ENDING_S
        while self._machine.tasks and time.monotonic() < until:
            self.step()
        for task in list(self._machine.tasks):
            self._tell(Lost(task, "the scheduler was ended"))
        self._write_records()
        _log.info("scheduler ended", unwritten=len(self._records))

    def step(self) -> None:
        """Wait for news for a moment, take them in, look at the database, and do what follows."""
        self._take_news()
        if (workers := self._pool.workers()) != self._workers:
            self._workers = workers
            self._tell(WorkersAre(workers))
        self._write_records()
        self._look_at_disk()
        self._try(self._calibrate)
        self._try(self._search)
        self._try(self._follow_schedules)
        for testbed, missing in self._machine.missing.items():
            self._pool.seek(testbed, missing.address)
        self._poll()
        self._say_status()

    # --- what the machine says ----------------------------------------------------------------------------------------

    def _tell(self, event: Event) -> None:
        for instruction in self._machine.handle(event):
            match instruction:
                case GiveOut():
                    self._give_out(instruction)
                case Stop(task):
                    _log.info("task stopped", task=task)
                    self._pool.stop(task)
                case Record(task):
                    self._records[task] = instruction
                    self._pool.forget(task)
                case Requeue(held, reason):
                    _log.warning("runs queued again", runs=len(held), reason=reason)
                    self._try(partial(self._requeue, held, reason))

    def _give_out(self, asked: GiveOut) -> None:
        batch_id = asked.runs[0].batch_id
        chosen = [run.id for run in asked.runs]
        try:
            with self._database.session() as session:
                now = _now()
                answered = runs.answer_from_cache(session, chosen, now=now)
                left = [run_id for run_id in chosen if run_id not in set(answered)]
                held = runs.claim(session, left, asked.worker, now=now)
                batch = session.get(Batch, batch_id)
        except UnavailableError as error:
            self._pause(error)
            self._tell(NotGiven(asked.task))
            return
        self._tell(GivenOut(asked.task, tuple(held)))
        if not held or batch is None:
            return
        places = {run.id: run.place for run in asked.runs}
        self._out[asked.task] = _Out({places[one.id]: one for one in held}, batch_id)
        try:
            common = self._common(batch)
        except (WindlullError, OSError) as error:
            reason = f"the files of its experiment cannot be read: {error}"
            self._tell(Returned(asked.task, frozenset(), trouble=Trouble(Cause.BAD, reason)))
            return
        chunk = replace(common, places=tuple(sorted(places[one.id] for one in held)))
        self._pool.give(asked.task, asked.worker, chunk)

    def _common(self, batch: Batch) -> Chunk:
        """Return the batch's chunk without places."""
        if (known := self._chunks.get(batch.id)) is None:
            with self._home.blobs.open(batch.bundle) as stream:
                bundle = Bundle.read(stream.read())
            known = Chunk(
                bundle=bundle, seed=batch.seed, repetitions=batch.repetitions, places=(),
                engine=EngineId(batch.engine_version, batch.engine_commit), testbed=batch.testbed, plane=batch.plane,
                captures=batch.captures,
            )  # fmt: skip
            self._chunks[batch.id] = known
        self._chunks.move_to_end(batch.id)
        if len(self._chunks) > _BATCHES:
            self._chunks.popitem(last=False)
        return known

    # --- news ---------------------------------------------------------------------------------------------------------

    def _take_news(self) -> None:
        """Take in what has come; wait for it a moment if nothing has, longer the longer nothing happens."""
        try:
            self._hear(self._pool.news.get(timeout=self._pause_s))
            self._pause_s = POLL_S[0]
            while True:
                self._hear(self._pool.news.get_nowait())
        except queue.Empty:
            self._pause_s = min(self._pause_s * 1.3, POLL_S[1])

    def _hear(self, news: News) -> None:
        match news:
            case CameBack(task, report):
                if (out := self._out.get(task)) is None:
                    return
                outcomes = tuple(one for one in report.outcomes if one.place in out.held)
                self._out[task] = replace(out, outcomes=outcomes)
                size = sum(len(content) for one in outcomes for content in one.files.values())
                ended = frozenset(out.held[one.place].id for one in outcomes)
                if report.trouble is not None:
                    _log.warning("task in trouble", task=task, cause=report.trouble.cause, reason=report.trouble.reason)
                    if report.trouble.cause is Cause.REFUSED:
                        self._pool.refused(task, report.trouble.reason)
                self._tell(Returned(task, ended, report.seconds, size, report.trouble))
            case WentWrong(task, reason):
                # If the worker has gone, that says more than that one of its tasks has.
                self._workers = self._pool.workers(now=True)
                self._tell(WorkersAre(self._workers))
                self._tell(Lost(task, f"it was lost: {reason}"))
            case HowFar(task, said):
                self._try(partial(self._pass_on, task, said))
            case Worker():
                self._pool.welcome(news)
            case Looked(testbed, why):
                if why is None and testbed in self._machine.missing:
                    _log.info("testbed is there again", testbed=testbed)
                self._tell(news)

    def _pass_on(self, task: int, said: dict[str, object]) -> None:
        out = self._out.get(task)
        if out is not None and len(out.held) == 1:
            (held,) = out.held.values()
            with self._database.session() as session:
                far = {name: said[name] for name in ("at_s", "octets", "of")}
                events.append(session, "progress", far, batch_id=out.batch_id, run_id=held.id)

    # --- the database -------------------------------------------------------------------------------------------------

    def _poll(self) -> None:
        def read() -> None:
            with self._database.reader() as session:
                front = tuple(
                    run
                    for testbed, (engines, room) in sorted(self._machine.wanted().items())
                    for run in runs.waiting(session, testbed, engines=engines, limit=max(1, room * CHUNK_RUNS))
                )
                held = frozenset(runs.held(session))
            self._resume(DATABASE)
            self._tell(Polled(front, held))

        self._try(read)

    def _write_records(self) -> None:
        """Write what is to be written; all that can be, in the order in which it came."""
        for task, record in list(self._records.items()):
            if not self._try(partial(self._write, task, record)):
                return
            del self._records[task]
            self._out.pop(task, None)
            self._pool.clear(task)
            self._tell(Recorded(task))

    def _write(self, task: int, record: Record) -> None:
        out = self._out.get(task)
        ended = [Ended(held, State.FAILED, reason) for held, reason in record.failed]
        if out is not None:
            # Blobs before rows: a row never names a file that is not there.
            ended += [self._kept(out.held[one.place], one) for one in out.outcomes]
        with self._database.session() as session:
            now = _now()
            written = runs.record(session, ended, now=now)
            seen = counts.look(session, ended, written, now=now)
            for held, reason in record.again:
                runs.requeue(session, [held], reason, now=now)
        counts.add(seen)
        for held, reason in record.failed:
            _log.warning("run failed", run=held.id, reason=reason)
        _log.debug("task written", task=task, runs=len(written), again=len(record.again))

    def _kept(self, held: Held, outcome: Outcome) -> Ended:
        """Put the files into the blobs, and return what the run has come to."""
        files = {
            name: Stored(self._home.blobs.put(content.path if isinstance(content, Left) else content), len(content))
            for name, content in outcome.files.items()
        }
        if (series := files.get(SERIES)) is not None:
            self._ahead.offer(series.sha256, series.size_bytes)
        match outcome.run:
            case Run() as run:
                reasons = run.invalid
                state = State.DONE if reasons is None else State.INVALID
                why = None if reasons is None else "; ".join(reasons) or "its certificate is not valid"
                shared = True
            case Unfinished(run, why):
                state, shared = State.FAILED, False  # what it has is looked at, and answers for no other
            case failed:
                return Ended(held, State.FAILED, failed.reason)
        certificate = None if run.certificate is None else msgspec.to_builtins(run.certificate)
        return Ended(held, state, why, run.metrics, certificate, run.attempts, files, shared)

    def _requeue(self, held: tuple[Held, ...], reason: str) -> None:
        with self._database.session() as session:
            runs.requeue(session, held, reason, now=_now())

    # --- what may be gone ---------------------------------------------------------------------------------------------

    def _try(self, act: Callable[[], None]) -> bool:
        """Do it, and say whether it could be done. If not, nothing is given out until it can."""
        try:
            act()
        except FailureError as error:
            self._pause(error)
            return False
        return True

    def _pause(self, error: WindlullError) -> None:
        full = isinstance(error, DiskFullError) or (isinstance(error, UnavailableError) and error.full)
        about = DISK if full or not isinstance(error, UnavailableError) else DATABASE
        if about not in self._machine.paused:
            _log.error("paused", about=about, why=str(error))
        self._tell(Paused(about, str(error)))

    def _resume(self, about: str) -> None:
        if about in self._machine.paused:
            _log.info("resumed", about=about)
            self._tell(Resumed(about))

    def _calibrate(self) -> None:
        """Pause for a calibration that was asked for, and have it made once the workers have nothing."""
        if self._calibrations.step(alone=not self._machine.tasks and not self._searches.busy):
            self._tell(Paused(CALIBRATION, CALIBRATING))
        else:
            self._resume(CALIBRATION)

    def _search(self) -> None:
        """Have a search go on that was asked for; while nothing may be given out, it waits too."""
        self._searches.step(room=not self._machine.paused)

    def _follow_schedules(self) -> None:
        """Make batches that are due, unless nothing may be given out; judge those that have ended."""
        self._schedules.step(room=not self._machine.paused)

    def _look_at_disk(self) -> None:
        """Pause before the disk is full, and go on when there is room and all that waited for it is written."""
        free = self._home.free_bytes()
        if free < self._home.reserve_bytes:
            self._pause(DiskFullError(f"the disk of {self._home.path} has {free >> 20} MiB left"))
        elif not self._records:
            self._resume(DISK)

    # --- what it says of itself ---------------------------------------------------------------------------------------

    def _say_status(self) -> None:
        """Leave the note of how the scheduler is: when that changes, and from time to time."""
        gist = self._gist()
        if gist == self._said and time.monotonic() - self._said_at < status.BEAT_S:
            return

        def say() -> None:
            with self._database.session() as session:
                current = self._status(runs.under_way(session), runs.engines_awaited(session))
                status.say(session, current, now=_now(), changed=gist != self._said)
            self._said, self._said_at = gist, time.monotonic()

        self._try(say)

    def _gist(self) -> tuple[object, ...]:
        """Return that of which watching clients are told when it changes."""
        workers = [(worker.address, worker.refused) for worker in self._machine.workers.values()]
        waits = sorted((testbed, missing.why) for testbed, missing in self._machine.missing.items())
        return waits, sorted(self._machine.paused.items()), sorted(workers, key=str), bool(self._machine.tasks)

    def _status(self, found: dict[State, int], awaited: dict[tuple[str, str], int]) -> status.Status:
        usable = self._machine.usable()
        why: str | None = "; ".join(self._machine.paused.values()) or None
        if why is None and not usable:
            why = "no worker can work" if self._machine.workers else "there is no worker"
        engines = {worker.engine for worker in usable}
        waits = [f"runs on {name} wait: {missing.why}" for name, missing in sorted(self._machine.missing.items())]
        waits += [
            f"{count} runs wait for a worker with the engine {version}, {made_of(commit)}, that planned them"
            for (version, commit), count in sorted(awaited.items())
            if usable and (version, commit) not in engines
        ]
        with_worker = [task for task in self._machine.tasks.values() if task.phase in WITH_WORKER]
        workers = []
        for _, worker in sorted(self._machine.workers.items()):
            its = [task for task in with_worker if task.worker.address == worker.address]
            workers.append(
                status.WorkerStatus(
                    address=worker.address, host=worker.name, testbeds=tuple(sorted(worker.testbeds)),
                    engine=" ".join(worker.engine).strip(), runs=sum(len(task.held) for task in its),
                    busy_with=its[0].testbed if its else None, refused=worker.refused, limits=worker.limits,
                )
            )  # fmt: skip
        return status.Status(
            state="paused" if why else "working" if self._machine.tasks else "idle",
            why=why, note="; ".join(waits) or None,
            missing={name: missing.why for name, missing in self._machine.missing.items()},
            queued=found.get(State.QUEUED, 0), running=found.get(State.RUNNING, 0), workers=tuple(workers),
        )  # fmt: skip


def _now() -> datetime:
    return datetime.now(UTC)
