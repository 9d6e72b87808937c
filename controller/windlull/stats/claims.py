"""Whether the measurements bear an experiment's claims out."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.metrics import metric, number
from windlull.runner.messages import SIMULATED, in_order
from windlull.stats import bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from windlull.runner.messages import Claim, Experiment
    from windlull.stats.bootstrap import Floats
    from windlull.stats.summary import Cell

Status = Literal["reproduced", "not reproduced", "cannot be decided"]

_STATISTICS: dict[str, Callable[[Floats], Floats]] = {
    "median": lambda rows: np.asarray(np.median(rows, axis=1)),
    "mean": lambda rows: np.asarray(np.mean(rows, axis=1)),
    "q1": lambda rows: np.asarray(np.quantile(rows, 0.25, axis=1)),
    "q3": lambda rows: np.asarray(np.quantile(rows, 0.75, axis=1)),
    "min": lambda rows: np.asarray(np.min(rows, axis=1)),
    "max": lambda rows: np.asarray(np.max(rows, axis=1)),
}
_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A claim and what became of it in one testbed; `criterion` and `measured` are sentences for a person."""

    id: str
    text: str
    criterion: str
    status: Status
    measured: str
    testbed: str


@dataclass(frozen=True, slots=True)
class _OnOneLink:
    status: Status
    measured: str


def judge(experiment: Experiment, cells: Sequence[Cell]) -> list[Judgement]:
    """Judge every claim of the experiment, in each testbed for itself.

    On several links a claim is reproduced if it holds on each of them. Where a run has more than one testbed, a claim
    is not judged in one that does not carry both its variants: a kernel's TCP is not simulated.
    """
    testbeds = in_order({cell.testbed for cell in cells}) or [SIMULATED]
    carried = {variant.name: variant.testbeds for variant in experiment.variants if variant.testbeds}
    return [
        _judge(claim, experiment, cells, testbed)
        for claim in experiment.claims
        for testbed in testbeds
        if all(testbed in carried.get(side, testbeds) for side in (claim.left, claim.right))
    ]


def criterion(claim: Claim) -> str:
    """Say in words what must hold for the claim to be reproduced."""
    what = f"{claim.statistic} {metric(claim.metric).label}"
    if claim.relation == "within":
        return f"{what} of {claim.left} within {100 * (claim.tolerance or 0):g} % of that of {claim.right}"
    if claim.relation == "~":
        return f"{what} of {claim.left} not told apart from that of {claim.right}: the interval of the ratio includes 1"
    words = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least"}[claim.relation]
    factor = 1 if claim.factor is None else claim.factor
    times = "that of" if factor == 1 else f"{factor:.4g} times that of"
    return f"{what} of {claim.left} {words} {times} {claim.right}"


def _judge(claim: Claim, experiment: Experiment, cells: Sequence[Cell], testbed: str) -> Judgement:
    by_place = {(cell.link, cell.variant): cell for cell in cells if cell.testbed == testbed}
    of_testbed = "" if testbed == SIMULATED else f"/{testbed}"
    judged = {
        link.name: _judge_on(
            claim,
            by_place.get((link.name, claim.left)),
            by_place.get((link.name, claim.right)),
            bootstrap.generator(
                int(experiment.seed),
                f"ratio/{claim.metric}/{claim.statistic}/{claim.left}/{claim.right}/{link.name}{of_testbed}",
            ),
        )
        for link in experiment.links
    }
    statuses = {one.status for one in judged.values()}
    status: Status = "reproduced"
    for worse in ("cannot be decided", "not reproduced"):
        if worse in statuses:
            status = worse
    if len(judged) == 1:
        measured = next(iter(judged.values())).measured
    else:
        measured = "; ".join(f"{link}: {one.status}, {one.measured}" for link, one in judged.items())
    return Judgement(claim.id, claim.text, criterion(claim), status, measured, testbed)


def _judge_on(claim: Claim, left: Cell | None, right: Cell | None, random: np.random.Generator) -> _OnOneLink:
    for variant, cell in ((claim.left, left), (claim.right, right)):
        summary = cell.metrics.get(claim.metric) if cell else None
        if cell is None:
            return _OnOneLink("cannot be decided", f"no run of {variant}")
        if summary is None:
            return _OnOneLink("cannot be decided", f"no run of {variant} has this metric")
        if len(summary.values) < 2:
            return _OnOneLink("cannot be decided", f"only one run of {variant}; it takes two")
    assert left is not None  # noqa: S101 - the loop returned otherwise
    assert right is not None  # noqa: S101
    ours = float(getattr(left.metrics[claim.metric], claim.statistic))
    theirs = float(getattr(right.metrics[claim.metric], claim.statistic))
    interval = _interval(claim, left, right, random) if theirs else None
    if claim.relation == "within":
        holds = abs(ours - theirs) <= (claim.tolerance or 0) * theirs
    elif claim.relation == "~":
        if interval is None:
            return _OnOneLink("cannot be decided", "the two have no ratio")
        holds = interval[0] <= 1 <= interval[1]
    else:
        holds = _RELATIONS[claim.relation](ours, (1 if claim.factor is None else claim.factor) * theirs)
    sure = f" (95 % interval {interval[0]:.3g} to {interval[1]:.3g})" if interval else ""
    ratio = f", ratio {ours / theirs:.3g}{sure}" if theirs else ""
    return _OnOneLink(
        "reproduced" if holds else "not reproduced",
        f"{claim.left} {_with_unit(claim, ours)} against {claim.right} {_with_unit(claim, theirs)}{ratio}",
    )


def _with_unit(claim: Claim, value: float) -> str:
    what = metric(claim.metric)
    return f"{number(value, what.digits)} {what.unit}".rstrip()


def _interval(claim: Claim, left: Cell, right: Cell, random: np.random.Generator) -> tuple[float, float] | None:
    """Return the 95 % interval of the ratio of the two sides, by the repetitions that both have, if it has one."""
    lefts, rights = left.by_repetition[claim.metric], right.by_repetition[claim.metric]
    shared = sorted(lefts.keys() & rights.keys())
    return bootstrap.ratio_interval(
        [lefts[repetition] for repetition in shared],
        [rights[repetition] for repetition in shared],
        _STATISTICS[claim.statistic],
        random,
    )
