"""Whether something happens nearly always: tries one after the other, until they tell (Wald 1945).

A fixed number of tries is too few for the shares near 1 and too many for the others. The sequential probability ratio
test adds up, try by try, how much likelier what came is at a share of `high` than at one of `low`, and stops as soon as
that is beyond one of two bounds. No fixed number of tries with the same errors needs as few on average at either share
(Wald and Wolfowitz 1948).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Answer = Literal["high", "low", "untold"]


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Whether a share is `high` rather than `low`.

    Where it is `low` or less, the chance of the answer "high" is `alpha` at most, but for what a sum overshoots its
    bound, which makes it smaller; where it is `high` or more, that of "low" is about `beta`. Between the two either may
    come, and after `most` tries neither.
    """

    low: float
    high: float
    alpha: float
    beta: float
    most: int

    def __post_init__(self) -> None:
        """Raise ValueError if no such test can be."""
        if not 0 < self.low < self.high < 1:
            raise ValueError(f"shares of {self.low} and {self.high}; it must be 0 < low < high < 1")
        if not (0 < self.alpha < 1 and 0 < self.beta < 1 and self.alpha + self.beta < 1):
            raise ValueError(f"errors of {self.alpha} and {self.beta}; both above 0, together below 1")

    def answer(self, hits: int, misses: int) -> Answer | None:
        """Return the answer after so many tries; None if another one is to be made.

        It is asked after each try: who makes several at a time asks `after`, which does.
        """
        weight = hits * log(self.high / self.low) + misses * log((1 - self.high) / (1 - self.low))
        if weight >= log((1 - self.beta) / self.alpha):
            return "high"
        if weight <= log(self.beta / (1 - self.alpha)):
            return "low"
        return "untold" if hits + misses >= self.most else None

    def after(self, tries: Sequence[bool]) -> tuple[Answer | None, int]:
        """Return the first answer that tries in their order give, and how many of them it took."""
        hits = 0
        for count, hit in enumerate(tries, 1):
            hits += hit
            if (answer := self.answer(hits, count - hits)) is not None:
                return answer, count
        return None, len(tries)
