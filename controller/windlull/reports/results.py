"""experiment.json and results.json: the same bytes for the same experiment, seed and version.

Nothing in them depends on the order in which runs were finished, on the number of jobs, on the date or on where the
files lie. docs/results.md describes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType, to_builtins

from windlull.reports.frame import Incomplete, InvalidRun, Results, ResultsCell, Summary, UnfinishedRun
from windlull.reports.indented import readable
from windlull.runner.messages import SIMULATED
from windlull.runner.setting import conditions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from windlull.runner.messages import Experiment, Plan, Run
    from windlull.stats.summary import Cell


def experiment_json(plan: Plan) -> bytes:
    """Return experiment.json: the experiment as the engine resolved it, with version and commit."""
    return readable({"experiment": plan.experiment, "runs": plan.runs}, depth=3)


def results_json(plan: Plan, experiment: Experiment, cells: Iterable[Cell], runs: Iterable[Run]) -> bytes:
    """Return results.json. If fewer runs ended in order than were planned, it says so under `incomplete`.

    Of the `runs` it names those that are invalid, with the reasons, and those that did not end in order, with how they
    did; where there are none, there is no word of them. The latter are missing: a gate must not pass for leaving out
    what hung.
    """
    found = list(cells)
    finished = sum(cell.runs + cell.invalid for cell in found)
    invalid = tuple(InvalidRun(run=run.key, reasons=run.invalid) for run in runs if run.invalid is not None)
    unfinished = tuple(UnfinishedRun(run=run.key, ending=run.unfinished) for run in runs if run.unfinished is not None)
    document = Results(
        experiment=experiment.name,
        seed=experiment.seed,
        version=experiment.version,
        conditions=conditions(plan.experiment),
        incomplete=Incomplete(finished=finished, planned=plan.runs) if finished < plan.runs else UNSET,
        invalid=invalid or UNSET,
        unfinished=unfinished or UNSET,
        cells=tuple(map(cell_of, found)),
    )
    return readable(to_builtins(document), depth=4)


def cell_of(cell: Cell) -> ResultsCell:
    """Return one cell as it stands in results.json and in the report."""
    return ResultsCell(
        variant=cell.variant,
        link=cell.link,
        testbed=cell.testbed,
        runs=cell.runs,
        invalid=UNSET if cell.testbed == SIMULATED else cell.invalid,
        unfinished=cell.unfinished or UNSET,
        metrics={
            name: Summary(
                median=summary.median, mean=summary.mean, q1=summary.q1, q3=summary.q3, min=summary.min,
                max=summary.max, values=summary.values, repetitions=_repetitions(cell, name),
            )
            for name, summary in cell.metrics.items()
        },
    )  # fmt: skip


def _repetitions(cell: Cell, name: str) -> tuple[int, ...] | UnsetType:
    """Say which repetitions the values are of where they are not simply the first ones: others are paired with them."""
    of = tuple(cell.by_repetition[name])
    return UNSET if of == tuple(range(1, len(of) + 1)) else of
