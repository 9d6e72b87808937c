"""Schedules: what is due is made a batch, what has ended is judged, and who wants to know of it is told.

    its time comes, or somebody asks --> a round waits --> its batch runs --> judged --> a notice, until it is taken

Everything is in the database (`store/schedules.py`, `store/notices.py`) before it is begun, so that a service which
is killed goes on where it was. What takes long is done in threads: the engine's plan, statistics, answers of receivers.
What they bring is written down in the caller's thread, and changes nothing if it has been written before.
"""

from __future__ import annotations

import secrets
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import structlog

from windlull.bounds import Bounds
from windlull.errors import WindlullError
from windlull.schedules import gates, making, messages, posting, times
from windlull.schedules.asked import Asked, GateAsked
from windlull.store import notices, runs, tags
from windlull.store import schedules as store
from windlull.store.blobs import DiskFullError
from windlull.store.database import UnavailableError
from windlull.store.runs import QueueFullError
from windlull.store.tables import Batch, Round, RoundState, Schedule, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from windlull.schedules.gates import Judged
    from windlull.schedules.messages import Event
    from windlull.schedules.posting import Answer
    from windlull.store.database import Database
    from windlull.store.home import Home

LOOK = timedelta(seconds=1)
"""How often it is looked what is due."""
PLANS, POSTS = 1, 4
"""How many plans and judgements are made at once, and how many notices are sent."""
MOST_REASON = 2000

_log = structlog.get_logger(__name__)

_Job = tuple[str, int]
"""What is done in a thread: its kind, and the number of the row that it is about."""


@dataclass(slots=True)
class Threads:
    """The threads in which things are done; a test has others."""

    plans: Executor = field(default_factory=lambda: ThreadPoolExecutor(PLANS, "schedules"))
    posts: Executor = field(default_factory=lambda: ThreadPoolExecutor(POSTS, "notices"))


class Schedules:
    """The schedules of a database. `clock` says what time it is, `post` sends a notice."""

    def __init__(
        self,
        database: Database,
        home: Home,
        *,
        bounds: Bounds | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        threads: Threads | None = None,
        post: Callable[[str, bytes, dict[str, str]], Answer] = posting.post,
    ) -> None:
        self._database = database
        self._home = home
        self._bounds = bounds or Bounds()
        self._clock = clock
        self._threads = threads or Threads()
        self._post = post
        self._jobs: dict[_Job, tuple[Future[Any], Callable[[Any], None]]] = {}
        self._looked: datetime | None = None

    def step(self, *, room: bool) -> None:
        """Go on. Without `room`, since the disk is full or a calibration wants the machine, no batch is made.

        Raises UnavailableError, DiskFullError; it is tried again the next time.
        """
        self._take_results()
        now = self._clock()
        # In both directions: a clock that was set back must not stop it.
        if self._looked is not None and abs(now - self._looked) < LOOK:
            return
        self._looked = now
        self._let_come(now)
        with self._database.reader() as session:
            waiting = store.next_rounds(session) if room else []
            ended = store.finished(session)
            unsent = notices.due(session, now)
        for made, schedule in waiting:
            plan = partial(self._plan, msgspec.convert(schedule.asked, Asked))
            self._do(self._threads.plans, ("plan", made.id), plan, partial(self._begin, made, schedule))
        for made, schedule in ended:
            self._do(
                self._threads.plans, ("judge", made.id), partial(self._judge, made, schedule),
                partial(self._end, made, schedule),
            )  # fmt: skip
        for notice, schedule in unsent:
            if schedule.notice_url is None:
                answer = posting.Answer(taken=False, words="the schedule has no receiver any more")
                self._sent(notice.id, answer)
                continue
            octets = notice.body.encode()
            event = msgspec.json.decode(octets)["event"]
            headers = messages.headers(schedule.notice_secret, notice.key, event, octets)
            send = partial(self._post, schedule.notice_url, octets, headers)
            self._do(self._threads.posts, ("send", notice.id), send, partial(self._sent, notice.id))

    def end(self) -> None:
        """Begin nothing more; what is under way is done again by the next scheduler."""
        for threads in (self._threads.plans, self._threads.posts):
            threads.shutdown(wait=False, cancel_futures=True)

    # --- threads ------------------------------------------------------------------------------------------------------

    def _do(self, threads: Executor, job: _Job, act: Callable[[], Any], then: Callable[[Any], None]) -> None:
        if job not in self._jobs:
            self._jobs[job] = (threads.submit(act), then)

    def _take_results(self) -> None:
        """Write down what the threads have brought; what failed since the database is gone is done anew."""
        for job, (future, then) in list(self._jobs.items()):
            if future.done():
                del self._jobs[job]
                then(future.result())

    # --- what is due --------------------------------------------------------------------------------------------------

    def _let_come(self, now: datetime) -> None:
        """Let the times come that have, each once, however many were missed."""
        with self._database.reader() as session:
            if not store.due(session, now):
                return
        with self._database.session() as session:
            for schedule in store.due(session, now):
                made = store.came(session, schedule, _next(schedule, now), now=now)
                _log.info("schedule due", schedule=schedule.id, round=made.id, state=made.state.value)

    # --- a batch ------------------------------------------------------------------------------------------------------

    def _plan(self, asked: Asked) -> runs.Order | str:
        """Plan the batch; return why there can be none, if so."""
        try:
            return making.order(self._database, self._home, asked, self._bounds)
        except (UnavailableError, DiskFullError):
            raise
        except WindlullError as error:
            return str(error)

    def _begin(self, made: Round, schedule: Schedule, planned: runs.Order | str) -> None:
        now = self._clock()
        if isinstance(planned, str):
            with self._database.session() as session:
                if store.fail(session, made.id, RoundState.WAITING, planned[:MOST_REASON], now=now):
                    self._notify(session, "not-started", f"It was not started: {planned}", schedule, made, None)
            _log.warning("schedule not started", schedule=schedule.id, round=made.id, why=planned)
            return
        try:
            with self._database.session() as session:
                if not store.still_waits(session, made.id):
                    return  # its schedule was deleted meanwhile
                batch = runs.submit(session, planned, now=now, most_queued=self._bounds.queued_runs)
                store.begin(session, made.id, batch.id, now=now)
                tags.put(session, batch.id, [schedule.name, *schedule.asked["tags"]])
                if made.commit is not None:
                    batch.commit = made.commit
                    tags.write_note(session, batch, f"commit {made.commit}")
        except QueueFullError as error:
            _log.info("schedule waits", schedule=schedule.id, round=made.id, why=str(error))
            return
        _log.info("schedule started", schedule=schedule.id, round=made.id, batch=batch.id)

    # --- a verdict ----------------------------------------------------------------------------------------------------

    def _judge(self, made: Round, schedule: Schedule) -> Judged | None:
        if schedule.gate is None or made.batch_id is None:
            return None
        with self._database.reader() as session:
            if session.get(Batch, made.batch_id) is None:
                return None
            before = store.batch_before(session, made)
            asked = msgspec.convert(schedule.gate, GateAsked)
            return gates.judge(session, self._home.blobs, asked, made.batch_id, before)

    def _end(self, made: Round, schedule: Schedule, judged: Judged | None) -> None:
        now = self._clock()
        assert made.batch_id is not None  # noqa: S101 - it runs
        with self._database.session() as session:
            batch = session.get(Batch, made.batch_id)
            if batch is None:
                store.fail(session, made.id, RoundState.RUNNING, "its batch was deleted", now=now)
                return
            counts = runs.counts(session, [batch.id])[batch.id]
            wrong = _what_went_wrong(counts)
            written = store.end(
                session, made.id, verdict=None if judged is None else judged.verdict,
                judged=msgspec.to_builtins(judged), reason=wrong, now=now,
            )  # fmt: skip
            lost = any(counts.get(state) for state in (State.FAILED, State.INVALID))
            event, words = _told(schedule.gate, judged, wrong, lost=lost)
            if written and event is not None:
                self._notify(session, event, words, schedule, made, judged)
        _log.info("schedule ended", schedule=schedule.id, round=made.id, verdict=judged and judged.verdict, why=wrong)

    # --- notices ------------------------------------------------------------------------------------------------------

    def _notify(
        self, session: Session, event: Event, words: str, schedule: Schedule, made: Round, judged: Judged | None
    ) -> None:
        """Have the receiver told, if there is one."""
        current = session.get(Schedule, schedule.id)
        if current is None or current.notice_url is None:
            return
        key, now = secrets.token_hex(16), self._clock()
        said = messages.body(
            event, words, current, made, batch_id=made.batch_id, judged=judged, key=key, now=now
        )  # fmt: skip
        notices.add(session, made.id, key, said, now=now)

    def _sent(self, number: int, answer: Answer) -> None:
        with self._database.session() as session:
            notices.answered(session, number, taken=answer.taken, answer=answer.words, now=self._clock())
        _log.info("notice sent", notice=number, taken=answer.taken, answer=answer.words)


def _next(schedule: Schedule, now: datetime) -> datetime | None:
    """Return when a schedule is due after now; None if never, as a zone may be gone from a machine."""
    if schedule.cron is None:
        return None
    try:
        return times.next_after(schedule.cron, schedule.zone, now)
    except times.TimesError as error:
        _log.error("schedule stops", schedule=schedule.id, why=str(error))
        return None


def _what_went_wrong(counts: dict[State, int]) -> str | None:
    """Say which runs of a batch have no result; None if all have."""
    total = sum(counts.values())
    lost = [f"{counts[state]} {word}" for state, word in _LOST if counts.get(state)]
    return f"of {total} runs {' and '.join(lost)}" if lost else None


_LOST = ((State.FAILED, "failed"), (State.INVALID, "are not valid"), (State.CANCELLED, "were cancelled"))


def _told(
    gate: dict[str, Any] | None, judged: Judged | None, wrong: str | None, *, lost: bool
) -> tuple[Event | None, str]:
    """Return of what the receiver is told, in which words; the event is None if of nothing.

    `lost`: runs came to nothing. Of those that somebody cancelled nobody is told.
    """
    words = " ".join(part for part in (judged and judged.words, wrong and f"The batch has gaps: {wrong}.") if part)
    if judged is not None and judged.verdict == "fail":
        return "gate-failed", words
    if lost:
        return "batch-failed", words
    if judged is not None and judged.verdict == "unjudged":
        return "gate-unjudged", words
    if judged is not None and judged.verdict == "inconclusive" and gate and gate["strict"]:
        return "gate-undecided", words
    return None, words
