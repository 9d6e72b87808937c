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
from windlull.batches.contests import alike, between, what_is_missing
from windlull.errors import nearest
from windlull.metrics import METRICS
from windlull.runner.apart import Apart, What, apart
from windlull.runner.setting import setting
from windlull.stats import compare as statistics
from windlull.stats.matches import Match, matches, on_copies
from windlull.stats.summary import Cell

blueprint = Blueprint("comparisons", __name__, tag="comparisons", about="Whether one variant did better than another.")

MOST_FINDINGS = 2000
Variant = Annotated[str, Field(min_length=1, max_length=200)]


class SideGiven(Given):
    """A variant of a batch, on one of its links or on all."""

    batch: Id
    variant: Variant
    link: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="All that both batches have if left out."
    )


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


class ApartView(View):
    """What the two sides were given that is not the same."""

    what: What
    key: str | None = Field(description="Where in its file it stands, such as `down.rate`; null: the thing itself.")
    baseline: str | None = Field(description="Null: it has none.")
    candidate: str | None


class ComparisonView(View):
    """All findings."""

    confidence: float
    margin: float
    power: float
    family: int = Field(description="Over how many tests Holm's correction goes.")
    findings: list[Annotated[Any, of_engine("Finding")]]
    notes: list[str] = Field(description="Notes on it, for example planned runs that are missing.")
    apart: list[ApartView] = Field(
        description="Of two sides: what differs in what they were given, on the first link that is compared."
    )


@blueprint.post("/comparisons", responses={200: ComparisonView, 404: None, 410: None})
def compute(body: ComparisonGiven) -> Response:
    """Compare variants.

    Paired by seed where both met the same link, else as they are, which `notes` says; medians with exact intervals, a
    sign or rank test and one of the mean with Holm's correction, an effect size, a verdict, and how many more runs
    would decide. Nothing is kept: ask again when there are more runs.
    """
    for metric in body.metrics or ():
        require_metric("metrics", metric)
    notes: list[str] = []
    different: list[Apart] = []
    with current().database.reader() as session:
        if body.batch is not None:
            one = outcomes.of_batch(session, body.batch)
            against = _within(one, body.variants)
            of = [one]
        else:
            assert body.baseline is not None  # noqa: S101 - the model says so
            assert body.candidate is not None  # noqa: S101
            batches = {of.batch: outcomes.of_batch(session, of.batch) for of in (body.baseline, body.candidate)}
            against, notes, different = _between(batches, body.baseline, body.candidate)
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
    notes += [*(note for one in of for note in what_is_missing(one)), *on_copies(against)]
    return answer(msgspec.to_builtins(found) | {"notes": notes, "apart": msgspec.to_builtins(different)})


def require_metric(key: str, name: str) -> None:
    """Raise ApiError, 422, if there is no metric of that name; `key` is where it was given."""
    if name not in METRICS:
        meant = nearest(name[:100], METRICS)
        message = f"there is no metric {name[:100]!r}" + (f'; did you mean "{meant}"?' if meant else "")
        raise wrong(key, message, meant or f"there are: {', '.join(METRICS)}")


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


def _between(
    batches: dict[int, Outcomes], baseline: SideGiven, candidate: SideGiven
) -> tuple[list[Match], list[str], list[Apart]]:
    """Set a variant of a batch against one of another, with what to know of it, and what differs in what they got."""
    first, second = batches[baseline.batch], batches[candidate.batch]
    left, right = _cells(first, baseline, "baseline"), _cells(second, candidate, "candidate")
    if baseline == candidate:
        raise wrong("candidate", "is the baseline")
    # Links of other names meet where there is one of each.
    met = alike(left, right) or ([(left[0], right[0])] if len(left) == len(right) == 1 else [])
    if not met:
        if not left or not right:
            return [], [], []
        places = [" and ".join(f"{cell.link} in {cell.testbed}" for cell in cells) for cells in (left, right)]
        raise invalid(
            f"nothing to compare: batch {first.batch.id} has {places[0]}, batch {second.batch.id} has {places[1]}; "
            "name a link of each"
        )
    names = (f"{baseline.variant} of batch {first.batch.id}", f"{candidate.variant} of batch {second.batch.id}")
    if first is second:
        one, other = met[0]
        names = (baseline.variant, candidate.variant)
        if one.link != other.link:
            names = (f"{one.variant} on {one.link}", f"{other.variant} on {other.link}")
    found, notes = between(first, second, met, names)
    return found, notes, apart(first.given(met[0][0]), second.given(met[0][1]))


def _cells(of: Outcomes, chosen: SideGiven, key: str) -> list[Cell]:
    """Return the cells of a variant, of all links or one."""
    _check_variant(of, chosen.variant, f"{key}.variant")
    links = [link.name for link in of.experiment.links]
    if chosen.link is not None and chosen.link not in links:
        message = f"the experiment of batch {of.batch.id} has no link {chosen.link!r}"
        raise wrong(f"{key}.link", message, f"there are: {', '.join(links)}")
    return [cell for cell in of.cells() if cell.variant == chosen.variant and chosen.link in {None, cell.link}]


def _check_variant(of: Outcomes, variant: str, key: str) -> None:
    known = [one.name for one in of.experiment.variants]
    if variant not in known:
        message = f"the experiment of batch {of.batch.id} has no variant {variant!r}"
        raise wrong(key, message, f"there are: {', '.join(known)}")
