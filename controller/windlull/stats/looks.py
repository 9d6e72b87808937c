"""When to look at runs that are still growing in number, and how much error each look may cost.

Who looks often enough sees a false alarm. Of the error allowed in all, `alpha`, the share t of the runs may have spent
alpha * t^2 (Kim and DeMets 1987): little early, when only a large difference should stop the runs, and most of it at
the end. Each look is then a test at what is newly spent. These add up to alpha whatever the looks have to do with one
another, so that no assumption is needed about a statistic's growth.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """A decision with `runs` of each side, at error `alpha`."""

    runs: int
    alpha: float


def looks(first: int, most: int, alpha: float) -> list[Look]:
    """Return looks at `first` runs, at twice as many, and so on, the last at `most`; `alpha` in all.

    Raises ValueError if there are fewer `most` than `first`.
    """
    if most < first:
        raise ValueError(f"at most {most} runs are fewer than the first {first}")
    counts = []
    count = first
    # A last step of less than half again is joined to the one before: it would look at nearly the same runs.
    while 3 * count < 2 * most:
        counts.append(count)
        count *= 2
    planned = []
    before = 0.0
    for count in [*counts, most]:
        spent = alpha * (count / most) ** 2
        planned.append(Look(count, spent - before))
        before = spent
    return planned
