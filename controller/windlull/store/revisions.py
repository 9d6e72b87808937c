"""What the user's documents said before: every revision that was saved, and when a document was deleted.

    CREATED --> CHANGED, RESTORED --> ... --> DELETED --> CREATED, RESTORED --> ...

`store/documents.py` writes a row with each change that it makes. The numbers of a name go on after a deletion, so that
one stands for one text. Of what is not in force any more, the oldest rows go when there are too many (`trim`).
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from sqlalchemy import and_, exists, func, select, tuple_
from sqlalchemy import delete as delete_from
from sqlalchemy.orm import aliased

from windlull.store.tables import Document, DocumentChange, Revision
from windlull.store.text_changes import counted
from windlull.store.turns import take_turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

_PIECE = 500
"""How many rows one statement names."""


def newest(session: Session, kind: str, name: str, *, before: int | None, limit: int) -> Sequence[Revision]:
    """Return `limit` rows of a name, newest first; of those with a number below `before`, if that is given."""
    wanted = select(Revision).where(_of(kind, name)).order_by(Revision.revision.desc()).limit(limit)
    if before is not None:
        wanted = wanted.where(Revision.revision < before)
    return session.scalars(wanted).all()


def find(session: Session, kind: str, name: str, revision: int) -> Revision | None:
    """Return a revision, None if it is not kept."""
    return session.get(Revision, (kind, name, revision))


def last(session: Session, kind: str, name: str) -> int:
    """Return the number of the newest row of a name, 0 if there is none."""
    return session.scalar(select(func.max(Revision.revision)).where(_of(kind, name))) or 0


def deleted(session: Session, kind: str, *, after: str | None, limit: int) -> Sequence[tuple[Revision, Revision]]:
    """Return the deletions of documents that are gone and can be restored, each with the last text, by name.

    At most `limit`, of names behind `after` if that is given.
    """
    text, other = aliased(Revision), aliased(Revision)
    # The last text that is kept of the name.
    latest = (
        select(func.max(other.revision))
        .where(other.kind == Revision.kind, other.name == Revision.name, other.toml.is_not(None))
        .scalar_subquery()
    )
    is_there = exists().where(Document.kind == Revision.kind, Document.name == Revision.name)
    is_over = exists().where(
        other.kind == Revision.kind, other.name == Revision.name, other.revision > Revision.revision
    )
    wanted = (
        select(Revision, text)
        .join(text, and_(text.kind == Revision.kind, text.name == Revision.name, text.revision == latest))
        .where(Revision.kind == kind, Revision.change == DocumentChange.DELETED, ~is_there, ~is_over)
        .order_by(Revision.name)
        .limit(limit)
    )
    if after is not None:
        wanted = wanted.where(Revision.name > after)
    return [(deletion, text) for deletion, text in session.execute(wanted)]


def keep(session: Session, document: Document, *, before: str | None, restored: int | None) -> None:
    """Keep a document as it was just saved. `before` is its text until then, None if it is new.

    `restored` is the revision whose text it has again.
    """
    change = (
        DocumentChange.RESTORED
        if restored is not None
        else DocumentChange.CREATED if before is None else DocumentChange.CHANGED
    )  # fmt: skip
    added, removed = (None, None) if before is None else counted(before, document.toml)
    session.add(
        Revision(
            kind=document.kind,
            name=document.name,
            revision=document.revision,
            change=change,
            restored=restored,
            at=document.updated_at,
            size_bytes=len(document.toml.encode()),
            lines_added=added,
            lines_removed=removed,
            toml=document.toml,
        )
    )
    session.flush()


def keep_deletion(session: Session, kind: str, name: str, revision: int, *, now: datetime) -> None:
    """Keep that a document was deleted; `revision` is the number of that."""
    session.add(
        Revision(
            kind=kind, name=name, revision=revision, change=DocumentChange.DELETED, at=now, size_bytes=0
        )
    )  # fmt: skip
    session.flush()


def trim(session: Session, kind: str, name: str, *, most_of_document: int, most: int, most_bytes: int) -> None:
    """Remove the oldest rows that are too many: of this name, then of all, by number and by octets of text.

    What documents say now is not counted, and stays.
    """
    take_turn(session, "documents")
    spare = select(Revision.revision).where(_of(kind, name), ~_IN_FORCE).order_by(Revision.revision.desc())
    session.execute(
        delete_from(Revision).where(_of(kind, name), Revision.revision.in_(spare.offset(most_of_document)))
    )  # fmt: skip
    count, octets = session.execute(
        select(func.count(), func.coalesce(func.sum(Revision.size_bytes), 0)).where(~_IN_FORCE)
    ).one()
    if count > most or octets > most_bytes:
        _remove_oldest(session, count - most, octets - most_bytes)


def forget(session: Session, kind: str, name: str) -> bool:
    """Remove all rows of a name but that of what its document says now; False if there was none."""
    gone = delete_from(Revision).where(_of(kind, name), ~_IN_FORCE).returning(Revision.revision)
    return bool(session.scalars(gone).all())


_IN_FORCE = exists().where(
    Document.kind == Revision.kind, Document.name == Revision.name, Document.revision == Revision.revision
)


def _of(kind: str, name: str) -> ColumnElement[bool]:
    return and_(Revision.kind == kind, Revision.name == name)


def _remove_oldest(session: Session, count: int, octets: int) -> None:
    """Remove the oldest rows: at least `count`, and with at least so many octets."""
    oldest = session.execute(
        select(Revision.kind, Revision.name, Revision.revision, Revision.size_bytes)
        .where(~_IN_FORCE)
        .order_by(Revision.at, Revision.kind, Revision.name, Revision.revision)
    ).all()
    freed = accumulate((row.size_bytes for row in oldest), initial=0)
    going = [
        (row.kind, row.name, row.revision)
        for i, (row, before) in enumerate(zip(oldest, freed, strict=False))
        if i < count or before < octets
    ]
    which = tuple_(Revision.kind, Revision.name, Revision.revision)
    for start in range(0, len(going), _PIECE):
        session.execute(delete_from(Revision).where(which.in_(going[start : start + _PIECE])))
