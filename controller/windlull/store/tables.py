"""The tables. The one place that knows their columns; migrations under `migrations/` bring a database here.

Times are UTC. A seed is an unsigned 64-bit number in decimal, as text: SQL's integers would lose its top bit.

    Document   a link, variant, workload or experiment of the user's own; shipped ones are files, not rows
    Revision   what a document said at one time, or that it was deleted then
    Batch      one request to run an experiment; it has the runs of the plan that the engine made of it
    BatchTag   a word that people gave a batch
    Run        one cell of a batch, and how far it is
    Result     what a run measured. A simulated one is found again by the key of its content: equal cells share it
    Artefact   one file of a result, by the hash of its content
    Event      what happened, in order: what clients watch, and where they go on after a lost connection
    Calibration   what the live testbed of this machine can do, measured
    Search     a search for the worst link: what was asked for, and how far it is; what it found are files
    Schedule   an experiment that runs at set times: when, how it is judged, and who is told
    Round      one time that a schedule was due or asked for: its batch, and how that was judged
    Notice     what is to be sent to a schedule's receiver, and whether it was
    Answer     what a creation that carried an idempotency key was answered
    Note       what one process leaves for another to read, as how the scheduler is

A number that identified a row is never given to another, also after the row is gone: clients remember them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect


class State(StrEnum):
    """How far a run is. `scheduler/machine.py` has the diagram of who may go where."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    INVALID = "invalid"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing more comes of it by itself."""
        return self not in {State.QUEUED, State.RUNNING}


class CalibrationState(StrEnum):
    """How far a calibration is. `store/calibrations.py` has the diagram."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class SearchState(StrEnum):
    """How far a search is. `store/searches.py` has the diagram."""

    WAITING = "waiting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


class Cause(StrEnum):
    """Why there is a round of a schedule."""

    TIME = "time"
    TRIGGER = "trigger"
    HOOK = "hook"


class RoundState(StrEnum):
    """How far a round is. `store/schedules.py` has the diagram."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"
    SKIPPED = "skipped"
    FAILED = "failed"


class NoticeState(StrEnum):
    """How far a notice is. `store/notices.py` has the diagram."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    GIVEN_UP = "given-up"


class DocumentChange(StrEnum):
    """What made a revision of a document. `store/revisions.py` has the diagram."""

    CREATED = "created"
    CHANGED = "changed"
    RESTORED = "restored"
    DELETED = "deleted"


class Moment(TypeDecorator[datetime]):
    """A moment in UTC, also in a database that forgets time zones."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Store UTC without a zone. Raises ValueError for a time without one."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Give the zone back."""
        return None if value is None else value.replace(tzinfo=UTC)


class Named(TypeDecorator[StrEnum]):
    """A state by its name."""

    impl = String(16)
    cache_ok = True

    def __init__(self, states: type[StrEnum]) -> None:
        super().__init__()
        self.states = states

    def process_bind_param(self, value: StrEnum | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Store the name."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:  # noqa: ARG002
        """Return the state. Raises ValueError if there is none of that name."""
        return None if value is None else self.states(value)


Identity = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts its row numbers up only in a column called INTEGER."""


_NEVER_AGAIN = {"sqlite_autoincrement": True}
"""Left to itself, SQLite gives the number of a deleted last row to the next; PostgreSQL's sequences never do."""


class Base(DeclarativeBase):
    """All tables."""

    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy's own
        datetime: Moment,
        dict[str, Any]: JSON,
        State: Named(State),
        CalibrationState: Named(CalibrationState),
        SearchState: Named(SearchState),
        Cause: Named(Cause),
        RoundState: Named(RoundState),
        NoticeState: Named(NoticeState),
        DocumentChange: Named(DocumentChange),
    }


class Document(Base):
    """A file of the user's own: a `link`, `variant`, `workload` or `experiment`; `revision` counts its edits."""

    __tablename__ = "documents"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    toml: Mapped[str] = mapped_column(Text)
    revision: Mapped[int]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class Revision(Base):
    """What a document said at one time; of a deletion, `toml` is None.

    `restored` is the revision whose text it had again. `lines_added` and `lines_removed` compare it with the text
    before; None where there was none, or none is known.
    """

    __tablename__ = "revisions"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    change: Mapped[DocumentChange]
    restored: Mapped[int | None]
    at: Mapped[datetime] = mapped_column(index=True)
    size_bytes: Mapped[int]
    lines_added: Mapped[int | None]
    lines_removed: Mapped[int | None]
    toml: Mapped[str | None] = mapped_column(Text)


class Batch(Base):
    """One request to run an experiment.

    `bundle` is the hash of a blob: the JSON object of all files that the experiment is made of, so that it can be run
    on any machine and after those files have changed. `plan` is the hash of the experiment as the engine resolved it.
    `repetitions` and `seed` are those in force. Higher `priority` goes first. The files of a `pinned`
    batch stay, whatever their age and the quota. `note` is what people wrote at it. `commit` is what the caller of the
    schedule's round that made it said it is for.
    """

    __tablename__ = "batches"
    __table_args__ = _NEVER_AGAIN

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    experiment: Mapped[str] = mapped_column(String(200), index=True)
    title: Mapped[str] = mapped_column(Text)
    testbed: Mapped[str] = mapped_column(String(16))
    plane: Mapped[str | None] = mapped_column(String(16))
    repetitions: Mapped[int]
    seed: Mapped[str] = mapped_column(String(20))
    captures: Mapped[bool]
    priority: Mapped[int]
    bundle: Mapped[str] = mapped_column(String(64))
    plan: Mapped[str] = mapped_column(String(64))
    engine_version: Mapped[str] = mapped_column(String(64))
    engine_commit: Mapped[str] = mapped_column(String(64))
    imported: Mapped[bool]
    pinned: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    note: Mapped[str] = mapped_column(Text, default="", server_default="")
    commit: Mapped[str | None] = mapped_column(String(100))


class BatchTag(Base):
    """A word that people gave a batch, to find it and its like again."""

    __tablename__ = "batch_tags"

    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(40), primary_key=True, index=True)


class Run(Base):
    """One cell of a batch.

    `place` is its position in the engine's plan. `key` is the hash of all that a simulated result depends on, None for
    live runs. `attempt` counts how often it was given out: what comes of an earlier attempt is not taken. `priority`
    is the batch's. `reason` says why it failed, is invalid or waits.
    """

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("batch_id", "place"),
        Index("runs_by_state", "state", "testbed", "priority", "id"),
        Index("runs_by_batch", "batch_id", "state"),
        Index("runs_of_state", "state", "id"),
        Index("runs_of_batch", "batch_id", "id"),
        _NEVER_AGAIN,
    )

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id", ondelete="CASCADE"))
    place: Mapped[int]
    testbed: Mapped[str] = mapped_column(String(16))
    variant: Mapped[str] = mapped_column(String(200))
    link: Mapped[str] = mapped_column(String(200))
    repetition: Mapped[int]
    seed: Mapped[str] = mapped_column(String(20))
    directory: Mapped[str] = mapped_column(Text)
    key: Mapped[str | None] = mapped_column(String(64), index=True)
    priority: Mapped[int]
    state: Mapped[State]
    attempt: Mapped[int] = mapped_column(default=0)
    worker: Mapped[str | None] = mapped_column(String(200))
    reason: Mapped[str | None] = mapped_column(Text)
    cached: Mapped[bool] = mapped_column(default=False)
    queued_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    result_id: Mapped[int | None] = mapped_column(ForeignKey("results.id"), index=True)


class Result(Base):
    """What a run measured: metrics by name and, of a live run, its certificate.

    `evicted_at` is when its files made room for others; the numbers stay, and a simulated run made again gives the same
    files. `size_bytes` is that of its files.
    """

    __tablename__ = "results"
    __table_args__ = _NEVER_AGAIN

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    key: Mapped[str | None] = mapped_column(String(64), unique=True)
    metrics: Mapped[dict[str, Any]]
    certificate: Mapped[dict[str, Any] | None]
    attempts: Mapped[int]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(index=True)
    evicted_at: Mapped[datetime | None]


class Artefact(Base):
    """One file of a result; its content is the blob of that hash."""

    __tablename__ = "artefacts"

    result_id: Mapped[int] = mapped_column(ForeignKey("results.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    size_bytes: Mapped[int] = mapped_column(BigInteger)


class Event(Base):
    """What happened to a `run`, `batch`, `document`, `calibration` or the `scheduler`, or `progress`.

    `data` is for clients.
    """

    __tablename__ = "events"
    __table_args__ = _NEVER_AGAIN

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(String(16))
    batch_id: Mapped[int | None] = mapped_column(Identity, index=True)
    run_id: Mapped[int | None] = mapped_column(Identity)
    data: Mapped[dict[str, Any]]


class Answer(Base):
    """What a creation was answered. `request` is the hash of what was asked: the key serves for it alone."""

    __tablename__ = "answers"

    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    request: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    body: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(index=True)


class Calibration(Base):
    """A measurement of the live testbed on the machine that serves.

    `pace` is how the link plane waits. `result` is what the engine measured; `reason` says why there is none.
    """

    __tablename__ = "calibrations"
    __table_args__ = _NEVER_AGAIN

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    pace: Mapped[str] = mapped_column(String(16))
    thorough: Mapped[bool]
    state: Mapped[CalibrationState] = mapped_column(index=True)
    asked_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    reason: Mapped[str | None] = mapped_column(Text)


class Search(Base):
    """A search for the links on which a variant is worst.

    `asked` is what was asked for besides the experiment; that, with all its files, and what was tried and found, lie in
    a directory of its own. `tried` counts the links that were run, those that shrank what was found among them.
    `reason` says why it failed.
    """

    __tablename__ = "searches"
    __table_args__ = _NEVER_AGAIN

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    experiment: Mapped[str] = mapped_column(String(200))
    title: Mapped[str] = mapped_column(Text)
    asked: Mapped[dict[str, Any]]
    state: Mapped[SearchState] = mapped_column(index=True)
    tried: Mapped[int]
    asked_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    reason: Mapped[str | None] = mapped_column(Text)


class Schedule(Base):
    """An experiment that runs at set times.

    `asked` is what its batches are made of, `gate` how they are judged. `cron` says when, in the time of `zone`; None
    if only others start it. `next_at` is when it is due, None if it is paused or has no such time. `hook_secret` signs
    requests of a forge, `notice_secret` the notices to `notice_url`: neither is told to anybody, nor is the URL, in
    which receivers have secrets. `address` is that of the service, for links in notices.
    """

    __tablename__ = "schedules"
    __table_args__ = _NEVER_AGAIN

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    asked: Mapped[dict[str, Any]]
    gate: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    cron: Mapped[str | None] = mapped_column(String(200))
    zone: Mapped[str] = mapped_column(String(64))
    paused: Mapped[bool]
    next_at: Mapped[datetime | None] = mapped_column(index=True)
    hook_secret: Mapped[str | None] = mapped_column(Text)
    hook_branch: Mapped[str | None] = mapped_column(Text)
    notice_url: Mapped[str | None] = mapped_column(Text)
    notice_secret: Mapped[str | None] = mapped_column(Text)
    address: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]


class Round(Base):
    """One time that a schedule was due or asked for.

    `commit` is what the caller said it is for. `batch_id` is the batch that was made, which may be deleted since.
    `verdict` is that of the gate, with all that it says in `judged`. `reason` says why there is no batch or no verdict,
    or what is wrong with the batch.
    """

    __tablename__ = "rounds"
    __table_args__ = (Index("rounds_of_schedule", "schedule_id", "id"), _NEVER_AGAIN)

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    schedule_id: Mapped[int] = mapped_column(ForeignKey("schedules.id", ondelete="CASCADE"))
    cause: Mapped[Cause]
    commit: Mapped[str | None] = mapped_column(String(100))
    state: Mapped[RoundState] = mapped_column(index=True)
    asked_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    batch_id: Mapped[int | None] = mapped_column(Identity, index=True)
    verdict: Mapped[str | None] = mapped_column(String(16))
    judged: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    reason: Mapped[str | None] = mapped_column(Text)


class Notice(Base):
    """What is to be sent to a schedule's receiver. `key` is its name for the receiver; `answer` what came back last."""

    __tablename__ = "notices"
    __table_args__ = _NEVER_AGAIN

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    round_id: Mapped[int] = mapped_column(ForeignKey("rounds.id", ondelete="CASCADE"), index=True)
    key: Mapped[str] = mapped_column(String(32))
    body: Mapped[str] = mapped_column(Text)
    state: Mapped[NoticeState] = mapped_column(index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    made_at: Mapped[datetime]
    next_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    answer: Mapped[str | None] = mapped_column(Text)


class Note(Base):
    """What one process leaves for another to read, by its name: the last one stands."""

    __tablename__ = "notes"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    data: Mapped[dict[str, Any]]
    at: Mapped[datetime]
