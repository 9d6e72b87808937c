"""What runs of an experiment took here before, or are likely to take, for whoever asks before the next start."""

from collections.abc import Sequence
from pathlib import Path

from flask import Response
from pydantic import Field

from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.schemas import Id, Moment, Name, Query, View
from windlull.contract.engine import Testbed
from windlull.errors import BadInputError
from windlull.runner import plans
from windlull.runner.options import RunOptions
from windlull.store import costs as store

blueprint = Blueprint("costs", __name__, tag="costs", about="What runs took before, or are likely to take.")


class CostView(View):
    """What a batch took."""

    batch: Id
    repetitions: int
    total: int = Field(description="How many runs it has.")
    runs: int = Field(description="How many were run for it; those whose result was known cost nothing.")
    elapsed_s: float = Field(
        description="From the first of these that was given out to the last that ended, whatever ran beside them."
    )
    size_bytes: int = Field(description="Of their files.")
    ended_at: Moment


class ExpectedView(View):
    """What the engine expects of a batch, mostly within a factor of two."""

    repetitions: int = Field(description="As the experiment says.")
    runs: int
    seconds: float = Field(
        description="How long all runs take one after the other: processor time of simulated ones, real time of live "
        "ones."
    )
    size_bytes: int = Field(description="Of their files, with or without captures as asked.")


class CostsView(View):
    """What is known of an experiment's costs."""

    measured: CostView | None = Field(description="Null if no batch of it has been run here that way.")
    expected: ExpectedView | None = Field(
        description="In the place of a measurement. Null if there is one, if the experiment is not there or not valid, "
        "and where commands are the workload."
    )
    free_bytes: int = Field(description="What the disk of the data directory has left.")


class CostsQuery(Query):
    """Of which runs."""

    experiment: Name
    testbed: Testbed = "sim"
    captures: bool = True


@blueprint.get("/costs", responses={200: CostsView})
def read(query: CostsQuery) -> Response:
    """Read what an experiment took.

    Measured on its newest batch that has ended, on that testbed, with or without captures. The experiment may have
    been changed since; another number of repetitions takes in proportion. Before any was measured, the engine's
    estimate for the experiment as it is.
    """
    context = current()
    with context.database.reader() as session:
        found = store.last(session, query.experiment, testbed=query.testbed, captures=query.captures)
        roots = context.profiles(session)
    measured = None if found is None else CostView.of(found)
    expected = _expected(query, roots) if measured is None else None
    return answer({"measured": measured, "expected": expected, "free_bytes": context.home.free_bytes()})


def _expected(query: CostsQuery, roots: Sequence[Path]) -> dict[str, int | float] | None:
    """Return what the engine expects; None if there is nothing that could be run, or it cannot tell."""
    options = RunOptions(testbed=query.testbed)
    try:
        planned = plans.plan(query.experiment, options, profiles=roots, brief=True, confined=True)
    except BadInputError:
        return None
    needs = planned.estimate
    if needs is None:
        return None
    return {
        "repetitions": planned.read().repetitions,
        "runs": planned.count,
        "seconds": needs.seconds,
        "size_bytes": needs.disk_bytes if query.captures else needs.disk_bytes_without_captures,
    }
