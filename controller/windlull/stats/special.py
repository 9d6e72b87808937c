"""The functions of `scipy.special`, loaded when the first of them is asked for.

Loading them takes a third of the start of a command, and most commands need none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.special import bdtr, bdtrc, bdtri, betaincinv, gammaincinv, ndtr, ndtri, stdtrit

__all__ = ["bdtr", "bdtrc", "bdtri", "betaincinv", "gammaincinv", "ndtr", "ndtri", "stdtrit"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of them
    from scipy import special  # noqa: PLC0415

    return getattr(special, name)
