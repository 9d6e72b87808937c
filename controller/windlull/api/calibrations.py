"""Calibrations: how exact the live testbed is on the machine that serves, measured."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from flask import Response, request
from pydantic import Field
from sqlalchemy.orm import Session

from windlull.api import idempotency, pagination
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint, created
from windlull.api.context import current
from windlull.api.errors import conflict, not_found
from windlull.api.idempotency import Created
from windlull.api.openapi import of_engine
from windlull.api.schemas import Creating, Given, Id, IdPath, Moment, Page, Paging, View, example
from windlull.contract.engine import Pace
from windlull.store import calibrations as store
from windlull.store.tables import Calibration

blueprint = Blueprint("calibrations", __name__, tag="calibrations", about="How exact the live testbed is, measured.")


class CalibrationGiven(Given):
    """How to measure."""

    model_config = example(pace="precise")

    pace: Pace = Field(
        "precise",
        description="How the link plane waits: polling the clock just before the time, or by timers alone.",
    )
    thorough: bool = Field(False, description="Measure for longer: a few minutes, not one.")  # noqa: FBT003


class CalibrationView(View):
    """A calibration."""

    id: Id
    pace: Pace
    thorough: bool
    state: Literal["waiting", "running", "done", "failed"] = Field(
        description="`waiting`: for runs under way to end; no others begin meanwhile."
    )
    asked_at: Moment
    started_at: Moment | None
    ended_at: Moment | None
    result: Annotated[Any, of_engine("Calibration")] | None
    reason: str | None = Field(description="Why there is no result.")


@blueprint.post(
    "/calibrations",
    responses={201: created(CalibrationView, "calibrations_read", id="$response.body#/id"), 409: None},
)
def create(header: Creating, body: CalibrationGiven) -> Response:
    """Calibrate the live testbed.

    It needs the machine for itself: nothing is given to workers while it waits and runs, and it waits for what they
    have. About a minute. 409 (`busy`) if another calibration is under way.
    """

    def make(session: Session) -> Created:
        asked = store.ask(session, pace=body.pace, thorough=body.thorough, now=datetime.now(UTC))
        if asked is None:
            raise conflict("a calibration is under way already; wait for its end", "busy")
        return Created(_view(asked), f"{request.path}/{asked.id}")

    return idempotency.once(header.key, make)


@blueprint.get("/calibrations", responses={200: Page[CalibrationView]})
def list_(query: Paging) -> Response:
    """List calibrations.

    Newest first.
    """
    start = pagination.number(query.cursor)
    with current().database.reader() as session:
        rows = store.newest(session, before=start, limit=query.limit + 1)
    return answer(pagination.page(rows, query.limit, lambda row: row.id, _view))


@blueprint.get("/calibrations/<int:id>", responses={200: CalibrationView})
def read(path: IdPath) -> Response:
    """Read a calibration.

    How far it is, and what it measured.
    """
    with current().database.reader() as session:
        row = session.get(Calibration, path.id)
    if row is None:
        raise not_found(f"calibration {path.id}")
    return answer(_view(row))


def _view(row: Calibration) -> dict[str, Any]:
    return CalibrationView.of(row)
