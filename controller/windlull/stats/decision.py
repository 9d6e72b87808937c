"""What the evidence of one comparison amounts to: better, worse, equal, or nothing that can be said.

A difference must clear the margin, and is shown in one of two ways. By the runs: more of them are beyond the margin on
one side than on the other (stats.direction), and the median or the mean is shown to be beyond it. By the mean: it is
shown to be beyond the margin with the allowance of stats.unseen, and neither the runs nor the median are shown to point
the other way. That is how rare slow runs are found where the others scatter. The two are two tests, each with its part
of the error (`WEIGHTS`), and Holm's correction is over both.

Equal are two sides of which the medians and the means are both shown to be
within the margin, with what so many runs cannot have shown allowed for (stats.unseen).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.metrics import metric as known
from windlull.stats import unseen
from windlull.stats.direction import Direction, direction
from windlull.stats.quantities import MEAN, MEDIAN
from windlull.stats.questions import Question, Samples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from windlull.stats.quantities import Floats
    from windlull.stats.questions import Booleans, Sides

Way = Literal["runs", "mean"]
"""By what a difference is shown."""

WEIGHTS: dict[Way, float] = {"runs": 1.0, "mean": 0.25}
"""How the error is shared out: four fifths to the runs, so that six pairs can still decide, which takes 3.1 %."""

Verdict = Literal["better", "worse", "differs", "equal", "inconclusive"]
"""What the candidate is; `differs` where the metric has no better way."""

ONE_RUN = "nothing here is random: one run tells all"


@dataclass(frozen=True, slots=True)
class Decision:
    """What samples show, an entry a sample.

    `above` and `below`: the median or the mean is shown to be beyond the margin there, if that side is the one where
    more runs are. `usual_above` and `usual_below`: more runs, or the median, are shown to be on that side, and not just
    within the margin. `median_within` and `mean_within`: that one is shown to be within it. `median` and `mean` are how
    far the two differ, the candidate less the baseline, and `unseen` the share of runs that an event may be in which
    none has shown.
    """

    margin: float
    runs: int
    paired: bool
    direction: Direction
    above: Booleans
    below: Booleans
    usual_above: Booleans
    usual_below: Booleans
    median_within: Booleans
    mean_within: Booleans
    median: Floats
    mean: Floats
    unseen: float

    @property
    def within(self) -> Booleans:
        """Where the two are equal."""
        return self.median_within & self.mean_within

    @property
    def opposed(self) -> Booleans:
        """Where the median or the mean points to another side than most runs do, unless it is within the margin."""
        way = np.sign(self.direction.effect)
        median, mean = self.median * way < 0, self.mean * way < 0
        return np.asarray((median & ~self.median_within) | (mean & ~self.mean_within))

    @property
    def by_runs(self) -> Floats:
        """Return 1 where the candidate is higher by its runs, if their direction is shown; -1 where lower, else 0."""
        way = np.sign(self.direction.effect)
        clear = np.where(way > 0, self.above, self.below)
        return np.where(clear & ~self.opposed & ~self.within, way, 0.0)

    @property
    def by_mean(self) -> Floats:
        """Return the same by its mean, if that is shown to be beyond the margin."""
        way = np.sign(self.mean)
        against = np.where(way > 0, self.usual_below, self.usual_above)
        return np.where(~against & ~self.within, way, 0.0)

    def verdict(self, metric: str, shown: Mapping[Way, bool], p_values: Mapping[Way, str]) -> Judgement:
        """Return the verdict on one sample; `shown` whether each way is, after Holm, and `p_values` the p of both."""
        percent = f"{100 * self.margin:g} %"
        pairs = "pairs" if self.paired else "runs"
        if self.within[0]:
            p = f" ({p_values['runs']})" if p_values else ""
            return Judgement("equal", f"median and mean are within {percent} of the baseline's{p}")
        if not p_values:
            return Judgement("inconclusive", (
                f"every {pairs[:-1]} of {self.runs} is the same, but what differs in {100 * self.unseen:.2g} % of runs "
                "need not have shown in so few"
            ))  # fmt: skip
        if shown["runs"] and self.by_runs[0]:
            why = f"{self._counts(percent)} ({p_values['runs']})"
            return Judgement(_in_words(metric, higher=bool(self.by_runs[0] > 0)), why, "runs")
        if shown["mean"] and self.by_mean[0]:
            why = f"it is the mean that is {_way(self.mean)} by more than {percent}, not the usual run"
            return Judgement(_in_words(metric, higher=bool(self.mean[0] > 0)), f"{why} ({p_values['mean']})", "mean")
        return Judgement("inconclusive", self._undecided(shown, p_values))

    def _counts(self, percent: str) -> str:
        """Say how many runs are beyond the margin on the side where more are, and on the other."""
        effect, moving = float(self.direction.effect[0]), float(self.direction.moving[0])
        most, other = ("higher", "lower") if effect > 0 else ("lower", "higher")
        if not self.paired:
            return f"more runs are {most} by more than {percent} than {other}"
        more, fewer = (round((moving + way * abs(effect)) * self.runs / 2) for way in (1, -1))
        return f"{more} of {self.runs} pairs are {most} by more than {percent}, {fewer or 'none'} {other}"

    def _undecided(self, shown: Mapping[Way, bool], p_values: Mapping[Way, str]) -> str:
        """Say why neither way decides."""
        if not shown["runs"] and not shown["mean"]:
            return f"not told apart ({p_values['runs']})"
        p = p_values["runs" if shown["runs"] else "mean"]
        if not shown["runs"] or self.opposed[0]:
            pairs = "pairs" if self.paired else "runs"
            most, median, mean = (_way(value) for value in (self.direction.effect, self.median, self.mean))
            return f"more {pairs} are {most}, the median is {median}, the mean {mean} ({p})"
        return f"it differs, but neither median nor mean is shown to by {100 * self.margin:g} % or more ({p})"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, the reason for it, and by what the difference is shown, where one is."""

    verdict: Verdict
    why: str
    by: Way | None = None


def mean_beyond(of: Samples, margin: float, alpha: float) -> Booleans:
    """Return where the mean is shown to be beyond the margin, with an error of `alpha` on the side where it is."""
    found = np.zeros(len(of.left), dtype=bool)
    for way, which in ((1, 0), (-1, 1)):
        beyond = _moved(Question(MEAN), of, way * margin)
        there = np.flatnonzero(beyond.values(of) * way > 0)
        if len(there):
            rows = Samples(of.left[there], of.right[there], of.paired)
            found[there] = beyond.shown(rows, alpha, strict=way > 0)[which]
    return found


def mean_p(of: Sides, margin: float) -> float:
    """Return the two-sided p-value of the claim that the mean is beyond the margin on the side where it is."""
    one = of.one
    way = int(np.sign(Question(MEAN).values(one)[0]))
    beyond = _moved(Question(MEAN), one, way * margin)
    if not way or beyond.values(one)[0] * way <= 0:
        return 1.0
    return min(1.0, 2 * beyond.p_value(of, above=way > 0, strict=way > 0))


def decide(of: Samples, margin: float, alpha: float) -> Decision:
    """Ask all that a verdict takes, of many samples at once; each answer is wrong with a probability of `alpha`."""
    runs = min(of.left.shape[1], of.right.shape[1])
    median, mean, mean_seen = Question(MEDIAN), Question(MEAN), Question(MEAN, allowing=False)

    def beyond(question: Question, way: int) -> Booleans:
        """Return where the question's statistic is shown to be beyond the margin, above or below."""
        return _moved(question, of, way * margin).shown(of, alpha, strict=way > 0)[0 if way > 0 else 1]

    def inside(question: Question) -> Booleans:
        """Return where it is shown to be within the margin, both ends included."""
        return (
            _moved(question, of, margin).shown(of, alpha, strict=True)[1]
            & _moved(question, of, -margin).shown(of, alpha, strict=False)[0]
        )

    towards = direction(of, margin)
    usual_up, usual_down = median.shown(of, alpha, strict=True)[0], median.shown(of, alpha, strict=False)[1]
    median_within = inside(median) if margin else np.zeros(len(of.left), dtype=bool)
    never = np.zeros(len(of.left), dtype=bool)
    return Decision(
        margin, runs, of.paired, towards,
        above=beyond(median, 1) | beyond(mean_seen, 1),
        below=beyond(median, -1) | beyond(mean_seen, -1),
        usual_above=(towards.higher <= alpha) | (usual_up & ~median_within),
        usual_below=(towards.lower <= alpha) | (usual_down & ~median_within),
        median_within=median_within,
        mean_within=inside(mean) if margin else never,
        median=median.values(of),
        mean=mean.values(of),
        unseen=unseen.share(runs, alpha),
    )  # fmt: skip


def single(of: Sides, metric: str, margin: float) -> Judgement:
    """Return the verdict on two single runs, which are all that there is where nothing is random."""
    ours, theirs = float(of.left[0]), float(of.right[0])
    if abs(ours - theirs) <= margin * abs(theirs):
        same = "both are the same" if ours == theirs else f"the two are within {100 * margin:g} %"
        return Judgement("equal", f"{ONE_RUN}, and {same}")
    return Judgement(_in_words(metric, higher=ours > theirs), ONE_RUN)


def _moved(question: Question, of: Samples, margin: float) -> Question:
    """Return the question with a limit that is `margin` above the baseline, of 1 where all values are 0."""
    nothing = not np.any(of.left) and not np.any(of.right)
    return Question(question.quantity, 1 + margin, margin if nothing else 0.0, allowing=question.allowing)


def _way(values: Floats) -> str:
    return "higher" if values[0] > 0 else "lower" if values[0] < 0 else "the same"


def _in_words(metric: str, *, higher: bool) -> Verdict:
    better = known(metric).better
    if better is None:
        return "differs"
    return "better" if higher == (better == "higher") else "worse"
