"""The batch of a round: planned by the engine, of the files as they are now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull import locate
from windlull.batches import orders
from windlull.errors import BadInputError
from windlull.runner import plans
from windlull.store import documents

if TYPE_CHECKING:
    from windlull.bounds import Bounds
    from windlull.schedules.asked import Asked
    from windlull.store.database import Database
    from windlull.store.home import Home
    from windlull.store.runs import Order


def order(database: Database, home: Home, asked: Asked, bounds: Bounds) -> Order:
    """Plan a batch, and keep its files.

    Raises BadInputError or EngineError if the experiment is not there or cannot be run, DiskFullError,
    UnavailableError.
    """
    with database.reader() as session:
        roots = [locate.profiles(), documents.materialise(session, home.cache)]
    if not any((root / "experiments" / f"{asked.experiment}.toml").is_file() for root in roots):
        raise BadInputError(f"there is no experiment called {asked.experiment}")
    options = asked.options()
    orders.in_brief(asked.experiment, options, roots, most=bounds.runs_of_batch)
    planned = plans.plan(asked.experiment, options, profiles=roots, confined=True)
    return orders.order(
        home.blobs, asked.experiment, planned, testbed=asked.testbed, plane=asked.plane, captures=asked.captures,
        priority=asked.priority,
    )  # fmt: skip
