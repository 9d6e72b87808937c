"""report.html: the page that the web room builds, with one experiment's numbers and diagrams put into it."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET, Struct, to_builtins

from windlull import metrics
from windlull.errors import FailureError
from windlull.metrics import METRICS
from windlull.reports.files import writing
from windlull.reports.frame import Incomplete, Report, ReportFailure, ReportLabel, ReportRun
from windlull.reports.results import cell_of
from windlull.reports.settings import settings_of
from windlull.runner.messages import in_order
from windlull.runner.setting import setting
from windlull.stats.summary import copied

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from windlull.runner.messages import Failed, Plan, Run
    from windlull.stats.claims import Judgement
    from windlull.stats.differences import Difference
    from windlull.stats.summary import Cell

REPORT_MARKER = b'<script type="application/json" id="windlull-report">null</script>'
RUNS_MARKER = b"<!--windlull-runs-->"
SERIES = "series.json.gz"
EMBED_LIMIT_BYTES = 60_000_000
"""How many bytes of compressed series one page may carry; browsers grow slow beyond."""


class Embedded(NamedTuple):
    """A flow whose diagram the page carries: by which key, and where its series lies, relative to the page."""

    key: str
    series: str

    @classmethod
    def of(cls, run: Run) -> Embedded:
        """Return the flow that is shown of a run."""
        return cls(run.key, f"{run.directory}/{SERIES}")


def report_of(
    plan: Plan,
    cells: Iterable[Cell],
    differences: Iterable[Difference],
    judgements: Iterable[Judgement],
    runs: Sequence[Run],
    directory: Path,
    embedded_note: str | None,
    *,
    failed: Iterable[Failed] = (),
) -> Report:
    """Return all that the page shows, except the series; file names are relative to the page.

    Where nothing is random, repetitions are copies of one run and count as one.
    Raises FailureError if what a live run recorded cannot be read.
    """
    cells = tuple(cells)
    once = copied(cells, setting(plan.experiment))
    cells = tuple(cell.first if cell.link in once else cell for cell in cells)
    # Those of single flows and sets are in no table: they have their labels made for them.
    named = {*METRICS, *(name for cell in cells for name in cell.metrics)}
    about = [metrics.metric(name) for name in metrics.in_order(named)]
    return Report(
        version=1,
        experiment=plan.experiment,
        testbeds=tuple(in_order(plan.testbeds)),
        cells=tuple(map(cell_of, cells)),
        claims=tuple(judgements),
        runs=tuple(_run(run, directory) for run in runs),
        labels={
            one.name: ReportLabel(label=one.label, unit=one.unit, digits=one.digits, better=one.better) for one in about
        },
        copied=tuple(once) or UNSET,
        differences=tuple(differences) if plan.live else UNSET,
        settings=settings_of(runs, directory) if plan.live else UNSET,
        failed=tuple(ReportFailure(key=one.key, attempts=one.attempts, reason=one.reason) for one in failed)
        if plan.live
        else UNSET,
        incomplete=Incomplete(finished=len(runs), planned=plan.runs) if len(runs) < plan.runs else UNSET,
        embedded_note=embedded_note or UNSET,
    )


def _run(run: Run, directory: Path) -> ReportRun:
    files = sorted((directory / run.directory).iterdir())
    return ReportRun(
        key=run.key,
        variant=run.variant,
        link=run.link,
        testbed=run.testbed,
        repetition=run.repetition,
        seed=run.seed,
        metrics=run.metrics,
        files=tuple(file.relative_to(directory).as_posix() for file in files),
        certificate=UNSET if run.certificate is None else run.certificate,
        attempts=UNSET if run.certificate is None else run.attempts,
    )


def choose_embedded(
    runs: Sequence[Run], directory: Path, limit: int = EMBED_LIMIT_BYTES
) -> tuple[list[Run], str | None]:
    """Choose the runs whose diagrams the page carries: all, or as many first repetitions of every variant as fit.

    Returns them and a sentence about those left out, None if none is.
    """
    sizes = {run.key: _size(directory / run.directory / SERIES) for run in runs}
    drawable = [run for run in runs if sizes[run.key]]
    if sum(sizes.values()) <= limit:
        return drawable, None
    kept: list[Run] = []
    room = limit
    for repetition in sorted({run.repetition for run in drawable}):
        of_it = [run for run in drawable if run.repetition == repetition]
        room -= sum(sizes[run.key] for run in of_it)
        if room < 0:
            break
        kept += of_it
    chosen = {run.key for run in kept}
    return [run for run in drawable if run.key in chosen], (
        f"This page carries the diagrams of {len(kept)} of {len(drawable)} runs, the first repetitions of every "
        "variant; all of them would make it larger than a browser likes. Every run's series lies in its directory as "
        f"{SERIES}."
    )


def write_report(target: Path, page: Path, report: Struct, embedded: Iterable[Embedded]) -> None:
    """Write the page with the report and the series of the `embedded` flows in it.

    `page` is the page as it was built. Raises FailureError if it is not Windlull's, or if a file cannot be read or
    written.
    """
    try:
        template = page.read_bytes()
    except OSError as error:
        raise FailureError(f"cannot read the report's page {page}: {error.strerror}") from error
    for marker in (REPORT_MARKER, RUNS_MARKER):
        if template.count(marker) != 1:
            raise FailureError(
                f"{page} is not Windlull's report page: it has {template.count(marker)} of {marker.decode()}"
            )
    head, tail = template.split(REPORT_MARKER)
    parts: list[bytes | None]
    # None stands for the runs, whichever of the two markers comes first.
    if RUNS_MARKER in head:
        first, second = head.split(RUNS_MARKER)
        parts = [first, None, second, _report_script(report), tail]
    else:
        first, second = tail.split(RUNS_MARKER)
        parts = [head, _report_script(report), first, None, second]
    with writing(target) as stream:
        for part in parts:
            if part is not None:
                stream.write(part)
                continue
            for key, file in embedded:
                series = (target.parent / file).read_bytes()
                stream.write(f'<script type="text/plain" data-run="{_attribute(key)}">'.encode())
                stream.write(base64.b64encode(series))
                stream.write(b"</script>\n")


def _report_script(report: Struct) -> bytes:
    """Return the report's element. No text in it can end the script or open a comment: `<` is escaped everywhere."""
    text = json.dumps(to_builtins(report), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return REPORT_MARKER.replace(b"null", text.replace("<", "\\u003c").encode())


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def _size(file: Path) -> int:
    """Return a file's size in bytes, 0 if it does not exist."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
