"""The ratios of the last commit that passed, in bench/ratios.json: none may become worse by more than 15 %.

Rows named there are compared. When all is well the file has the new ratios, to be committed with what was measured;
a row to compare from now on is written in by hand, with the side that is better.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from row import Row

KEPT = Path(__file__).resolve().parent / "ratios.json"
MOST_LOST = 0.15
"""The part of a ratio that may be lost: what a busy machine makes of a row is less."""


class Ratio(TypedDict):
    """A row's ratio, and whether more of it is better or less."""

    ratio: float
    better: Literal["more", "less"]


def kept() -> dict[str, Ratio]:
    """What the last commit that passed has left, by the row's name."""
    ratios: dict[str, Ratio] = json.loads(KEPT.read_text(encoding="utf-8"))
    return ratios


def fallen(rows: Sequence[Row], ratios: dict[str, Ratio]) -> list[str]:
    """What is worse than it was, a sentence a row."""
    found = []
    for row in rows:
        before = ratios.get(row.name)
        if before is None or row.ratio is None:
            continue
        now, then = (row.ratio, before["ratio"]) if before["better"] == "more" else (before["ratio"], row.ratio)
        if now < (1 - MOST_LOST) * then:
            found.append(f"{row.name}: the ratio is {row.ratio:.2f}, and was {before['ratio']:.2f}")
    return found


def keep(rows: Sequence[Row], ratios: dict[str, Ratio]) -> None:
    """Write down the ratios of these rows, of which all hold."""
    measured = {row.name: round(row.ratio, 2) for row in rows if row.ratio is not None}
    new = {name: {**before, "ratio": measured.get(name, before["ratio"])} for name, before in ratios.items()}
    KEPT.write_text(json.dumps(new, indent=2) + "\n", encoding="utf-8")
