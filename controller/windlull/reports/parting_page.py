"""The page of two runs: where they part, with the diagrams of both about that instant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from windlull.errors import BadInputError
from windlull.metrics import metric
from windlull.reports import html, partings
from windlull.reports.frame import DifferencePage, ReportLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from windlull.contract.engine import ComparedRun, CostDifference, DifferenceOfRuns


def write_page(
    target: Path, template: Path, answer: object, found: DifferenceOfRuns, engine: Mapping[str, str]
) -> None:
    """Write the page: `answer` is what the engine said, `found` the same in types, `template` the built page.

    Raises BadInputError if a run has no columns for its diagram, FailureError if a file cannot be read or written.
    """
    embedded = [html.Embedded(key, _series(run)) for key, run in (("a", found.a), ("b", found.b))]
    html.write_report(target, template, page_of(answer, found, engine), embedded)


def page_of(answer: object, found: DifferenceOfRuns, engine: Mapping[str, str]) -> DifferencePage:
    """Return all that is shown of two runs but their diagrams. The arguments are those of `write_page`."""
    return DifferencePage(
        version=1,
        kind="difference",
        engine=engine,
        titles=(partings.title(found.a), partings.title(found.b)),
        lead=partings.lead(found),
        about=tuple(partings.about(found)),
        difference=answer,
        labels={cost.metric: _label(cost) for cost in found.costs},
    )


def _label(cost: CostDifference) -> ReportLabel:
    of = metric(cost.metric)
    return ReportLabel(label=of.label, unit=of.unit, digits=partings.digits_of(cost), better=of.better)


def _series(run: ComparedRun) -> str:
    file = Path(run.directory, html.SERIES)
    if not file.is_file():
        raise BadInputError(f"{run.directory}: no {html.SERIES}; make the run again without --no-series")
    # Absolute, as the page may be written anywhere.
    return str(file.resolve())
