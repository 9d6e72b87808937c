"""Files written whole or not at all, and the directories that `--out` names."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from windlull.errors import FailureError
from windlull.runner.directory import refuse_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes the name `path` only when all of it is on the disk.

    Until then it has a temporary name in the same directory; it vanishes if the body raises. A link stays one, and what
    it names is written; a device or a pipe is written straight into. An error of the file system becomes a FailureError
    that names `path`.
    """
    if path.exists() and not path.is_file():
        try:
            with path.open("wb") as stream:
                yield stream
        except OSError as error:
            raise FailureError(f"cannot write {path}: {error.strerror or error}") from error
        return
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # Not `tempfile`: the file shall have the permissions of any file the person makes.
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write(path: Path, content: bytes) -> None:
    """Write a whole file, or leave what was there."""
    with writing(path) as stream:
        stream.write(content)


def make_out(path: Path) -> None:
    """Make the directory that `--out` names, if it is not there.

    Raises BadInputError if it, or something above it, is a file, and FailureError that names it.
    """
    refuse_file(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FailureError(f"cannot make the directory {path}: {error.strerror}") from error
