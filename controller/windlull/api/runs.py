"""Runs: single cells of batches."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from flask import Response, request
from pydantic import Field
from sqlalchemy import RowMapping, select
from sqlalchemy.orm import Session

from windlull.api import pagination
from windlull.api.answers import answer, encoded, no_content
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import conflict, not_found
from windlull.api.openapi import of_engine
from windlull.api.schemas import LARGEST_ID, Id, IdPath, Moment, Name, Page, Paging, Seed, Sha256, View
from windlull.contract.engine import Testbed
from windlull.store import runs as store
from windlull.store.tables import Artefact, Batch, Result, Run, State

blueprint = Blueprint("runs", __name__, tag="runs", about="Single cells of batches.")

StateName = Literal["queued", "running", "done", "invalid", "failed", "cancelled"]


class RunLine(View):
    """A run in a list."""

    id: Id
    batch: Id
    experiment: str
    place: int = Field(description="Its place in the plan of its batch, from 0.")
    testbed: Testbed
    variant: str
    link: str
    repetition: int
    seed: Seed
    state: StateName
    attempt: int = Field(description="How often it was given to a worker.")
    worker: str | None
    reason: str | None = Field(description="Why it failed, is invalid, or waits.")
    cached: bool = Field(description="Whether it reuses an earlier result.")
    queued_at: Moment
    started_at: Moment | None
    ended_at: Moment | None


class FileView(View):
    """A file of a run."""

    name: str
    sha256: Sha256
    bytes: int


class ResultView(View):
    """What a run measured."""

    metrics: dict[str, float] = Field(description="By name; docs/results.md defines them.")
    certificate: Annotated[Any, of_engine("Certificate")] | None = Field(
        description="How closely a live run followed its plan."
    )
    attempts: int
    created_at: Moment
    evicted_at: Moment | None = Field(description="When its files were removed to make room; the numbers remain.")
    files: list[FileView]


class RunView(RunLine):
    """A run, and what it measured."""

    key: Sha256 | None = Field(description="Equal for runs that must give the same; null for live runs.")
    result: ResultView | None


class RunsQuery(Paging):
    """Which runs."""

    batch: int | None = Field(None, ge=1, le=LARGEST_ID)
    state: list[StateName] | None = Field(None, max_length=6, description="May be repeated: any of them.")
    experiment: Name | None = None
    variant: Name | None = None
    link: Name | None = None
    testbed: Testbed | None = None
    order: Literal["newest", "oldest"] = "newest"


class CancelledView(View):
    """How many runs were cancelled."""

    cancelled: int


class QueuedView(View):
    """How many runs were queued again."""

    queued: int


_COLUMNS = (
    Run.id, Run.batch_id.label("batch"), Batch.experiment, Run.place, Run.testbed, Run.variant, Run.link,
    Run.repetition, Run.seed, Run.state, Run.attempt, Run.worker, Run.reason, Run.cached, Run.queued_at,
    Run.started_at, Run.ended_at,
)  # fmt: skip


@blueprint.get("/runs", responses={200: Page[RunLine]})
def list_(query: RunsQuery) -> Response:
    """List runs.

    Newest first, or oldest first. `next` goes on where the page ended, whatever came or went meanwhile.
    """
    context = current()
    start = pagination.number(query.cursor)
    asked = request.query_string.decode("latin-1")
    body, etag = context.remembered.body(
        context.database, f"runs?{asked}", lambda session: _page(session, query, start)
    )
    return encoded(body, etag=etag)


def _page(session: Session, query: RunsQuery, start: int | None) -> dict[str, Any]:
    newest = query.order == "newest"
    wanted = select(*_COLUMNS).join(Batch, Run.batch_id == Batch.id)
    if start is not None:
        wanted = wanted.where(Run.id < start if newest else Run.id > start)
    if query.batch is not None:
        wanted = wanted.where(Run.batch_id == query.batch)
    for column, value in (
        (Batch.experiment, query.experiment), (Run.variant, query.variant), (Run.link, query.link),
        (Run.testbed, query.testbed),
    ):  # fmt: skip
        if value is not None:
            wanted = wanted.where(column == value)
    wanted = wanted.order_by(Run.id.desc() if newest else Run.id).limit(query.limit + 1)
    # A state at a time: each is read from its index in this order, and no more of it than is shown.
    states = [wanted.where(Run.state == state) for state in sorted(set(query.state))] if query.state else [wanted]
    rows = [row for one in states for row in session.execute(one).mappings()]
    rows.sort(key=lambda row: int(row["id"]), reverse=newest)
    return pagination.page(rows, query.limit, lambda row: int(row["id"]), dict)


@blueprint.get("/runs/<int:id>", responses={200: RunView})
def read(path: IdPath) -> Response:
    """Read a run.

    How far it is, and what it measured if it is done.
    """
    with current().database.reader() as session:
        row = session.execute(
            select(*_COLUMNS, Run.key, Run.result_id).join(Batch, Run.batch_id == Batch.id).where(Run.id == path.id)
        )
        found = row.mappings().one_or_none()
        if found is None:
            raise not_found(f"run {path.id}")
        return answer(_view(session, found))


def _view(session: Session, row: RowMapping) -> dict[str, Any]:
    view = dict(row)
    result_id = view.pop("result_id")
    view["result"] = None
    if result_id is not None:
        result = session.get_one(Result, result_id)
        files = session.scalars(select(Artefact).where(Artefact.result_id == result_id).order_by(Artefact.name))
        view["result"] = ResultView.of(result, files=[FileView.of(one, bytes=one.size_bytes) for one in files])
    return view


@blueprint.post("/runs/<int:id>/cancel", responses={200: CancelledView, 409: None})
def cancel(path: IdPath) -> Response:
    """Cancel a run.

    Its engine is stopped soon after if it runs. 409 if it has ended.
    """
    with current().database.session() as session:
        state = _state(session, path.id)
        if not store.cancel(session, [path.id], now=datetime.now(UTC)):
            raise conflict(f"run {path.id} is {state}; only a queued or running one can be cancelled", "has-ended")
    return answer({"cancelled": 1})


@blueprint.post("/runs/<int:id>/retry", responses={200: QueuedView, 409: None})
def retry(path: IdPath) -> Response:
    """Queue a run again.

    One that failed, was cancelled, or is invalid. 409 otherwise: `not-ended` while it is under way, `nothing-to-retry`
    if it is done.
    """
    with current().database.session() as session:
        state = _state(session, path.id)
        most = current().settings.bounds.queued_runs
        if not store.retry(session, [path.id], now=datetime.now(UTC), most_queued=most):
            raise conflict(
                f"run {path.id} is {state}; only one that failed, was cancelled or is invalid can be tried again",
                "nothing-to-retry" if state.ended else "not-ended",
            )
    return answer({"queued": 1})


@blueprint.delete("/runs/<int:id>", responses={204: None})
def remove(path: IdPath) -> Response:
    """Delete a run.

    And what it measured, if no other run has the same result. One that runs is stopped soon after.
    """
    with current().database.session() as session:
        if not store.delete_run(session, path.id):
            raise not_found(f"run {path.id}")
    return no_content()


def _state(session: Session, run_id: int) -> State:
    state = session.scalar(select(Run.state).where(Run.id == run_id))
    if state is None:
        raise not_found(f"run {run_id}")
    return State(state)
