"""Schedules: experiments that run at set times, how they are judged, and who is told; and their rounds."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any, Literal, Self

import msgspec
from flask import Response, request
from pydantic import ConfigDict, Field, field_validator, model_validator
from sqlalchemy.orm import Session

from windlull.api import idempotency, pagination
from windlull.api.answers import answer, no_content
from windlull.api.batches import BatchGiven, Tag, in_brief, require_fit
from windlull.api.blueprint import Blueprint, created
from windlull.api.context import current
from windlull.api.errors import ApiError, conflict, not_found, too_many, wrong
from windlull.api.idempotency import Created
from windlull.api.schemas import (
    VISIBLE_PATTERN,
    Creating,
    Given,
    Id,
    IdPath,
    Moment,
    Name,
    Page,
    Paging,
    Query,
    Seed,
    SeedGiven,
    View,
    example,
)
from windlull.contract.engine import PlaneKind, Testbed
from windlull.errors import BadInputError
from windlull.runner.options import REPETITIONS
from windlull.schedules import posting, times
from windlull.schedules.asked import Against, Asked, GateAsked
from windlull.stats import rules
from windlull.stats.quantities import ALPHA
from windlull.store import notices
from windlull.store import schedules as store
from windlull.store.tables import Batch, Cause, Notice, Round, Schedule

blueprint = Blueprint("schedules", __name__, tag="schedules", about="Experiments that run at set times.")

NEXT_TIMES = 5
MOST_TAGS = 19
"""Beside the schedule's name, which its batches have as well."""
WAIT_AGAIN_S = 60

Commit = Annotated[
    str,
    Field(min_length=1, max_length=100, pattern=VISIBLE_PATTERN, description="A commit, or another word for a state."),
]
Secret = Annotated[str, Field(min_length=16, max_length=200, pattern=VISIBLE_PATTERN)]
Rule = Annotated[str, Field(min_length=1, max_length=500)]
Cron = Annotated[str, Field(min_length=1, max_length=200)]
Zone = Annotated[str, Field(min_length=1, max_length=64)]


class GateGiven(Given):
    """How a batch is judged when it has ended, by the rules of `windlull gate`."""

    fail_if: list[Rule] = Field(min_length=1, max_length=20)
    against: Against = Field(
        "previous",
        description="What a batch is compared with. `previous`: the schedule's newest batch before it that did not "
        "fail. `batch`: the batch of that number. `variants`: its own first variant is the baseline of the others.",
    )
    batch: Id | None = Field(None, description="With `against: batch`.")
    alpha: float = Field(ALPHA, gt=0, lt=0.5, description="The chance that a batch fails which keeps all rules.")
    strict: bool = Field(False, description="Whether it is told also when the gate is not decided.")  # noqa: FBT003

    @field_validator("fail_if")
    @classmethod
    def _rules(cls, given: list[str]) -> list[str]:
        for rule in given:
            rules.parse(rule)
        return given

    @model_validator(mode="after")
    def _batch(self) -> Self:
        if (self.against == "batch") != (self.batch is not None):
            raise ValueError("batch goes with against: batch")
        return self


class HookGiven(Given):
    """Who may start it without the token: a forge that signs what it sends."""

    secret: Secret = Field(description="Known to the forge; never told again.")
    branch: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="Pushes to other branches start nothing."
    )


class NoticeGiven(Given):
    """Who is told of what went wrong."""

    url: str = Field(min_length=1, max_length=posting.LONGEST_URL, description="http or https; never told again.")
    secret: Secret | None = Field(None, description="Signs the notices; never told again.")

    @field_validator("url")
    @classmethod
    def _url(cls, given: str) -> str:
        try:
            posting.place(given)
        except BadInputError as error:
            raise ValueError(str(error)) from error
        return given


class _Options(Given):
    """What a schedule has besides its name and its experiment."""

    repetitions: int | None = Field(None, ge=REPETITIONS.least, le=REPETITIONS.most)
    seed: SeedGiven | None = None
    fresh_seed: bool = Field(False, description="Whether each batch has a master seed of its own.")  # noqa: FBT003
    testbed: Testbed = "sim"
    plane: PlaneKind | None = Field(None, description="Link plane of live runs; not for `sim`.")
    captures: bool = Field(False, description="Whether runs keep captures, fates and events.")  # noqa: FBT003
    priority: int = Field(0, ge=-1000, le=1000, description="Higher goes first.")
    tags: list[Tag] = Field([], max_length=MOST_TAGS, description="Of its batches, beside the name of the schedule.")
    cron: Cron | None = Field(None, description="Minute, hour, day, month, day of the week. Null: only on request.")
    zone: Zone = Field("UTC", description="The time zone of `cron`.")
    paused: bool = Field(False, description="Whether neither clock nor forge starts it.")  # noqa: FBT003
    gate: GateGiven | None = None
    hook: HookGiven | None = None
    notice: NoticeGiven | None = None


class ScheduleGiven(_Options):
    """What runs when; docs/schedules.md has what each means."""

    model_config = example(
        name="nightly", experiment="first-look", cron="30 2 * * *", zone="Europe/Berlin",
        gate={"fail_if": ["elapsed.median > 1.05 * baseline"]},
    )  # fmt: skip

    name: Tag
    experiment: Name


class ScheduleChanges(_Options):
    """What to change; whatever is left out stays."""

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"paused": True}, {"cron": "0 3 * * 1-5"}]}
    )

    name: Tag = Field(
        default_factory=str, description="Of the batches that follow, too; those that there are keep theirs."
    )
    experiment: Name = Field(default_factory=str)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("give at least one key")
        return self


class TriggerGiven(Given):
    """What it is started for."""

    model_config = example(commit="3f2a9c41d0")

    commit: Commit | None = None


class TimesQuery(Query):
    """A cron expression and a time zone."""

    cron: Cron
    zone: Zone = "UTC"


class TimesView(View):
    """When it comes."""

    words: str
    next: list[Moment] = Field(description="The next five times, fewer if it does not come so often.")


class CheckView(View):
    """A check of a gate, in words."""

    status: Literal["pass", "fail", "inconclusive"]
    rule: str
    subject: str
    measured: str
    why: str


class JudgedView(View):
    """What the gate says of a batch."""

    verdict: Literal["pass", "fail", "inconclusive", "unjudged"] | None = Field(
        description="`unjudged`: the gate could not be judged; `words` says why. Null: there is no batch before it."
    )
    words: str
    baseline: int | None = Field(description="The batch that it was compared with; null for its own variants.")
    checks: list[CheckView]
    notes: list[str]


class NoticeView(View):
    """A notice, and whether its receiver has taken it."""

    key: str
    event: str
    made_at: Moment
    state: Literal["waiting", "delivered", "given-up"]
    attempts: int
    answer: str | None = Field(description="What came of the last attempt.")
    next_at: Moment | None = Field(description="When it is sent again.")


class RoundView(View):
    """One time that a schedule was due or asked for."""

    id: Id
    schedule: Id
    cause: Literal["time", "trigger", "hook"]
    commit: str | None
    state: Literal["waiting", "running", "ended", "skipped", "failed"] = Field(
        description="`waiting`: for the round before it, or for room. `skipped`: another was under way when it was "
        "due. `failed`: there is no batch."
    )
    asked_at: Moment
    started_at: Moment | None
    ended_at: Moment | None
    batch: int | None = Field(description="It may have been deleted since.")
    gate: JudgedView | None = Field(description="Null without a gate, and until the batch has ended.")
    reason: str | None = Field(description="Why there is no batch, or what is wrong with it.")
    notices: list[NoticeView]


class MadeByView(View):
    """Which schedule made a batch."""

    schedule: str | None = Field(description="Its name.")
    round: RoundView | None


class GateView(View):
    """How a batch is judged."""

    fail_if: list[str]
    against: Against
    batch: int | None
    alpha: float
    strict: bool


class HookView(View):
    """How a forge starts it; the secret is not told."""

    path: str = Field(description="Below the address of the service.")
    branch: str | None


class ReceiverView(View):
    """Who is told. Of the address only its beginning, as the rest may be a secret."""

    to: str
    signed: bool


class ScheduleView(View):
    """A schedule. Secrets are not told."""

    id: Id
    name: str
    experiment: str
    repetitions: int | None
    seed: Seed | None
    fresh_seed: bool
    testbed: str
    plane: str | None
    captures: bool
    priority: int
    tags: list[str]
    cron: str | None
    zone: str
    words: str | None = Field(description="`cron` in English.")
    paused: bool
    next_at: Moment | None = Field(description="When it is due; null while it is paused, and without `cron`.")
    gate: GateView | None
    hook: HookView | None
    notice: ReceiverView | None
    created_at: Moment
    last: RoundView | None = Field(description="Its newest round.")


@blueprint.get("/schedules", responses={200: Page[ScheduleView]})
def list_(query: Paging) -> Response:
    """List schedules.

    Newest first.
    """
    start = pagination.number(query.cursor)
    with current().database.reader() as session:
        rows = store.newest(session, before=start, limit=query.limit + 1)
        shown = _telling(session, rows[: query.limit])
        return answer(pagination.page(rows, query.limit, lambda row: row.id, shown))


@blueprint.post(
    "/schedules",
    responses={201: created(ScheduleView, "schedules_read", id="$response.body#/id"), 404: None, 409: None, 507: None},
)
def create(header: Creating, body: ScheduleGiven) -> Response:
    """Make a schedule.

    The engine plans a batch of it now, so that what is wrong with the experiment shows; each batch is made of the
    experiment as it is then. 409 (`name-taken`) if another schedule has the name, 507 (`too-many-schedules`) at the
    limit.
    """
    if (response := idempotency.answered(header.key)) is not None:
        return response
    given = body.model_dump()
    _check(given)

    def make(session: Session) -> Created:
        now = datetime.now(UTC)
        _check_baseline(session, given)
        made = Schedule(**_columns(given), created_at=now)
        made.next_at = _due(made, now)
        with _refusing():
            store.add(session, made)
        return Created(_view(session, made), f"{request.path}/{made.id}")

    return idempotency.once(header.key, make)


@blueprint.get("/schedules/times", responses={200: TimesView})
def read_times(query: TimesQuery) -> Response:
    """Say when a cron expression comes.

    422 if there is no such time, or no such time zone.
    """
    try:
        following = times.following(query.cron, query.zone, datetime.now(UTC), NEXT_TIMES)
        return answer({"words": times.words(query.cron), "next": following})
    except times.TimesError as error:
        raise wrong(error.key, error.message, error.suggestion) from error


@blueprint.get("/schedules/<int:id>", responses={200: ScheduleView})
def read(path: IdPath) -> Response:
    """Read a schedule.

    What runs when, and its newest round.
    """
    with current().database.reader() as session:
        return answer(_view(session, _find(session, path.id)))


@blueprint.patch("/schedules/<int:id>", responses={200: ScheduleView, 409: None})
def change(path: IdPath, body: ScheduleChanges) -> Response:
    """Change a schedule.

    From the next round on. `hook`, `notice` and `gate` are replaced as a whole, and null takes them away.
    """
    with current().database.reader() as session:
        before = _given(_find(session, path.id))
    said = body.model_dump()
    given = before | {name: said[name] for name in body.model_fields_set}
    _check(given)
    with current().database.session() as session:
        row = _find(session, path.id)
        _check_baseline(session, given)
        values = _columns(given)
        if {"cron", "zone", "paused"} & body.model_fields_set:
            values["next_at"] = _due(Schedule(**values), datetime.now(UTC))
        with _refusing():
            store.change(session, row, values)
        session.flush()
        return answer(_view(session, row))


@blueprint.delete("/schedules/<int:id>", responses={204: None})
def remove(path: IdPath) -> Response:
    """Delete a schedule.

    With its rounds, and notices that were not sent yet. Its batches stay.
    """
    with current().database.session() as session:
        if not store.delete(session, path.id):
            raise not_found(f"schedule {path.id}")
    return no_content()


@blueprint.post(
    "/schedules/<int:id>/trigger", responses={201: created(RoundView, "schedules_read_round", id="$response.body#/id")}
)
def trigger(path: IdPath, header: Creating, body: TriggerGiven) -> Response:
    """Start a schedule now.

    Also one that is paused. The commit is kept with the round, and in the note of its batch. While another round runs
    it waits; 429 (`too-many-waiting`) if 20 do.
    """
    if (response := idempotency.answered(header.key)) is not None:
        return response

    def make(session: Session) -> Created:
        _find(session, path.id)
        made = started(session, path.id, Cause.TRIGGER, body.commit)
        return Created(round_view(made, []), f"/api/v1/rounds/{made.id}")

    return idempotency.once(header.key, make)


@blueprint.get("/schedules/<int:id>/rounds", responses={200: Page[RoundView]})
def rounds(path: IdPath, query: Paging) -> Response:
    """List the rounds of a schedule.

    Newest first, each with its batch, the verdict of the gate, and the notices that were sent. The last 1,000 are kept.
    """
    start = pagination.number(query.cursor)
    with current().database.reader() as session:
        _find(session, path.id)
        rows = store.rounds_of(session, path.id, before=start, limit=query.limit + 1)
        sent = notices.of_rounds(session, [row.id for row in rows])
        return answer(pagination.page(rows, query.limit, lambda row: row.id, lambda row: round_view(row, sent[row.id])))


@blueprint.get("/rounds/<int:id>", responses={200: RoundView})
def read_round(path: IdPath) -> Response:
    """Read a round.

    For whoever has started one, and waits for the verdict.
    """
    with current().database.reader() as session:
        row = session.get(Round, path.id)
        if row is None:
            raise not_found(f"round {path.id}")
        return answer(round_view(row, notices.of_rounds(session, [row.id])[row.id]))


@blueprint.get("/batches/<int:id>/round", responses={200: MadeByView})
def of_batch(path: IdPath) -> Response:
    """Read by which schedule a batch was made, and how it was judged.

    Both are null if none has made it, or if that was deleted.
    """
    with current().database.reader() as session:
        if session.get(Batch, path.id) is None:
            raise not_found(f"batch {path.id}")
        if (found := store.of_batch(session, path.id)) is None:
            return answer({"schedule": None, "round": None})
        made, schedule = found
        sent = notices.of_rounds(session, [made.id])[made.id]
        return answer({"schedule": schedule.name, "round": round_view(made, sent)})


def started(session: Session, number: int, cause: Cause, commit: str | None) -> Round:
    """Ask for a round. Raises ApiError if too many wait."""
    try:
        return store.ask(session, number, cause, commit, now=datetime.now(UTC))
    except store.TooManyWaitError as error:
        raise too_many(str(error), "too-many-waiting", WAIT_AGAIN_S) from error


# --- what is given ----------------------------------------------------------------------------------------------------


@contextmanager
def _refusing() -> Iterator[None]:
    """Make answers of what the store refuses."""
    try:
        yield
    except store.NameTakenError as error:
        raise conflict(str(error), "name-taken") from error
    except store.TooManySchedulesError as error:
        raise ApiError(HTTPStatus.INSUFFICIENT_STORAGE, str(error), code="too-many-schedules") from error


_ASKED = Asked.__struct_fields__


def _check(given: dict[str, Any]) -> None:
    """Refuse what can be known to be wrong now. Raises ApiError, InvalidFilesError."""
    if given["cron"] is not None:
        try:
            times.next_after(given["cron"], given["zone"], datetime.now(UTC))
        except times.TimesError as error:
            raise wrong(error.key, error.message, error.suggestion) from error
    if given["fresh_seed"] and given["seed"] is not None:
        raise wrong("seed", "does not go with fresh_seed")
    asked = BatchGiven.model_validate({name: given[name] for name in BatchGiven.model_fields if name in given})
    require_fit(asked.options())
    planned, _ = in_brief(asked.experiment, asked.options())
    gate = given["gate"]
    if gate is not None and gate["against"] == "variants" and len(planned.read().variants) < 2:
        raise wrong("gate.against", f"{asked.experiment} has one variant; a comparison needs two")


def _check_baseline(session: Session, given: dict[str, Any]) -> None:
    gate = given["gate"]
    if gate is not None and gate["batch"] is not None and session.get(Batch, gate["batch"]) is None:
        raise wrong("gate.batch", f"there is no batch {gate['batch']}")


def _columns(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the store keeps of what was given."""
    hook, notice = given["hook"] or {}, given["notice"] or {}
    return {
        "name": given["name"],
        "asked": msgspec.to_builtins(msgspec.convert({name: given[name] for name in _ASKED}, Asked)),
        "gate": given["gate"] and msgspec.to_builtins(msgspec.convert(given["gate"], GateAsked)),
        "cron": given["cron"],
        "zone": given["zone"],
        "paused": given["paused"],
        "hook_secret": hook.get("secret"),
        "hook_branch": hook.get("branch"),
        "notice_url": notice.get("url"),
        "notice_secret": notice.get("secret"),
        "address": _address(),
    }


def _given(row: Schedule) -> dict[str, Any]:
    """Return a schedule as it would be given."""
    hook = {"secret": row.hook_secret, "branch": row.hook_branch} if row.hook_secret is not None else None
    notice = {"url": row.notice_url, "secret": row.notice_secret} if row.notice_url is not None else None
    own = {name: getattr(row, name) for name in ("name", "cron", "zone", "paused", "gate")}
    return {**own, **row.asked, "tags": list(row.asked["tags"]), "hook": hook, "notice": notice}


def _address() -> str:
    """Return the address under which this request has reached the service, for links."""
    url = request.host_url
    return f"https{url.removeprefix('http')}" if current().settings.secure_cookie and url.startswith("http:") else url


def _due(row: Schedule, now: datetime) -> datetime | None:
    return None if row.paused or row.cron is None else times.next_after(row.cron, row.zone, now)


# --- what is told -----------------------------------------------------------------------------------------------------


def _find(session: Session, number: int) -> Schedule:
    row = session.get(Schedule, number)
    if row is None:
        raise not_found(f"schedule {number}")
    return row


def _view(session: Session, row: Schedule) -> dict[str, Any]:
    return _telling(session, [row])(row)


def _telling(session: Session, rows: Sequence[Schedule]) -> Callable[[Schedule], dict[str, Any]]:
    """Return what tells one of these schedules as clients have it."""
    last = store.last_rounds(session, [row.id for row in rows])
    sent = notices.of_rounds(session, [one.id for one in last.values()])

    def tell(row: Schedule) -> dict[str, Any]:
        newest = last.get(row.id)
        return ScheduleView.of(
            row,
            **row.asked,
            gate=row.gate,
            words=None if row.cron is None else times.words(row.cron),
            hook=None if row.hook_secret is None else {"path": f"api/v1/hooks/{row.id}", "branch": row.hook_branch},
            notice=None if row.notice_url is None else _receiver(row.notice_url, signed=row.notice_secret is not None),
            last=None if newest is None else round_view(newest, sent[newest.id]),
        )

    return tell


def _receiver(url: str, *, signed: bool) -> dict[str, Any]:
    parts = posting.place(url)
    return {"to": f"{parts.scheme}://{parts.netloc}", "signed": signed}


def round_view(row: Round, sent: list[Notice]) -> dict[str, Any]:
    """Return a round as clients have it, with its notices."""
    return RoundView.of(
        row,
        schedule=row.schedule_id,
        batch=row.batch_id,
        gate=row.judged,
        notices=[NoticeView.of(one, event=msgspec.json.decode(one.body)["event"]) for one in sent],
    )
