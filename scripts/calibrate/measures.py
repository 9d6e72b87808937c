"""How often intervals cover, and gates and comparisons err, in one cell of the calibration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from windlull.stats.compare import MARGIN
from windlull.stats.decision import WEIGHTS, decide, mean_beyond, mean_p
from windlull.stats.quantities import MEAN, MEDIAN, quantity
from windlull.stats.questions import Question, Samples, Sides
from windlull.stats.ranks import holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from windlull.stats.decision import Decision
    from windlull.stats.quantities import Floats, Quantity

ALPHA = 0.025
ROOM = 0.02
"""The room that the rules leave whose power is measured, as in `> 1.02 * baseline`."""

WIDER = (1.0, 1 + ROOM, 1.05, 1.2, 2.0, 5.0)
"""Rules with more and more room: what passes one passes all that follow."""

_NEXT_TO = 1e-9
"""So far two numbers may be apart that are the same but for rounding, as a share."""


@dataclass(frozen=True)
class Statistic:
    """What an interval or a rule is about; `allowing` as of `Question`."""

    name: str
    question: Question


STATISTICS = (
    Statistic("median", Question(MEDIAN)),
    Statistic("median of each side", Question(MEDIAN, of_pairs=False)),
    Statistic("mean", Question(MEAN)),
    Statistic("mean, as seen", Question(MEAN, allowing=False)),
    Statistic("q3", Question(quantity("q3"))),
    Statistic("p90", Question(quantity("p90"))),
)


@dataclass(frozen=True)
class Errors:
    """Shares of `trials` samples that cover, whose gate fails a rule just kept, and passes one just broken."""

    trials: int
    covered: float
    false_fail: float
    false_pass: float


@dataclass(frozen=True)
class Power:
    """Shares of samples of the planted effect, and of none.

    `fails` of a gate with the effect, `passes` without; `wrong` and `right` direction of a comparison with the effect,
    `alarms` without, in either direction; `equal` with the effect, where its mean is beyond the margin. `turned`: the
    other side passes a rule, and not one with more room (`WIDER`); of whichever statistic that is most frequent.
    """

    fails: dict[str, float]
    passes: dict[str, float]
    right: float
    wrong: float
    higher: float
    lower: float
    equal: float
    turned: float


def errors(of: Samples, about: Statistic, truth: float) -> Errors:
    """Ask every sample for an interval, and a gate whose limit is the truth."""
    near = _NEXT_TO * max(1.0, abs(truth))
    low, high = about.question.bounds(of, ALPHA)
    at = replace(about.question, constant=truth)
    fails, passes = at.shown(of, ALPHA, strict=True)
    if about.question.quantity.quantile is not None:
        # Values may equal the limit. What equals it is on the side of the claim that includes it.
        passes = at.shown(of, ALPHA, strict=False)[1]
    covered = (low <= truth + near) & (high >= truth - near)
    return Errors(len(of.left), *(float(np.mean(shown)) for shown in (covered, fails, passes)))


def power(planted: Samples, null: Samples, truth: Samples) -> Power:
    """Gate and compare every sample; `truth` says which direction is the right one."""
    fails, passes = {}, {}
    for about in (one for one in STATISTICS if one.name in {"median", "mean"}):
        rule = Question(about.question.quantity, 1 + ROOM)
        fails[about.name] = float(np.mean(rule.shown(planted, ALPHA, strict=True)[0]))
        passes[about.name] = float(np.mean(rule.shown(null, ALPHA, strict=True)[1]))
    with_it, without = (decide(of, MARGIN, ALPHA) for of in (planted, null))
    called, alarm = _called(planted, with_it), _called(null, without)
    way = float(np.sign(Question(MEAN).values(truth)[0]))
    return Power(
        fails, passes, float(np.mean(called == way)), float(np.mean(called == -way)),
        float(np.mean(alarm > 0)), float(np.mean(alarm < 0)), float(np.mean(with_it.within)),
        max(_turned(planted, about.question.quantity) for about in STATISTICS if about.question.allowing),
    )  # fmt: skip


def _turned(of: Samples, quantity: Quantity) -> float:
    other = Samples(of.right, of.left, of.paired)
    passed = np.array([Question(quantity, factor).shown(other, ALPHA, strict=True)[1] for factor in WIDER])
    return float(np.mean(np.any(passed[:-1] & ~passed[1:], axis=0)))


def _called(of: Samples, decision: Decision) -> Floats:
    """Return 1 where a comparison of one metric calls the candidate higher, -1 where lower, else 0."""
    # Nothing that is not shown by itself is shown after Holm: its p need not be known, and takes long to find.
    maybe = mean_beyond(of, MARGIN, ALPHA)
    called = np.zeros(len(of.left))
    for row in np.flatnonzero(maybe | (decision.direction.either <= 2 * ALPHA)):
        one = Sides(of.left[row], of.right[row], of.paired)
        p = {"runs": float(decision.direction.either[row]), "mean": mean_p(one, MARGIN) if maybe[row] else 1.0}
        runs, mean = (q <= 2 * ALPHA for q in holm([p[way] for way in WEIGHTS], list(WEIGHTS.values())))
        by_runs = decision.by_runs[row] if runs else 0.0
        called[row] = by_runs or (decision.by_mean[row] if mean else 0.0)
    return called


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table of docs/statistics.md."""
    return [title, "", _row(headings), f"|{'---|' * len(headings)}", *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
