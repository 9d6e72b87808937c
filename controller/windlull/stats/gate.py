"""Whether a candidate may pass: each rule fails, passes or is inconclusive, and only what is shown counts.

Pure, as stats.compare is. docs/statistics.md says how and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from windlull.stats import planning, ranks, unseen
from windlull.stats.advice import TELLS_NOTHING, advice
from windlull.stats.compare import POWER
from windlull.stats.decision import ONE_RUN
from windlull.stats.matches import alone, sides
from windlull.stats.planning import Asked
from windlull.stats.quantities import ALPHA
from windlull.stats.questions import IntervalEstimate, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.stats.matches import Match
    from windlull.stats.questions import Sides
    from windlull.stats.rules import Rule

Status = Literal["fail", "pass", "inconclusive"]

RESOLUTION = 0.05
"""How far from a limit, as a share of it, the number of runs asked for tells; for limits that do not say it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One rule for one candidate in one cell.

    `baseline` is None if the rule names none. `value` and `baseline_value` are the rule's statistic over the runs
    compared, `limit` what the rule makes of the latter. `excess` is how far the candidate is beyond the limit, in the
    metric's unit, with its interval at `confidence`; in pairs a median is that of how far each pair is beyond it, and
    the interval of a mean allows for what so many runs cannot have shown: an event in `unseen` of the runs. `p_fail` is
    the p-value of the claim that the rule is broken, `p_adjusted` the same after Holm over all checks, `p_pass` that of
    the contrary; all are None where nothing is random. `advice` says what would help where it is inconclusive, and of
    a rule that tells nothing of the workload that it does not.
    """

    rule: str
    metric: str
    statistic: str
    link: str
    testbed: str
    baseline: str | None
    candidate: str
    paired: bool
    runs: int
    value: float | None
    baseline_value: float | None
    limit: float | None
    excess: IntervalEstimate | None
    confidence: float
    unseen: float | None
    p_fail: float | None
    p_adjusted: float | None
    p_pass: float | None
    status: Status
    why: str
    asked: Asked | None
    advice: str | None


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks, by rule and then by match; `asked` is how many runs would decide those that are inconclusive.

    It is None where no number of them that can be run would decide all of these.
    """

    status: Status
    alpha: float
    power: float
    checks: tuple[Check, ...]
    asked: int | None


def gate(
    against: Sequence[Match],
    rules: Sequence[Rule],
    *,
    alpha: float = ALPHA,
    resolution: float | None = None,
    power: float = POWER,
    whole: bool = True,
) -> Gate:
    """Hold every match against every rule.

    `alpha` is the chance of failing a candidate that keeps all rules, and for each rule that of passing one that breaks
    it. `resolution` says which distance from a limit, as a share of it, shall be told; None for how far the rule's
    factor is from 1, or RESOLUTION. `whole`: no run is missing; else nothing passes, as what is missing may be what
    failed. Raises ValueError if there is nothing to check, an option is out of its range or a value is no number.
    """
    if not against or not rules:
        raise ValueError("a gate takes a match and a rule")
    for what, share, most in (("alpha", alpha, 0.5), ("resolution", resolution, 10), ("power", power, 1)):
        if share is not None and not 0 < share < most:
            raise ValueError(f"{what} {share:g} is not between 0 and {most}")
    measured = [_Measured.of(match, rule, alpha) for rule in rules for match in against]
    tested = [one for one in measured if one.p_fail is not None]
    adjusted = ranks.holm([one.p_fail for one in tested if one.p_fail is not None])
    corrected = {id(one): value for one, value in zip(tested, adjusted, strict=True)}
    judge = _Judge(alpha, resolution, power, whole, max(1, len(tested)))
    checks = tuple(judge.check(one, corrected.get(id(one))) for one in measured)
    statuses = {check.status for check in checks}
    status: Status = "fail" if "fail" in statuses else "inconclusive" if "inconclusive" in statuses else "pass"
    asked = [check.asked.runs.runs for check in checks if check.asked and check.asked.runs]
    return Gate(status, alpha, power, checks, max(asked, default=None))


@dataclass(frozen=True, slots=True)
class _Measured:
    """A check before its verdict; without p-values where there are too few runs, or nothing is random."""

    rule: Rule
    match: Match
    sides: Sides
    question: Question
    excess: IntervalEstimate | None = None
    p_fail: float | None = None
    p_pass: float | None = None

    @classmethod
    def of(cls, match: Match, rule: Rule, alpha: float) -> _Measured:
        found = sides(match, rule.metric.name) if rule.factor is not None else alone(match, rule.metric.name)
        question = Question(rule.quantity, rule.factor or 0.0, rule.constant)
        if not found.runs:
            return cls(rule, match, found, question)
        if not match.random or found.runs < max(2, rule.quantity.fewest(alpha)):
            value = float(question.values(found.one)[0])
            return cls(rule, match, found, question, IntervalEstimate(value, None, None))
        # What equals the limit is on the side of the claim that includes it.
        above, below = question.p_values(found, strict=rule.relation in {">", "<="})
        fails, passes = (above, below) if rule.fails_above else (below, above)
        return cls(rule, match, found, question, question.estimate(found, alpha), fails, passes)


@dataclass(frozen=True, slots=True)
class _Judge:
    alpha: float
    resolution: float | None
    power: float
    whole: bool
    family: int

    def check(self, one: _Measured, p_adjusted: float | None) -> Check:
        of, rule, match = one.sides, one.rule, one.match
        status, why = self.verdict(one, p_adjusted)
        value = rule.quantity.value(of.left) if of.runs else None
        theirs = rule.quantity.value(of.right) if of.runs and rule.factor is not None else None
        fixed = match.fixed_time and rule.metric.name == "elapsed_s"
        asked = self.asked(one) if status == "inconclusive" and not fixed else None
        return Check(
            rule=rule.text,
            metric=rule.metric.name,
            statistic=rule.quantity.name,
            link=match.link,
            testbed=match.testbed,
            baseline=None if rule.factor is None else match.baseline.name,
            candidate=match.candidate.name,
            paired=of.paired and rule.factor is not None,
            runs=of.runs,
            value=value,
            baseline_value=theirs,
            limit=None if value is None else (rule.factor or 0.0) * (theirs or 0.0) + rule.constant,
            excess=one.excess,
            confidence=1 - 2 * self.alpha,
            unseen=unseen.share(of.runs, self.alpha)
            if rule.quantity.quantile is None and one.p_pass is not None
            else None,
            p_fail=one.p_fail,
            p_adjusted=p_adjusted,
            p_pass=one.p_pass,
            status=status,
            why=why,
            asked=asked,
            advice=self.advice(one, status, asked, fixed=fixed),
        )

    def verdict(self, one: _Measured, p_adjusted: float | None) -> tuple[Status, str]:
        of = one.sides
        what = "pair" if of.paired and one.rule.factor is not None else "run"
        fewest = one.rule.quantity.fewest(self.alpha)
        if not of.runs:
            return "inconclusive", f"no {what} has {one.rule.metric.name}"
        if not one.match.random:
            return self._of_one_run(one)
        if one.p_fail is None or one.p_pass is None or p_adjusted is None:
            few = f"{of.runs} {what}" if of.runs == 1 else f"{of.runs} {what}s"
            return "inconclusive", f"{few}: too few for a {one.rule.quantity.name} (it takes {fewest})"
        if p_adjusted > self.alpha:
            return self._not_failed(one, one.p_fail, one.p_pass, p_adjusted, what)
        holm = f" after Holm over {self.family} checks" if self.family > 1 else ""
        return "fail", f"shown by {of.runs} {what}s, p = {p_adjusted:.2g}{holm}"

    def _of_one_run(self, one: _Measured) -> tuple[Status, str]:
        assert one.excess is not None  # noqa: S101 - there is a run
        if one.rule.broken(one.excess.value):
            return "fail", ONE_RUN
        if self.whole:
            return "pass", ONE_RUN
        return "inconclusive", f"{ONE_RUN}, but runs are missing, and they may be those that failed"

    def _not_failed(
        self, one: _Measured, p_fail: float, p_pass: float, p_adjusted: float, what: str
    ) -> tuple[Status, str]:
        runs = f"{one.sides.runs} {what}s"
        if p_pass <= self.alpha:
            if self.whole:
                return "pass", f"the contrary is shown by {runs}, p = {p_pass:.2g}"
            return "inconclusive", "the contrary is shown, but runs are missing, and they may be those that failed"
        if p_fail <= self.alpha:
            return "inconclusive", f"shown if it were the only check, not among {self.family} (p = {p_adjusted:.2g})"
        return "inconclusive", f"{runs} show neither it (p = {p_fail:.2g}) nor the contrary (p = {p_pass:.2g})"

    @staticmethod
    def advice(one: _Measured, status: Status, asked: Asked | None, *, fixed: bool) -> str | None:
        if fixed:
            return TELLS_NOTHING
        return advice(one.rule, one.sides, one.question, asked) if status == "inconclusive" and one.sides.runs else None

    def asked(self, one: _Measured) -> Asked | None:
        """Say how many runs would decide; None if that is no matter of their number."""
        of, rule = one.sides, one.rule
        if not of.runs or not one.match.random or (one.p_pass is not None and one.p_pass <= self.alpha):
            return None
        resolution = self._resolution(rule)
        alpha = self.alpha / self.family
        limit = (rule.factor or 0.0) * rule.quantity.value(of.right) + rule.constant
        if of.runs >= max(2, rule.quantity.fewest(self.alpha)) and not limit:
            return Asked(resolution, None)
        distance = resolution * abs(limit)
        if of.runs >= planning.telling_from(rule.quantity, alpha):
            if not planning.tells(of, one.question):
                return Asked(resolution, None)
            if self.resolution is None:
                # What the runs show to be far from the limit takes no more than that.
                distance = max(distance, planning.seen_distance(of, one.question))
                resolution = distance / abs(limit)
        found = planning.to_show(of, one.question, distance, alpha=alpha, power=self.power)
        # With so many runs as the range begins with, they have had their chance: to ask for more each time has no end.
        return Asked(
            resolution,
            found if found and found.low > of.runs else None,
            beyond=found is None and not planning.in_steps(of, one.question),
        )

    def _resolution(self, rule: Rule) -> float:
        if self.resolution is not None:
            return self.resolution
        if rule.factor is not None and rule.factor != 1:
            return abs(rule.factor - 1)
        return RESOLUTION
