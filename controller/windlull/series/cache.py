"""The directory of Arrow files: made from series when they are first looked at, evicted when they are too many.

A file's name is the hash of the series.json.gz that it was made of, so that it is never wrong; all of them may be
deleted at any time. Several processes use the directory at once: a file is put in place whole, and one that is removed
stays readable for those who have it mapped.
"""

from __future__ import annotations

import contextlib
import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.series import columns as columns_

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from windlull.series.columns import Columns

LIMIT_BYTES = 4 << 30
"""How much the directory may hold; a run of a million segments takes 120 MB."""
LARGE_BYTES = 100_000
"""From this size of a series.json.gz on, its columns are worth preparing before anyone looks."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Cache:
    """The Arrow files in a directory, the least recently used of which go when there are more bytes than the limit."""

    directory: Path
    limit_bytes: int = LIMIT_BYTES

    def get(self, sha256: str, packed: Callable[[], bytes]) -> Columns:
        """Return the columns of the series.json.gz of this hash, which `packed` reads if they are not here.

        Raises SeriesError if it is no series, and what `packed` raises. A disk that takes nothing costs the next
        reader time, and nothing else.
        """
        path = self.path(sha256)
        with contextlib.suppress(OSError, columns_.SeriesError):
            found = columns_.load(path)
            os.utime(path)
            return found
        made = columns_.read(packed())
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            columns_.save(made, path)
            self.evict(keep=path)
        except OSError as error:
            _log.warning("the columns of a series were not kept: %s", error)
        return made

    def prepare(self, sha256: str, packed: bytes) -> None:
        """Make the columns of a large series before they are asked for. Raises SeriesError if it is no series."""
        if len(packed) >= LARGE_BYTES and not self.path(sha256).exists():
            self.get(sha256, lambda: packed)

    def path(self, sha256: str) -> Path:
        """Return where the columns of a series lie, or would."""
        return self.directory / f"{sha256}.arrow"

    def evict(self, keep: Path | None = None) -> None:
        """Remove the least recently used files beyond the limit, but for one that has just been made."""
        make_room(self.directory.glob("*.arrow"), self.limit_bytes, keep)


def make_room(files: Iterable[Path], limit_bytes: int, keep: Path | None) -> None:
    """Remove the files that were used longest ago beyond the limit, but for one that has just been made."""
    found = []
    for path in files:
        with contextlib.suppress(FileNotFoundError):
            status = path.stat()
            found.append((status.st_mtime_ns, path, status.st_size))
    excess = sum(size for _, _, size in found) - limit_bytes
    for _, path, size in sorted(found):
        if excess <= 0:
            return
        if path != keep:
            path.unlink(missing_ok=True)
            excess -= size
