"""Makes the columns of large series before anyone looks at them, in a thread that nobody waits for."""

from __future__ import annotations

import contextlib
import queue
import threading
from typing import TYPE_CHECKING

from windlull.series.cache import LARGE_BYTES, Cache
from windlull.series.columns import SeriesError

if TYPE_CHECKING:
    from pathlib import Path

SERIES = "series.json.gz"
_BEHIND = 4


class Ahead:
    """Takes series as they come. When it is far behind it lets some go: they cost their first reader time, no more."""

    def __init__(self, directory: Path) -> None:
        self._cache = Cache(directory)
        self._waiting: queue.Queue[tuple[str, bytes]] = queue.Queue(_BEHIND)
        threading.Thread(target=self._work, name="series", daemon=True).start()

    def offer(self, sha256: str, packed: bytes) -> None:
        """Make the columns of a series some time, if it is large."""
        if len(packed) >= LARGE_BYTES:
            with contextlib.suppress(queue.Full):
                self._waiting.put_nowait((sha256, packed))

    def _work(self) -> None:
        while True:
            sha256, packed = self._waiting.get()
            with contextlib.suppress(SeriesError):
                self._cache.prepare(sha256, packed)
