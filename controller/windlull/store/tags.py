"""What people write at batches to find them again: tags and a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from windlull.store import events
from windlull.store.tables import Batch, BatchTag

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

_PIECE = 500
"""How many batches one statement names."""


def of(session: Session, batch_ids: Iterable[int]) -> dict[int, list[str]]:
    """Return the tags of each of these batches, in the order of the alphabet."""
    found: dict[int, list[str]] = {batch_id: [] for batch_id in batch_ids}
    wanted = sorted(found)
    for start in range(0, len(wanted), _PIECE):
        piece = wanted[start : start + _PIECE]
        asked = select(BatchTag.batch_id, BatchTag.name).where(BatchTag.batch_id.in_(piece))
        for batch_id, name in session.execute(asked):
            found[batch_id].append(name)
    return {batch_id: sorted(names) for batch_id, names in found.items()}


def put(session: Session, batch_id: int, names: Collection[str]) -> None:
    """Let a batch, which there is, have these tags and no others."""
    # Who changes the same batch at the same time waits: two may not add the same tag.
    session.execute(select(Batch.id).where(Batch.id == batch_id).with_for_update())
    there = set(session.scalars(select(BatchTag.name).where(BatchTag.batch_id == batch_id)))
    wanted = set(names)
    if gone := there - wanted:
        session.execute(delete(BatchTag).where(BatchTag.batch_id == batch_id, BatchTag.name.in_(sorted(gone))))
    if new := wanted - there:
        session.execute(insert(BatchTag), [{"batch_id": batch_id, "name": name} for name in sorted(new)])
    events.append(session, "batch", {"change": "tags", "tags": sorted(wanted)}, batch_id=batch_id)


def write_note(session: Session, batch: Batch, note: str) -> None:
    """Let a batch have this note."""
    batch.note = note
    # The note itself may be long, and clients read the batch anyway.
    events.append(session, "batch", {"change": "note"}, batch_id=batch.id)


def counted(session: Session, most: int) -> list[tuple[str, int]]:
    """Return the tags that most batches have, at most so many, with how many that are; in the order of the alphabet."""
    count = func.count()
    asked = select(BatchTag.name, count).group_by(BatchTag.name).order_by(count.desc(), BatchTag.name).limit(most)
    return sorted((name, number) for name, number in session.execute(asked))


def having(names: Iterable[str]) -> list[ColumnElement[bool]]:
    """Return the conditions that a batch with all these tags meets."""
    return [Batch.id.in_(select(BatchTag.batch_id).where(BatchTag.name == name)) for name in sorted(set(names))]
