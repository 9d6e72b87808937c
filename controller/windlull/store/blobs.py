"""Files by the hash of their content: `blobs/ab/abcdef...`. What is there is whole, and never changes.

A blob is written before the row that names it. One that no row names is what a killed process left, or what a deletion
set free; `windlull.store.retention` removes it once it is older than any row that may still be on its way.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import time
from contextlib import contextmanager, suppress
from io import BufferedReader, BytesIO
from tempfile import mkstemp
from typing import TYPE_CHECKING, BinaryIO

from windlull.errors import FailureError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_HASH_DIGITS = 64


class DiskFullError(FailureError):
    """There is no room for what should be written; nothing of it is there."""


def full(error: OSError) -> bool:
    """Whether the disk, a quota or a limit on the size of files has said no."""
    return error.errno in _FULL


class Blobs:
    """The blobs under a directory, which is made when the first is written. From any number of processes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def put(self, content: bytes | Path) -> str:
        """Keep the content, or that of a file, on the disk when this returns, and return its hash.

        That is SHA-256, in hexadecimal digits. One that is there already becomes young again. Raises DiskFullError, and
        FailureError for any other refusal.
        """
        with _opened(content) as source:
            name = hashlib.file_digest(source, "sha256").hexdigest()
            path = self.path(name)
            with _write_errors(path), self._lock(fcntl.LOCK_SH):
                try:
                    os.utime(path)
                except FileNotFoundError:
                    source.seek(0)
                    _write(path, source)
        return name

    def path(self, name: str) -> Path:
        """Return where the blob of that hash is, or would be. Raises ValueError for what is no hash."""
        if len(name) != _HASH_DIGITS or not set(name) <= set("0123456789abcdef"):
            raise ValueError(f"{name!r} is no SHA-256 in hexadecimal digits")
        return self._directory / name[:2] / name

    def open(self, name: str) -> BinaryIO:
        """Open it for reading. Raises FileNotFoundError if it is not there (any more)."""
        return self.path(name).open("rb")

    def size(self, name: str) -> int:
        """Return its length in bytes. Raises FileNotFoundError."""
        return self.path(name).stat().st_size

    def names(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every blob, those with the same first two digits together, and what the file system says of it."""
        for directory in sorted(self._directory.glob("[0-9a-f][0-9a-f]")):
            with suppress(FileNotFoundError), os.scandir(directory) as entries:
                for entry in entries:
                    if len(entry.name) == _HASH_DIGITS:
                        with suppress(FileNotFoundError):
                            yield entry.name, entry.stat()

    def remove(self, name: str, *, older_than_s: float = 0) -> int | None:
        """Remove it unless it was put within the last `older_than_s`.

        Returns how many bytes are free by that, None if it is still there or never was.
        """
        path = self.path(name)
        # Exclusive: between the look at its age and its removal nobody makes it young.
        with suppress(FileNotFoundError), self._lock(fcntl.LOCK_EX):
            found = path.stat()
            if time.time() - found.st_mtime >= older_than_s:
                path.unlink()
                return found.st_size
        return None

    def remove_leftovers(self, *, older_than_s: float) -> None:
        """Remove what was half written when its writer was killed, so long ago that no writer is still at it."""
        for path in self._directory.glob("[0-9a-f][0-9a-f]/.*"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime >= older_than_s:
                    path.unlink()

    @contextmanager
    def _lock(self, kind: int) -> Iterator[None]:
        self._directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, kind)
            yield
        finally:
            os.close(descriptor)


def _opened(content: bytes | Path) -> BytesIO | BufferedReader:
    if isinstance(content, bytes):
        return BytesIO(content)
    try:
        return content.open("rb")
    except OSError as error:
        raise FailureError(f"cannot read {content}: {error.strerror}") from error


def _write(path: Path, source: BinaryIO) -> None:
    """Write a file that has its name only when all of it is on the disk, and has it there."""
    if not path.parent.exists():
        path.parent.mkdir(exist_ok=True)
        _sync(path.parent.parent)
    descriptor, temporary = mkstemp(dir=path.parent, prefix=".")
    try:
        with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor, no path
            shutil.copyfileobj(source, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.rename(temporary, path)  # noqa: PTH104 - as mkstemp gave it
    except BaseException:
        os.unlink(temporary)  # noqa: PTH108
        raise
    _sync(path.parent)


def _sync(directory: Path) -> None:
    """Have the names in a directory on the disk."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if full(error):
            raise DiskFullError(f"the disk of {path.parent.parent} is full") from error
        raise FailureError(f"cannot write {path}: {error.strerror or error}") from error
