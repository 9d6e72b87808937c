"""The user's own links, variants, workloads and experiments: rows, which the engine is given as files.

A document's `revision` counts its edits; who changes or deletes it says which one he has seen. Each one stays for a
while (`store/revisions.py`). Its name stays: files of others name it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING

from sqlalchemy import LargeBinary, and_, cast, func, not_, select
from sqlalchemy import delete as delete_from
from sqlalchemy import update as update_in
from sqlalchemy.exc import IntegrityError

from windlull.errors import BadInputError, FailureError
from windlull.store import revisions
from windlull.store.blobs import DiskFullError, full
from windlull.store.tables import Document
from windlull.store.turns import take_turn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy.orm import Session

FOLDERS = {"link": "links", "variant": "variants", "workload": "workloads", "experiment": "experiments"}
"""The kinds, and the folder of each in a profiles directory."""

_PART = r"[a-z0-9](?:[a-z0-9+._-]*[a-z0-9+_-])?"
NAME = re.compile(rf"(?=.{{1,200}}\Z)(?!.*\.toml(?:/|\Z)){_PART}(?:/{_PART}){{0,7}}")
"""What a document may be called: no path that leaves its folder, no file that is another's folder."""

_KEPT_S = 3600
"""How long a directory that nobody has asked for stays: longer than an engine reads in it."""


_SHELF = "profiles"
"""Where the directories of `materialise` are, in the cache."""
_TEXTS = ".texts"
"""The directory beside those of the documents that has each text once."""


class ExistsError(BadInputError):
    """A document of that kind and name is there already."""


class NoRoomError(BadInputError):
    """There are as many documents as may be, or their texts are as long; `code` says which, for programs."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


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


def create(session: Session, kind: str, name: str, toml: str, *, restored: int | None = None) -> Document:
    """Add a document. That the engine accepts it has been checked.

    `restored` is the revision of a deleted one of that name whose text it has. Raises ExistsError, and BadInputError
    for a name that cannot be one.
    """
    if kind not in FOLDERS:
        raise BadInputError(f"{kind}: is no kind of document; one of {', '.join(FOLDERS)}")
    if not NAME.fullmatch(name):
        raise BadInputError(
            f"{name[:200]!r} cannot be the name of a {kind}: at most 200 of a-z, 0-9 and + - _ . with / between parts, "
            "each of which begins with a letter or digit and does not end in a dot or .toml"
        )
    take_turn(session, "documents")
    now = datetime.now(UTC)
    number = revisions.last(session, kind, name) + 1
    document = Document(kind=kind, name=name, toml=toml, revision=number, created_at=now, updated_at=now)
    try:
        with session.begin_nested():
            session.add(document)
    except IntegrityError as error:
        raise ExistsError(f"{kind} {name} is there already") from error
    revisions.keep(session, document, before=None, restored=restored)
    return document


def require_room(session: Session, kind: str, name: str, toml: str, *, most: int, most_bytes: int) -> None:
    """Raise NoRoomError if there would be more than `most` documents with this one, or more octets of text in all."""
    take_turn(session, "documents")
    postgresql = session.get_bind().dialect.name == "postgresql"
    octets = func.octet_length(Document.toml) if postgresql else func.length(cast(Document.toml, LargeBinary))
    others = select(func.count(), func.coalesce(func.sum(octets), 0)).where(
        not_(and_(Document.kind == kind, Document.name == name))
    )
    count, kept_bytes = session.execute(others).one()
    if count >= most:
        raise NoRoomError(
            f"there are {count:,} documents, which is as many as are kept; delete one", "too-many-documents"
        )
    if kept_bytes + len(toml.encode()) > most_bytes:
        raise NoRoomError(
            f"all documents together would have more than {most_bytes:,} bytes; delete one or make this one smaller",
            "documents-full",
        )


def update(
    session: Session, kind: str, name: str, toml: str, *, revision: int, restored: int | None = None
) -> Document:
    """Give a document another text, if nobody has since `revision`. Raises MissingError, ChangedError.

    `restored` is the earlier revision whose text this is.
    """
    before = session.scalar(
        select(Document.toml).where(Document.kind == kind, Document.name == name, Document.revision == revision)
    )
    changed = (
        update_in(Document)
        .where(Document.kind == kind, Document.name == name, Document.revision == revision)
        .values(toml=toml, revision=revision + 1, updated_at=datetime.now(UTC))
        .returning(Document)
        .execution_options(populate_existing=True)
    )
    document = session.scalar(changed) or _refuse(session, kind, name)
    revisions.keep(session, document, before=before, restored=restored)
    return document


def delete(session: Session, kind: str, name: str, *, revision: int) -> None:
    """Remove a document, if nobody has changed it since `revision`. Raises MissingError, ChangedError."""
    take_turn(session, "documents")
    removed = (
        delete_from(Document)
        .where(Document.kind == kind, Document.name == name, Document.revision == revision)
        .returning(Document.name)
    )
    if session.scalar(removed) is None:
        _refuse(session, kind, name)
    revisions.keep_deletion(session, kind, name, revision + 1, now=datetime.now(UTC))


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
    shelf = cache / _SHELF
    wanted = shelf / mark
    try:
        try:
            os.utime(wanted)
        except FileNotFoundError:
            shelf.mkdir(parents=True, exist_ok=True)
            _make(session.scalars(select(Document)).all(), wanted)
            _clear(shelf)
    except OSError as error:
        raise _unwritten(error, cache) from error
    return wanted


@contextmanager
def laid_out(texts: Mapping[tuple[str, str], str], new: Collection[tuple[str, str]], cache: Path) -> Iterator[Path]:
    """Yield a profiles directory with these texts, by kind and name, for as long as the body takes.

    Those that are not `new` share their files with the directories of `materialise`. Raises DiskFullError and
    FailureError.
    """
    place = cache / "proposals"
    try:
        place.mkdir(parents=True, exist_ok=True)
        _clear(place)  # what processes left that were killed
        with TemporaryDirectory(dir=place) as directory:
            for (kind, name), toml in texts.items():
                file = Path(directory) / FOLDERS[kind] / f"{name}.toml"
                file.parent.mkdir(parents=True, exist_ok=True)
                if (kind, name) in new:
                    file.write_bytes(toml.encode())
                else:
                    _lay(toml.encode(), file, cache / _SHELF / _TEXTS)
            yield Path(directory)
    except OSError as error:
        raise _unwritten(error, cache) from error


def _unwritten(error: OSError, cache: Path) -> FailureError:
    if full(error):
        return DiskFullError(f"the disk of {cache} is full")
    return FailureError(f"cannot write below {cache}: {error.strerror or error}")


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
            _lay(document.toml.encode(), file, wanted.parent / _TEXTS)
        temporary.chmod(0o755)
        try:
            temporary.rename(wanted)
        except OSError as error:
            # Another process was quicker: its directory has the same files.
            if error.errno not in {errno.EEXIST, errno.ENOTEMPTY}:
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _lay(content: bytes, file: Path, texts: Path) -> None:
    """Put a text into a file, shared by all directories with the same text: so a change costs one file and not all."""
    kept = texts / hashlib.sha256(content).hexdigest()
    try:
        try:
            os.utime(kept)
        except FileNotFoundError:
            texts.mkdir(parents=True, exist_ok=True)
            draft = file.with_name(f".{file.name}.part")
            draft.write_bytes(content)
            draft.rename(kept)
        os.link(kept, file)
    except OSError as error:
        if full(error):
            raise
        file.write_bytes(content)  # where a disk knows no second name of a file


def _clear(shelf: Path) -> None:
    """Remove directories that nobody has asked for, and texts that only they had."""

    def is_old(file: Path) -> bool:
        return time.time() - file.stat().st_mtime > _KEPT_S

    for old in shelf.iterdir():
        with suppress(FileNotFoundError):
            if old.name != _TEXTS and is_old(old):
                shutil.rmtree(old, ignore_errors=True)
    for kept in (shelf / _TEXTS).glob("*"):
        with suppress(FileNotFoundError):
            if kept.stat().st_nlink == 1 and is_old(kept):
                kept.unlink()
