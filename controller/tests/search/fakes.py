"""Searches without an engine: links whose badness a function says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull.metrics import METRICS
from windlull.search.candidate import Event
from windlull.search.outcome import Aim, Outcome
from windlull.search.space import Range, Space

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from windlull.search.candidate import Candidate

VARIANT, BASELINE = "sack", "newreno"
AIM = Aim(METRICS["elapsed_s"], VARIANT, None, "value", higher_is_worse=True)
SPACE = Space(
    most=3,
    kinds=("hold", "drop", "rate"),
    on=("down", "up", "both"),
    begin=Range(0, 6_000_000),
    length=Range(10_000, 10_000_000, "log"),
    rate=Range(200_000, 10_000_000, "log"),
    delay=None,
)


def hold(begin_ms: float, length_ms: float, on: str = "down", kind: str = "hold", depth: int = 0) -> Event:
    event: dict[str, object] = {"kind": kind, "on": on, "depth": depth}
    return Event(begin_us=int(begin_ms * 1000), length_us=int(length_ms * 1000), **event)  # type: ignore[arg-type]


def outcome(*values: float | None, baseline: Sequence[float | None] = (), **counts: float) -> Outcome:
    """The times of the variant's repetitions, and of the baseline's; `counts` are other metrics of the variant."""
    ours: dict[str, tuple[float | None, ...]] = {"elapsed_s": values}
    ours |= {name: tuple([count] * len(values)) for name, count in counts.items()}
    return Outcome({VARIANT: ours, BASELINE: {"elapsed_s": tuple(baseline)}})


class Runner:
    """Runs candidates by a function of them; `most` of them, then it is interrupted."""

    def __init__(
        self, measure: Callable[[Candidate], Outcome], most: int | None = None, *, backwards: bool = False
    ) -> None:
        self._measure = measure
        self._left = most
        self._backwards = backwards
        self.ran: list[int] = []

    def __call__(self, candidates: Mapping[int, Candidate], keep: Callable[[int, Outcome], None]) -> None:
        for number in sorted(candidates, reverse=self._backwards):
            if self._left is not None and len(self.ran) >= self._left:
                return
            self.ran.append(number)
            keep(number, self._measure(candidates[number]))
