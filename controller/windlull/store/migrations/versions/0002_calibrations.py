"""Calibrations of the live testbed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_IDENTITY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make their table."""
    op.create_table(
        "calibrations",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("pace", sa.String(16), nullable=False),
        sa.Column("thorough", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("asked_at", sa.DateTime, nullable=False),
        sa.Column("started_at", sa.DateTime),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("result", sa.JSON(none_as_null=True)),
        sa.Column("reason", sa.Text),
        sqlite_autoincrement=True,
    )
