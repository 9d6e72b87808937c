"""What the scheduler counts for Prometheus: how runs end, how long they took, what their variants did.

It is counted where it happens, when the database has it. The processes of a service share a directory of counts
(PROMETHEUS_MULTIPROC_DIR), from which the API tells the sums; a count begins anew with the service.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from prometheus_client import Counter, Histogram, Summary
from sqlalchemy import select

from windlull.metrics import METRICS
from windlull.store.tables import Run, State

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from windlull.store.runs import Ended, Held

_SECONDS = (0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400)

_ENDED = Counter(
    "windlull_runs_ended", "Runs that a worker brought to an end, by how they ended.", ["testbed", "variant", "state"]
)
_TOOK = Histogram(
    "windlull_run_seconds",
    "From when a worker was given a run until its result was written; runs that travel together share it.",
    ["testbed"],
    buckets=_SECONDS,
)
_WAITED = Histogram(
    "windlull_queue_wait_seconds", "From when a run was queued until a worker was given it.", ["testbed"],
    buckets=_SECONDS,
)  # fmt: skip
_ATTEMPTS = Counter("windlull_run_attempts", "How often the engine began runs that have ended.", ["testbed"])

_CELL = ["testbed", "link", "variant"]
_ELAPSED = Summary("windlull_variant_elapsed_seconds", "Elapsed time of transfers, in the run's own time.", _CELL)
_GOODPUT = Summary("windlull_variant_goodput_bits_per_second", "Goodput of transfers.", _CELL)
_SCORES = Counter("windlull_variant_score", "What variants did, summed over runs that count.", [*_CELL, "metric"])

SCORES = tuple(name for name, metric in METRICS.items() if metric.together == "sum")
"""The metrics of a run that can be summed up; `docs/results.md` defines them."""

MOST_CELLS = 500
"""How many combinations of link and variant are told apart; later ones are counted together as `other`."""

OTHER = "other"

_cells: set[tuple[str, str, str]] = set()


@dataclass(frozen=True, slots=True)
class Seen:
    """A run that has ended, with what is counted of it."""

    ended: Ended
    cell: tuple[str, str, str]
    waited_s: float | None
    took_s: float | None


def begin(testbeds: Iterable[str]) -> None:
    """Count from nothing: what is told only once it has grown seems not to have grown."""
    for testbed in testbeds:
        for metric in (_TOOK, _WAITED, _ATTEMPTS):
            metric.labels(testbed)


def look(session: Session, ended: Iterable[Ended], written: Sequence[Held], *, now: datetime) -> list[Seen]:
    """Return what is to be counted of the runs that were written; count it with `add` once that is kept."""
    brought = {one.held: one for one in ended}
    by_id = {held.id: brought[held] for held in written}
    columns = (Run.id, Run.testbed, Run.link, Run.variant, Run.queued_at, Run.started_at)
    found = []
    for run_id, testbed, link, variant, queued_at, started_at in session.execute(
        select(*columns).where(Run.id.in_(by_id))
    ):
        waited_s = None if started_at is None else (started_at - queued_at).total_seconds()
        took_s = None if started_at is None else (now - started_at).total_seconds()
        found.append(Seen(by_id[run_id], (testbed, link, variant), waited_s, took_s))
    return found


def add(seen: Iterable[Seen]) -> None:
    """Count them."""
    for one in seen:
        cell = testbed, _, variant = _bounded(one.cell)
        _ENDED.labels(testbed, variant, one.ended.state.value).inc()
        _ATTEMPTS.labels(testbed).inc(one.ended.attempts)
        if one.waited_s is not None and one.took_s is not None:
            # A clock that was set back makes no time negative.
            _WAITED.labels(testbed).observe(max(0.0, one.waited_s))
            _TOOK.labels(testbed).observe(max(0.0, one.took_s))
        # What is invalid or unfinished is in no statistic, nor in this one.
        if one.ended.state is State.DONE and one.ended.metrics is not None:
            _add_scores(cell, one.ended)


def _add_scores(cell: tuple[str, str, str], ended: Ended) -> None:
    metrics = ended.metrics or {}
    if (elapsed_s := metrics.get("elapsed_s")) is not None:
        _ELAPSED.labels(*cell).observe(elapsed_s)
    if (goodput_bps := metrics.get("goodput_bps")) is not None:
        _GOODPUT.labels(*cell).observe(goodput_bps)
    for metric in SCORES:
        if (count := metrics.get(metric)) is not None:
            _SCORES.labels(*cell, metric).inc(count)


def _bounded(cell: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return the cell, or that of the rest: a name that a person types must not make ever more series."""
    if cell not in _cells and len(_cells) >= MOST_CELLS:
        return cell[0], OTHER, OTHER
    _cells.add(cell)
    return cell
