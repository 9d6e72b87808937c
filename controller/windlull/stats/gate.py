"""Whether a candidate may pass: each rule fails, passes or is inconclusive, and only what is shown counts.

Pure, as stats.compare is. docs/statistics.md says how and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import bdtrc

from windlull.stats import power as powers
from windlull.stats import ranks
from windlull.stats.bootstrap import generator
from windlull.stats.compare import POWER, Estimate, sides
from windlull.stats.quantities import MEDIAN
from windlull.stats.resampling import Sides, interval, p_value, resampled, resamples_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from windlull.stats.bootstrap import Floats
    from windlull.stats.compare import Match
    from windlull.stats.ranks import Ties
    from windlull.stats.rules import Rule

Status = Literal["fail", "pass", "inconclusive"]

ALPHA = 0.025
"""The error allowed on each side of a limit: that of an interval of 95 %."""

RESOLUTION = 0.05
"""How far from a limit, as a share of it, the number of runs asked for tells; for limits that do not say it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How many runs in all would decide.

    `resolved`: if the candidate is in truth `resolution` (a share of the limit) or more from the limit, on whichever
    side; None where so many were there already, or the limit is 0. `seen`: if it is as far from it as it looks.
    """

    resolution: float
    resolved: powers.Runs | None
    seen: powers.Runs | None

    @property
    def runs(self) -> int | None:
        """The number to run with; None if nobody can say."""
        return next((one.runs for one in (self.resolved, self.seen) if one), None)


@dataclass(frozen=True, slots=True)
class Check:
    """One rule for one candidate in one cell.

    `baseline` is None if the rule names none. `value` and `baseline_value` are the rule's statistic over the runs
    compared, `limit` what the rule makes of the latter. `excess` is `value - limit`, in the metric's unit, with its
    interval at 1 - 2 alpha. `p_fail` is the p-value of the claim that the rule is broken, `p_adjusted` the same after
    Holm over all checks, `p_pass` that of the contrary.
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
    excess: Estimate | None
    p_fail: float | None
    p_adjusted: float | None
    p_pass: float | None
    status: Status
    why: str
    asked: Asked | None


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks, by rule and then by match; `asked` is how many runs would decide those that are inconclusive."""

    status: Status
    alpha: float
    power: float
    checks: tuple[Check, ...]
    asked: int | None


def gate(
    against: Sequence[Match],
    rules: Sequence[Rule],
    *,
    seed: int,
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
    family = len(rules) * len(against)
    measured = [_measure(match, rule, seed=seed, alpha=alpha, family=family) for rule in rules for match in against]
    tested = [one for one in measured if one.p_fail is not None]
    adjusted = ranks.holm([one.p_fail for one in tested if one.p_fail is not None])
    corrected = {id(one): value for one, value in zip(tested, adjusted, strict=True)}
    judge = _Judge(seed, alpha, resolution, power, whole, max(1, len(tested)))
    checks = tuple(judge.check(one, corrected.get(id(one))) for one in measured)
    statuses = {check.status for check in checks}
    status: Status = "fail" if "fail" in statuses else "inconclusive" if "inconclusive" in statuses else "pass"
    asked = [check.asked.runs for check in checks if check.asked and check.asked.runs is not None]
    return Gate(status, alpha, power, checks, max(asked, default=None))


@dataclass(frozen=True, slots=True)
class _Measured:
    """A check before its verdict."""

    rule: Rule
    match: Match
    sides: Sides
    excess: Estimate | None = None
    p_fail: float | None = None
    p_pass: float | None = None

    @property
    def stream(self) -> str:
        match = self.match
        of = "" if self.rule.factor is None else f"{match.baseline.name}/"
        return f"{match.testbed}/{match.link}/{of}{match.candidate.name}/{self.rule.text}"


def _measure(match: Match, rule: Rule, *, seed: int, alpha: float, family: int) -> _Measured:
    of = sides(match, rule.metric.name)
    if rule.factor is None:
        ours = np.array(list(match.candidate.values.get(rule.metric.name, {}).values()), dtype=np.float64)
        of = Sides(ours, ours, paired=True)
    bare = _Measured(rule, match, of)
    if not of.runs:
        return bare
    # Turned round if the rule is one of too little, so that more than 0 is what fails.
    sign = 1.0 if rule.relation in {">", ">="} else -1.0
    strict = rule.relation in {">", "<"}
    factor = rule.factor or 0.0
    value = rule.quantity.value(of.left) - factor * rule.quantity.value(of.right) - rule.constant
    if of.runs < max(2, rule.quantity.fewest(alpha)):
        return _Measured(rule, match, of, Estimate(value, None, None))
    # Enough that a p-value can be well below what Holm's correction leaves.
    draws_wanted = resamples_for(of.runs, 20 * family / alpha)
    left, right = resampled(of, [rule.quantity], generator(seed, f"gate/{bare.stream}"), draws_wanted)
    draws = left[0] - factor * right[0] - rule.constant
    over = sign * draws
    fails = p_value(over <= 0 if strict else over < 0, of.runs)
    passes = p_value(over > 0 if strict else over >= 0, of.runs)
    exact = _exact(rule, of, sign, strict=strict)
    if exact:
        fails, passes = max(fails, exact[0]), max(passes, exact[1])
    return _Measured(rule, match, of, Estimate(value, *interval(draws, of.runs, alpha)), fails, passes)


def _exact(rule: Rule, of: Sides, sign: float, *, strict: bool) -> tuple[float, float] | None:
    """Return p-values of failing and passing that need no large number of runs, where there are any.

    For a limit without a baseline, from how many values lie beyond it: exact for any quantile. For a median against a
    baseline, from the rank test: exact if the candidate scatters as the limit does.
    """
    # What equals the limit is on the side of the claim that includes it.
    to_fail: Ties = 0 if strict else 1
    to_pass: Ties = -1 if strict else 0
    if rule.factor is None:
        if rule.quantity.quantile is None:
            return None
        over = sign * (of.left - rule.constant)
        # How many of the values are beyond the limit if the quantile is on it.
        share = 1 - rule.quantity.quantile if sign > 0 else rule.quantity.quantile
        beyond = int(np.count_nonzero(over > 0 if strict else over >= 0))
        within = of.runs - beyond
        return _at_least(beyond, of.runs, share), _at_least(within, of.runs, 1 - share)
    if rule.quantity is not MEDIAN:
        return None
    limits: Floats = rule.factor * of.right + rule.constant
    if of.paired:
        over = sign * (of.left - limits)
        return ranks.signed_rank(over, ties=to_fail).above, ranks.signed_rank(over, ties=to_pass).below
    ours, theirs = sign * of.left, sign * limits
    return ranks.mann_whitney(ours, theirs, ties=to_fail).above, ranks.mann_whitney(ours, theirs, ties=to_pass).below


def _at_least(count: int, of: int, share: float) -> float:
    """Return the probability that at least `count` of so many values lie where a share of all does."""
    return 1.0 if count == 0 else float(bdtrc(count - 1, of, share))


@dataclass(frozen=True, slots=True)
class _Judge:
    seed: int
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
            p_fail=one.p_fail,
            p_adjusted=p_adjusted,
            p_pass=one.p_pass,
            status=status,
            why=why,
            asked=self.asked(one) if status == "inconclusive" else None,
        )

    def verdict(self, one: _Measured, p_adjusted: float | None) -> tuple[Status, str]:
        of = one.sides
        what = "pair" if of.paired and one.rule.factor is not None else "run"
        fewest = one.rule.quantity.fewest(self.alpha)
        if not of.runs:
            return "inconclusive", f"no {what} has {one.rule.metric.name}"
        if one.p_fail is None or one.p_pass is None or p_adjusted is None:
            few = f"{of.runs} {what}" if of.runs == 1 else f"{of.runs} {what}s"
            return "inconclusive", f"{few}: too few for a {one.rule.quantity.name} (it takes {fewest})"
        if p_adjusted > self.alpha:
            return self._not_failed(one, one.p_fail, one.p_pass, p_adjusted, what)
        holm = f" after Holm over {self.family} checks" if self.family > 1 else ""
        return "fail", f"shown by {of.runs} {what}s, p = {p_adjusted:.2g}{holm}"

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

    def asked(self, one: _Measured) -> Asked | None:
        """Say how many runs would decide; None if there is nothing to judge the spread by."""
        of, rule = one.sides, one.rule
        if not of.runs or one.excess is None or (one.p_pass is not None and one.p_pass <= self.alpha):
            return None
        resolution = self._resolution(rule)
        alpha = self.alpha / self.family
        fewest = max(2, rule.quantity.fewest(alpha))
        if of.runs < max(2, rule.quantity.fewest(self.alpha)):
            return Asked(resolution, powers.Runs(fewest, fewest, None), None)
        factor = rule.factor or 0.0
        limit = factor * rule.quantity.value(of.right) + rule.constant
        spread = powers.spreads(of, rule.quantity, factor, generator(self.seed, f"power/{one.stream}"))

        def to_show(distance: float) -> powers.Runs | None:
            return powers.to_show(distance, spread, alpha=alpha, power=self.power, fewest=fewest)

        resolved = to_show(resolution * abs(limit)) if limit else None
        if resolved and resolved.runs <= of.runs:
            resolved = None
        return Asked(resolution, resolved, self._seen(one, to_show) if one.excess.value else None)

    def _seen(self, one: _Measured, to_show: Callable[[float], powers.Runs | None]) -> powers.Runs | None:
        """Return the number for the distance seen; its range is that of the distance, which is the less sure thing."""
        assert one.excess is not None  # noqa: S101 - asked by who has it
        middle = to_show(abs(one.excess.value))
        ends = (one.excess.low, one.excess.high)
        if middle is None or ends[0] is None or ends[1] is None:
            return None
        far = to_show(max(abs(ends[0]), abs(ends[1])))
        near = to_show(min(abs(ends[0]), abs(ends[1]))) if ends[0] * ends[1] > 0 else None
        beyond = one.sides.runs + 1
        return powers.Runs(
            max(middle.runs, beyond), max(far.runs if far else middle.runs, beyond), near.runs if near else None
        )

    def _resolution(self, rule: Rule) -> float:
        if self.resolution is not None:
            return self.resolution
        if rule.factor is not None and rule.factor != 1:
            return abs(rule.factor - 1)
        return RESOLUTION
