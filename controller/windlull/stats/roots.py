"""Where a function is 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def root(of: Callable[[float], float], low: float, high: float, *, rtol: float, xtol: float = 2e-12) -> float:
    """Return where a function is 0 between two places at which it has different signs, by Brent's method.

    `xtol` and `rtol` are how far off it may be, and how far as a share of it.
    """
    # Here and not above: few commands ask for a root, and all would wait for scipy.optimize, a quarter of their start.
    from scipy.optimize import brentq  # noqa: PLC0415

    return float(brentq(of, low, high, xtol=xtol, rtol=rtol))
