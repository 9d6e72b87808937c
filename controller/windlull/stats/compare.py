"""Whether one variant did better than another: for each metric in each cell, with how sure that is.

Pure: values by repetition in, a Comparison out, the same for the same input. docs/statistics.md says how and why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.stats import planning, ranks, unseen
from windlull.stats.decision import WEIGHTS, Judgement, Verdict, Way, decide, mean_p, single
from windlull.stats.direction import Test  # noqa: TC001 - msgspec reads a finding's types
from windlull.stats.matches import Match, sides
from windlull.stats.quantities import MEAN, MEDIAN
from windlull.stats.questions import IntervalEstimate, Question, ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from windlull.stats.decision import Decision
    from windlull.stats.questions import Sides

METRICS = (
    "elapsed_s",
    "task_completion_s",
    "task_completion_p95_s",
    "packets_lost",
    "retransmissions",
    "unnecessary_retransmissions",
    "spurious_timeouts",
    "genuine_timeouts",
)
"""What is compared unless somebody asks for other metrics: the columns of the table that `windlull run` prints.

Only requests have times to their completion.

Where the workload lasts a given time, goodput stands for the elapsed time."""

MARGIN = 0.01
CONFIDENCE = 0.95
POWER = 0.9


@dataclass(frozen=True, slots=True)
class Needed:
    """How many runs would decide: to show the difference seen, if it is real; to show equality, if there is none."""

    seen: planning.Runs | None
    margin: planning.Runs | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One metric in one cell: the candidate against the baseline.

    `runs` are the pairs if `paired`, else the fewer of both sides' runs; 1 where nothing is random. `medians` and
    `means` are those of baseline and candidate, over the runs compared. `ratio` and `difference` (candidate minus
    baseline, in the metric's unit) are of the medians, in pairs the medians of the pairs' ratios and differences;
    `mean_ratio` is that of the means, and its interval allows for what so many runs cannot have shown: an event in
    `unseen` of the runs. Ratios are None where a baseline may be 0. `effect` is in pairs the share of those that are
    higher by more than the margin less that of the lower ones, else Cliff's delta: from -1 (the candidate is lower
    throughout) to 1. `p` is that of the runs and `mean_p` that of the mean with its allowance, both two-sided;
    `p_adjusted` and `mean_p_adjusted` are after Holm over all that there are. `by` says which of the two shows the
    difference, where one is shown by a test.
    """

    link: str
    testbed: str
    baseline: str
    candidate: str
    metric: str
    paired: bool
    runs: int
    medians: tuple[float, float] | None
    means: tuple[float, float] | None
    ratio: IntervalEstimate | None
    difference: IntervalEstimate | None
    mean_ratio: IntervalEstimate | None
    unseen: float | None
    test: Test | None
    effect: float | None
    p: float | None
    p_adjusted: float | None
    mean_p: float | None
    mean_p_adjusted: float | None
    verdict: Verdict
    by: Way | None
    why: str
    needed: Needed | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All findings, by match and then by metric, in the order asked for; Holm's correction is over `family` tests."""

    confidence: float
    margin: float
    power: float
    family: int
    findings: tuple[Finding, ...]


def compare(
    against: Sequence[Match],
    *,
    metrics: Sequence[str] | None = None,
    margin: float = MARGIN,
    confidence: float = CONFIDENCE,
    power: float = POWER,
) -> Comparison:
    """Compare each match in each of the metrics (the usual ones if None; those that neither side has are left out).

    `margin` is the relative difference that counts as none. Raises ValueError if an option is out of its range or a
    value is no finite number.
    """
    if not 0 <= margin < 1:
        raise ValueError(f"a margin of {margin:g} is not from 0 to below 1")
    for what, share in (("confidence", confidence), ("power", power)):
        if not 0.5 < share < 1:
            raise ValueError(f"a {what} of {share:g} is not between 0.5 and 1")
    alpha = (1 - confidence) / 2
    measured = [
        _Measured.of(match, name, margin, alpha)
        for match in against
        for name in (usual_metrics(match) if metrics is None else metrics)
        if name in match.baseline.values or name in match.candidate.values
    ]
    tests = [(one, way, p) for one in measured for way, p in one.p.items()]
    adjusted = ranks.holm([p for _, _, p in tests], [WEIGHTS[way] for _, way, _ in tests])
    corrected: dict[int, dict[Way, float]] = {id(one): {} for one in measured}
    for (one, way, _), p in zip(tests, adjusted, strict=True):
        corrected[id(one)][way] = p
    judge = _Judge(margin, alpha, power, len(tests), max(1.0, math.fsum(WEIGHTS[way] for _, way, _ in tests)))
    findings = tuple(judge.finding(one, corrected[id(one)]) for one in measured)
    return Comparison(confidence, margin, power, len(tests), findings)


def usual_metrics(match: Match) -> tuple[str, ...]:
    """Return the metrics that a match is compared in unless others are asked for."""
    return tuple("goodput_bps" if name == "elapsed_s" and match.fixed_time else name for name in METRICS)


@dataclass(frozen=True, slots=True)
class _Measured:
    """A finding before the verdict; `decision` is None where there are too few runs, or nothing is random."""

    match: Match
    metric: str
    sides: Sides
    decision: Decision | None
    p: Mapping[Way, float]
    """Two-sided, of both ways to show a difference; none where nothing differs."""

    @classmethod
    def of(cls, match: Match, metric: str, margin: float, alpha: float) -> _Measured:
        found = sides(match, metric)
        if not match.random or found.runs < MEDIAN.fewest(alpha):
            return cls(match, metric, found, None, {})
        decision = decide(found.one, margin, alpha)
        p: dict[Way, float] = {}
        if not _identical(found):
            p = {"runs": float(decision.direction.either[0]), "mean": mean_p(found, margin)}
        return cls(match, metric, found, decision, p)


def _identical(of: Sides) -> bool:
    """Return whether no run differs from any that it is held against."""
    return bool(np.all(of.left == of.right)) if of.paired else len({*of.left, *of.right}) == 1


@dataclass(frozen=True, slots=True)
class _Judge:
    margin: float
    alpha: float
    power: float
    family: int
    weight: float
    """Of all tests."""

    def finding(self, one: _Measured, p_adjusted: Mapping[Way, float]) -> Finding:
        of, match = one.sides, one.match
        judgement = self.judgement(one, p_adjusted)
        return Finding(
            link=match.link,
            testbed=match.testbed,
            baseline=match.baseline.name,
            candidate=match.candidate.name,
            metric=one.metric,
            paired=of.paired,
            runs=of.runs,
            medians=(MEDIAN.value(of.right), MEDIAN.value(of.left)) if of.runs else None,
            means=(MEAN.value(of.right), MEAN.value(of.left)) if of.runs else None,
            ratio=ratio(of, MEDIAN, self.alpha) if of.runs else None,
            difference=Question(MEDIAN).estimate(of, self.alpha) if of.runs else None,
            mean_ratio=ratio(of, MEAN, self.alpha) if of.runs else None,
            unseen=unseen.share(of.runs, self.alpha) if of.runs and match.random else None,
            test=("sign" if of.paired else "mann-whitney") if one.p else None,
            effect=float(one.decision.direction.effect[0]) if one.decision else None,
            p=one.p.get("runs"),
            p_adjusted=p_adjusted.get("runs"),
            mean_p=one.p.get("mean"),
            mean_p_adjusted=p_adjusted.get("mean"),
            verdict=judgement.verdict,
            by=judgement.by,
            why=judgement.why,
            needed=self.needed(one) if judgement.verdict == "inconclusive" else None,
        )

    def judgement(self, one: _Measured, p_adjusted: Mapping[Way, float]) -> Judgement:
        """Return the verdict and the reason for it."""
        of = one.sides
        what = "pair" if of.paired else "run"
        if not of.runs:
            return Judgement("inconclusive", f"no {what} has it on both sides")
        if not one.match.random:
            return single(of, one.metric, self.margin)
        if one.decision is None:
            few = f"{of.runs} {what}" if of.runs == 1 else f"{of.runs} {what}s"
            fewest = MEDIAN.fewest(self.alpha)
            return Judgement("inconclusive", f"{few}: too few to tell a difference from chance (it takes {fewest})")
        return one.decision.verdict(
            one.metric,
            {way: p <= 2 * self.alpha for way, p in p_adjusted.items()},
            {way: f"p = {p:.2g} after Holm over {self.family} tests" for way, p in p_adjusted.items()},
        )

    def needed(self, one: _Measured) -> Needed | None:
        of = one.sides
        if not of.runs:
            return None
        fewest = MEDIAN.fewest(self.alpha)
        if one.decision is None:
            return Needed(planning.Runs(fewest, fewest, None), None)
        if not one.p:
            return Needed(None, self._to_show_equality(of))
        alpha = self.alpha * WEIGHTS["runs"] / self.weight
        by_runs = planning.to_show_direction(
            float(one.decision.direction.effect[0]), float(one.decision.direction.moving[0]), of.runs,
            paired=of.paired, alpha=alpha, power=self.power, fewest=max(MEDIAN.fewest(alpha), of.runs + 1),
        )  # fmt: skip
        return Needed(_fewer(by_runs, self._to_show_mean(of)), self._to_show_equality(of))

    def _to_show_mean(self, of: Sides) -> planning.Runs | None:
        """Return how many runs show that the mean is beyond the margin, if it is as far as it looks."""
        way = float(np.sign(Question(MEAN).values(of.one)[0]))
        beyond = Question(MEAN, 1 + way * self.margin)
        distance = way * float(beyond.values(of.one)[0])
        if distance <= 0:
            return None
        alpha = self.alpha * WEIGHTS["mean"] / self.weight
        found = planning.to_show(of, beyond, distance, alpha=alpha, power=self.power)
        # So many runs were there and have not shown it.
        return found if found and found.runs > of.runs else None

    def _to_show_equality(self, of: Sides) -> planning.Runs | None:
        """Return how many runs bound median and mean by the margin, if there is no difference; the greater number."""
        if not self.margin:
            return None
        found = [
            planning.to_bound(of, quantity, self.margin, alpha=self.alpha, power=self.power)
            for quantity in (MEDIAN, MEAN)
        ]
        known = [runs for runs in found if runs is not None]
        return max(known, key=lambda runs: runs.runs) if len(known) == len(found) else None


def _fewer(one: planning.Runs | None, other: planning.Runs | None) -> planning.Runs | None:
    known = [runs for runs in (one, other) if runs is not None]
    return min(known, key=lambda runs: runs.runs) if known else None
