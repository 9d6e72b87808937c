"""Calibrations: how exact the live testbed is on the machine that serves, measured."""

from datetime import UTC, datetime
from typing import Any, Literal

from flask import Response, request
from pydantic import Field
from sqlalchemy.orm import Session

from windlull.api import idempotency, pagination
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint, created
from windlull.api.context import current
from windlull.api.errors import conflict, not_found
from windlull.api.idempotency import Created
from windlull.api.schemas import Creating, Given, Id, IdPath, Moment, Page, Paging, Told, example
from windlull.store import calibrations as store
from windlull.store.tables import Calibration

blueprint = Blueprint("calibrations", __name__, tag="calibrations", about="How exact the live testbed is, measured.")

Pace = Literal["precise", "frugal"]


class CalibrationGiven(Given):
    """How to measure."""

    model_config = example(pace="precise")

    pace: Pace = Field(
        "precise",
        description="How the link plane waits: polling the clock just before the time, or by timers alone.",
    )
    thorough: bool = Field(False, description="Measure for longer: a few minutes, not one.")  # noqa: FBT003


class SpreadTold(Told):
    """A distribution in four numbers, microseconds; nothing was measured where `count` is 0."""

    p50: float
    p99: float
    max: float
    count: int


class StallsTold(Told):
    """Stalls of the machine."""

    count: int
    longest_us: int
    total_us: int


class DelaysTold(Told):
    """How late 10,000 packets a second leave the link and reach the far host."""

    release: SpreadTold = Field(description="Actual less planned time of release, outside of stalls.")
    release_in_stalls: SpreadTold
    wire: SpreadTold = Field(description="The stamp of the far host's kernel less the planned time.")
    stalls: StallsTold
    plane_drops: int = Field(description="Packets lost by the plane itself.")


class RateCheckTold(Told):
    """A rate as it was planned and as it came."""

    planned_bps: int
    achieved_bps: float
    error: float = Field(description="Achieved by planned, less one.")
    over_s: float
    release: SpreadTold
    plane_drops: int
    valid: bool = Field(description="Whether a run's certificate with these figures would be valid.")


class LossCheckTold(Told):
    """Random loss as it was planned and as it came."""

    probability: float
    packets: int
    lost: int
    unaccounted: int
    interval: list[float] = Field(
        min_length=2, max_length=2, description="Between these the probability is, with 99 % confidence."
    )


class CalibrationResult(Told):
    """What was measured, on the machine's own kernel, in real time."""

    precise: bool
    delays: DelaysTold
    script_error_us: SpreadTold = Field(description="How late the link's own events happen.")
    rates: list[RateCheckTold]
    loss: LossCheckTold
    highest_rate_bps: int | None = Field(
        description="Up to here a certificate is valid; null if not even at the slowest."
    )
    throughput_bps: float = Field(description="What a TCP connection gets through a link without limits.")
    throughput_sending: float = Field(description="The part of its time that the plane was sending, meanwhile.")
    forwarding_throughput_bps: float = Field(description="The same where the router's kernel forwards.")


class CalibrationTold(Told):
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
    result: CalibrationResult | None
    reason: str | None = Field(description="Why there is no result.")


@blueprint.post(
    "/calibrations",
    responses={201: created(CalibrationTold, "calibrations_read", id="$response.body#/id"), 409: None},
)
def create(header: Creating, body: CalibrationGiven) -> Response:
    """Calibrate the live testbed.

    It needs the machine for itself: nothing is given to workers while it waits and runs, and it waits for what they
    have. About a minute. 409 (`busy`) if another calibration is under way.
    """
    if (response := idempotency.answered(header.key)) is not None:
        return response

    def make(session: Session) -> Created:
        asked = store.ask(session, pace=body.pace, thorough=body.thorough, now=datetime.now(UTC))
        if asked is None:
            raise conflict("a calibration is under way already; wait for its end", "busy")
        return Created(_told(asked), f"{request.path}/{asked.id}")

    return idempotency.once(header.key, make)


@blueprint.get("/calibrations", responses={200: Page[CalibrationTold]})
def list_(query: Paging) -> Response:
    """List calibrations.

    Newest first.
    """
    start = pagination.number(query.cursor)
    with current().database.reader() as session:
        rows = store.newest(session, before=start, limit=query.limit + 1)
    return answer(pagination.page(rows, query.limit, lambda row: row.id, _told))


@blueprint.get("/calibrations/<int:id>", responses={200: CalibrationTold})
def read(path: IdPath) -> Response:
    """Read a calibration.

    How far it is, and what it measured.
    """
    with current().database.reader() as session:
        row = session.get(Calibration, path.id)
    if row is None:
        raise not_found(f"calibration {path.id}")
    return answer(_told(row))


def _told(row: Calibration) -> dict[str, Any]:
    return {
        "id": row.id,
        "pace": row.pace,
        "thorough": row.thorough,
        "state": row.state.value,
        "asked_at": row.asked_at,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
        "result": row.result,
        "reason": row.reason,
    }
