"""What would decide a check that is inconclusive: more runs, or another rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from windlull.runner.messages import MOST_REPETITIONS

if TYPE_CHECKING:
    from windlull.stats.planning import Asked
    from windlull.stats.questions import Sides
    from windlull.stats.rules import Rule

FEW_VALUES = 5
"""A metric of so few different values has a median that hardly moves."""


TELLS_NOTHING = "the workload lasts a fixed time, and so does every run: judge goodput, as goodput.median"
"""Of a rule on the elapsed time of such a workload, whether it is decided or not."""


def advice(rule: Rule, of: Sides, asked: Asked | None) -> str | None:
    """Say what would help, in a sentence or two; None where the number of runs that is asked for is all."""
    name, statistic = rule.metric.name, rule.quantity.name
    short = name.removesuffix("_s").removesuffix("_bps")
    said = []
    different = len(np.unique(np.concatenate((of.left, of.right))))
    if rule.quantity.quantile is not None and different <= FEW_VALUES and of.runs > FEW_VALUES:
        others = " or ".join(f"{short}.{other}" for other in ("mean", "q3") if other != statistic)
        said.append(f"{name} has {different} different values in these runs, so that its {statistic} hardly moves: "
                    f"{others} suits it better")  # fmt: skip
    if asked is not None and asked.runs is None:
        said.append(_without_number(rule, of, asked))
    return "; ".join(said) or None


def _without_number(rule: Rule, of: Sides, asked: Asked) -> str:
    limit = (rule.factor or 0.0) * rule.quantity.value(of.right) + rule.constant
    if not limit:
        return "at a limit of 0 no number of runs can be named: leave room in the rule, as baseline + 1"
    away = f"{100 * asked.resolution:.3g} %"
    if asked.beyond:
        return (
            f"to tell {away} from the limit takes more than the {MOST_REPETITIONS:,} runs that can be made: leave more "
            "room in the rule" + (", or judge the median" if rule.quantity.quantile is None else "")
        )
    return (
        f"so many runs mostly tell {away} from the limit: the candidate is likely nearer to it than that, and more "
        "runs would hardly help; leave more room in the rule, or ask for a finer --resolution"
    )
