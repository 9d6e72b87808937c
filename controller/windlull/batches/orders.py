"""What the engine planned, as an order to the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from windlull.runner.bundle import Bundle
from windlull.store.runs import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.contract.engine import PlannedRun
    from windlull.runner.plans import Planned
    from windlull.store.blobs import Blobs


def order(
    blobs: Blobs,
    experiment: str,
    planned: Planned,
    *,
    testbed: str,
    plane: str | None,
    captures: bool,
    priority: int,
    runs: Sequence[PlannedRun] | None = None,
) -> Order:
    """Keep the files of a plan, and return the batch to be: of all its runs, or of these. Raises DiskFullError."""
    resolved = planned.read()
    return Order(
        experiment=experiment,
        title=resolved.title,
        testbed=testbed,
        plane=plane,
        repetitions=resolved.repetitions,
        seed=resolved.seed,
        captures=captures,
        priority=priority,
        bundle=blobs.put(Bundle.of(planned).json()),
        plan=blobs.put(msgspec.json.encode(planned.experiment)),
        engine_version=resolved.version,
        engine_commit=resolved.commit,
        runs=planned.runs if runs is None else runs,
    )
