"""What the runs of a batch measured: a plan, runs, cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import select

from windlull.errors import BadInputError
from windlull.runner.apart import Given
from windlull.runner.messages import Experiment, Failed, Plan, in_order, order_of
from windlull.runner.messages import Run as Ended
from windlull.runner.setting import Conditions, conditions
from windlull.stats.summary import Cell, cells
from windlull.store.tables import Batch, Result, Run, State

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


class UnreadableError(BadInputError):
    """What is kept of a batch cannot be understood."""


@dataclass(frozen=True)
class Outcomes:
    """A batch and what came of it so far.

    `runs` are those that are done or invalid, in the order of results; `ids` are their numbers in the store, `results`
    those of their results; `failed` came to nothing, or did not end in order. Neither counts in any number.
    """

    batch: Batch
    plan: Plan
    experiment: Experiment
    runs: tuple[Ended, ...]
    ids: tuple[int, ...]
    results: tuple[int, ...]
    failed: tuple[Failed, ...]

    def cells(self) -> list[Cell]:
        """Sum them up."""
        return cells(self.experiment, self.runs)

    def given(self, cell: Cell) -> Given:
        """Return what the runs of a cell were given, to be held against what others were."""
        of = self.batch
        return Given(self.plan.experiment, cell.variant, cell.link, cell.testbed, of.plane, of.seed, of.repetitions)

    @cached_property
    def conditions(self) -> Conditions:
        """What its runs were given, as hashes."""
        return conditions(self.plan.experiment)

    @property
    def counted(self) -> int:
        """How many runs there are of which numbers count: those that are done and valid."""
        return sum(run.invalid is None for run in self.runs)


def of(session: Session, batch: Batch, resolved: bytes) -> Outcomes:
    """Return what the runs of a batch measured; `resolved` is its plan. Raises UnreadableError."""
    rows = session.execute(
        select(Run, Result).outerjoin(Result, Run.result_id == Result.id).where(Run.batch_id == batch.id)
    ).all()
    testbeds = in_order({run.testbed for run, _ in rows} or {batch.testbed})
    try:
        planned = {"experiment": msgspec.json.decode(resolved), "runs": len(rows), "testbeds": testbeds}
        plan = msgspec.convert(planned | {"estimate": None}, Plan)
        experiment = msgspec.convert(plan.experiment, Experiment)
        kept = [(_ended(run, result), run.id, result.id) for run, result in rows if _counts(run, result)]
    except (msgspec.MsgspecError, ValueError) as error:
        raise UnreadableError(f"batch {batch.id} cannot be read: {str(error)[:300]}") from error
    rank = order_of(experiment, testbeds)
    kept.sort(key=lambda one: rank(one[0]))
    failed = tuple(_failed(run) for run, _ in sorted(rows, key=lambda row: row[0].place) if run.state == State.FAILED)
    return Outcomes(
        batch, plan, experiment, tuple(o for o, _, _ in kept), tuple(i for _, i, _ in kept),
        tuple(r for _, _, r in kept), failed,
    )  # fmt: skip


def _counts(run: Run, result: Result | None) -> bool:
    return result is not None and run.state in {State.DONE, State.INVALID}


def _ended(run: Run, result: Result) -> Ended:
    said = {"metrics": result.metrics, "certificate": result.certificate, "attempts": result.attempts}
    return msgspec.convert(_which(run) | said, Ended)


def _failed(run: Run) -> Failed:
    said = {"attempts": run.attempt, "reason": run.reason or "it came to nothing"}
    return msgspec.convert(_which(run) | said, Failed)


def _which(run: Run) -> dict[str, Any]:
    return {
        "place": run.place, "testbed": run.testbed, "variant": run.variant, "link": run.link,
        "repetition": run.repetition, "seed": run.seed, "directory": run.directory,
    }  # fmt: skip
