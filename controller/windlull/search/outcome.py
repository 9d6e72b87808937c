"""What the runs of a candidate came to, and how bad that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.metrics import Metric
    from windlull.stats.rules import Rule

By = Literal["value", "difference", "ratio"]

TIME = "elapsed_s"
"""The metric that a run has whether it ended in order or not."""

MOST_RATIO = 1000.0
"""What a ratio to nothing counts as, and the most that any does: beyond it nobody asks how much."""

MATTERS = 0.01
"""The share of which anything less is no difference: two kernels that do the same differ by a hundredth of that."""

WRONG = (
    "detector_false_positives",
    "detector_false_negatives",
    "spurious_timeouts",
    "spurious_fast_retransmits",
    "spurious_losses",
    "genuine_timeouts",
)
"""Metrics that count wrong decisions, the most specific first; what is raised tells one kind of failure from another.

A genuine timeout is none, but it tells that the recovery before it did not end.
"""

_OFTEN = 2
"""So many wrong decisions of a kind and more are one behaviour."""

UNFINISHED = "unfinished"
"""Stands among these for runs that did not end in order."""


class Outcome(msgspec.Struct, frozen=True):
    """The metrics of some runs: by variant and metric a value for each repetition, None where a run has none.

    `unfinished` counts the runs of each variant that did not end in order. `problem` says why there are no runs.
    """

    values: dict[str, dict[str, tuple[float | None, ...]]] = {}
    unfinished: dict[str, int] = {}
    problem: str | None = None

    def of(self, variant: str, metric: str) -> tuple[float | None, ...]:
        """Return the values of a metric by repetition; none if there are no runs."""
        return self.values.get(variant, {}).get(metric, ())

    def median(self, variant: str, metric: str) -> float | None:
        """Return the median over the repetitions that have the metric, None if none has."""
        return _median([value for value in self.of(variant, metric) if value is not None])


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be as bad as possible: a metric of a variant, or how far it is from that of a baseline.

    `higher_is_worse` says which way is bad. Badness is larger where it is worse, in every case.
    """

    metric: Metric
    variant: str
    baseline: str | None
    by: By
    higher_is_worse: bool

    def each(self, outcome: Outcome) -> list[float | None]:
        """Return the badness of every repetition; a repetition's two runs met the same link."""
        ours = outcome.of(self.variant, self.metric.name)
        if self.baseline is None:
            return [None if value is None else self._signed(value) for value in ours]
        theirs = outcome.of(self.baseline, self.metric.name)
        return [
            None if one is None or other is None else self._apart(one, other)
            for one, other in zip(ours, theirs, strict=False)
        ]

    def badness(self, outcome: Outcome) -> float | None:
        """Return the median badness, None if no repetition has one."""
        return _median([value for value in self.each(outcome) if value is not None])

    def shown(self, badness: float) -> float:
        """Return a badness as people read it: without the sign that turned what is better high."""
        return badness if self.by == "ratio" else self._signed(badness)

    def _signed(self, value: float) -> float:
        return value if self.higher_is_worse else -value

    def _apart(self, ours: float, theirs: float) -> float:
        if self.by == "difference":
            return self._signed(ours - theirs)
        worse, better = (ours, theirs) if self.higher_is_worse else (theirs, ours)
        if better <= 0:
            return 1.0 if worse <= 0 else MOST_RATIO
        return min(worse / better, MOST_RATIO)


class Failing(Protocol):
    """What counts as a failure, of all runs of a candidate or of one repetition."""

    @property
    def text(self) -> str:
        """The rule, for people."""

    def fails(self, outcome: Outcome) -> bool:
        """Whether the runs together fail."""

    def each(self, outcome: Outcome) -> list[bool]:
        """Whether each repetition fails for itself."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """A badness of so much or more is a failure."""

    aim: Aim
    threshold: float

    @property
    def text(self) -> str:
        """The rule, for people."""
        by = "" if self.aim.baseline is None else f", {self.aim.by} to {self.aim.baseline}"
        above = self.aim.by == "ratio" or self.aim.higher_is_worse
        return f"{self.aim.metric.name}{by} {'>=' if above else '<='} {self.aim.shown(self.threshold):.4g}"

    def fails(self, outcome: Outcome) -> bool:
        """Whether the median of the repetitions is so bad."""
        badness = self.aim.badness(outcome)
        return badness is not None and badness >= self.threshold

    def each(self, outcome: Outcome) -> list[bool]:
        """Whether each repetition is so bad; one without the metric is not."""
        return [value is not None and value >= self.threshold for value in self.aim.each(outcome)]


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule of `--fail-if` (stats/rules.py) that the runs break."""

    rule: Rule
    variant: str
    baseline: str | None

    @property
    def text(self) -> str:
        """The rule, for people."""
        return self.rule.text

    def fails(self, outcome: Outcome) -> bool:
        """Whether the rule's statistic over the repetitions is beyond its limit."""
        ours, theirs = self._sides(outcome)
        return self._broken(ours, theirs)

    def each(self, outcome: Outcome) -> list[bool]:
        """Whether each repetition breaks the rule for itself; a statistic of one value is that value."""
        name = self.rule.metric.name
        ours = outcome.of(self.variant, name)
        theirs = outcome.of(self.baseline, name) if self.baseline is not None else (None,) * len(ours)
        return [
            self._broken([] if one is None else [one], [] if other is None else [other])
            for one, other in zip(ours, theirs, strict=False)
        ]

    def _sides(self, outcome: Outcome) -> tuple[list[float], list[float]]:
        name = self.rule.metric.name
        ours = [value for value in outcome.of(self.variant, name) if value is not None]
        theirs = [value for value in outcome.of(self.baseline or "", name) if value is not None]
        return ours, theirs

    def _broken(self, ours: Sequence[float], theirs: Sequence[float]) -> bool:
        if not ours or (self.rule.factor is not None and not theirs):
            return False
        limit = self.rule.constant
        if self.rule.factor is not None:
            limit += self.rule.factor * self.rule.quantity.value(np.array(theirs, dtype=np.float64))
        return self.rule.broken(self.rule.quantity.value(np.array(ours, dtype=np.float64)) - limit)


def signature(variant: str, outcome: Outcome, base: Outcome) -> tuple[str, ...]:
    """Return which wrong decisions a variant takes beyond those that it takes on the base link too."""
    raised = [name for name in WRONG if (outcome.median(variant, name) or 0) >= (base.median(variant, name) or 0) + 0.5]
    if outcome.unfinished.get(variant, 0) > base.unfinished.get(variant, 0):
        raised.append(UNFINISHED)
    return tuple(raised)


def behaviour(aim: Aim, outcome: Outcome) -> tuple[int, ...]:
    """Return how often the variant, and its baseline, decided wrongly: never, once, or more often, by kind."""
    variants = [aim.variant] if aim.baseline is None else [aim.variant, aim.baseline]
    return tuple(min(_OFTEN, round(outcome.median(variant, name) or 0)) for variant in variants for name in WRONG)


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None
