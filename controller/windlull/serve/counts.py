"""Where the processes of a service count for Prometheus: in memory.

They count in files that are mapped. Were these on the disk of the data, a process that counts when that is full would
be ended by the kernel; that disk is meant to fill up, and to be waited for.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from windlull.store.home import Home

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_MEMORY = Path("/dev/shm")  # noqa: S108 - a private directory is made in it
_PREFIX = "windlull-counts-"


@contextmanager
def counting(home: Home) -> Iterator[dict[str, str]]:
    """Yield the variable that names the directory in which our processes count, for the API to tell the sums.

    It is empty: counts begin with the service, as Prometheus has it, and go on when a process is started again. It is
    gone afterwards; what a service left that was killed, the next one on the same data removes.
    """
    noted = home.cache / "counts"
    _forget(noted)
    directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_MEMORY if _MEMORY.is_dir() else None))
    try:
        with suppress(OSError):  # a full disk: who is killed then leaves a little memory in use
            noted.symlink_to(directory)
        yield {VARIABLE: str(directory)}
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        noted.unlink(missing_ok=True)


def _forget(noted: Path) -> None:
    if not noted.is_symlink():
        return
    left = noted.readlink()
    if left.name.startswith(_PREFIX) and left.parent in {_MEMORY, Path(tempfile.gettempdir())}:
        shutil.rmtree(left, ignore_errors=True)
    noted.unlink()
