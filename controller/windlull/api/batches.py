"""Batches: requests to run an experiment."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from flask import Response, request
from pydantic import ConfigDict, Field, model_validator
from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.orm import Session

from windlull.api import artefacts, idempotency, pagination, testbeds
from windlull.api.answers import answer, encoded, no_content
from windlull.api.blueprint import Blueprint, created
from windlull.api.context import current
from windlull.api.errors import ApiError, invalid, not_found
from windlull.api.idempotency import Created
from windlull.api.openapi import said
from windlull.api.runs import CancelledView, QueuedView, StateName
from windlull.api.schemas import (
    TAG_PATTERN,
    Creating,
    Given,
    Id,
    IdPath,
    Moment,
    Name,
    Page,
    Paging,
    Seed,
    SeedGiven,
    View,
    example,
)
from windlull.batches import orders
from windlull.contract.engine import PlaneKind, Problem, Testbed
from windlull.errors import nearest
from windlull.runner import plans
from windlull.runner.bundle import Bundle
from windlull.runner.options import REPETITIONS, RunOptions
from windlull.runner.plans import Planned
from windlull.store import events, tags
from windlull.store import runs as store
from windlull.store.tables import Batch, BatchTag, Run, State

blueprint = Blueprint("batches", __name__, tag="batches", about="Requests to run an experiment, and how far they are.")

_UNDER_WAY = (State.QUEUED, State.RUNNING)

Tag = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        pattern=TAG_PATTERN,
        description="Letters, digits, spaces and `._+:/-`; begins with a letter or a digit.",
    ),
]
_TEXT = r"^[^\x00]*$"
"""PostgreSQL keeps no text with a zero octet in it."""
_MOST_TAGS = 20
_MOST_LISTED = 500
"""How many tags are listed: enough to choose from."""


class BatchGiven(Given):
    """What to run; whatever is left out comes from the experiment."""

    model_config = example(experiment="first-look", repetitions=2, seed="7")

    experiment: Name
    repetitions: int | None = Field(None, ge=REPETITIONS.least, le=REPETITIONS.most)
    seed: SeedGiven | None = None
    testbed: Testbed = "sim"
    plane: PlaneKind | None = Field(None, description="Link plane of live runs; not for `sim`.")
    captures: bool = Field(True, description="Whether runs keep captures, fates and events.")  # noqa: FBT003
    priority: int = Field(0, ge=-1000, le=1000, description="Higher goes first.")
    tags: list[Tag] = Field([], max_length=_MOST_TAGS, description="Words to find it by.")
    note: str = Field("", max_length=10_000, pattern=_TEXT, description="What there is to say of it, for people.")

    def options(self) -> RunOptions:
        """Return what is wanted of the runs."""
        return RunOptions(
            repetitions=self.repetitions, seed=None if self.seed is None else int(self.seed), testbed=self.testbed,
            plane=self.plane, captures=self.captures,
        )  # fmt: skip


class ChangesGiven(Given):
    """What to change; whatever is left out stays."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "examples": [{"priority": 5}, {"pinned": True}, {"tags": ["thesis"], "note": "as in chapter 3"}],
        }
    )

    priority: int = Field(0, ge=-1000, le=1000)
    pinned: bool = Field(False, description="Whether its files are kept, whatever their age and size.")  # noqa: FBT003
    tags: list[Tag] = Field([], max_length=_MOST_TAGS, description="All its tags from now on.")
    note: str = Field("", max_length=10_000, pattern=_TEXT, description="What there is to say of it, for people.")

    @model_validator(mode="after")
    def _something(self) -> "ChangesGiven":
        if not self.model_fields_set:
            raise ValueError("give at least one of priority, pinned, tags and note")
        return self


class EngineUsed(View):
    """The engine that planned it."""

    version: str
    commit: str


class BatchView(View):
    """A batch, and how far it is."""

    id: Id
    experiment: str
    title: str
    testbed: str
    plane: str | None
    repetitions: int
    seed: Seed
    captures: bool
    priority: int
    engine: EngineUsed
    imported: bool = Field(description="Whether it came from another machine.")
    pinned: bool = Field(description="Whether its files are kept, whatever their age and size.")
    tags: list[str] = Field(description="Words that people gave it, in the order of the alphabet.")
    note: str = Field(description="What people wrote at it.")
    created_at: Moment
    state: Literal["queued", "running", "ended"] = Field(
        description="`queued`: nothing has begun. `running`: some has. `ended`: nothing more comes of it by itself."
    )
    runs: dict[StateName, int] = Field(description="How many runs are in which state.")
    known_before: int = Field(
        description="How many of `done` were not run: an equal run of the same engine already had the result."
    )
    total: int


class TextView(View):
    """A file, by its path in a directory of profiles."""

    path: str
    text: str


class FilesView(View):
    """All files that an experiment is made of."""

    experiment: str
    files: list[TextView]


class BatchesQuery(Paging):
    """Which batches."""

    experiment: Name | None = None
    testbed: Testbed | None = None
    state: Literal["queued", "running", "ended"] | None = None
    tag: list[Tag] | None = Field(None, max_length=_MOST_TAGS, description="May be repeated: all of them.")
    words: str | None = Field(
        None,
        max_length=100,
        pattern=_TEXT,
        description="Each of them in its title, experiment, note or tags, in any case.",
    )
    order: Literal["newest", "oldest"] = "newest"


class TagView(View):
    """A tag, and how many batches have it."""

    name: str
    batches: int


class TagsView(View):
    """The tags that batches have."""

    tags: list[TagView]


@blueprint.get("/batches", responses={200: Page[BatchView]})
def list_(query: BatchesQuery) -> Response:
    """List batches.

    Newest first, or oldest first.
    """
    context = current()
    start = pagination.number(query.cursor)
    asked = request.query_string.decode("latin-1")

    def make(session: Session) -> dict[str, Any]:
        newest = query.order == "newest"
        wanted = select(Batch).order_by(Batch.id.desc() if newest else Batch.id).limit(query.limit + 1)
        if start is not None:
            wanted = wanted.where(Batch.id < start if newest else Batch.id > start)
        wanted = wanted.where(*_asked_for(query))
        rows = session.scalars(wanted).all()
        tell = telling(session, rows[: query.limit])
        return pagination.page(rows, query.limit, lambda row: row.id, tell)

    body, etag = context.remembered.body(context.database, f"batches?{asked}", make)
    return encoded(body, etag=etag)


def _asked_for(query: BatchesQuery) -> list[ColumnElement[bool]]:
    """Return what a batch must be like."""
    found: list[ColumnElement[bool]] = []
    if query.experiment is not None:
        found.append(Batch.experiment == query.experiment)
    if query.testbed is not None:
        found.append(Batch.testbed == query.testbed)
    if query.state is not None:
        # As `_view` tells them.
        left = exists().where(Run.batch_id == Batch.id, Run.state.in_(_UNDER_WAY))
        begun = exists().where(Run.batch_id == Batch.id, Run.state != State.QUEUED)
        like: dict[str, list[ColumnElement[bool]]] = {
            "ended": [~left],
            "queued": [left, ~begun],
            "running": [left, begun],
        }
        found += like[query.state]
    found += tags.having(query.tag or ())
    for word in sorted(set((query.words or "").split())):
        tagged = Batch.id.in_(select(BatchTag.batch_id).where(BatchTag.name.icontains(word, autoescape=True)))
        columns = (Batch.title, Batch.experiment, Batch.note)
        found.append(or_(tagged, *(column.icontains(word, autoescape=True) for column in columns)))
    return found


@blueprint.get("/tags", responses={200: TagsView})
def list_tags() -> Response:
    """List the tags of batches.

    In the order of the alphabet; of more than 500 those that most batches have.
    """
    context = current()

    def make(session: Session) -> dict[str, Any]:
        counted = tags.counted(session, _MOST_LISTED)
        return {"tags": [{"name": name, "batches": count} for name, count in counted]}

    body, etag = context.remembered.body(context.database, "tags", make)
    return encoded(body, etag=etag)


@blueprint.post(
    "/batches", responses={201: created(BatchView, "batches_read", id="$response.body#/id"), 404: None, 507: None}
)
def create(header: Creating, body: BatchGiven) -> Response:
    """Run an experiment.

    The engine plans it now; all its files are kept with the batch, so that later changes to documents do not affect it.
    Runs with a known result are done at once. 422 if the experiment is not valid, or the testbed cannot run it; the
    problems are listed as for documents. So it is if the testbed is `kernel` and there is no such kernel on the machine
    that serves, unless another machine's worker makes such runs. 429 (`queue-full`) while as many runs wait as may.
    """
    if (response := idempotency.answered(header.key)) is not None:
        return response
    require_fit(body.options())
    most_queued = current().settings.bounds.queued_runs
    with current().database.reader() as session:
        # Before the engine plans what would be refused anyway.
        if (waiting := store.queued(session)) >= most_queued:
            raise store.QueueFullError(f"{waiting:,} runs wait, which is the limit; try again when some have ended")
    order = _planned(body)

    def make(session: Session) -> Created:
        batch = store.submit(session, order, now=datetime.now(UTC), most_queued=most_queued)
        if body.tags:
            tags.put(session, batch.id, body.tags)
        if body.note:
            tags.write_note(session, batch, body.note)
        return Created(view(session, batch), f"{request.path}/{batch.id}")

    return idempotency.once(header.key, make)


def _planned(body: BatchGiven) -> store.Order:
    """Return what the engine makes of the request. Raises ApiError, InvalidFilesError."""
    options = body.options()
    _, roots = in_brief(body.experiment, options)
    planned = plans.plan(body.experiment, options, profiles=roots, confined=True)
    return orders.order(
        current().blobs,
        body.experiment,
        planned,
        testbed=body.testbed,
        plane=body.plane,
        captures=body.captures,
        priority=body.priority,
    )


def require_fit(options: RunOptions) -> None:
    """Raise ApiError, 422, for an option that runs of the testbed do not have."""
    if (misfit := options.misfit()) is not None:
        option, name, _ = misfit
        raise invalid(f"{name}: a simulated run has no {option.misfit}; it goes with testbed netns, kernel or compose")


def in_brief(experiment: str, options: RunOptions) -> tuple[Planned, Sequence[Path]]:
    """Have the engine plan a batch without listing its runs; return the profiles directories that it read as well.

    Raises ApiError for what cannot be run here, InvalidFilesError.
    """
    context = current()
    with context.database.reader() as session:
        roots = context.profiles(session)
    experiment_there(experiment, roots)
    try:
        planned = orders.in_brief(experiment, options, roots, most=context.settings.bounds.runs_of_batch)
    except orders.TooManyRunsError as error:
        raise invalid(f"{error}; for more, use `windlull sweep`") from error
    with context.database.reader() as session:
        if missing := testbeds.lacking(session, planned, options.testbed):
            raise invalid("; ".join(missing), [Problem(message=one, key="testbed") for one in missing])
    return planned, roots


def experiment_there(name: str, roots: Sequence[Path]) -> None:
    """Raise ApiError, 404, if none of the profiles directories has an experiment of that name."""
    folders = [root / "experiments" for root in roots]
    if any((folder / f"{name}.toml").is_file() for folder in folders):
        return
    known = {file.relative_to(one).with_suffix("").as_posix() for one in folders for file in one.rglob("*.toml")}
    meant = nearest(name, sorted(known))
    message = f"there is no experiment called {name}" + (f'; did you mean "{meant}"?' if meant else "")
    problem = Problem(message=message, key="experiment", suggestion=meant)
    raise ApiError(HTTPStatus.NOT_FOUND, message, problems=[problem])


@blueprint.get("/batches/<int:id>", responses={200: BatchView})
def read(path: IdPath) -> Response:
    """Read a batch.

    What was asked for, and how many of its runs are in which state.
    """
    with current().database.reader() as session:
        return answer(_read(session, path.id))


@blueprint.get("/batches/<int:id>/experiment", responses={200: said("Experiment"), 410: None})
def experiment(path: IdPath) -> Response:
    """Read the experiment of a batch.

    As the engine resolved it when the batch was made: links, variants, workload, with every default.
    """
    with current().database.reader() as session:
        batch = _find(session, path.id)
    return encoded(artefacts.of_batch(batch, batch.plan), etag=batch.plan)


@blueprint.get("/batches/<int:id>/files", responses={200: FilesView, 410: None})
def files(path: IdPath) -> Response:
    """Read the files of a batch.

    The texts that it was made of, as they were then: the experiment's own first, then all that it names.
    """
    with current().database.reader() as session:
        batch = _find(session, path.id)
    bundle = Bundle.read(artefacts.of_batch(batch, batch.bundle))
    own = f"experiments/{bundle.experiment}.toml"
    texts = sorted(bundle.files.items(), key=lambda file: (file[0] != own, file[0]))
    return answer({"experiment": bundle.experiment, "files": [{"path": name, "text": text} for name, text in texts]})


@blueprint.patch("/batches/<int:id>", responses={200: BatchView})
def change(path: IdPath, body: ChangesGiven) -> Response:
    """Change a batch.

    Its priority, which is that of its waiting runs; whether its files are kept; its tags and its note.
    """
    with current().database.session() as session:
        batch = _find(session, path.id)
        if "priority" in body.model_fields_set:
            store.set_priority(session, path.id, body.priority)
        if "pinned" in body.model_fields_set:
            batch.pinned = body.pinned
            events.append(session, "batch", {"change": "pinned", "pinned": body.pinned}, batch_id=path.id)
        if "tags" in body.model_fields_set:
            tags.put(session, path.id, body.tags)
        if "note" in body.model_fields_set:
            tags.write_note(session, batch, body.note)
        session.flush()
        session.refresh(batch)
        return answer(_read(session, path.id))


@blueprint.post("/batches/<int:id>/cancel", responses={200: CancelledView})
def cancel(path: IdPath) -> Response:
    """Cancel a batch.

    All its runs that have not ended; those that have keep their results.
    """
    with current().database.session() as session:
        _find(session, path.id)
        return answer({"cancelled": store.cancel_batch(session, path.id, now=datetime.now(UTC))})


@blueprint.post("/batches/<int:id>/retry", responses={200: QueuedView})
def retry(path: IdPath) -> Response:
    """Queue the runs of a batch without a result again.

    Those that failed, were cancelled, or are invalid.
    """
    with current().database.session() as session:
        _find(session, path.id)
        most = current().settings.bounds.queued_runs
        return answer({"queued": store.retry_batch(session, path.id, now=datetime.now(UTC), most_queued=most)})


@blueprint.delete("/batches/<int:id>", responses={204: None})
def remove(path: IdPath) -> Response:
    """Delete a batch.

    Its runs go with it, and results that no other run has. What runs is stopped soon after.
    """
    with current().database.session() as session:
        if not store.delete_batch(session, path.id):
            raise not_found(f"batch {path.id}")
    return no_content()


def view(session: Session, batch: Batch) -> dict[str, Any]:
    """Return a batch as clients have it, with how many of its runs are in which state."""
    return telling(session, [batch])(batch)


def telling(session: Session, batches: Sequence[Batch]) -> Callable[[Batch], dict[str, Any]]:
    """Return what tells one of these batches as clients have it; what there is to count is counted once for all."""
    ids = [batch.id for batch in batches]
    counts, known, named = store.counts(session, ids), store.counts_known(session, ids), tags.of(session, ids)
    return lambda batch: _view(batch, counts[batch.id], known[batch.id], named[batch.id])


def _view(batch: Batch, counts: Mapping[State, int], known: int, named: list[str]) -> dict[str, Any]:
    total = sum(counts.values())
    left = sum(counts.get(state, 0) for state in _UNDER_WAY)
    untouched = counts.get(State.QUEUED, 0) == total > 0
    return BatchView.of(
        batch,
        engine={"version": batch.engine_version, "commit": batch.engine_commit},
        state="queued" if untouched else "running" if left else "ended",
        runs={state.value: count for state, count in sorted(counts.items())},
        known_before=known,
        total=total,
        tags=named,
    )


def _find(session: Session, batch_id: int) -> Batch:
    batch = session.get(Batch, batch_id)
    if batch is None:
        raise not_found(f"batch {batch_id}")
    return batch


def _read(session: Session, batch_id: int) -> dict[str, Any]:
    return view(session, _find(session, batch_id))
