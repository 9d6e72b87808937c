"""Whether the service works, for those who watch over it."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Literal

from flask import Response
from pydantic import Field

from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.schemas import View
from windlull.scheduler import status
from windlull.store import events
from windlull.store.database import UnavailableError

blueprint = Blueprint("health", __name__, tag="service", about="The service itself.")


class LiveView(View):
    """The process answers."""

    live: Literal[True]


class ReadyView(View):
    """Whether requests are served."""

    ready: bool


class DatabaseView(View):
    """Whether the database answers, and if not, why."""

    works: bool
    why: str | None


class SchedulerView(View):
    """The state of the scheduler. `absent`: none has reported for a while, so nothing will run."""

    state: Literal["absent", "idle", "working", "paused"]
    why: str | None
    note: str | None


class DiskView(View):
    """The disk of the data directory."""

    free_bytes: int
    full: bool = Field(description="Whether so little is free that nothing new is run.")


class HealthView(View):
    """The state of the service."""

    ready: bool = Field(description="Whether requests are served: the database answers.")
    working: bool = Field(description="Whether queued runs will run: there is a scheduler, and it is not paused.")
    database: DatabaseView
    scheduler: SchedulerView
    disk: DiskView
    watchers: int = Field(description="Clients that watch events in the process that answers.")


@blueprint.get("/health/live", responses={200: LiveView})
def live() -> Response:
    """Say that the process lives.

    Needs no token and asks nobody. If it does not answer, the process should be started again.
    """
    return answer({"live": True})


@blueprint.get("/health/ready", responses={200: ReadyView, 503: ReadyView})
def ready() -> Response:
    """Say whether requests are served.

    503 while the database does not answer; health says why. Needs no token.
    """
    found = _health()["ready"]
    return answer({"ready": found}, HTTPStatus.OK if found else HTTPStatus.SERVICE_UNAVAILABLE)


@blueprint.get("/health", responses={200: HealthView})
def whole() -> Response:
    """Read the state of the service.

    Always 200 if it can be said at all: read `ready` and `working`, and `why` where something does not work.
    """
    return answer(_health())


def _health() -> dict[str, object]:
    context = current()
    why: str | None = None
    seen: status.Seen | None = None
    try:
        with context.database.reader() as session:
            events.last(session)
            seen = status.read(session)
    except UnavailableError as error:
        why = str(error)
    scheduler = scheduler_view(seen, datetime.now(UTC)) if why is None else _UNKNOWN
    free = context.home.free_bytes()
    full = free < context.home.reserve_bytes
    return {
        "ready": why is None,
        "working": why is None and not full and scheduler["state"] in {"idle", "working"},
        "database": {"works": why is None, "why": why},
        "scheduler": scheduler,
        "disk": {"free_bytes": free, "full": full},
        "watchers": context.watch.clients,
    }


_UNKNOWN = {"state": "absent", "why": "the database does not answer, so this is not known", "note": None}


def scheduler_view(seen: status.Seen | None, now: datetime) -> dict[str, str | None]:
    """Return how the scheduler is, by what it said last."""
    if seen is None:
        return {"state": "absent", "why": "no scheduler has run here yet", "note": None}
    if not seen.alive(now):
        return {"state": "absent", "why": f"the scheduler has not reported since {seen.at:%H:%M:%S} UTC", "note": None}
    return {"state": seen.status.state, "why": seen.status.why, "note": seen.status.note}
