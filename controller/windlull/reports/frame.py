"""What results.json and the report's page have in them.

`schema/report.json` is made of these types, and the page's types of that; what refers to `schema/engine.json` is as the
engine told it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, json

from windlull.runner.messages import Number
from windlull.runner.setting import Conditions
from windlull.stats.claims import Judgement
from windlull.stats.differences import Difference

Experiment = Annotated[Any, Meta(extra_json_schema={"$ref": "#/$defs/Experiment"})]
Certificate = Annotated[Any, Meta(extra_json_schema={"$ref": "#/$defs/Certificate"})]
Version = Annotated[Any, Meta(extra_json_schema={"$ref": "#/$defs/Version"})]
DifferenceOfRuns = Annotated[Any, Meta(extra_json_schema={"$ref": "#/$defs/DifferenceOfRuns"})]


class Summary(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric over the repetitions of a cell; docs/results.md says how."""

    median: float
    mean: float
    q1: float
    q3: float
    min: float
    max: float
    values: tuple[float, ...]
    repetitions: Annotated[tuple[int, ...], Meta(description="Of which repetition each value is.")] | UnsetType = UNSET


class ResultsCell(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All runs that count of one variant on one link in one testbed."""

    variant: str
    link: str
    testbed: str
    runs: int
    invalid: Annotated[int, Meta(description="Live runs more that do not count.")] | UnsetType = UNSET
    unfinished: Annotated[int, Meta(description="Runs more that did not end in order.")] | UnsetType = UNSET
    metrics: dict[str, Summary]


class Incomplete(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many runs finished, of how many."""

    finished: int
    planned: int


class InvalidRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A live run that does not count."""

    run: str
    reasons: tuple[str, ...]


class UnfinishedRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run that did not end in order."""

    run: str
    ending: str


class Results(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the runs of an experiment measured: results.json."""

    experiment: str
    seed: str
    version: str
    conditions: Annotated[Conditions, Meta(description="Results over other links or workloads are not comparable.")]
    incomplete: Incomplete | UnsetType = UNSET
    invalid: tuple[InvalidRun, ...] | UnsetType = UNSET
    unfinished: tuple[UnfinishedRun, ...] | UnsetType = UNSET
    cells: tuple[ResultsCell, ...]


class ReportRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run."""

    key: str
    variant: str
    link: str
    testbed: str
    repetition: int
    seed: str
    metrics: dict[str, Number]
    files: tuple[str, ...]
    certificate: Certificate | UnsetType = UNSET
    attempts: int | UnsetType = UNSET


class ReportLabel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a metric is written."""

    label: str
    unit: str
    digits: int
    better: Literal["lower", "higher"] | None


class ReportSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the kernel's settings were in the live runs of a variant: mostly one value each."""

    variant: str
    testbed: str
    runs: int
    values: dict[str, tuple[str, ...]]


class ReportFailure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run that came to nothing."""

    key: str
    attempts: int
    reason: str


class Report(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that the page shows, except the series; file names are relative to the page."""

    version: Literal[1]
    experiment: Experiment
    testbeds: Annotated[tuple[str, ...], Meta(description="The simulated one first.")]
    cells: tuple[ResultsCell, ...]
    claims: tuple[Judgement, ...]
    runs: tuple[ReportRun, ...]
    labels: dict[str, ReportLabel]
    copied: Annotated[tuple[str, ...], Meta(description="Links whose repetitions are copies.")] | UnsetType = UNSET
    differences: tuple[Difference, ...] | UnsetType = UNSET
    settings: tuple[ReportSettings, ...] | UnsetType = UNSET
    failed: tuple[ReportFailure, ...] | UnsetType = UNSET
    incomplete: Incomplete | UnsetType = UNSET
    embedded_note: str | UnsetType = UNSET


class DifferencePage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that the page of two runs shows, except their diagrams' columns."""

    version: Literal[1]
    kind: Literal["difference"]
    engine: Version
    titles: Annotated[tuple[str, str], Meta(description="Which run each is.")]
    lead: Annotated[tuple[str, ...], Meta(description="Where they part, in sentences; the first is the heading.")]
    about: Annotated[tuple[str, ...], Meta(description="How they were compared, in sentences.")]
    difference: DifferenceOfRuns
    labels: Annotated[dict[str, ReportLabel], Meta(description="How the metrics of the costs are written.")]


def definitions() -> dict[str, Any]:
    """Return the JSON Schemas of all of these types by name."""
    return json.schema_components((Results, Report, DifferencePage), ref_template="#/$defs/{name}")[1]
