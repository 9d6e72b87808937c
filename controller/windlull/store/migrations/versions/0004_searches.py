"""Searches for the worst link."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_IDENTITY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make their table."""
    op.create_table(
        "searches",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("experiment", sa.String(200), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("asked", sa.JSON, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("tried", sa.Integer, nullable=False),
        sa.Column("asked_at", sa.DateTime, nullable=False),
        sa.Column("started_at", sa.DateTime),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("reason", sa.Text),
        sqlite_autoincrement=True,
    )
