"""What a schedule's batches are made of and how they are judged, as the store keeps it."""

from __future__ import annotations

import secrets
from typing import Any, Literal

import msgspec

from windlull.runner.options import RunOptions
from windlull.stats.quantities import ALPHA

Against = Literal["variants", "previous", "batch"]


class Asked(msgspec.Struct, frozen=True):
    """An experiment by its name, and the options of its batches; what is None comes from the experiment.

    `fresh_seed`: each batch has a master seed of its own, so that `seed` is None.
    """

    experiment: str
    repetitions: int | None = None
    seed: str | None = None
    fresh_seed: bool = False
    testbed: str = "sim"
    plane: str | None = None
    captures: bool = False
    priority: int = 0
    tags: tuple[str, ...] = ()

    def options(self) -> RunOptions:
        """Return the options of the next batch."""
        given = None if self.seed is None else int(self.seed)
        # Of a type of the contract, which the API has checked.
        more: dict[str, Any] = {"testbed": self.testbed, "plane": self.plane}
        seed = secrets.randbits(64) if self.fresh_seed else given
        return RunOptions(repetitions=self.repetitions, seed=seed, captures=self.captures, **more)


class GateAsked(msgspec.Struct, frozen=True):
    """How a batch is judged when it has ended.

    `against`: the first variant of the batch is the baseline of its others; or each variant's is that of the same name
    in the schedule's batch before, or in `batch`. `strict`: what is inconclusive counts as failed.
    """

    fail_if: tuple[str, ...]
    against: Against = "previous"
    batch: int | None = None
    alpha: float = ALPHA
    strict: bool = False
