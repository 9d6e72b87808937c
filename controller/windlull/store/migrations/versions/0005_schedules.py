"""Schedules, their rounds, and the notices of these."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_IDENTITY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make their tables."""
    op.create_table(
        "schedules",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("name", sa.String(40), nullable=False, unique=True),
        sa.Column("asked", sa.JSON, nullable=False),
        sa.Column("gate", sa.JSON),
        sa.Column("cron", sa.String(200)),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("next_at", sa.DateTime, index=True),
        sa.Column("hook_secret", sa.Text),
        sa.Column("hook_branch", sa.Text),
        sa.Column("notice_url", sa.Text),
        sa.Column("notice_secret", sa.Text),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "rounds",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("schedule_id", _IDENTITY, sa.ForeignKey("schedules.id", ondelete="CASCADE"), nullable=False),
        sa.Column("cause", sa.String(16), nullable=False),
        sa.Column("commit", sa.String(100)),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("asked_at", sa.DateTime, nullable=False),
        sa.Column("started_at", sa.DateTime),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("batch_id", _IDENTITY, index=True),
        sa.Column("verdict", sa.String(16)),
        sa.Column("judged", sa.JSON),
        sa.Column("reason", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("rounds_of_schedule", "rounds", ["schedule_id", "id"])
    op.create_table(
        "notices",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("round_id", _IDENTITY, sa.ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sa.Column("next_at", sa.DateTime),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("answer", sa.Text),
        sqlite_autoincrement=True,
    )
