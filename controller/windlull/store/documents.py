"""The user's own links, variants, workloads and experiments: rows, which the engine is given as files.

A document's `revision` counts its edits; who changes or deletes it says which one he has seen. Its name stays: files of
others name it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from sqlalchemy import delete as delete_from
from sqlalchemy import select
from sqlalchemy import update as update_in
from sqlalchemy.exc import IntegrityError

from windlull.errors import BadInputError, FailureError
from windlull.store.blobs import DiskFullError, full
from windlull.store.tables import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

FOLDERS = {"link": "links", "variant": "variants", "workload": "workloads", "experiment": "experiments"}
"""The kinds, and the folder of each in a profiles directory."""

_PART = r"[a-z0-9](?:[a-z0-9+._-]*[a-z0-9+_-])?"
NAME = re.compile(rf"(?=.{{1,200}}\Z)(?!.*\.toml(?:/|\Z)){_PART}(?:/{_PART}){{0,7}}")
"""What a document may be called: no path that leaves its folder, no file that is another's folder."""

_KEPT_S = 3600
"""How long a directory that nobody has asked for stays: longer than an engine reads in it."""


class ExistsError(BadInputError):
    """A document of that kind and name is there already."""


class MissingError(BadInputError):
    """There is no document of that kind and name."""


class ChangedError(BadInputError):
    """Somebody else has changed the document since; `revision` is the one it has now."""

    def __init__(self, message: str, revision: int) -> None:
        super().__init__(message)
        self.revision = revision


def listed(session: Session, kind: str) -> Sequence[Document]:
    """Return the documents of a kind, by name."""
    return session.scalars(select(Document).where(Document.kind == kind).order_by(Document.name)).all()


def find(session: Session, kind: str, name: str) -> Document | None:
    """Return a document, None if there is none."""
    return session.get(Document, (kind, name))


def create(session: Session, kind: str, name: str, toml: str) -> Document:
    """Add a document. That the engine accepts it has been checked.

    Raises ExistsError, and BadInputError for a name that cannot be one.
    """
    if kind not in FOLDERS:
        raise BadInputError(f"{kind}: is no kind of document; one of {', '.join(FOLDERS)}")
    if not NAME.fullmatch(name):
        raise BadInputError(
            f"{name[:200]!r} cannot be the name of a {kind}: at most 200 of a-z, 0-9 and + - _ . with / between parts, "
            "each of which begins with a letter or digit and does not end in a dot or .toml"
        )
    now = datetime.now(UTC)
    document = Document(kind=kind, name=name, toml=toml, revision=1, created_at=now, updated_at=now)
    try:
        with session.begin_nested():
            session.add(document)
    except IntegrityError as error:
        raise ExistsError(f"there is a {kind} called {name} already") from error
    return document


def update(session: Session, kind: str, name: str, toml: str, *, revision: int) -> Document:
    """Give a document another text, if nobody has since `revision`. Raises MissingError, ChangedError."""
    changed = (
        update_in(Document)
        .where(Document.kind == kind, Document.name == name, Document.revision == revision)
        .values(toml=toml, revision=revision + 1, updated_at=datetime.now(UTC))
        .returning(Document)
        .execution_options(populate_existing=True)
    )
    return session.scalar(changed) or _refuse(session, kind, name)


def delete(session: Session, kind: str, name: str, *, revision: int) -> None:
    """Remove a document, if nobody has changed it since `revision`. Raises MissingError, ChangedError."""
    removed = (
        delete_from(Document)
        .where(Document.kind == kind, Document.name == name, Document.revision == revision)
        .returning(Document.name)
    )
    if session.scalar(removed) is None:
        _refuse(session, kind, name)


def materialise(session: Session, cache: Path) -> Path:
    """Return a profiles directory with all documents as they are now. It is made when nobody has yet.

    It is not changed any more, and stays for an hour at least. Raises DiskFullError, FailureError.
    """
    marks = session.execute(
        select(Document.kind, Document.name, Document.revision, Document.updated_at).order_by(
            Document.kind, Document.name
        )
    ).all()
    mark = hashlib.sha256(repr([tuple(row) for row in marks]).encode()).hexdigest()[:32]
    shelf = cache / "profiles"
    wanted = shelf / mark
    try:
        try:
            os.utime(wanted)
        except FileNotFoundError:
            shelf.mkdir(parents=True, exist_ok=True)
            _make(session.scalars(select(Document)).all(), wanted)
            _clear(shelf)
    except OSError as error:
        if full(error):
            raise DiskFullError(f"the disk of {cache} is full") from error
        raise FailureError(f"cannot write below {cache}: {error.strerror or error}") from error
    return wanted


def _refuse(session: Session, kind: str, name: str) -> Document:
    now = session.scalar(select(Document.revision).where(Document.kind == kind, Document.name == name))
    if now is None:
        raise MissingError(f"there is no {kind} of yours called {name}")
    raise ChangedError(f"the {kind} {name} has been changed meanwhile; it is at revision {now}", now)


def _make(documents: Sequence[Document], wanted: Path) -> None:
    temporary = Path(mkdtemp(dir=wanted.parent, prefix="."))
    try:
        for folder in FOLDERS.values():
            (temporary / folder).mkdir()
        for document in documents:
            file = temporary / FOLDERS[document.kind] / f"{document.name}.toml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(document.toml, encoding="utf-8")
        temporary.chmod(0o755)
        try:
            temporary.rename(wanted)
        except OSError as error:
            # Another process was quicker: its directory has the same files.
            if error.errno not in {errno.EEXIST, errno.ENOTEMPTY}:
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _clear(shelf: Path) -> None:
    for old in shelf.iterdir():
        with suppress(FileNotFoundError):
            if time.time() - old.stat().st_mtime > _KEPT_S:
                shutil.rmtree(old, ignore_errors=True)
