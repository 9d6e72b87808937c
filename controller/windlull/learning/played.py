"""A variant that plays the learned link once, as a transfer of about the captured size."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from windlull.errors import FailureError
from windlull.learning.matching import joined
from windlull.recordings.link import quoted
from windlull.runner import engine

if TYPE_CHECKING:
    from windlull.learning.matching import Joined

SLOWEST = 20
"""After so many times the captured length the transfer is stopped."""


def played(captured: Joined, link: str, variant: str, seed: int) -> Joined:
    """Simulate the transfer and return its packets.

    Raises EngineError if there is no such variant, and BadInputError if too few packets came through.
    """
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        (root / "link.toml").write_text(link, encoding="utf-8")
        (root / "bulk.toml").write_text(
            f'title = "As captured"\nkind = "bulk"\nsize = "{_size(captured)} B"\ndirection = "{captured.data}"\n',
            encoding="utf-8",
        )
        (root / "run.toml").write_text(
            f'title = "Played"\nlink = "link.toml"\nvariants = [{quoted(variant)}]\nworkload = "bulk.toml"\n'
            f'repetitions = 1\nseed = {seed}\ntime_limit = "{int(captured.length_s * SLOWEST) + 60} s"\n',
            encoding="utf-8",
        )
        engine.text(["run", str(root / "run.toml"), "--out", str(root / "out"), "--no-series"])
        captures = sorted((root / "out").rglob("*.pcapng"), key=lambda file: file.name != "server.pcapng")
        if len(captures) != 2:
            raise FailureError(f"{variant} cannot be simulated: it left no captures")
        return joined(captures[0], captures[1])


def _size(captured: Joined) -> int:
    """Return about how many octets were transferred: what arrived, less a header each: the shortest packet."""
    data = captured.of(captured.data)
    header = min(float(one.bits.min()) for one in (captured.down, captured.up))
    return max(int((data.bits[data.delivered] - header).sum() / 8), 1500)
