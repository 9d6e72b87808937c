"""What a reproduction found, as JSON: for programs (`--json`), and for the report's page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import asdict, replace

from windlull.contract.engine import FigureFileBandwidth, FigureFileBoxPlot, FigureFileConversations, FigureFileCurve
from windlull.papers import by_statement
from windlull.papers.frame import DrawnRun, Interval, PaperClaim, PaperPart, PaperReport, Papers
from windlull.papers.grades import MEANING
from windlull.reports.html import SERIES, Embedded
from windlull.reports.records import record
from windlull.stats.claims import interval_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from windlull.contract.engine import Claim
    from windlull.papers.reproduce import Reproduced, Reproduction
    from windlull.reports.frame import Report
    from windlull.runner.messages import Number, Run
    from windlull.stats.summary import Cell

STATUSES = ("reproduced", "not reproduced", "cannot be decided")


def results_json(reproduction: Reproduction) -> dict[str, Any]:
    """Return what `windlull papers --json` writes; docs/reproduce-a-paper.md describes it."""
    claimed = claims(reproduction)
    graded = reproduction.graded()
    first = reproduction.done[0].experiment if reproduction.done else None
    return {
        "version": first.version if first else None,
        "commit": first.commit if first else None,
        "counts": by_statement.counts(graded),
        "claim_counts": counts(claimed),
        "seeds": [by_statement.counts(graded) for graded in reproduction.graded_by_seed()],
        "statements": to_builtins(graded),
        "own_additions": to_builtins(reproduction.own_additions()),
        "claims": claimed,
        "tables": [table for one in reproduction.done if (table := _table(one)) is not None],
    }


def counts(claimed: list[dict[str, Any]]) -> dict[str, int]:
    """Return how many claims have each status."""
    found = Counter(claim["status"] for claim in claimed)
    return {status: found[status] for status in STATUSES}


def claims(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Return every claim with its status, in the order of the papers and of their experiments."""
    return [
        {"paper": one.paper, "experiment": one.name, **to_builtins(claim)}
        for one in reproduction.done
        for claim in _claims(one)
    ]


def page(reproduction: Reproduction, out: Path) -> Papers:
    """Return what the report's page shows: the reports of all experiments, by paper.

    `out` is where the reproduction lies. Raises FailureError if what a run recorded cannot be read.
    """
    by_paper: dict[str, list[PaperReport]] = {}
    for one in reproduction.done:
        if one.outcome.content is not None:
            by_paper.setdefault(one.paper, []).append(_report(one, one.outcome.content, out))
    graded, additions = reproduction.graded(), reproduction.own_additions()
    return Papers(
        1,
        MEANING,
        tuple(by_statement.counts(of_seed) for of_seed in reproduction.graded_by_seed()),
        tuple(
            PaperPart(
                name,
                tuple(found),
                tuple(one for one in graded if one.paper == name),
                tuple(one for one in additions if one.paper == name),
            )
            for name, found in by_paper.items()
        ),
    )


def drawn(reproduction: Reproduction, out: Path) -> list[Embedded]:
    """Return the flows whose diagrams the page carries: of each figure of traces those of every variant's first run.

    `out` is where the reproduction lies.
    """
    return [
        Embedded(key, f"{one.directory}/{run.directory}/{file}")
        for one in reproduction.done
        if one.experiment.draws_diagrams
        for run in _drawn(one)
        for key, file in _flows(one, run, out)
    ]


def _drawn(one: Reproduced) -> list[Run]:
    if not one.experiment.draws_traces:
        return []
    return [run for run in one.outcome.runs if run.repetition == 1]


def _flows(one: Reproduced, run: Run, out: Path) -> list[tuple[str, str]]:
    """Return the keys of a run's flows in the page, and their series: the shown one's, then others if drawn."""
    place = out / one.directory / run.directory
    others = sorted(place.glob(f"flow-*.{SERIES}"), key=_flow) if one.experiment.draws(FigureFileConversations) else []
    key = f"{one.directory}/runs/{run.key}"
    return [(key, SERIES), *((f"{key}/flow-{_flow(file)}", file.name) for file in others)]


def _flow(file: Path) -> int:
    """Return the number of the flow that a `flow-N.series.json.gz` is of."""
    return int(file.name.removesuffix(f".{SERIES}").removeprefix("flow-"))


def _report(one: Reproduced, own: Report, out: Path) -> PaperReport:
    """Return an experiment's own report, with what the page of all adds; of the runs only those that are drawn."""
    drawn = {run.key: run for run in _drawn(one)}
    in_bins = one.experiment.draws(FigureFileBandwidth)
    runs = tuple(
        DrawnRun(
            **asdict(replace(run, key=f"{one.directory}/runs/{run.key}", files=())),
            flows=tuple(key for key, _ in _flows(one, drawn[run.key], out)),
            course=record(out / one.directory / drawn[run.key].directory).course if in_bins else None,
        )
        for run in own.runs
        if run.key in drawn
    )
    claims, intervals = tuple(_claims(one)), tuple(_intervals(one))
    added = {"runs": runs, "claims": claims, "directory": one.directory, "intervals": intervals}
    return PaperReport(**(asdict(own) | added))


def _claims(one: Reproduced) -> Iterator[PaperClaim]:
    by_id = {claim.id: claim for claim in one.experiment.claims}
    for judgement in one.outcome.judgements:
        claim = by_id[judgement.id]
        yield PaperClaim(
            judgement.id,
            judgement.text,
            judgement.criterion,
            judgement.status,
            judgement.measured,
            _published(one, claim),
            claim.note if judgement.status != "reproduced" else None,
        )


def _published(one: Reproduced, claim: Claim) -> str | None:
    """Return the source's own numbers for a claim, where its table has them."""
    found = by_statement.of_table(one.experiment, claim)
    if found is None:
        return None
    words, value = found
    return words if claim.right is None else f"{words}, ratio {value:.3g}"


def _table(one: Reproduced) -> dict[str, Any] | None:
    """Return the source's table beside ours, if it has one."""
    published = one.experiment.published
    if published is None:
        return None
    links = [link.name for link in one.experiment.links]
    cells = {(cell.variant, cell.link): cell for cell in one.outcome.cells}
    rows = []
    for row in published.rows:
        cell = cells.get((row.variant, links[0]))
        values = [
            {"metric": column.metric, "published": value, **_ours(one, cell, column.metric, value)}
            for column, value in zip(published.columns, row.values, strict=True)
        ]
        rows.append({"variant": row.variant, "label": row.label, "link": links[0], "values": values})
    return {
        "paper": one.paper,
        "experiment": one.name,
        "title": one.experiment.title,
        "source": published.source,
        "statistic": published.statistic,
        "columns": [{"metric": column.metric, "label": column.label} for column in published.columns],
        "rows": rows,
    }


def _ours(one: Reproduced, cell: Cell | None, name: str, published: Number | None) -> dict[str, Any]:
    if cell is None or name not in cell.metrics:
        return {"ours": None, "interval": None, "distance": None, "runs": 0}
    summary = cell.metrics[name]
    interval = _interval(one, cell, name)
    ours = summary.average(one.experiment.average)
    return {
        "ours": ours,
        "interval": None if interval is None else list(interval),
        "distance": ours / published - 1 if published else None,
        "runs": len(summary.values),
    }


def _intervals(one: Reproduced) -> Iterator[Interval]:
    """Yield the intervals of what the source published, and of what a curve or boxes show."""
    names = [column.metric for column in one.experiment.published.columns] if one.experiment.published else []
    shown = (figure for figure in one.experiment.figures if isinstance(figure, FigureFileBoxPlot | FigureFileCurve))
    names += [figure.metric for figure in shown]
    for cell in one.outcome.cells:
        for name in dict.fromkeys(names):
            interval = _interval(one, cell, name) if name in cell.metrics else None
            if interval is not None:
                yield Interval(cell.variant, cell.link, name, *interval)


def _interval(one: Reproduced, cell: Cell, name: str) -> tuple[float, float] | None:
    return interval_of(cell.metrics[name].values, one.experiment.average)
