"""What a claim's status rests on: an estimate, its 95 % interval, and whether that clears the criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from windlull.contract.engine import Claim, Relation


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """A claim's estimate on one link.

    `value` is the ratio of the two sides, None where the right one is 0, or of a claim on one side its value.
    `interval` is the 95 % interval of what `of` says: of the ratio, of the value, or of left - factor * right where a
    side can be 0. `clears` says whether the whole interval meets the criterion. `runs` is the number of repetitions,
    `distinct` the number without copies: one where nothing is random.
    """

    link: str
    of: Literal["ratio", "difference", "value"]
    value: float | None
    interval: tuple[float, float] | None
    clears: bool
    runs: int
    distinct: int

    @property
    def is_one_run(self) -> bool:
        """Whether there is but one outcome: a single run, or runs that are copies of it."""
        return self.distinct <= 1


def ratio_clears(claim: Claim, interval: tuple[float, float] | None) -> bool:
    """Return whether an interval of the ratio, or of the value of a one-sided claim, meets the criterion as a whole."""
    if interval is None or claim.relation == "~":
        # An interval that includes 1 does not show that two things are the same.
        return False
    target = float(claim.value or 0) if claim.right is None else 1.0
    if claim.relation == "within":
        room = (claim.tolerance or 0) * abs(target)
        return target - room <= interval[0] and interval[1] <= target + room
    return _beyond(claim.relation, interval, target if claim.right is None else claim.factor)


def zero_clears(claim: Claim, interval: tuple[float, float] | None) -> bool:
    """Return whether an interval of left - factor * right lies on the side of 0 that the claim asks for."""
    return interval is not None and _beyond(claim.relation, interval, 0)


def _beyond(relation: Relation, interval: tuple[float, float], target: float) -> bool:
    low, high = interval
    return {"<": high < target, "<=": high <= target, ">": low > target, ">=": low >= target}[relation]
