"""What would decide a check that is inconclusive: more runs, or another rule."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from windlull.metrics import significant
from windlull.runner.messages import MOST_REPETITIONS
from windlull.stats import planning
from windlull.stats.quantities import ALPHA

if TYPE_CHECKING:
    from windlull.stats.planning import Asked
    from windlull.stats.questions import Question, Sides
    from windlull.stats.rules import Rule

MOST_STEPS = 200
"""A rule with twice the baseline more room is another rule."""

FEW_VALUES = 5
"""A metric of so few different values has a median that hardly moves."""


TELLS_NOTHING = "the workload lasts a fixed time, and so does every run: judge goodput, as goodput.median"
"""Of a rule on the elapsed time of such a workload, whether it is decided or not."""


def advice(rule: Rule, of: Sides, question: Question, asked: Asked | None) -> str | None:
    """Say what would help, in a sentence or two; None where the number of runs that is asked for is all."""
    name, statistic = rule.metric.name, rule.quantity.name
    said = []
    few = of.runs < planning.telling_from(rule.quantity, ALPHA)
    if not few and rule.quantity.quantile is not None and _different(of) <= FEW_VALUES < of.runs:
        short = name.removesuffix("_s").removesuffix("_bps")
        others = " or ".join(f"{short}.{other}" for other in ("mean", "q3") if other != statistic)
        said.append(
            f"{name} has {_different(of)} different values in these runs, so that its {statistic} hardly moves: "
            f"{others} suits it better"
        )
    if asked is not None and asked.runs is None:
        said.append(_without_number(rule, of, question, asked))
    return "; ".join(said) or None


def _different(of: Sides) -> int:
    return len(np.unique(np.concatenate((of.left, of.right))))


def _without_number(rule: Rule, of: Sides, question: Question, asked: Asked) -> str:
    limit = (rule.factor or 0.0) * rule.quantity.value(of.right) + rule.constant
    if not limit:
        return "at a limit of 0 no number of runs can be named: leave room in the rule, as baseline + 1"
    away = f"{significant(100 * asked.resolution)} %"
    room = f"leave more room in the rule{_with_room(rule, of, question)}"
    # A median that stays on one value says nothing of what makes the mean.
    if rule.quantity.quantile is None and len(np.unique(np.quantile([of.left, of.right], (0.25, 0.5, 0.75)))) > 2:
        room += ", or judge the median"
    if asked.beyond:
        return f"to tell {away} from the limit takes more than the {MOST_REPETITIONS:,} runs that can be made: {room}"
    if not planning.tells(of, question):
        what = "pairs differ" if of.paired and rule.factor is not None else "runs lie apart"
        return f"too few {what} to tell how many would decide a rule on the mean: {room}"
    if planning.in_steps(of, question):
        return (
            f"too many values are ties to tell on which side of a step between them the {rule.quantity.name} is, and "
            f"how many runs would decide: {room}"
        )
    return (
        f"so many runs mostly tell {away} from the limit: the candidate is likely nearer to it than that, and more "
        f"runs would hardly help; {room}, or ask for a finer --resolution"
    )


def _with_room(rule: Rule, of: Sides, question: Question) -> str:
    """Name a rule of the same kind that such runs mostly pass, in steps of a hundredth; nothing where none is near."""
    if rule.factor is None:
        return ""
    way = 1 if rule.fails_above else -1
    for step in range(1, MOST_STEPS):
        factor = round(rule.factor + way * step / 100, 2)
        if factor <= 0:
            break
        low, high = replace(question, factor=factor).bounds(of.one, ALPHA, exact=True)
        if (high[0] < 0) if rule.fails_above else (low[0] > 0):
            return f", as {factor:g} * baseline"
    return ""
