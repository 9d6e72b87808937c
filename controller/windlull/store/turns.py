"""Who asks at once takes turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def take_turn(session: Session, table: str) -> None:
    """Wait until no other transaction has its turn with the table, and have it until this one ends.

    Of two that ask at once one must see what the other did. SQLite has one writer at a time.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(func.hashtext(f"windlull.{table}"))))
