"""What runs of an experiment took here before, for whoever asks before the next start."""

from flask import Response
from pydantic import Field

from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.schemas import Id, Moment, Name, Query, View
from windlull.contract.engine import Testbed
from windlull.store import costs as store

blueprint = Blueprint("costs", __name__, tag="costs", about="What runs took before.")


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


class CostsView(View):
    """What is known of an experiment's costs."""

    measured: CostView | None = Field(description="Null if no batch of it has been run here that way.")
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
    been changed since; another number of repetitions takes in proportion.
    """
    context = current()
    with context.database.reader() as session:
        found = store.last(session, query.experiment, testbed=query.testbed, captures=query.captures)
    measured = None if found is None else CostView.of(found)
    return answer({"measured": measured, "free_bytes": context.home.free_bytes()})
