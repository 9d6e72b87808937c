"""Whether the measurements bear an experiment's claims out."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec import Struct

from windlull.metrics import metric, number
from windlull.runner.messages import SIMULATED, in_order
from windlull.stats.evidence import ClaimEvidence, ratio_clears, zero_clears
from windlull.stats.quantities import ALPHA, NAMED
from windlull.stats.questions import Sides, of_one, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from windlull.contract.engine import Claim, Statistic
    from windlull.runner.messages import Experiment, Number
    from windlull.stats.quantities import Floats
    from windlull.stats.questions import IntervalEstimate
    from windlull.stats.summary import Cell

Status = Literal["reproduced", "not reproduced", "cannot be decided"]

_STATISTICS: dict[str, Callable[[Floats], float]] = {
    **{name: quantity.value for name, quantity in NAMED.items()},
    "min": lambda values: float(values.min()),
    "max": lambda values: float(values.max()),
}
_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class JudgedClaim(Struct, frozen=True, forbid_unknown_fields=True):
    """A claim and what became of it; `criterion` and `measured` are sentences for a person."""

    id: str
    text: str
    criterion: str
    status: Status
    measured: str


class Judgement(JudgedClaim, frozen=True):
    """A claim and what became of it in one testbed; `evidence` is what that rests on, for each link that decides it."""

    testbed: str
    evidence: tuple[ClaimEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class _OnOneLink:
    status: Status
    measured: str
    evidence: ClaimEvidence | None = None


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


def as_printed(claim: Claim, cells: Sequence[Cell], testbed: str, link: str) -> IntervalEstimate | None:
    """Return the ratio of the two sides' statistics, as papers print it; None of a claim that has none.

    Of medians the evidence has that of the pairs' ratios. The interval of this one has to be searched for, which takes
    a hundred times as long.
    """
    return None if claim.right is None else _ratio(claim, _sides(claim, cells, testbed, link), of_pairs=False)


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
    times = "that of" if claim.factor == 1 else f"{claim.factor:.4g} times that of"
    return f"{what} of {left} {words[claim.relation]} {times} {right}"


def _label(claim: Claim) -> str:
    label = metric(claim.metric).label
    return label if claim.per is None else f"{label} per {metric(claim.per).label}"


def _judge(claim: Claim, experiment: Experiment, cells: Sequence[Cell], testbed: str) -> Judgement:
    judged = {
        link: _judge_on(claim, experiment, _sides(claim, cells, testbed, link), link)
        for link in ([claim.link] if claim.link else [link.name for link in experiment.links])
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
    evidence = tuple(one.evidence for one in judged.values() if one.evidence is not None)
    return Judgement(claim.id, claim.text, criterion(claim), status, measured, testbed, evidence)


def _sides(claim: Claim, cells: Sequence[Cell], testbed: str, link: str) -> list[_Side]:
    by_place = {(cell.link, cell.variant): cell for cell in cells if cell.testbed == testbed}
    sides = [_Side(claim, claim.left, by_place.get((link, claim.left)))]
    if claim.right is not None:
        sides.append(_Side(claim, claim.right, by_place.get((claim.right_link or link, claim.right))))
    return sides


class _Side:
    """One side of a claim on one link: its values by repetition; none where a run does not have them.

    `outcomes` has all metrics of each repetition, by which two runs can be known as copies.
    """

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
        by_metric = cell.by_repetition.values() if cell else ()
        self.outcomes = {repetition: tuple(of.get(repetition) for of in by_metric) for repetition in self.values}


def _judge_on(claim: Claim, experiment: Experiment, sides: Sequence[_Side], link: str) -> _OnOneLink:
    # A figure of single runs is about that one run.
    fewest = 1 if experiment.draws_traces else 2
    for side in sides:
        if not side.ran:
            return _OnOneLink("cannot be decided", f"no run of {side.variant}")
        if not side.values:
            return _OnOneLink("cannot be decided", f"no run of {side.variant} has this metric")
        if len(side.values) < fewest:
            return _OnOneLink("cannot be decided", f"only one run of {side.variant}; it takes two")
    statistic = _STATISTICS[claim.statistic]
    numbers = [statistic(np.array(list(side.values.values()), dtype=np.float64)) for side in sides]
    ours, theirs = numbers[0], numbers[1] if claim.right is not None else float(claim.value or 0)
    times = _ratio(claim, sides) if claim.right is not None and theirs else None
    interval = times.interval if times is not None else None
    evidence = _evidence(claim, sides, link, numbers, times)
    if claim.relation == "within":
        holds = abs(ours - theirs) <= (claim.tolerance or 0) * abs(theirs)
    elif claim.relation == "~":
        if interval is None:
            return _OnOneLink("cannot be decided", "the two have no ratio, or too few runs for its interval", evidence)
        holds = interval[0] <= 1 <= interval[1]
    else:
        holds = _RELATIONS[claim.relation](ours, claim.factor * theirs)
    status: Status = "reproduced" if holds else "not reproduced"
    if claim.right is None:
        return _OnOneLink(status, f"{claim.left} {_with_unit(claim, ours)}", evidence)
    suffix = f", ratio {ours / theirs:.3g}" if theirs else ""
    if times is not None and interval is not None:
        own = f"; of a pair {times.value:.3g}" if claim.statistic == "median" else ""
        suffix += f"{own} ({times.sure(1 - 2 * ALPHA)} interval {interval[0]:.3g} to {interval[1]:.3g})"
    both = f"{claim.left} {_with_unit(claim, ours)} against {claim.right} {_with_unit(claim, theirs)}"
    return _OnOneLink(status, both + suffix, evidence)


def _evidence(
    claim: Claim, sides: Sequence[_Side], link: str, numbers: Sequence[float], times: IntervalEstimate | None
) -> ClaimEvidence:
    """Return what the status rests on: the ratio of the sides, else their difference; of one side its value."""
    shared = sorted(set.intersection(*(set(side.values) for side in sides)))
    seen = {tuple(side.outcomes[repetition] for side in sides) for repetition in shared}
    if claim.right is None:
        own = interval_of(list(sides[0].values.values()), claim.statistic)
        return ClaimEvidence(link, "value", numbers[0], own, ratio_clears(claim, own), len(shared), len(seen))
    value = numbers[0] / numbers[1] if numbers[1] else None
    of_ratio = times.interval if times is not None else None
    if times is not None and of_ratio is not None:
        return ClaimEvidence(
            link, "ratio", times.value, of_ratio, ratio_clears(claim, of_ratio), len(shared), len(seen)
        )
    if claim.relation in {"within", "~"}:
        return ClaimEvidence(link, "ratio", value, None, clears=False, runs=len(shared), distinct=len(seen))
    # A side that can be 0 has no ratio: what is left of the left side once the right one is taken away has an interval.
    left, right = (side.values for side in sides)
    apart = interval_of([left[one] - claim.factor * right[one] for one in shared], claim.statistic) if shared else None
    return ClaimEvidence(link, "difference", value, apart, zero_clears(claim, apart), len(shared), len(seen))


def _with_unit(claim: Claim, value: float) -> str:
    if claim.per is not None:
        return f"{value:.3g}"
    what = metric(claim.metric)
    unit = what.unit.removesuffix("s") if value == 1 and what.digits == 0 else what.unit
    return f"{number(value, what.digits)} {unit}".rstrip()


def _ratio(claim: Claim, sides: Sequence[_Side], *, of_pairs: bool = True) -> IntervalEstimate | None:
    """Return the ratio of the two sides with its interval, by the repetitions that both have, if they have one."""
    if claim.statistic not in NAMED:
        return None
    lefts, rights = (side.values for side in sides)
    shared = sorted(lefts.keys() & rights.keys())
    if not shared:
        return None
    left, right = (np.array([of[repetition] for repetition in shared], dtype=np.float64) for of in (lefts, rights))
    return ratio(Sides(left, right, paired=True), NAMED[claim.statistic], ALPHA, allowing=False, of_pairs=of_pairs)


def interval_of(values: Sequence[Number], statistic: Statistic) -> tuple[float, float] | None:
    """Return the 95 % interval of a statistic of these values; None of so few that they have none, or of an extreme."""
    if statistic not in NAMED:
        return None
    return of_one(np.array(values, dtype=np.float64), NAMED[statistic], ALPHA, allowing=False).interval
