"""Whether what is kept agrees with itself: the rows with each other, and with the blobs they name."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import exists, func, or_, select, text

from windlull.store.tables import Artefact, Batch, Result, Run, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from windlull.store.blobs import Blobs
    from windlull.store.database import Database

_MOST_LISTED = 20
"""How many rows of one fault are told; the rest is counted."""

_UNDER_WAY = (State.QUEUED, State.RUNNING)


def faults(database: Database, blobs: Blobs, *, thorough: bool = False) -> list[str]:
    """Return what is wrong, a sentence each; nothing if all is well. Raises UnavailableError.

    `thorough` reads every blob and compares its content with its name. Blobs that no row names are no fault: a killed
    process may leave them, and `retention.sweep` removes them. While a service runs it changes blobs beside the one
    picture of the rows that is looked at; what is told then may be over already.
    """
    with database.reader() as session:
        found = [*_of_the_file(session), *_of_runs(session), *_of_results(session)]
        found += _of_blobs(session, blobs, thorough=thorough)
    return found


def _of_the_file(session: Session) -> Iterator[str]:
    """Tell what SQLite itself can find."""
    if session.get_bind().dialect.name != "sqlite":
        return
    for (said,) in session.execute(text("PRAGMA integrity_check")):
        if said != "ok":
            yield f"the database: {said}"
    for table, row, parent, _ in session.execute(text("PRAGMA foreign_key_check")):
        yield f"{table} {row} names a row of {parent} that is not there"


def _of_runs(session: Session) -> Iterator[str]:
    """Hold runs to this: done has a result, under way has none, and the states have their moments."""
    over = Run.state.not_in(_UNDER_WAY)
    other = exists().where(Result.id == Run.result_id, Result.key.is_not(None), Result.key != Run.key)
    for what, wrong in (
        ("is done and has no result", (Run.state == State.DONE) & Run.result_id.is_(None)),
        ("has not ended and has a result", Run.state.in_(_UNDER_WAY) & Run.result_id.is_not(None)),
        ("has ended, no one knows when", over & Run.ended_at.is_(None)),
        ("has not ended, but a moment when it did", ~over & Run.ended_at.is_not(None)),
        (
            "is running and was given to nobody",
            (Run.state == State.RUNNING) & or_(Run.worker.is_(None), Run.attempt < 1),
        ),
        ("is in a state that there is not", Run.state.not_in([str(state) for state in State])),
        ("has the result of another content", other),
    ):
        yield from _tell("run", select(Run.id).where(wrong).order_by(Run.id), what, session)
    empty = ~exists().where(Run.batch_id == Batch.id)
    yield from _tell("batch", select(Batch.id).where(empty).order_by(Batch.id), "has no runs", session)


def _of_results(session: Session) -> Iterator[str]:
    """Hold results to this: the size is that of the files; one without files says when they went."""
    together = select(func.coalesce(func.sum(Artefact.size_bytes), 0)).where(Artefact.result_id == Result.id)
    size = together.scalar_subquery()
    for what, wrong in (
        ("has files of other sizes than it says", Result.evicted_at.is_(None) & (Result.size_bytes != size)),
        ("has files though they have made room for others", Result.evicted_at.is_not(None) & (size > 0)),
    ):
        yield from _tell("result", select(Result.id).where(wrong).order_by(Result.id), what, session)


def _of_blobs(session: Session, blobs: Blobs, *, thorough: bool) -> Iterator[str]:
    """Hold blobs to this: each that a row names is there, as long as it says, and is what its name says."""
    rows = [
        *(("batch", i, name, None) for i, name in session.execute(select(Batch.id, Batch.bundle))),
        *(("batch", i, name, None) for i, name in session.execute(select(Batch.id, Batch.plan))),
        *(
            ("result", i, name, size)
            for i, name, size in session.execute(select(Artefact.result_id, Artefact.sha256, Artefact.size_bytes))
        ),
    ]
    known: dict[str, int | None] = {}
    for kind, row, name, size in rows:
        if name not in known:
            known[name] = _size(blobs, name)
            if thorough and known[name] is not None and _content(blobs, name) != name:
                yield f"blob {name} has another content than its name says"
        there = known[name]
        if there is None:
            yield f"{kind} {row} names blob {name}, which is not there"
        elif size is not None and there != size:
            yield f"{kind} {row}: blob {name} has {there} bytes, not {size}"


def _size(blobs: Blobs, name: str) -> int | None:
    try:
        return blobs.size(name)
    except (FileNotFoundError, ValueError):
        return None


def _content(blobs: Blobs, name: str) -> str:
    with blobs.path(name).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _tell(kind: str, wrong: Select[int], what: str, session: Session) -> Iterator[str]:
    ids = session.scalars(wrong).all()
    yield from (f"{kind} {each} {what}" for each in ids[:_MOST_LISTED])
    if len(ids) > _MOST_LISTED:
        yield f"and {len(ids) - _MOST_LISTED} more of which the same holds: {kind} {what}"
