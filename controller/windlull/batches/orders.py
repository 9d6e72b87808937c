"""A batch to be: what the engine plans of it, and the order to the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from windlull.errors import BadInputError
from windlull.runner import plans
from windlull.runner.bundle import Bundle
from windlull.store.runs import Order

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from windlull.contract.engine import PlannedRun
    from windlull.runner.options import RunOptions
    from windlull.runner.plans import Planned
    from windlull.store.blobs import Blobs


class TooManyRunsError(BadInputError):
    """A batch would have more runs than one may."""


def in_brief(experiment: str, options: RunOptions, roots: Sequence[Path], *, most: int) -> Planned:
    """Have the engine plan a batch without listing its runs, which may be too many. Raises TooManyRunsError."""
    planned = plans.plan(experiment, options, profiles=roots, brief=True, confined=True)
    if planned.count > most:
        raise TooManyRunsError(f"{planned.count:,} runs; a batch has at most {most:,}")
    return planned


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
