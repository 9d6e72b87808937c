"""Papers: what was published, and what our runs of it say."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from flask import Response
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from windlull import locate
from windlull.api import outcomes
from windlull.api.answers import answer, encoded
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import not_found
from windlull.api.openapi import of_engine
from windlull.api.schemas import Id, Moment, Path, Seed, View
from windlull.contract.engine import Average
from windlull.metrics import metric
from windlull.papers import by_statement
from windlull.papers.by_statement import Ran
from windlull.papers.grades import Grade
from windlull.papers.shipped import papers
from windlull.papers.statements import claims_of, statements
from windlull.runner import plans
from windlull.runner.messages import SIMULATED, Experiment
from windlull.stats.claims import Judgement, criterion, judge
from windlull.stats.summary import Cell
from windlull.store import runs as store
from windlull.store.tables import Batch, State

blueprint = Blueprint("papers", __name__, tag="papers", about="What was published, and what our runs of it say.")

_LOOKED_THROUGH = 50
"""In how many of the newest batches of an experiment a finished one is looked for."""

Status = Literal["reproduced", "not reproduced", "cannot be decided", "not run"]


class PaperLine(View):
    """A paper, and its experiments."""

    name: str
    experiments: list[str]


class PapersView(View):
    """All papers."""

    items: list[PaperLine]


class PaperBatch(View):
    """The newest batch of an experiment that has ended with results."""

    id: Id
    created_at: Moment
    repetitions: int
    seed: Seed
    engine: str = Field(description="The version and commit that made it.")


class ClaimView(View):
    """A sentence of the paper, and whether our runs support it."""

    id: str
    text: str
    criterion: str
    status: Status
    measured: str | None
    testbed: str | None


class QuartilesView(View):
    """How far our runs were apart: quartiles, and how many runs there are."""

    q1: float
    q3: float
    runs: int


class NumberView(View):
    """A number of the paper, and ours."""

    metric: str
    label: str
    unit: str
    digits: int = Field(description="How many decimals a person needs.")
    published: float | None
    ours: dict[str, float] = Field(description="The same statistic of our runs, by testbed; empty without runs.")
    spread: dict[str, QuartilesView] = Field(description="Of the same runs, by testbed.")


class RowView(View):
    """A row of the paper's table."""

    variant: str
    label: str
    link: str
    numbers: list[NumberView]


class PaperExperiment(View):
    """An experiment of a paper."""

    name: str
    title: str
    description: str
    source: str
    repetitions: int = Field(description="Of a run of it now, as its file says.")
    assumptions: list[str] = Field(description="What the source does not give: what was chosen, and why.")
    batch: PaperBatch | None = Field(description="Null if it has not been run here.")
    under_way: Id | None = Field(description="The newest batch of it, while that has not ended.")
    published: str | None = Field(description="Where the published numbers are printed.")
    statistic: Average = Field(description="What the published numbers are of the repetitions.")
    rows: list[RowView]
    claims: list[ClaimView]


class PaperView(View):
    """A paper: what it states with its grades, its numbers beside ours, and its claims with their status."""

    name: str
    experiments: list[PaperExperiment]
    statements: list[Annotated[Any, of_engine("Graded")]]
    own_additions: list[Annotated[Any, of_engine("OwnAddition")]]
    counts: dict[Grade, int] = Field(
        description="How many statements have each grade; what is not checked counts, too."
    )


class PaperPath(Path):
    """The name of a paper."""

    paper: str = Field(min_length=1, max_length=100, pattern="^[a-z0-9][a-z0-9-]*$")


@blueprint.get("/papers", responses={200: PapersView})
def list_() -> Response:
    """List the papers.

    Those of which there are experiments under `papers/`.
    """
    return answer({"items": [{"name": name, "experiments": found} for name, found in _papers().items()]})


@blueprint.get("/papers/<paper>", responses={200: PaperView, 410: None})
def read(path: PaperPath) -> Response:
    """Read a paper.

    Its published numbers beside ours of the newest batch of each experiment that has ended, and by it the status of
    each claim and the grade of each statement.
    """
    found = _papers().get(path.paper)
    if found is None:
        raise not_found(f"paper called {path.paper}")
    context = current()

    def make(session: Session) -> dict[str, Any]:
        shipped = {name: _shipped(name) for name in found}
        views = [_experiment(session, name, shipped[name]) for name in found]
        ran = [(name, experiment, cells) for name, (_, experiment, cells) in zip(found, views, strict=True)]
        return {
            "name": path.paper,
            "experiments": [lines for lines, _, _ in views],
            **_graded(path.paper, shipped, ran),
        }

    body, etag = context.remembered.body(context.database, f"papers/{path.paper}", make)
    return encoded(body, etag=etag)


def _papers() -> dict[str, list[str]]:
    """Return the names of experiments by paper."""
    return papers(locate.profiles())


@lru_cache(maxsize=256)
def _resolved(name: str, _changed_ns: int) -> Experiment:
    """Return an experiment as the engine resolves it."""
    return plans.plan(name, profiles=[locate.profiles()], brief=True).read()


def _shipped(name: str) -> Experiment:
    """Return an experiment as its file says it now."""
    file = locate.profiles() / "experiments" / f"{name}.toml"
    return _resolved(name, file.stat().st_mtime_ns)


def _graded(
    paper: str, shipped: Mapping[str, Experiment], ran: Sequence[tuple[str, Experiment, list[Cell]]]
) -> dict[str, Any]:
    """Return what the paper states; `ran` has each experiment as it was last run, with no cells if it was not.

    Raises InvalidStatementsError.
    """
    stated = statements(locate.profiles(), paper, claims_of(shipped))
    looked_at = [Ran(name, experiment, _simulated(experiment, cells), cells) for name, experiment, cells in ran]
    graded = by_statement.grade(paper, stated, looked_at)
    return {
        "statements": graded,
        "own_additions": by_statement.own_additions(paper, stated, looked_at),
        "counts": by_statement.counts(graded),
    }


def _simulated(experiment: Experiment, cells: Sequence[Cell]) -> list[Judgement] | None:
    """Return the judgements of simulated runs, which are what the papers' experiments are; None without any."""
    simulated = [cell for cell in cells if cell.testbed == SIMULATED]
    return judge(experiment, simulated) if simulated else None


def _experiment(session: Session, name: str, shipped: Experiment) -> tuple[dict[str, Any], Experiment, list[Cell]]:
    """Return what is told of an experiment, the experiment as it was last run, and the cells of those runs."""
    batch = _latest(session, name)
    measured = outcomes.of_batch(session, batch.id) if batch else None
    # With runs, the claims and numbers are those of the experiment as it was run.
    experiment = measured.experiment if measured else shipped
    cells = measured.cells() if measured else []
    view: dict[str, Any] = {
        "name": name,
        "title": experiment.title,
        "description": shipped.description,
        "source": experiment.source,
        "repetitions": shipped.repetitions,
        "assumptions": shipped.assumptions,
        "batch": None,
        "under_way": _under_way(session, name),
        "published": experiment.published.source if experiment.published else None,
        "statistic": experiment.average,
        "rows": _rows(experiment, cells),
        "claims": _claims(experiment, cells),
    }
    if batch is not None:
        view["batch"] = PaperBatch.of(batch, engine=f"{batch.engine_version} {batch.engine_commit}".strip())
    return view, experiment, cells


def _latest(session: Session, name: str) -> Batch | None:
    """Return the newest batch of an experiment of which all runs have ended and some have results."""
    newest = select(Batch).where(Batch.experiment == name, Batch.imported.is_(False)).order_by(Batch.id.desc())
    batches = session.scalars(newest.limit(_LOOKED_THROUGH)).all()
    counts = store.counts(session, [batch.id for batch in batches])
    for batch in batches:
        found = counts[batch.id]
        if found.get(State.DONE) and not found.get(State.QUEUED) and not found.get(State.RUNNING):
            return batch
    return None


def _under_way(session: Session, name: str) -> int | None:
    """Return the number of the newest batch of an experiment if some of its runs have not ended."""
    newest = select(Batch.id).where(Batch.experiment == name, Batch.imported.is_(False)).order_by(Batch.id.desc())
    batch = session.scalar(newest.limit(1))
    if batch is None:
        return None
    found = store.counts(session, [batch])[batch]
    return batch if found.get(State.QUEUED) or found.get(State.RUNNING) else None


def _rows(experiment: Experiment, cells: list[Cell]) -> list[dict[str, Any]]:
    if experiment.published is None:
        return []
    link = experiment.links[0].name if experiment.links else ""
    rows = []
    for row in experiment.published.rows:
        of_row = [cell for cell in cells if cell.variant == row.variant and cell.link == link]
        numbers = []
        for column, value in zip(experiment.published.columns, row.values, strict=True):
            summaries = {cell.testbed: cell.metrics[column.metric] for cell in of_row if column.metric in cell.metrics}
            known = metric(column.metric)
            numbers.append(
                {
                    "metric": column.metric,
                    "label": column.label,
                    "unit": known.unit,
                    "digits": known.digits,
                    "published": value,
                    "ours": {testbed: summary.average(experiment.average) for testbed, summary in summaries.items()},
                    "spread": {
                        testbed: QuartilesView.of(summary, runs=len(summary.values))
                        for testbed, summary in summaries.items()
                    },
                }
            )
        rows.append(RowView.of(row, link=link, numbers=numbers))
    return rows


def _claims(experiment: Experiment, cells: list[Cell]) -> list[dict[str, Any]]:
    if cells:
        return [ClaimView.of(one) for one in judge(experiment, cells)]
    return [
        ClaimView.of(claim, criterion=criterion(claim), status="not run", measured=None, testbed=None)
        for claim in experiment.claims
    ]
