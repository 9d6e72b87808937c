"""Which lines of a text were changed, as `diff -u` has them.

Python's `difflib` compares the lines. Its time grows with the square of their number at worst, so that it is given only
what lies between the first and the last change, and nothing above MOST_COMPARED lines: those count as replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_COMPARED = 1000
"""So many lines on one side, from the first to the last that differ, are compared: a second of work at worst."""

_CONTEXT = 3
"""So many lines around a change are shown with it."""

Change = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Changes that lie close together, with the lines around them. Lines are counted from 1 in either text."""

    before: int
    after: int
    lines: tuple[tuple[Change, str], ...]


def hunks(before: str, after: str) -> list[Hunk]:
    """Return what was changed from one text to another; nothing if they are equal."""
    old, new = before.split("\n"), after.split("\n")
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    # With its context, so that grouping finds it.
    first, last = max(start - _CONTEXT, 0), max(end - _CONTEXT, 0)
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if old == new:
        return []
    if max(len(old), len(new)) > MOST_COMPARED:
        groups = [_replaced(len(old), len(new), start - first, end - last)]
    else:
        groups = list(SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT))
    return [Hunk(first + group[0][1] + 1, first + group[0][3] + 1, tuple(_lines(group, old, new))) for group in groups]


def counted(before: str, after: str) -> tuple[int, int]:
    """Return how many lines were added, and how many removed."""
    changes = [change for hunk in hunks(before, after) for change, _ in hunk.lines]
    return changes.count("added"), changes.count("removed")


_Opcode = tuple[str, int, int, int, int]


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _replaced(old: int, new: int, above: int, below: int) -> list[_Opcode]:
    """Return all but the lines above and below as one replacement."""
    return [
        ("equal", 0, above, 0, above),
        ("replace", above, old - below, above, new - below),
        ("equal", old - below, old, new - below, new),
    ]


def _lines(group: Sequence[_Opcode], old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Change, str]]:
    for tag, old_from, old_to, new_from, new_to in group:
        if tag == "equal":
            yield from (("same", line) for line in old[old_from:old_to])
        else:
            yield from (("removed", line) for line in old[old_from:old_to])
            yield from (("added", line) for line in new[new_from:new_to])
