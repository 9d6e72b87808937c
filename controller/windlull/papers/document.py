"""What a reproduction found, as JSON: for programs (`--json`), and for the report's page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from windlull.errors import FailureError
from windlull.metrics import metric, number
from windlull.stats import bootstrap
from windlull.stats.claims import interval_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from windlull.papers.reproduce import Reproduced, Reproduction
    from windlull.runner.messages import Claim, Run
    from windlull.stats.summary import Cell

STATUSES = ("reproduced", "not reproduced", "cannot be decided")


def results_json(reproduction: Reproduction) -> dict[str, Any]:
    """Return what `windlull papers --json` writes; docs/reproduce-a-paper.md describes it."""
    told = claims(reproduction)
    first = reproduction.done[0].experiment if reproduction.done else None
    return {
        "version": first.version if first else None,
        "commit": first.commit if first else None,
        "counts": counts(told),
        "claims": told,
        "tables": [table for one in reproduction.done if (table := _table(one)) is not None],
    }


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
    return {"version": 1, "papers": [{"name": name, "experiments": found} for name, found in by_paper.items()]}


def drawn(reproduction: Reproduction) -> list[Run]:
    """Return the runs whose diagrams the page carries: of each figure of traces the first run of every variant."""
    return [
        msgspec.structs.replace(run, directory=f"{one.directory}/{run.directory}")
        for one in reproduction.done
        for run in _drawn(one)
    ]


def _drawn(one: Reproduced) -> list[Run]:
    figure = one.experiment.figure
    if figure is None or not figure.is_trace:
        return []
    return [run for run in one.outcome.runs if run.repetition == 1]


def _content(one: Reproduced, out: Path) -> dict[str, Any]:
    """Return an experiment's own report, with what the page of all adds; of the runs only those that are drawn."""
    assert one.outcome.content is not None  # noqa: S101 - looked at before
    shown = {run.key: run for run in _drawn(one)}
    in_bins = one.experiment.figure is not None and one.experiment.figure.kind == "bandwidth"
    runs = [
        {
            **run,
            "key": f"{one.directory}/runs/{run['key']}",
            "files": [],
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
    published = one.experiment.published
    if published is None or claim.per is not None or claim.link is not None:
        return None
    ours = published.value(claim.left, claim.metric)
    theirs = published.value(claim.right, claim.metric) if claim.right is not None else claim.value
    if ours is None or theirs is None:
        return None
    of = metric(claim.metric)
    words = [f"{number(value, of.digits)} {of.unit}".rstrip() for value in (ours, theirs)]
    against = f"{claim.right} {words[1]}" if claim.right is not None else words[1]
    ratio = f", ratio {ours / theirs:.3g}" if theirs and claim.right is not None else ""
    return f"{claim.left} {words[0]} against {against}{ratio}"


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
            {"metric": column.metric, "published": value, **_ours(one, cell, column.metric)}
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


def _ours(one: Reproduced, cell: Cell | None, name: str) -> dict[str, Any]:
    if cell is None or name not in cell.metrics:
        return {"ours": None, "interval": None, "runs": 0}
    summary = cell.metrics[name]
    interval = _interval(one, cell, name)
    return {
        "ours": summary.average(one.experiment.average),
        "interval": None if interval is None else list(interval),
        "runs": len(summary.values),
    }


def _intervals(one: Reproduced) -> Iterator[dict[str, Any]]:
    """Yield the intervals of what the source published, and of what a curve or boxes show."""
    names = [column.metric for column in one.experiment.published.columns] if one.experiment.published else []
    if one.experiment.figure is not None and one.experiment.figure.metric is not None:
        names.append(one.experiment.figure.metric)
    for cell in one.outcome.cells:
        for name in dict.fromkeys(names):
            interval = _interval(one, cell, name) if name in cell.metrics else None
            if interval is not None:
                yield {
                    "variant": cell.variant, "link": cell.link, "metric": name,
                    "low": interval[0], "high": interval[1],
                }  # fmt: skip


def _interval(one: Reproduced, cell: Cell, name: str) -> tuple[float, float] | None:
    random = bootstrap.generator(int(one.experiment.seed), f"average/{name}/{cell.variant}/{cell.link}")
    return interval_of(cell.metrics[name].values, one.experiment.average, random)
