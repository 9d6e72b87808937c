"""Numbers of the service for Prometheus.

What the database knows is the same whichever process answers. What processes count, requests here and runs in the
scheduler, is of all of them if PROMETHEUS_MULTIPROC_DIR names a directory that they share, as `windlull serve` sees to;
else of the one that answers.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import REGISTRY, Collector
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from windlull.api.blueprint import Blueprint
from windlull.api.context import Context, current
from windlull.scheduler import status
from windlull.store import events
from windlull.store.tables import Batch, Event, Result, Run, State

blueprint = Blueprint("metrics", __name__, tag="service", about="The service itself.")

_REQUESTS = Counter("windlull_requests", "Requests answered.", ["operation", "status"])
_SECONDS = Histogram(
    "windlull_request_seconds",
    "From a request to the beginning of its answer.",
    ["operation"],
    buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10),
)

ACTIVE_S = 30
"""For how long a batch that has ended is still told of, so that one that was short is seen as well."""


def install(app: Flask) -> None:
    """Count every request by its operation."""

    @app.before_request
    def _begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def _count(response: Response) -> Response:
        operation = request.endpoint or "none"
        _REQUESTS.labels(operation, response.status_code).inc()
        _SECONDS.labels(operation).observe(time.perf_counter() - g.get("began", time.perf_counter()))
        return response


@blueprint.get(
    "/metrics",
    responses={200: {"description": "Prometheus' text.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def read() -> Response:
    """Read numbers of the service.

    In the text format of Prometheus: runs by state and as they end, batches under way, what variants did, what the
    artefacts take, the last event, the disk, whether a scheduler is at work, watching clients, requests by operation.
    """
    context = current()
    if (shared := os.environ.get("PROMETHEUS_MULTIPROC_DIR")) is not None:
        together = CollectorRegistry()
        together.register(_Shared(Path(shared)))
        counted = generate_latest(together)
    else:
        counted = generate_latest(REGISTRY)
    with context.database.reader() as session:
        known = CollectorRegistry()
        known.register(_Known(session, context))
        text = generate_latest(known)
    return Response(text + counted, mimetype="text/plain")


class _Shared(Collector):
    """What processes have counted in the directory that they share."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def collect(self) -> Iterator[Any]:
        """Yield the sums."""
        # A file that a process is just making is empty, which the library takes for a broken one.
        files = [str(file) for file in self._directory.glob("*.db") if file.stat().st_size]
        yield from MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]


class _Known(Collector):
    """What the database and the disk say."""

    def __init__(self, session: Session, context: Context) -> None:
        self._session = session
        self._context = context

    def collect(self) -> Iterator[Any]:
        """Yield the gauges."""
        runs = GaugeMetricFamily("windlull_runs", "Runs by state.", labels=["state"])
        found = self._session.execute(select(Run.state, func.count()).group_by(Run.state))
        counts = {State(state): count for state, count in found}
        for state in State:
            runs.add_metric([state.value], counts.get(state, 0))
        yield runs
        cached = self._session.scalar(select(func.count()).where(Run.state == State.DONE, Run.cached)) or 0
        yield _gauge("windlull_runs_cached", "Of the runs that are done, those that another's result answered.", cached)
        yield self._active()
        size = self._session.scalar(select(func.sum(Result.size_bytes)).where(Result.evicted_at.is_(None))) or 0
        yield _gauge(
            "windlull_artefact_bytes", "What the files of results take, each counted for every result.", int(size)
        )
        yield _gauge("windlull_last_event", "The number of the last event.", events.last(self._session))
        yield _gauge(
            "windlull_free_bytes", "What the disk of the data directory has left.", self._context.home.free_bytes()
        )
        yield _gauge("windlull_disk_bytes", "How large that disk is.", self._context.home.disk_bytes())
        yield _gauge("windlull_watchers", "Clients that watch events in this process.", self._context.watch.clients)
        seen = status.read(self._session)
        if seen is not None:
            yield _gauge("windlull_scheduler_seen_seconds", "When the scheduler last reported.", seen.at.timestamp())
            yield _gauge("windlull_scheduler_paused", "Whether it gives nothing out.", seen.status.state == "paused")
            yield _gauge("windlull_workers", "Workers that the scheduler knows.", len(seen.status.workers))

    def _active(self) -> GaugeMetricFamily:
        """Return the batches of which a run is under way, or was until a moment ago."""
        running = select(Run.batch_id).where(Run.state == State.RUNNING)
        since = datetime.now(UTC) - timedelta(seconds=ACTIVE_S)
        changed = select(Event.batch_id).where(Event.kind == "run", Event.at >= since)
        which = or_(Batch.id.in_(running), Batch.id.in_(changed))
        asked = select(Batch.id, Batch.experiment, Batch.testbed).where(which).order_by(Batch.id)
        active = GaugeMetricFamily(
            "windlull_batch_active",
            f"1 for each batch of which a run is under way, or began or ended within the last {ACTIVE_S} s.",
            labels=["batch", "experiment", "testbed"],
        )
        for batch_id, experiment, testbed in self._session.execute(asked):
            active.add_metric([str(batch_id), experiment, testbed], 1)
        return active


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, about, value=value)
