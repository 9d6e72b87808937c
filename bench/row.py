"""One line of the benchmark's result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was measured, beside a peer where there is one, and whether it is as good as it must be."""

    name: str
    ours: float
    peer: float | None
    unit: str
    ratio: float | None
    bar: float | None
    holds: bool
