"""Trends: what a metric was, batch after batch, and where it changed."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import numpy as np
from flask import Response, request
from pydantic import Field, model_validator
from sqlalchemy import select
from sqlalchemy.orm import Session

from windlull.api import outcomes
from windlull.api.answers import encoded
from windlull.api.batches import EngineUsed, Tag
from windlull.api.blueprint import Blueprint
from windlull.api.comparisons import ApartView, require_metric
from windlull.api.context import current
from windlull.api.openapi import of_engine
from windlull.api.outcomes import Outcomes
from windlull.api.schemas import Id, Moment, Name, Query, Seed, View
from windlull.contract.engine import Testbed
from windlull.metrics import metric
from windlull.runner.apart import apart
from windlull.stats import trend as statistics
from windlull.stats.quantities import ALPHA, MEDIAN
from windlull.stats.questions import IntervalEstimate, Question, Sides
from windlull.stats.summary import Cell
from windlull.store import tags
from windlull.store.tables import Batch

blueprint = Blueprint("trends", __name__, tag="trends", about="A metric over batches, and where it changed.")

MOST_BATCHES = 200
MOST_SERIES = 60
COMMIT = "commit:"
"""How a tag begins that says of which commit of what is tested a batch is."""

Part = Annotated[str, Field(min_length=1, max_length=200)]


class TrendQuery(Query):
    """Which batches, and what of them."""

    tag: list[Tag] | None = Field(None, max_length=20, description="May be repeated: batches that have all of them.")
    experiment: Name | None = None
    testbed: Testbed | None = None
    metric: str = Field("elapsed_s", max_length=100)
    variant: list[Part] | None = Field(None, max_length=50, description="May be repeated; all if left out.")
    link: list[Part] | None = Field(None, max_length=50, description="May be repeated; all if left out.")
    limit: int = Field(100, ge=2, le=MOST_BATCHES, description="So many of the newest batches.")

    @model_validator(mode="after")
    def _some(self) -> "TrendQuery":
        if not self.tag and self.experiment is None:
            raise ValueError("give tag or experiment: batches that have nothing in common have no trend")
        return self


class TrendBatchView(View):
    """A batch of the trend."""

    id: Id
    experiment: str
    title: str
    created_at: Moment
    engine: EngineUsed
    commit: str = Field(
        description="That of its tag `commit:...`; else that for which its schedule was started; else the engine's."
    )
    tags: list[str]
    note: str
    seed: Seed


Estimate = Annotated[Any, of_engine("IntervalEstimate")]


class TrendPointView(View):
    """One batch: the median over its runs, with its 95 % interval."""

    batch: Id
    runs: int
    median: Estimate
    comparable: bool = Field(
        description="False if it is over another link, or of another workload, than the point before: no change is "
        "looked for across it."
    )
    apart: list[ApartView] = Field(
        description="What differs in what it and the point before were given, but for seed, repetitions and engine."
    )


class TrendChangeView(View):
    """A change: from this batch on the medians are at another level."""

    batch: Id = Field(description="The first at the new level.")
    last_before: Id
    before: float = Field(description="The mean of the medians since the change before, or the first comparable batch.")
    after: float = Field(description="The mean of the medians until the next change, or the last comparable batch.")
    p: float
    ratio: Estimate | None = Field(description="Of after to before; null where a median is not above 0.")
    difference: Estimate | None = Field(description="In the metric's unit, where there is no ratio.")
    text: str = Field(description="The change in a sentence.")
    apart: list[ApartView] = Field(description="What differs in what the two batches beside it were given.")


class TrendSeriesView(View):
    """One variant on one link in one testbed."""

    variant: str
    link: str
    testbed: str
    points: list[TrendPointView]
    p: float | None = Field(
        description="Of any change; null with too few batches, or if all medians are the same. Where not all points "
        "are comparable, the smallest of those of the stretches between."
    )
    p_adjusted: float | None = Field(
        description="After Holm's correction over all series that may change, or the stretches of them."
    )
    changes: list[TrendChangeView]
    note: str | None = Field(description="Why nothing can be said of changes, where that is so.")


class TrendView(View):
    """A metric over batches, the oldest first."""

    metric: str
    false_alarms: float = Field(
        description="The probability, at most, that any of the series has a change if nothing changed."
    )
    confidence: float = Field(description="Of all intervals.")
    fewest: int = Field(description="So many batches a series needs before a change can be told from chance.")
    batches: list[TrendBatchView]
    series: list[TrendSeriesView]
    notes: list[str]


@blueprint.get("/trends", responses={200: TrendView, 410: None})
def read(query: TrendQuery) -> Response:
    """Follow a metric over batches.

    Of the newest batches with these tags or of this experiment: the median of each variant with its interval, the
    oldest first; and where the medians changed, found by a permutation test with a stated share of false alarms over
    all series. Batches without a finished run are left out. Where the link or the workload is another than before, the
    batches from there on are looked at by themselves.
    """
    require_metric("metric", query.metric)
    context = current()
    asked = request.query_string.decode("latin-1")
    body, etag = context.remembered.body(context.database, f"trends?{asked}", lambda session: _trend(session, query))
    return encoded(body, etag=etag)


@dataclass(frozen=True, slots=True)
class _Member:
    """A batch with its cells and its tags."""

    of: Outcomes
    cells: dict[tuple[str, str, str], Cell]
    tags: list[str]

    @property
    def commit(self) -> str:
        """The commit that it is of: of what is tested, where a tag or its round says that, else of the engine."""
        tagged = [tag.removeprefix(COMMIT) for tag in self.tags if tag.startswith(COMMIT)]
        return tagged[0] if tagged else self.of.batch.commit or self.of.batch.engine_commit

    def told(self) -> dict[str, Any]:
        """Return it as clients have it."""
        batch = self.of.batch
        engine = {"version": batch.engine_version, "commit": batch.engine_commit}
        return TrendBatchView.of(batch, engine=engine, commit=self.commit, tags=self.tags)


def _trend(session: Session, query: TrendQuery) -> dict[str, Any]:
    members, notes = _members(session, query)
    places = list(dict.fromkeys(place for member in members for place in member.cells))
    if len(places) > MOST_SERIES:
        notes.append(f"only the first {MOST_SERIES} of {len(places)} series are here; name variants or links")
        places = places[:MOST_SERIES]
    series = [_stretches(place[0], [member for member in members if place in member.cells]) for place in places]
    medians = [
        [member.cells[place].metrics[query.metric].median for member in stretch]
        for place, stretches in zip(places, series, strict=True)
        for stretch in stretches
    ]
    shown = iter(statistics.trends(medians))
    return {
        "metric": query.metric,
        "false_alarms": statistics.FALSE_ALARMS,
        "confidence": statistics.CONFIDENCE,
        "fewest": statistics.fewest(),
        "batches": [member.told() for member in members],
        "series": [
            _series(query.metric, place, [(stretch, next(shown)) for stretch in stretches])
            for place, stretches in zip(places, series, strict=True)
        ],
        "notes": notes,
    }


def _members(session: Session, query: TrendQuery) -> tuple[list[_Member], list[str]]:
    """Return the batches that have what is asked for, the oldest first, with what to say of the choice."""
    wanted = select(Batch).where(*tags.having(query.tag or ())).order_by(Batch.id.desc()).limit(query.limit + 1)
    if query.experiment is not None:
        wanted = wanted.where(Batch.experiment == query.experiment)
    if query.testbed is not None:
        wanted = wanted.where(Batch.testbed == query.testbed)
    rows = session.scalars(wanted).all()
    named = tags.of(session, [row.id for row in rows])
    found: list[_Member] = []
    for row in reversed(rows[: query.limit]):
        of = outcomes.of_batch(session, row.id)
        cells = {
            (cell.link, cell.testbed, cell.variant): cell
            for cell in of.cells()
            if _chosen(cell, query) and query.metric in cell.metrics
        }
        if cells:
            found.append(_Member(of, cells, named[row.id]))
    return found, [f"only the newest {query.limit} batches are looked at"] if len(rows) > query.limit else []


def _chosen(cell: Cell, query: TrendQuery) -> bool:
    return (query.variant is None or cell.variant in query.variant) and (query.link is None or cell.link in query.link)


def _stretches(link: str, of: list[_Member]) -> list[list[_Member]]:
    """Return the batches of a series, cut where the link or the workload is another than before."""
    found: list[list[_Member]] = []
    for member in of:
        if found and found[-1][-1].of.conditions.links[link] == member.of.conditions.links[link]:
            found[-1].append(member)
        else:
            found.append([member])
    return found


def _series(
    name: str, place: tuple[str, str, str], stretches: list[tuple[list[_Member], statistics.Trend]]
) -> dict[str, Any]:
    link, testbed, variant = place
    of = [member for stretch, _ in stretches for member in stretch]
    others = {stretch[0].of.batch.id for stretch, _ in stretches[1:]}
    return {
        "variant": variant,
        "link": link,
        "testbed": testbed,
        "points": [
            _point(name, place, member, before) | {"comparable": member.of.batch.id not in others}
            for before, member in zip([None, *of], of, strict=False)
        ],
        "p": min((shown.p for _, shown in stretches if shown.p is not None), default=None),
        "p_adjusted": min((shown.p_adjusted for _, shown in stretches if shown.p_adjusted is not None), default=None),
        "changes": [_change(name, place, stretch, change) for stretch, shown in stretches for change in shown.changes],
        "note": _note(stretches),
    }


def _point(name: str, place: tuple[str, str, str], of: _Member, before: _Member | None) -> dict[str, Any]:
    cell = of.cells[place]
    different = [] if before is None else apart(before.of.given(before.cells[place]), of.of.given(cell))
    return {
        "batch": of.of.batch.id,
        "runs": len(cell.by_repetition[name]),
        "median": msgspec.to_builtins(_median(cell, name)),
        "apart": [msgspec.to_builtins(one) for one in different if one.what not in _USUAL],
    }


_USUAL = {"seed", "repetitions", "engine"}
"""What differs from batch to batch while the question is the same."""


def _note(stretches: list[tuple[list[_Member], statistics.Trend]]) -> str | None:
    """Say why nothing can be said of changes up to now, where that is so."""
    last, shown = stretches[-1]
    if shown.p is not None:
        return None
    fewest = statistics.fewest()
    note = (
        f"{len(last)} of the {fewest} batches that it takes to tell a change from chance"
        if len(last) < fewest
        else "the same in all batches"
    )
    return note if len(stretches) == 1 else f"{note}, since link or workload changed with batch {last[0].of.batch.id}"


def _median(cell: Cell, name: str) -> IntervalEstimate:
    """Return the median of the runs with its interval."""
    values = np.array(list(cell.by_repetition[name].values()), dtype=np.float64)
    return Question(MEDIAN, factor=0.0).estimate(Sides(values, values, paired=True), ALPHA)


def _change(name: str, place: tuple[str, str, str], of: list[_Member], change: statistics.Change) -> dict[str, Any]:
    last, first = of[change.at - 1], of[change.at]
    different = apart(last.of.given(last.cells[place]), first.of.given(first.cells[place]))
    told: dict[str, Any] = msgspec.to_builtins(change)
    return {
        "batch": first.of.batch.id,
        "last_before": last.of.batch.id,
        **{key: told[key] for key in ("before", "after", "p", "ratio", "difference")},
        "text": _in_words(name, place[-1], first, change),
        "apart": msgspec.to_builtins(different),
    }


def _in_words(name: str, variant: str, first: _Member, change: statistics.Change) -> str:
    """Say what changed, when, and by how much."""
    batch, about = first.of.batch, metric(name)
    since = f"since {batch.created_at.date().isoformat()} (batch {batch.id}, commit {first.commit[:12]})"
    sign = 1 if change.after >= change.before else -1
    if change.ratio is not None:
        sizes, unit = [sign * 100 * (ratio - 1) for ratio in _numbers(change.ratio)], "%"
    else:
        assert change.difference is not None  # noqa: S101 - one of the two is there
        sizes, unit = [sign * difference for difference in _numbers(change.difference)], about.unit
    value, *ends = sizes
    sure = ""
    if ends:
        near, far = (f"{end:.3g}" for end in sorted(ends))
        # Simulated runs of the same seed repeat themselves: an interval without a width would promise more than is so.
        sure = f" ({100 * statistics.CONFIDENCE:g} % interval {near} to {far} {unit})"
        if near == far:
            sure = " (all batches before it agree, and so do all since)"
    return f"{since} {about.label} of {variant} is {value:.3g} {unit} {'higher' if sign > 0 else 'lower'}{sure}"


def _numbers(of: IntervalEstimate) -> list[float]:
    """Return the value, and the ends of the interval where it has both."""
    return [of.value, *(of.interval or ())]
