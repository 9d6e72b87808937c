"""An experiment with all files it is made of, as one value: it runs on any machine, whatever becomes of those files."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from windlull.errors import BadInputError, FailureError
from windlull.runner.workplace import workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from windlull.runner.plans import Planned

LIMIT_BYTES = 16 << 20
"""The most that the files of a bundle may have together, paths included."""

_MOST_FILES = 10_000
_LONGEST_NAME = 200
"""Octets of a file's name; file systems have 255, some fewer."""


@dataclass(frozen=True)
class Bundle:
    """An experiment's name, and the texts of its files by their paths in a profiles directory.

    Raises BadInputError if a path leads out of such a directory or the whole is larger than LIMIT_BYTES.
    """

    experiment: str
    files: dict[str, str]

    def __post_init__(self) -> None:
        if len(self.files) > _MOST_FILES:
            raise BadInputError(f"a bundle of {len(self.files)} files; the limit is {_MOST_FILES}")
        for path in self.files:
            if not _is_inside(path):
                raise BadInputError(f"a bundle with the file {path[:200]!r}, which is not a path within a directory")
            if any(parent.as_posix() in self.files for parent in PurePosixPath(path).parents):
                raise BadInputError(f"a bundle in which what is above {path!r} is a file, not a directory")
        size = sum(len(path.encode()) + len(text.encode()) for path, text in self.files.items())
        if size > LIMIT_BYTES:
            raise BadInputError(f"a bundle of {size} octets; the limit is {LIMIT_BYTES}")

    @classmethod
    def of(cls, planned: Planned) -> Bundle:
        """Return the bundle of a planned experiment."""
        return cls(planned.experiment["name"], planned.files)

    @classmethod
    def read(cls, octets: bytes) -> Bundle:
        """Return the bundle that `json` wrote. Raises BadInputError for anything else."""
        if len(octets) > 2 * LIMIT_BYTES:
            raise BadInputError(f"a bundle of {len(octets)} octets; the limit is {LIMIT_BYTES} of text")
        try:
            written = _WRITTEN.decode(octets)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadInputError(f"not a bundle: {error}") from error
        return cls(written.experiment, written.files)

    def json(self) -> bytes:
        """Return it as JSON, the same octets for the same bundle."""
        return msgspec.json.encode({"experiment": self.experiment, "files": self.files}, order="deterministic")

    @cached_property
    def sha256(self) -> str:
        """The hash of `json`."""
        return hashlib.sha256(self.json()).hexdigest()


@contextmanager
def unpacked(bundle: Bundle) -> Iterator[Path]:
    """Write the files into a temporary profiles directory, which goes with the context."""
    with workplace() as root:
        unpack(bundle, root)
        yield root


def unpack(bundle: Bundle, root: Path) -> None:
    """Write the files into the directory `root`. Raises FailureError if they cannot be written."""
    try:
        for path, text in bundle.files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            # Octets: a text's line ends stay as they are.
            file.write_bytes(text.encode())
    except OSError as error:
        raise FailureError(f"cannot unpack the experiment {bundle.experiment}: {error.strerror}") from error


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    experiment: str
    files: dict[str, str]


_WRITTEN: msgspec.json.Decoder[_Written] = msgspec.json.Decoder(_Written)


def _is_inside(path: str) -> bool:
    """Say whether the path names a file within a directory, in one way alone, on every machine."""
    parts = path.split("/")
    printable = all(character.isprintable() and character != "\\" for character in path)
    return printable and all(part not in {"", ".", ".."} and len(part.encode()) <= _LONGEST_NAME for part in parts)
