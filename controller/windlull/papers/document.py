"""What a reproduction found, as JSON: for programs (`--json`), and for the report's page."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import msgspec

from windlull.contract.engine import FigureFileBandwidth, FigureFileBoxPlot, FigureFileConversations, FigureFileCurve
from windlull.errors import FailureError
from windlull.papers import by_statement
from windlull.papers.grades import MEANING
from windlull.reports.html import SERIES, Embedded
from windlull.stats.claims import interval_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from windlull.contract.engine import Claim
    from windlull.papers.by_statement import Graded
    from windlull.papers.grades import Grade
    from windlull.papers.reproduce import Reproduced, Reproduction
    from windlull.runner.messages import Number, Run
    from windlull.stats.summary import Cell

STATUSES = ("reproduced", "not reproduced", "cannot be decided")


def results_json(reproduction: Reproduction) -> dict[str, Any]:
    """Return what `windlull papers --json` writes; docs/reproduce-a-paper.md describes it."""
    told = claims(reproduction)
    graded = reproduction.graded()
    first = reproduction.done[0].experiment if reproduction.done else None
    return {
        "version": first.version if first else None,
        "commit": first.commit if first else None,
        "counts": by_statement.counts(graded),
        "claim_counts": counts(told),
        "seeds": [by_statement.counts(graded) for graded in reproduction.graded_by_seed()],
        "statements": statements(reproduction),
        "own_additions": [asdict(one) for one in reproduction.own_additions()],
        "claims": told,
        "tables": [table for one in reproduction.done if (table := _table(one)) is not None],
    }


def statements(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Return every statement with its grade, its checks and its numbers; `by_seed` has its grade with each seed."""
    by_seed = [{(one.paper, one.id): one.grade for one in graded} for graded in reproduction.graded_by_seed()]
    return [
        {**asdict(one), "by_seed": [grades.get((one.paper, one.id)) for grades in by_seed]}
        for one in reproduction.graded()
    ]


def moving(reproduction: Reproduction) -> list[tuple[Graded, list[Grade | None]]]:
    """Return the statements whose grade is not the same with every seed, with their grades by seed."""
    by_seed = [{(one.paper, one.id): one.grade for one in graded} for graded in reproduction.graded_by_seed()]
    found = [(one, [grades.get((one.paper, one.id)) for grades in by_seed]) for one in reproduction.graded()]
    return [(one, grades) for one, grades in found if len(set(grades)) > 1]


def counts(told: list[dict[str, Any]]) -> dict[str, int]:
    """Return how many claims have each status."""
    found = Counter(claim["status"] for claim in told)
    return {status: found[status] for status in STATUSES}


def claims(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Return every claim with its status, in the order of the papers and of their experiments."""
    return [
        {"paper": one.paper, "experiment": one.name, **claim} for one in reproduction.done for claim in _claims(one)
    ]


def page_json(reproduction: Reproduction, out: Path) -> dict[str, Any]:
    """Return what the report's page shows: the reports of all experiments, by paper.

    `out` is where the reproduction lies. Raises FailureError if what a run recorded cannot be read.
    """
    by_paper: dict[str, list[dict[str, Any]]] = {}
    for one in reproduction.done:
        if one.outcome.content is not None:
            by_paper.setdefault(one.paper, []).append(_content(one, out))
    told = statements(reproduction)
    return {
        "version": 1,
        "grades": MEANING,
        "seeds": [by_statement.counts(graded) for graded in reproduction.graded_by_seed()],
        "papers": [
            {
                "name": name,
                "experiments": found,
                "statements": [one for one in told if one["paper"] == name],
                "own_additions": [asdict(one) for one in reproduction.own_additions() if one.paper == name],
            }
            for name, found in by_paper.items()
        ],
    }


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


def _content(one: Reproduced, out: Path) -> dict[str, Any]:
    """Return an experiment's own report, with what the page of all adds; of the runs only those that are drawn."""
    assert one.outcome.content is not None  # noqa: S101 - looked at before
    shown = {run.key: run for run in _drawn(one)}
    in_bins = one.experiment.draws(FigureFileBandwidth)
    runs = [
        {
            **run,
            "key": f"{one.directory}/runs/{run['key']}",
            "files": [],
            "flows": [key for key, _ in _flows(one, shown[run["key"]], out)],
            "course": _course(out / one.directory / shown[run["key"]].directory) if in_bins else None,
        }
        for run in one.outcome.content["runs"]
        if run["key"] in shown
    ]
    return {
        **one.outcome.content,
        "directory": one.directory,
        "runs": runs,
        "claims": list(_claims(one)),
        "intervals": list(_intervals(one)),
    }


class _RunFile(msgspec.Struct, frozen=True):
    """The part of `run.json` that a figure of bandwidth takes."""

    course: dict[str, list[int]]


def _course(directory: Path) -> dict[str, list[int]]:
    """Return the octets that all flows of a run sent, and that were delivered, in each second."""
    file = directory / "run.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=_RunFile).course
    except (OSError, msgspec.MsgspecError) as error:
        raise FailureError(f"cannot read what was sent in each second from {file}: {error}") from error


def _claims(one: Reproduced) -> Iterator[dict[str, Any]]:
    by_id = {claim.id: claim for claim in one.experiment.claims}
    for judgement in one.outcome.judgements:
        claim = by_id[judgement.id]
        yield {
            "id": judgement.id,
            "text": judgement.text,
            "criterion": judgement.criterion,
            "status": judgement.status,
            "measured": judgement.measured,
            "published": _published(one, claim),
            "note": claim.note if judgement.status != "reproduced" else None,
        }


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


def _intervals(one: Reproduced) -> Iterator[dict[str, Any]]:
    """Yield the intervals of what the source published, and of what a curve or boxes show."""
    names = [column.metric for column in one.experiment.published.columns] if one.experiment.published else []
    shown = (figure for figure in one.experiment.figures if isinstance(figure, FigureFileBoxPlot | FigureFileCurve))
    names += [figure.metric for figure in shown]
    for cell in one.outcome.cells:
        for name in dict.fromkeys(names):
            interval = _interval(one, cell, name) if name in cell.metrics else None
            if interval is not None:
                yield {
                    "variant": cell.variant, "link": cell.link, "metric": name,
                    "low": interval[0], "high": interval[1],
                }  # fmt: skip


def _interval(one: Reproduced, cell: Cell, name: str) -> tuple[float, float] | None:
    return interval_of(cell.metrics[name].values, one.experiment.average)
