"""The guided experiment of the pages draws a hold where the link holds by itself in no repetition."""

from __future__ import annotations

import re
from pathlib import Path

from windlull.runner import engine

EXPERIMENT = Path(__file__).parents[3] / "web" / "src" / "pages" / "welcome" / "experiment.ts"
DRAWN_S = (10.0, 13.0)
"""What the page asks its reader to draw."""
AIR_S = 2.0
"""What recovery from an earlier hold takes, or would be hit by a later one."""


def constant(name: str) -> str:
    found = re.search(rf"^export const {name} = '?([^';]+)'?;$", EXPERIMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None, name
    return found[1]


def holds(seed: str, repetition: int, seconds: int) -> list[tuple[float, float]]:
    """Return from when to when the link delivers nothing in either direction, s."""
    asked = ["preview", constant("BASE"), "--seed", seed, "--repetition", str(repetition), "--for", f"{seconds} s"]
    told = engine.ask(asked)
    spells = [spell for way in ("down", "up") for spell in told[way]["spells"]]
    return [(spell["from_ns"] / 1e9, spell["until_ns"] / 1e9) for spell in spells]


def test_nothing_else_happens_where_one_draws() -> None:
    begin, end = DRAWN_S
    for repetition in range(1, int(constant("REPETITIONS")) + 1):
        others = holds(constant("SEED"), repetition, 40)
        near = [(since, until) for since, until in others if since < end + AIR_S and until > begin - AIR_S]
        assert near == [], f"repetition {repetition}"


def test_the_preview_shows_the_drawn_hold_alone() -> None:
    assert holds(constant("SEED"), 1, 40) == []


def test_not_every_seed_will_do() -> None:
    """The link does hold by itself: with another seed it does so where one draws."""
    assert any(since < DRAWN_S[1] and until > DRAWN_S[0] for since, until in holds("1", 1, 40))
