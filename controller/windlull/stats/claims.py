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
    from collections.abc import Callable, Mapping, Sequence

    from windlull.runner.messages import Claim, Experiment, Number, Statistic
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

    On several links a claim that names none is reproduced if it holds on each of them. Where a run has more than one
    testbed, a claim is not judged in one that does not carry all its variants: a kernel's TCP is not simulated.
    """
    testbeds = in_order({cell.testbed for cell in cells}) or [SIMULATED]
    carried = {variant.name: variant.testbeds for variant in experiment.variants if variant.testbeds}
    return [
        _judge(claim, experiment, cells, testbed)
        for claim in experiment.claims
        for testbed in testbeds
        if all(testbed in carried.get(side, testbeds) for side in (claim.left, claim.right) if side is not None)
    ]


def criterion(claim: Claim) -> str:
    """Say in words what must hold for the claim to be reproduced."""
    what = f"{claim.statistic} {_label(claim)}"
    left = claim.left if claim.link is None else f"{claim.left} on {claim.link}"
    words = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least"}
    if claim.right is None:
        assert claim.value is not None  # noqa: S101 - a claim has one of the two
        value = _with_unit(claim, claim.value)
        if claim.relation == "within":
            return f"{what} of {left} within {100 * (claim.tolerance or 0):g} % of {value}"
        return f"{what} of {left} {words[claim.relation]} {value}"
    right = claim.right if claim.right_link is None else f"{claim.right} on {claim.right_link}"
    if claim.relation == "within":
        return f"{what} of {left} within {100 * (claim.tolerance or 0):g} % of that of {right}"
    if claim.relation == "~":
        return f"{what} of {left} not told apart from that of {right}: the interval of the ratio includes 1"
    factor = 1 if claim.factor is None else claim.factor
    times = "that of" if factor == 1 else f"{factor:.4g} times that of"
    return f"{what} of {left} {words[claim.relation]} {times} {right}"


def _label(claim: Claim) -> str:
    label = metric(claim.metric).label
    return label if claim.per is None else f"{label} per {metric(claim.per).label}"


def _judge(claim: Claim, experiment: Experiment, cells: Sequence[Cell], testbed: str) -> Judgement:
    by_place = {(cell.link, cell.variant): cell for cell in cells if cell.testbed == testbed}
    of_testbed = "" if testbed == SIMULATED else f"/{testbed}"
    judged: dict[str, _OnOneLink] = {}
    for link in [claim.link] if claim.link else [link.name for link in experiment.links]:
        sides = [_Side(claim, claim.left, by_place.get((link, claim.left)))]
        if claim.right is not None:
            sides.append(_Side(claim, claim.right, by_place.get((claim.right_link or link, claim.right))))
        name = f"ratio/{claim.metric}/{claim.statistic}/{'/'.join(side.variant for side in sides)}/{link}{of_testbed}"
        judged[link] = _judge_on(claim, experiment, sides, bootstrap.generator(int(experiment.seed), name))
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


class _Side:
    """One side of a claim on one link: its values by repetition; none where a run does not have them."""

    def __init__(self, claim: Claim, variant: str, cell: Cell | None) -> None:
        self.variant = variant
        self.ran = cell is not None
        self.values: Mapping[int, Number] = cell.by_repetition.get(claim.metric, {}) if cell else {}
        if cell and claim.per is not None:
            divisors = cell.by_repetition.get(claim.per, {})
            self.values = {
                repetition: value / divisors[repetition]
                for repetition, value in self.values.items()
                if divisors.get(repetition)
            }


def _judge_on(claim: Claim, experiment: Experiment, sides: Sequence[_Side], random: np.random.Generator) -> _OnOneLink:
    # A figure of single runs is about that one run.
    fewest = 1 if experiment.figure is not None and experiment.figure.is_trace else 2
    for side in sides:
        if not side.ran:
            return _OnOneLink("cannot be decided", f"no run of {side.variant}")
        if not side.values:
            return _OnOneLink("cannot be decided", f"no run of {side.variant} has this metric")
        if len(side.values) < fewest:
            return _OnOneLink("cannot be decided", f"only one run of {side.variant}; it takes two")
    statistic = _STATISTICS[claim.statistic]
    numbers = [float(statistic(np.array([list(side.values.values())], dtype=np.float64))[0]) for side in sides]
    ours, theirs = numbers[0], numbers[1] if claim.right is not None else float(claim.value or 0)
    interval = _interval(sides, statistic, random) if claim.right is not None and theirs else None
    if claim.relation == "within":
        holds = abs(ours - theirs) <= (claim.tolerance or 0) * abs(theirs)
    elif claim.relation == "~":
        if interval is None:
            return _OnOneLink("cannot be decided", "the two have no ratio")
        holds = interval[0] <= 1 <= interval[1]
    else:
        holds = _RELATIONS[claim.relation](ours, (1 if claim.factor is None else claim.factor) * theirs)
    status: Status = "reproduced" if holds else "not reproduced"
    if claim.right is None:
        return _OnOneLink(status, f"{claim.left} {_with_unit(claim, ours)}")
    sure = f" (95 % interval {interval[0]:.3g} to {interval[1]:.3g})" if interval else ""
    ratio = f", ratio {ours / theirs:.3g}{sure}" if theirs else ""
    return _OnOneLink(
        status, f"{claim.left} {_with_unit(claim, ours)} against {claim.right} {_with_unit(claim, theirs)}{ratio}"
    )


def _with_unit(claim: Claim, value: float) -> str:
    if claim.per is not None:
        return f"{value:.3g}"
    what = metric(claim.metric)
    unit = what.unit.removesuffix("s") if value == 1 and what.digits == 0 else what.unit
    return f"{number(value, what.digits)} {unit}".rstrip()


def _interval(
    sides: Sequence[_Side], statistic: Callable[[Floats], Floats], random: np.random.Generator
) -> tuple[float, float] | None:
    """Return the 95 % interval of the ratio of the two sides, by the repetitions that both have, if it has one."""
    lefts, rights = (side.values for side in sides)
    shared = sorted(lefts.keys() & rights.keys())
    return bootstrap.ratio_interval(
        [lefts[repetition] for repetition in shared], [rights[repetition] for repetition in shared], statistic, random
    )


def interval_of(
    values: Sequence[Number], statistic: Statistic, random: np.random.Generator
) -> tuple[float, float] | None:
    """Return the 95 % interval of a statistic of these values; None of fewer than two."""
    return bootstrap.interval(values, _STATISTICS[statistic], random)
