"""The results of a batch: as a document, as a page, as a table for other programs."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from flask import Response
from msgspec.structs import replace
from sqlalchemy import select
from sqlalchemy.orm import Session

from windlull import locate
from windlull.api import outcomes
from windlull.api.answers import digest, encoded, file
from windlull.api.blueprint import NOT_MODIFIED, Blueprint, file_response
from windlull.api.context import current
from windlull.api.openapi import said
from windlull.api.outcomes import Outcomes
from windlull.api.schemas import IdPath
from windlull.metrics import METRICS
from windlull.reports import html, results
from windlull.runner.messages import Run
from windlull.stats.claims import judge
from windlull.stats.differences import differences
from windlull.store.tables import Artefact

blueprint = Blueprint("reports", __name__, tag="results", about="What runs showed.")

PARQUET = "application/vnd.apache.parquet"
CSV = "text/csv"
PAGE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; connect-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox "
    "allow-scripts allow-downloads"
)
"""The report is one page with all it needs in it, and needs nobody. In a sandbox it is of no origin, so that it could
not ask this service either."""


@blueprint.get("/batches/<int:id>/results", responses={200: said("Results"), 410: None})
def document(path: IdPath) -> Response:
    """Read the results of a batch.

    The same document that `windlull run --json` writes; while runs are under way, of those that have ended.
    """
    with current().database.reader() as session:
        found = outcomes.of_batch(session, path.id)
    return encoded(results.results_json(found.plan, found.experiment, found.cells(), found.runs))


@blueprint.get(
    "/batches/<int:id>/report",
    responses={
        200: file_response("text/html", "The report: one page that needs no network."),
        304: NOT_MODIFIED,
        410: None,
    },
)
def page(path: IdPath) -> Response:
    """Read the report of a batch.

    Results, claims and diagrams of all runs in one page, which can be saved and sent.
    """
    with current().database.reader() as session:
        found = outcomes.of_batch(session, path.id)
        blobs = _blobs(session, found)
    with tempfile.TemporaryDirectory(prefix="windlull-report-") as made:
        directory = Path(made)
        for run, files in zip(found.runs, blobs, strict=True):
            _lay_out(directory, run, files)
        summed = found.cells()
        embedded, note = html.choose_embedded(found.runs, directory)
        content = html.report_of(
            found.plan,
            summed,
            differences(summed),
            judge(found.experiment, summed),
            found.runs,
            directory,
            note,
            failed=found.failed,
        )
        # Their files lie in no directory beside the page.
        content = replace(content, runs=tuple(replace(run, files=()) for run in content.runs))
        target = directory / "report.html"
        html.write_report(target, locate.report_page(), content, map(html.Embedded.of, embedded))
        whole = target.read_bytes()
    response = file(whole, "text/html", etag=digest(whole))
    response.headers["Content-Security-Policy"] = PAGE_POLICY
    return response


_NEEDED = (html.SERIES, "run.json")


def _blobs(session: Session, found: Outcomes) -> list[dict[str, str]]:
    """Return for each run the hashes of the files that a report is made of, by name."""
    files: dict[int, dict[str, str]] = {result: {} for result in found.results}
    wanted = sorted(files)
    for start in range(0, len(wanted), 500):
        piece = wanted[start : start + 500]
        for one in session.scalars(select(Artefact).where(Artefact.result_id.in_(piece), Artefact.name.in_(_NEEDED))):
            files[one.result_id][one.name] = one.sha256
    return [files[result] for result in found.results]


def _lay_out(directory: Path, run: Run, files: dict[str, str]) -> None:
    """Make a run's directory as the engine would have left it, of links to blobs."""
    place = directory / run.directory
    place.mkdir(parents=True)
    for name, sha256 in files.items():
        blob = current().blobs.path(sha256)
        if blob.exists():
            (place / name).symlink_to(blob)


@blueprint.get(
    "/batches/<int:id>/results.parquet",
    responses={200: file_response(PARQUET, "A row a run, a column a metric."), 304: NOT_MODIFIED, 410: None},
)
def table(path: IdPath) -> Response:
    """Read the results of a batch as Parquet.

    A row for each run that is done or invalid, in the order of results; a metric that it does not have is null.
    """
    return _tabular(path.id, PARQUET, "parquet", partial(pq.write_table, compression="zstd"))


@blueprint.get(
    "/batches/<int:id>/results.csv",
    responses={200: file_response(CSV, "A line a run, a column a metric."), 304: NOT_MODIFIED, 410: None},
)
def lines(path: IdPath) -> Response:
    """Read the results of a batch as CSV.

    The rows of the Parquet file, with the names of its columns in the first line; a metric that a run does not have is
    empty. Seeds are whole numbers up to 2^64: a spreadsheet may round them.
    """
    return _tabular(path.id, CSV, "csv", pa_csv.write_csv)


def _tabular(batch_id: int, kind: str, ending: str, write: Callable[[pa.Table, pa.NativeFile], None]) -> Response:
    """Answer with the results of a batch as a table that is written so."""
    with current().database.reader() as session:
        found = outcomes.of_batch(session, batch_id)
    sink = pa.BufferOutputStream()
    write(_table(found), sink)
    whole = sink.getvalue().to_pybytes()
    return file(whole, kind, etag=digest(whole), name=f"batch-{batch_id}.{ending}")


def _table(found: Outcomes) -> pa.Table:
    runs = found.runs
    # Those that the package knows first, in their order; others are of a newer engine.
    names = [*METRICS, *sorted({name for run in runs for name in run.metrics} - set(METRICS))]
    columns: dict[str, Any] = {
        "run": pa.array(found.ids, pa.int64()),
        "variant": pa.array([run.variant for run in runs], pa.string()),
        "link": pa.array([run.link for run in runs], pa.string()),
        "testbed": pa.array([run.testbed for run in runs], pa.string()),
        "repetition": pa.array([run.repetition for run in runs], pa.uint32()),
        "seed": pa.array([int(run.seed) for run in runs], pa.uint64()),
        "valid": pa.array([run.invalid is None for run in runs], pa.bool_()),
    }
    for name in names:
        values = [run.metrics.get(name) for run in runs]
        columns[name] = pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.table(columns)
