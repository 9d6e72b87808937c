"""The data directory: everything that a service of Windlull keeps, and the one lock on it.

    DATA/windlull.sqlite    the database, unless it is PostgreSQL
    DATA/blobs/             files of runs, by their content
    DATA/searches/          what was searched, a directory each
    DATA/cache/             made again when it is missing; may be deleted at any time
    DATA/lock               held by the one scheduler
    DATA/token, DATA/login/ what lets clients in
    DATA/id                 which directory it is, for a database that lies elsewhere

A backup is a copy of the database and, after it, of the blobs: what a row names is there before the row.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from windlull.errors import FailureError
from windlull.store.blobs import Blobs
from windlull.store.tables import Note

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.orm import Session


OWNER = "home"
"""The name of the note that says whose a database is."""

RESERVE_BYTES = 64 << 20
"""How much of its disk a service leaves free, so that there is room to say in the database that there is none."""


class Home:
    """A data directory, made when it is not there, for its owner alone. Raises FailureError if it cannot be."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.cache = self.path / "cache"
        self.searches = self.path / "searches"
        self.blobs = Blobs(self.path / "blobs")
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.chmod(0o700)  # also one that was there: what is in it is nobody else's
            self.cache.mkdir(exist_ok=True)
        except OSError as error:
            raise FailureError(f"cannot use {self.path} as data directory: {error.strerror or error}") from error

    @property
    def database_url(self) -> str:
        """The database that is used if no other is given."""
        return f"sqlite:///{self.path / 'windlull.sqlite'}"

    def free_bytes(self) -> int:
        """How much can still be written to the disk of the directory."""
        disk = os.statvfs(self.path)
        return disk.f_bavail * disk.f_frsize

    def disk_bytes(self) -> int:
        """How large the disk of the directory is, without what is kept for its administrator."""
        disk = os.statvfs(self.path)
        return (disk.f_blocks - disk.f_bfree + disk.f_bavail) * disk.f_frsize

    @property
    def reserve_bytes(self) -> int:
        """How much must be free for new work to begin: RESERVE_BYTES, or what WINDLULL_RESERVE_BYTES says."""
        given = os.environ.get("WINDLULL_RESERVE_BYTES", "")
        return int(given) if given.isdecimal() else RESERVE_BYTES

    def claim(self, session: Session) -> None:
        """See to it that the database is this directory's: its rows name files that are here, and one scheduler runs.

        The first directory that comes has it. Raises FailureError if that was another one. Hold the lock meanwhile.
        """
        mine = self._id()
        owner = session.get(Note, OWNER)
        if owner is None:
            session.add(Note(name=OWNER, data={"id": mine, "path": str(self.path)}, at=datetime.now(UTC)))
        elif owner.data["id"] != mine:
            raise FailureError(
                f"the database belongs to another data directory, {owner.data['path']} at first, which has its files; "
                f"serve that one, or give {self.path} a database of its own"
            )

    def _id(self) -> str:
        file = self.path / "id"
        if not file.exists():
            draft = self.path / ".id.part"
            draft.write_text(f"{secrets.token_hex(16)}\n", encoding="ascii")
            draft.rename(file)
        return file.read_text(encoding="ascii").strip()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Be the one scheduler of this directory, until the end of the body or of the process.

        Raises FailureError if another process is, and names it.
        """
        with (self.path / "lock").open("a+", encoding="ascii") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                stream.seek(0)
                holder = stream.read(20).strip()
                who = f"process {holder}" if holder else "another process"
                raise FailureError(f"{self.path} is in use: {who} runs its scheduler") from None
            stream.truncate(0)
            stream.write(f"{os.getpid()}\n")
            stream.flush()
            yield
