"""The interval of a share."""

from __future__ import annotations

from windlull.stats import special


def exact(hits: int, of: int, level: float) -> tuple[float, float]:
    """Return the exact interval of a probability, of which `hits` of so many tries came (Clopper and Pearson 1934)."""
    tail = (1 - level) / 2
    low = float(special.betaincinv(hits, of - hits + 1, tail)) if hits else 0.0
    high = float(special.betaincinv(hits + 1, of - hits, 1 - tail)) if hits < of else 1.0
    return low, high
