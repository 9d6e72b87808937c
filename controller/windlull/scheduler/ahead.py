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

    from windlull.store.blobs import Blobs

SERIES = "series.json.gz"
_BEHIND = 4


class Ahead:
    """Takes series as they come. When it is far behind it lets some go: they cost their first reader time, no more."""

    def __init__(self, directory: Path, blobs: Blobs) -> None:
        self._cache = Cache(directory)
        self._blobs = blobs
        self._waiting: queue.Queue[str] = queue.Queue(_BEHIND)
        threading.Thread(target=self._work, name="series", daemon=True).start()

    def offer(self, sha256: str, size: int) -> None:
        """Make the columns of a series among the blobs some time, if it is large."""
        if size >= LARGE_BYTES:
            with contextlib.suppress(queue.Full):
                self._waiting.put_nowait(sha256)

    def _work(self) -> None:
        while True:
            sha256 = self._waiting.get()
            with contextlib.suppress(SeriesError, FileNotFoundError), self._blobs.open(sha256) as packed:
                self._cache.prepare(sha256, packed.read())
