"""A temporary directory that goes with its process, however that ends."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from windlull.errors import FailureError

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX = "windlull-work-"


@contextmanager
def workplace(under: Path | None = None) -> Iterator[Path]:
    """Make a directory and remove it at the end, and remove those of processes that were killed before their end.

    Each is locked by its process; a lock that can be had is that of a process which is gone. `under` is the machine's
    directory for temporary files if not given. Raises FailureError if none can be made.
    """
    root = under or Path(tempfile.gettempdir())
    try:
        _remove_abandoned(root)
        made, lock = _make(root)
    except OSError as error:
        raise FailureError(f"cannot make a directory in {root}: {error.strerror}") from error
    try:
        yield made
    finally:
        # Still locked: nobody else takes it for abandoned meanwhile.
        shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def _make(root: Path) -> tuple[Path, int]:
    """Return a new directory, and the descriptor that locks it."""
    while True:
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
        lock = _locked(made)
        if lock is not None:
            return made, lock
        # Somebody took it for abandoned, in the moment before it was locked.


def _remove_abandoned(root: Path) -> None:
    for directory in root.glob(f"{_PREFIX}*"):
        lock = _locked(directory)
        if lock is not None:
            shutil.rmtree(directory, ignore_errors=True)
            os.close(lock)


def _locked(directory: Path) -> int | None:
    """Return a descriptor that locks the directory; None if another process has it, or it is gone or another's."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), directory.stat()):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None
