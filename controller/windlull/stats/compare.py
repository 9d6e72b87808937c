"""Whether one variant did better than another: for each metric in each cell, with how sure that is.

Pure: values by repetition in, a Comparison out, the same for the same input. docs/statistics.md says how and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.metrics import metric as known
from windlull.stats import power as powers
from windlull.stats import ranks
from windlull.stats.bootstrap import generator
from windlull.stats.quantities import MEAN, MEDIAN
from windlull.stats.resampling import Sides, interval, resampled, resamples_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from windlull.runner.messages import Number
    from windlull.stats.bootstrap import Floats
    from windlull.stats.summary import Cell

Verdict = Literal["better", "worse", "differs", "equal", "inconclusive"]
"""What the candidate is; `differs` where the metric has no better way."""

Test = Literal["signed-rank", "mann-whitney"]

METRICS = (
    "elapsed_s",
    "packets_lost",
    "retransmissions",
    "unnecessary_retransmissions",
    "spurious_timeouts",
    "genuine_timeouts",
)
"""What is compared unless somebody asks for other metrics: the columns of the table that `windlull run` prints."""

MARGIN = 0.01
CONFIDENCE = 0.95
POWER = 0.9


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared, in one cell: its name, and its values by metric and repetition.

    Values are finite numbers; a repetition that lacks a metric is left out.
    """

    name: str
    values: Mapping[str, Mapping[int, Number]]


@dataclass(frozen=True, slots=True)
class Match:
    """Two sides on the same link in the same testbed.

    `paired`: the same repetition of both met the same link (the same seed); else repetitions mean nothing.
    """

    link: str
    testbed: str
    baseline: Side
    candidate: Side
    paired: bool = True


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its interval at the comparison's confidence; both ends None where there is none."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Needed:
    """How many runs would decide: to show the difference seen, if it is real; to show equality, if there is none."""

    seen: powers.Runs | None
    margin: powers.Runs | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One metric in one cell: the candidate against the baseline.

    `runs` are the pairs if `paired`, else the fewer of both sides' runs. `medians` and `means` are those of baseline
    and candidate, over the runs compared. `ratio` and `mean_ratio` are candidate over baseline, None where a resample
    has a baseline of 0; `difference` is candidate minus baseline, in the metric's unit. `effect` is the matched-pairs
    rank-biserial correlation if paired, else Cliff's delta: from -1 (the candidate is lower throughout) to 1. `p` is
    two-sided; `p_adjusted` after Holm over all findings that have one.
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
    ratio: Estimate | None
    difference: Estimate | None
    mean_ratio: Estimate | None
    test: Test | None
    effect: float | None
    p: float | None
    p_adjusted: float | None
    verdict: Verdict
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


def matches(cells: Iterable[Cell], variants: Sequence[str]) -> list[Match]:
    """Set the cells of one experiment against each other: the first variant is the baseline of all others.

    A link and testbed that lack one of the two have no match. Raises ValueError with less than two variants.
    """
    if len(variants) < 2:
        raise ValueError("a comparison takes two variants")
    places: dict[tuple[str, str], dict[str, Cell]] = {}
    for cell in cells:
        places.setdefault((cell.link, cell.testbed), {})[cell.variant] = cell
    first, *others = variants
    return [
        Match(link, testbed, side(of[first]), side(of[other]))
        for (link, testbed), of in places.items()
        for other in others
        if first in of and other in of
    ]


def side(cell: Cell, name: str | None = None) -> Side:
    """Return a cell as one side, called as its variant unless a name is given."""
    return Side(name or cell.variant, cell.by_repetition)


def compare(
    against: Sequence[Match],
    *,
    seed: int,
    metrics: Sequence[str] | None = None,
    margin: float = MARGIN,
    confidence: float = CONFIDENCE,
    power: float = POWER,
) -> Comparison:
    """Compare each match in each of the metrics (METRICS if None; those that neither side has are left out).

    `seed` is the master seed of the bootstrap's random streams, below 2^64; `margin` the relative difference that
    counts as none. Raises ValueError if an option is out of its range or a value is no finite number.
    """
    if not 0 <= margin < 1:
        raise ValueError(f"a margin of {margin:g} is not from 0 to below 1")
    for what, share in (("confidence", confidence), ("power", power)):
        if not 0.5 < share < 1:
            raise ValueError(f"a {what} of {share:g} is not between 0.5 and 1")
    measured = [
        _measure(match, name, seed=seed, alpha=(1 - confidence) / 2)
        for match in against
        for name in (METRICS if metrics is None else metrics)
        if name in match.baseline.values or name in match.candidate.values
    ]
    tested = [one for one in measured if one.ranking is not None]
    adjusted = ranks.holm([one.ranking.either for one in tested if one.ranking is not None])
    judge = _Judge(margin, confidence, power, len(tested), seed)
    corrected = {id(one): value for one, value in zip(tested, adjusted, strict=True)}
    findings = tuple(judge.finding(one, corrected.get(id(one))) for one in measured)
    return Comparison(confidence, margin, power, len(tested), findings)


def sides(match: Match, metric: str) -> Sides:
    """Return the values of both sides, candidate left: of the repetitions that both have, if they are paired.

    Raises ValueError if a value is no finite number.
    """
    left, right = match.candidate.values.get(metric, {}), match.baseline.values.get(metric, {})
    lefts, rights = sorted(left), sorted(right)
    if match.paired:
        lefts = rights = sorted(left.keys() & right.keys())
    values = (
        np.array([left[repetition] for repetition in lefts], dtype=np.float64),
        np.array([right[repetition] for repetition in rights], dtype=np.float64),
    )
    for of, found in zip((match.candidate, match.baseline), values, strict=True):
        if not np.all(np.isfinite(found)):
            raise ValueError(f"{of.name}: a value of {metric} is no finite number")
    return Sides(*values, match.paired)


@dataclass(frozen=True, slots=True)
class _Measured:
    """A finding before the verdict; `identical` if no run differs from any that it is held against."""

    match: Match
    metric: str
    sides: Sides
    identical: bool
    ranking: ranks.Ranking | None
    ratio: Estimate | None
    difference: Estimate | None
    mean_ratio: Estimate | None

    @property
    def stream(self) -> str:
        match = self.match
        return f"{match.testbed}/{match.link}/{match.baseline.name}/{match.candidate.name}/{self.metric}"


def _measure(match: Match, name: str, *, seed: int, alpha: float) -> _Measured:
    of = sides(match, name)
    bare = _Measured(match, name, of, identical=False, ranking=None, ratio=None, difference=None, mean_ratio=None)
    if not of.runs:
        return bare
    identical = bool(np.all(of.left == of.right)) if of.paired else len({*of.left, *of.right}) == 1
    enough = of.runs >= MEDIAN.fewest(alpha)
    ranking = None
    if enough and not identical:
        ranking = ranks.signed_rank(of.left - of.right) if of.paired else ranks.mann_whitney(of.left, of.right)
    random = generator(seed, f"compare/{bare.stream}")
    left, right = resampled(of, (MEDIAN, MEAN), random, resamples_for(of.runs))

    def estimate(value: float, draws: Floats) -> Estimate:
        return Estimate(value, *(interval(draws, of.runs, alpha) if enough else (None, None)))

    def ratio(place: int, ours: float, theirs: float) -> Estimate | None:
        return estimate(ours / theirs, left[place] / right[place]) if theirs > 0 and np.all(right[place] > 0) else None

    ours, theirs = MEDIAN.value(of.left), MEDIAN.value(of.right)
    return _Measured(
        match,
        name,
        of,
        identical,
        ranking,
        ratio(0, ours, theirs),
        estimate(ours - theirs, left[0] - right[0]),
        ratio(1, MEAN.value(of.left), MEAN.value(of.right)),
    )


@dataclass(frozen=True, slots=True)
class _Judge:
    margin: float
    confidence: float
    power: float
    family: int
    seed: int

    @property
    def alpha(self) -> float:
        """The error allowed at each end."""
        return (1 - self.confidence) / 2

    def finding(self, one: _Measured, p_adjusted: float | None) -> Finding:
        of, match = one.sides, one.match
        verdict, why = self.verdict(one, p_adjusted)
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
            ratio=one.ratio,
            difference=one.difference,
            mean_ratio=one.mean_ratio,
            test=None if one.ranking is None else "signed-rank" if of.paired else "mann-whitney",
            effect=one.ranking.effect if one.ranking else 0.0 if one.identical else None,
            p=one.ranking.either if one.ranking else None,
            p_adjusted=p_adjusted,
            verdict=verdict,
            why=why,
            needed=self.needed(one) if verdict == "inconclusive" else None,
        )

    def verdict(self, one: _Measured, p_adjusted: float | None) -> tuple[Verdict, str]:
        """Return the verdict and the reason for it."""
        of = one.sides
        what = "pair" if of.paired else "run"
        fewest = MEDIAN.fewest(self.alpha)
        if not of.runs:
            return "inconclusive", f"no {what} has it on both sides"
        if of.runs < fewest:
            few = f"{of.runs} {what}" if of.runs == 1 else f"{of.runs} {what}s"
            return "inconclusive", f"{few}: too few to tell a difference from chance (it takes {fewest})"
        if one.identical:
            return "equal", f"every {what} of {of.runs} is the same"
        assert p_adjusted is not None  # noqa: S101 - what has enough runs and is not identical was tested
        assert one.ranking is not None  # noqa: S101
        return self._by_test(one, one.ranking.effect, p_adjusted)

    def _by_test(self, one: _Measured, effect: float, p_adjusted: float) -> tuple[Verdict, str]:
        told = f"p = {p_adjusted:.2g}" + (f" after Holm over {self.family} tests" if self.family > 1 else "")
        shown = p_adjusted <= 1 - self.confidence
        if self._within_margin(one):
            though = f", though not the same ({told})" if shown else ""
            return "equal", f"median and mean are within {100 * self.margin:g} % of the baseline's{though}"
        if not shown:
            return "inconclusive", f"not told apart ({told})"
        low, high = (one.difference.low, one.difference.high) if one.difference else (None, None)
        if low is not None and high is not None and (high < 0 if effect > 0 else low > 0):
            return "inconclusive", f"most runs are {'higher' if effect > 0 else 'lower'}, the median is not ({told})"
        better = known(one.metric).better
        if better is None:
            return "differs", told
        return "better" if (effect > 0) == (better == "higher") else "worse", told

    def needed(self, one: _Measured) -> Needed | None:
        of = one.sides
        if not of.runs:
            return None
        fewest = MEDIAN.fewest(self.alpha)
        if of.runs < fewest:
            return Needed(powers.Runs(fewest, fewest, None), None)
        assert one.ranking is not None  # noqa: S101 - what has enough runs and no test is equal
        alpha = self.alpha / self.family
        seen = powers.to_rank(
            one.ranking.effect,
            of.runs,
            paired=of.paired,
            alpha=alpha,
            power=self.power,
            fewest=max(MEDIAN.fewest(alpha), of.runs + 1),
        )
        return Needed(seen, self._to_show_equality(one))

    def _to_show_equality(self, one: _Measured) -> powers.Runs | None:
        """Return how many runs bound median and mean by the margin, if there is no difference; the greater number."""
        if not self.margin or one.ratio is None or one.mean_ratio is None:
            return None
        random = generator(self.seed, f"power/{one.stream}")
        found = [
            powers.to_bound(
                self.margin * quantity.value(one.sides.right),
                powers.spreads(one.sides, quantity, 1, random),
                alpha=self.alpha,
                power=self.power,
                fewest=one.sides.runs + 1,
            )
            for quantity in (MEDIAN, MEAN)
        ]
        told = [runs for runs in found if runs is not None]
        return max(told, key=lambda runs: runs.runs) if len(told) == len(found) else None

    def _within_margin(self, one: _Measured) -> bool:
        """Whether the intervals of median and mean lie within the margin; a median of 0 must not move at all."""
        if not self.margin:
            return False
        if one.ratio is None:
            still = one.difference is not None and one.difference.low == one.difference.high == 0
        else:
            still = self._is_within(one.ratio)
        return still and one.mean_ratio is not None and self._is_within(one.mean_ratio)

    def _is_within(self, ratio: Estimate) -> bool:
        if ratio.low is None or ratio.high is None:
            return False
        return 1 - self.margin <= ratio.low and ratio.high <= 1 + self.margin
