"""What goes when there is too much: files of old results, never their numbers; blobs that no row names; old events.

The files of a result go when they are older than the rules allow, or when all files together are more than the quota:
then those of the oldest results first. Those of pinned batches stay. A simulated run made again gives the same files.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta
from itertools import groupby, islice
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, select, union, update

from windlull.store import events
from windlull.store.tables import Answer, Artefact, Batch, Result, Run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from windlull.store.blobs import Blobs
    from windlull.store.database import Database

GRACE_S = 600
"""How young a blob must be to stay though no row names it: the row may be on its way."""

_EVENTS_STAY = timedelta(days=7)
"""How long a client may have been away and still hear of everything it has missed."""

_ANSWERS_STAY = timedelta(days=2)
"""How long a creation may be asked for again by its idempotency key."""

_PIECE = 500
"""How many rows one statement names, and one transaction changes."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How old files may become, and how many bytes all may have; None sets no limit."""

    age: timedelta | None = None
    quota_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went: files of how many results, how many blobs, how many bytes they had, how many events and answers."""

    results: int = 0
    blobs: int = 0
    freed_bytes: int = 0
    events: int = 0
    answers: int = 0

    def __add__(self, other: Pruned) -> Pruned:
        """Both together."""
        return Pruned(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def __bool__(self) -> bool:
        """Whether anything went."""
        return self != Pruned()


def prune(database: Database, blobs: Blobs, rules: Rules, *, now: datetime) -> Pruned:
    """Remove what the rules do not allow to stay, in many short transactions. Raises UnavailableError.

    What a killed `prune` left undone, the next one or `sweep` does.
    """
    pruned = Pruned()
    if rules.age is not None:
        too_old = Result.created_at < now - rules.age
        while more := _evict(database, blobs, too_old, None, now=now):
            pruned += more
    if rules.quota_bytes is not None:
        while (excess := used_bytes(database) - rules.quota_bytes) > 0:
            more = _evict(database, blobs, Result.id.is_not(None), excess, now=now)
            if not more:
                break
            pruned += more
    with database.session() as session:
        forgotten = events.trim(session, now - _EVENTS_STAY)
        answers = delete(Answer).where(Answer.created_at < now - _ANSWERS_STAY).returning(Answer.key)
        return pruned + Pruned(events=forgotten, answers=len(session.scalars(answers).all()))


def sweep(database: Database, blobs: Blobs, *, grace_s: float = GRACE_S) -> Pruned:
    """Remove the blobs that no row names, and what killed writers left. Raises UnavailableError.

    It looks at every blob: some seconds for a million.
    """
    pruned = Pruned()
    for _, together in groupby((name for name, _ in blobs.names()), lambda name: name[:2]):
        pruned += _remove_unnamed(database, blobs, together, grace_s)
    blobs.remove_leftovers(older_than_s=grace_s)
    return pruned


def used_bytes(database: Database) -> int:
    """Return how many bytes the files of all results have together, equal ones counted once."""
    with database.reader() as session:
        each = select(Artefact.sha256, func.max(Artefact.size_bytes).label("size")).group_by(Artefact.sha256).subquery()
        return int(session.scalar(select(func.sum(each.c.size))) or 0)


def named(session: Session, names: Collection[str]) -> set[str]:
    """Return those of the blobs that a row names."""
    columns = (Artefact.sha256, Batch.bundle, Batch.plan)
    return set(session.scalars(union(*(select(column).where(column.in_(names)) for column in columns))))


def _evict(
    database: Database, blobs: Blobs, which: ColumnElement[bool], enough_bytes: int | None, *, now: datetime
) -> Pruned:
    """Remove the files of the oldest results that may go, until `enough_bytes` or a piece is full."""
    pinned = exists().where(Run.result_id == Result.id, Run.batch_id == Batch.id, Batch.pinned)
    has_files = exists().where(Artefact.result_id == Result.id)
    oldest = (
        select(Result.id, Result.size_bytes).where(which, has_files, ~pinned).order_by(Result.created_at, Result.id)
    )
    with database.session() as session:
        chosen: list[int] = []
        together = 0
        for result_id, size in session.execute(oldest.limit(_PIECE)):
            if enough_bytes is not None and together >= enough_bytes:
                break
            chosen.append(result_id)
            together += size
        session.execute(update(Result).where(Result.id.in_(chosen)).values(evicted_at=now))
        gone = delete(Artefact).where(Artefact.result_id.in_(chosen)).returning(Artefact.sha256)
        free = set(session.scalars(gone))
    return Pruned(results=len(chosen)) + _remove_unnamed(database, blobs, sorted(free), GRACE_S)


def _remove_unnamed(database: Database, blobs: Blobs, names: Iterable[str], grace_s: float) -> Pruned:
    pruned = Pruned()
    rest = iter(names)
    while piece := list(islice(rest, _PIECE)):
        with database.reader() as session:
            stay = named(session, piece)
        for name in piece:
            if name not in stay and (freed := blobs.remove(name, older_than_s=grace_s)) is not None:
                pruned += Pruned(blobs=1, freed_bytes=freed)
    return pruned
