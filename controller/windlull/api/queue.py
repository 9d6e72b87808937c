"""What waits, what runs, and who does the work."""

from datetime import UTC, datetime
from typing import Annotated, Any

from flask import Response
from pydantic import Field
from sqlalchemy import func, select

from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.health import SchedulerView, scheduler_view
from windlull.api.openapi import of_engine
from windlull.api.schemas import Moment, View
from windlull.scheduler import status
from windlull.store.tables import Run, State

blueprint = Blueprint("queue", __name__, tag="queue", about="What waits, what runs, and who does the work.")


class WaitingView(View):
    """What is under way on one testbed."""

    testbed: str
    queued: int
    running: int
    missing: str | None = Field(description="What its runs lack, if they wait for something that is missing.")


class QueueView(View):
    """The queue."""

    scheduler: SchedulerView
    seen_at: Moment | None = Field(description="When the scheduler last reported.")
    testbeds: list[WaitingView]
    workers: list[Annotated[Any, of_engine("WorkerStatus")]]


@blueprint.get("/queue", responses={200: QueueView})
def read() -> Response:
    """Read the queue.

    How many runs wait and run on each testbed, how the scheduler is, and which workers there are. The runs themselves,
    in their order: `GET /runs?state=queued&order=oldest`.
    """
    with current().database.reader() as session:
        seen = status.read(session)
        counts = (
            select(Run.testbed, Run.state, func.count())
            .where(Run.state.in_((State.QUEUED, State.RUNNING)))
            .group_by(Run.testbed, Run.state)
        )
        found: dict[str, dict[State, int]] = {}
        for testbed, state, count in session.execute(counts):
            found.setdefault(testbed, {})[State(state)] = count
    now = datetime.now(UTC)
    alive = seen is not None and seen.alive(now)
    return answer(
        {
            "scheduler": scheduler_view(seen, now),
            "seen_at": seen and seen.at,
            "testbeds": [
                {
                    "testbed": name,
                    "queued": of.get(State.QUEUED, 0),
                    "running": of.get(State.RUNNING, 0),
                    "missing": seen.status.missing.get(name) if seen and alive else None,
                }
                for name, of in sorted(found.items())
            ],
            "workers": seen.status.workers if seen and alive else [],
        }
    )
