"""A mechanism of ours in its source, and an edited form of it with which every run measures other numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE = "testbed/tcp/src/timer/linux.rs"
BEFORE, AFTER = "known.mean_8 - mean + rtt", "known.mean_8 - 4 * mean + 4 * rtt"
"""The gain of the smoothed round-trip time, an eighth as in RFC 6298 section 2.3, and another one, a half."""


def edit(sources: Path) -> None:
    """Edit the mechanism in a tree of sources."""
    _replace(sources / FILE, BEFORE, AFTER)


def restore(sources: Path) -> None:
    """Undo it."""
    _replace(sources / FILE, AFTER, BEFORE)


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file}: {old}"
    file.write_text(text.replace(old, new), encoding="utf-8")
