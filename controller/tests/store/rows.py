"""Batches, runs and results to begin a test with."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from windlull.store.tables import Artefact, Batch, Result, Run, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from windlull.store.blobs import Blobs

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def batch(session: Session, blobs: Blobs, **changes: Any) -> Batch:
    """A batch, whose blobs are there."""
    made = Batch(
        **{
            "experiment": "tests/two-variants", "title": "Two variants", "testbed": "sim", "plane": None,
            "repetitions": 3, "seed": "1", "captures": True, "priority": 0, "bundle": blobs.put(b"{}"),
            "plan": blobs.put(b"[]"), "engine_version": "0.1.0", "engine_commit": "0123456789ab", "imported": False,
            "created_at": NOW,
        }
        | changes
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def run(session: Session, of: Batch, place: int, state: State, **changes: Any) -> Run:
    """A run in a state, with what belongs to it but for the result."""
    ended = state.ended
    made = Run(
        **{
            "batch_id": of.id, "place": place, "testbed": "sim", "variant": "sack", "link": "gprs",
            "repetition": place + 1, "seed": "7", "directory": f"runs/sack/{place}", "key": None, "priority": 0,
            "state": state, "attempt": 0 if state is State.QUEUED else 1,
            "worker": None if state is State.QUEUED else "tcp://127.0.0.1:1", "queued_at": NOW,
            "started_at": None if state is State.QUEUED else NOW, "ended_at": NOW if ended else None,
        }
        | changes
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def result(session: Session, blobs: Blobs, files: Mapping[str, bytes], **changes: Any) -> Result:
    """A result with these files."""
    made = Result(
        **{
            "key": None, "metrics": {"elapsed_s": 1.5}, "certificate": None, "attempts": 1,
            "size_bytes": sum(len(content) for content in files.values()), "created_at": NOW,
        }
        | changes
    )  # fmt: skip
    session.add(made)
    session.flush()
    for name, content in files.items():
        session.add(Artefact(result_id=made.id, name=name, sha256=blobs.put(content), size_bytes=len(content)))
    session.flush()
    return made


def done(session: Session, blobs: Blobs, of: Batch, place: int, files: Mapping[str, bytes], **changes: Any) -> Run:
    """A run that is done, with a result."""
    return run(session, of, place, State.DONE, result_id=result(session, blobs, files, **changes).id)
