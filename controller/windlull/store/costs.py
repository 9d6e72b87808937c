"""What a batch took: how long its runs kept the workers, and what their files have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import exists, func, select
from sqlalchemy.orm import aliased

from windlull.store.tables import Batch, Result, Run, State

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one batch: from the first of its runs that was given out to the last that ended, whatever ran beside it.

    `runs` counts those that were run for it; equal ones whose result was known cost nothing. `total` counts all.
    """

    batch: int
    repetitions: int
    total: int
    runs: int
    elapsed_s: float
    size_bytes: int
    ended_at: datetime


def last(session: Session, experiment: str, *, testbed: str, captures: bool) -> Cost | None:
    """Return what the newest batch of an experiment took that has ended; None if none was run here that way."""
    other = aliased(Run)
    under_way = exists().where(other.batch_id == Batch.id, other.state.in_((State.QUEUED, State.RUNNING)))
    total = select(func.count()).where(other.batch_id == Batch.id).scalar_subquery()
    wanted = (
        select(
            Batch.id,
            Batch.repetitions,
            total,
            func.count(Run.id),
            func.min(Run.started_at),
            func.max(Run.ended_at),
            func.sum(Result.size_bytes),
        )
        .join(Run, Run.batch_id == Batch.id)
        .join(Result, Run.result_id == Result.id)
        .where(Batch.experiment == experiment, Batch.testbed == testbed, Batch.captures == captures)
        .where(~Batch.imported, ~under_way)
        .where(Run.state == State.DONE, ~Run.cached, Run.started_at.is_not(None))
        .group_by(Batch.id, Batch.repetitions)
        .order_by(Batch.id.desc())
        .limit(1)
    )
    found = session.execute(wanted).first()
    if found is None:
        return None
    batch, repetitions, all_runs, runs, began, ended, octets = found
    return Cost(batch, repetitions, all_runs, runs, (ended - began).total_seconds(), int(octets), ended)
