"""Which commit of a history is the first bad one, where some cannot be judged.

Pure: who judges a commit, and who lists those that remain, is given. The commit that is judged next is the one that
halves the remaining ones best; where that cannot be judged, the next best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Answer = Literal["good", "bad", "untold"]
"""What a commit is; `untold` where it does not build, does not boot, or so many runs as may be made do not decide."""


@dataclass(frozen=True, slots=True)
class Found:
    """The first bad commit as the only one of `candidates`, or all of which one is it, as the rest cannot be judged.

    `judged` are the commits that were, in this order.
    """

    candidates: tuple[str, ...]
    judged: tuple[tuple[str, Answer], ...]


def bisect(
    good: str,
    bad: str,
    remaining: Callable[[Sequence[str], str], Sequence[str]],
    judge: Callable[[str], Answer],
) -> Found:
    """Find the first bad commit after `good`, up to `bad`, which is known to be bad.

    `remaining` lists a bad commit and its ancestors that no good one has, those first that halve them best.
    """
    goods, judged = [good], dict[str, Answer]()
    while True:
        left = remaining(goods, bad)
        following = next((commit for commit in left if commit != bad and commit not in judged), None)
        if following is None:
            return Found((bad, *(commit for commit in left if commit != bad)), tuple(judged.items()))
        answer = judged[following] = judge(following)
        if answer == "good":
            goods.append(following)
        elif answer == "bad":
            bad = following


def steps(commits: int) -> int:
    """Return how many of so many commits are judged before one remains, if all can be; 1 at least."""
    return max(1, math.ceil(math.log2(max(1, commits))))
