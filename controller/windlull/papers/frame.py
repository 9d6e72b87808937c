"""What the page of a reproduction has in it.

`schema/papers.json` is made of these types, and the page's types of that; it refers to `schema/report.json` and
`schema/engine.json`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, json

from windlull.papers.by_statement import Graded, OwnAddition
from windlull.papers.grades import Grade
from windlull.reports import frame
from windlull.reports.frame import Report, ReportRun
from windlull.stats.claims import JudgedClaim

Course = Annotated[Any, Meta(extra_json_schema={"$ref": "#/$defs/Course"})]


class PaperClaim(JudgedClaim, frozen=True):
    """A claim of a paper's experiment."""

    published: Annotated[str | None, Meta(description="The source's own numbers.")]
    note: Annotated[str | None, Meta(description="What is known of why it does not hold.")]


class DrawnRun(ReportRun, frozen=True, kw_only=True):
    """A run whose diagrams are drawn: `flows` are the keys of its flows, its own first."""

    flows: tuple[str, ...]
    course: Annotated[Course | None, Meta(description="Of the runs of a bandwidth figure.")]


class Interval(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the average of a metric lies, with 95 % confidence."""

    variant: str
    link: str
    metric: str
    low: float
    high: float


class PaperReport(Report, frozen=True, kw_only=True):
    """An experiment's report; `directory` is where its own page lies, with all of its runs."""

    claims: tuple[PaperClaim, ...]  # type: ignore[assignment]  # in the place of judgements
    runs: tuple[DrawnRun, ...]
    directory: str
    intervals: tuple[Interval, ...]


class PaperPart(Struct, frozen=True, forbid_unknown_fields=True):
    """What a paper states and our experiments of it."""

    name: str
    experiments: tuple[PaperReport, ...]
    statements: tuple[Graded, ...]
    own_additions: tuple[OwnAddition, ...]


class Papers(Struct, frozen=True, forbid_unknown_fields=True):
    """All that the page shows, except the series.

    `grades` has what each grade means; `seeds` how many statements have each grade by each master seed.
    """

    version: Literal[1]
    grades: dict[Grade, str]
    seeds: tuple[dict[Grade, int], ...]
    papers: tuple[PaperPart, ...]


def definitions() -> dict[str, Any]:
    """Return the JSON Schemas of all of these types by name, but for those that reports have as well."""
    every = json.schema_components((Papers,), ref_template="#/$defs/{name}")[1]
    return {name: one for name, one in every.items() if name not in frame.definitions()}
