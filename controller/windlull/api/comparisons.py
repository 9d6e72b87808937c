"""Comparisons: whether one variant did better than another."""

from typing import Annotated, Any

import msgspec
from flask import Response
from pydantic import Field, model_validator

from windlull.api import outcomes
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import invalid, wrong
from windlull.api.openapi import of_engine
from windlull.api.outcomes import Outcomes
from windlull.api.schemas import Given, Id, View
from windlull.contract.engine import LinkFile
from windlull.errors import nearest
from windlull.metrics import METRICS
from windlull.runner.setting import setting
from windlull.stats import compare as statistics
from windlull.stats.matches import Match, matches, on_copies, side

blueprint = Blueprint("comparisons", __name__, tag="comparisons", about="Whether one variant did better than another.")

MOST_FINDINGS = 2000
Variant = Annotated[str, Field(min_length=1, max_length=200)]


class SideGiven(Given):
    """A variant of a batch."""

    batch: Id
    variant: Variant


class ComparisonGiven(Given):
    """What is compared.

    Either `batch`, with its `variants`: the first is the baseline of the others. Or two sides: `baseline` and
    `candidate`, of one batch or of two.
    """

    batch: Id | None = None
    variants: list[Variant] | None = Field(
        None, min_length=2, max_length=50, description="The baseline first. All of the batch if left out."
    )
    baseline: SideGiven | None = None
    candidate: SideGiven | None = None
    metrics: list[str] | None = Field(None, min_length=1, max_length=50, description="The usual ones if left out.")
    margin: float = Field(statistics.MARGIN, ge=0, lt=1, description="The relative difference that counts as none.")
    confidence: float = Field(statistics.CONFIDENCE, gt=0.5, lt=1)
    power: float = Field(statistics.POWER, gt=0.5, lt=1)

    @model_validator(mode="after")
    def _one_way(self) -> "ComparisonGiven":
        sides = [self.baseline, self.candidate]
        if self.batch is None and None in sides:
            raise ValueError("give batch, or baseline and candidate")
        if self.batch is not None and sides != [None, None]:
            raise ValueError("give batch, or baseline and candidate, not both")
        if self.batch is None and self.variants is not None:
            raise ValueError("variants go with batch")
        return self


class ComparisonView(View):
    """All findings."""

    confidence: float
    margin: float
    power: float
    family: int = Field(description="Over how many tests Holm's correction goes.")
    findings: list[Annotated[Any, of_engine("Finding")]]
    notes: list[str] = Field(description="Notes on it, for example planned runs that are missing.")


@blueprint.post("/comparisons", responses={200: ComparisonView, 404: None, 410: None})
def compute(body: ComparisonGiven) -> Response:
    """Compare variants.

    Paired by seed where both met the same link; medians with exact intervals, a sign or rank test and one of the mean
    with Holm's correction, an effect size, a verdict, and how many more runs would decide. Nothing is kept: ask again
    when there are more runs.
    """
    for metric in body.metrics or ():
        if metric not in METRICS:
            meant = nearest(metric[:100], METRICS)
            message = f"there is no metric {metric[:100]!r}" + (f'; did you mean "{meant}"?' if meant else "")
            raise wrong("metrics", message, meant or f"there are: {', '.join(METRICS)}")
    with current().database.reader() as session:
        if body.batch is not None:
            one = outcomes.of_batch(session, body.batch)
            against = _within(one, body.variants)
            of = [one]
        else:
            assert body.baseline is not None  # noqa: S101 - the model says so
            assert body.candidate is not None  # noqa: S101
            batches = {of.batch: outcomes.of_batch(session, of.batch) for of in (body.baseline, body.candidate)}
            against = _between(batches, body.baseline, body.candidate)
            of = list(batches.values())
    if len(against) * len(body.metrics or statistics.METRICS) > MOST_FINDINGS:
        raise invalid(f"more than {MOST_FINDINGS} findings; name fewer variants or metrics")
    try:
        found = statistics.compare(
            against,
            metrics=body.metrics,
            margin=body.margin,
            confidence=body.confidence,
            power=body.power,
        )
    except ValueError as error:
        raise invalid(str(error)) from error
    notes = [*(note for one in of for note in _notes(one)), *on_copies(against)]
    return answer(msgspec.to_builtins(found) | {"notes": notes})


def _notes(one: Outcomes) -> list[str]:
    """Say what a reader of a comparison must know of a batch."""
    counted = sum(run.invalid is None for run in one.runs)
    notes = []
    if counted < one.plan.runs:
        notes.append(f"batch {one.batch.id} has {counted} of {one.plan.runs} runs; only those are compared")
    if one.batch.imported:
        notes.append(f"batch {one.batch.id} is an imported capsule: its numbers are those that it came with")
    return notes


def _within(one: Outcomes, variants: list[str] | None) -> list[Match]:
    known = [variant.name for variant in one.experiment.variants]
    chosen = known if variants is None else variants
    for variant in chosen:
        _check_variant(one, variant, "variants")
    if len(set(chosen)) < len(chosen):
        raise wrong("variants", "names one twice")
    if len(chosen) < 2:
        raise invalid(f"batch {one.batch.id} has one variant; a comparison needs two")
    return matches(one.cells(), chosen, setting(one.plan.experiment))


def _between(batches: dict[int, Outcomes], baseline: SideGiven, candidate: SideGiven) -> list[Match]:
    """Set a variant of a batch against one of another, on each link and testbed that both have."""
    first, second = batches[baseline.batch], batches[candidate.batch]
    _check_variant(first, baseline.variant, "baseline.variant")
    _check_variant(second, candidate.variant, "candidate.variant")
    if baseline == candidate:
        raise wrong("candidate", "is the baseline")
    left = {(cell.link, cell.testbed): cell for cell in first.cells() if cell.variant == baseline.variant}
    right = {(cell.link, cell.testbed): cell for cell in second.cells() if cell.variant == candidate.variant}
    # The repetitions of two batches have the same seeds, and met the same link, if both master seeds are the same and
    # the links are.
    same_seed = first.batch.seed == second.batch.seed
    both = setting(first.plan.experiment) & setting(second.plan.experiment)
    names = [f"{side.variant} of batch {side.batch}" for side in (baseline, candidate)]
    if first is second:
        names = [baseline.variant, candidate.variant]
    return [
        Match.of(
            link,
            testbed,
            side(left[link, testbed], names[0]),
            side(right[link, testbed], names[1]),
            paired=same_seed and _link(first, link) == _link(second, link),
            setting=both,
        )
        for link, testbed in left
        if (link, testbed) in right
    ]


def _link(of: Outcomes, name: str) -> LinkFile | None:
    """Return a link as the engine resolved it."""
    return next((link.resolved for link in of.experiment.links if link.name == name), None)


def _check_variant(of: Outcomes, variant: str, key: str) -> None:
    known = [one.name for one in of.experiment.variants]
    if variant not in known:
        message = f"the experiment of batch {of.batch.id} has no variant {variant!r}"
        raise wrong(key, message, f"there are: {', '.join(known)}")
