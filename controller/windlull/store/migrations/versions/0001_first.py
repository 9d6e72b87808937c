"""The tables of the first version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_IDENTITY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_HASH = sa.String(64)


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "documents",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("toml", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "batches",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("experiment", sa.String(200), nullable=False, index=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("testbed", sa.String(16), nullable=False),
        sa.Column("plane", sa.String(16)),
        sa.Column("repetitions", sa.Integer, nullable=False),
        sa.Column("seed", sa.String(20), nullable=False),
        sa.Column("captures", sa.Boolean, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("bundle", _HASH, nullable=False),
        sa.Column("plan", _HASH, nullable=False),
        sa.Column("engine_version", sa.String(64), nullable=False),
        sa.Column("engine_commit", sa.String(64), nullable=False),
        sa.Column("imported", sa.Boolean, nullable=False),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "results",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("key", _HASH, unique=True),
        sa.Column("metrics", sa.JSON, nullable=False),
        sa.Column("certificate", sa.JSON),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False, index=True),
        sa.Column("evicted_at", sa.DateTime),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "runs",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("batch_id", _IDENTITY, sa.ForeignKey("batches.id", ondelete="CASCADE"), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("testbed", sa.String(16), nullable=False),
        sa.Column("variant", sa.String(200), nullable=False),
        sa.Column("link", sa.String(200), nullable=False),
        sa.Column("repetition", sa.Integer, nullable=False),
        sa.Column("seed", sa.String(20), nullable=False),
        sa.Column("directory", sa.Text, nullable=False),
        sa.Column("key", _HASH, index=True),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("worker", sa.String(200)),
        sa.Column("reason", sa.Text),
        sa.Column("cached", sa.Boolean, nullable=False),
        sa.Column("queued_at", sa.DateTime, nullable=False),
        sa.Column("started_at", sa.DateTime),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("result_id", _IDENTITY, sa.ForeignKey("results.id"), index=True),
        sa.UniqueConstraint("batch_id", "place"),
        sa.Index("runs_by_state", "state", "testbed", "priority", "id"),
        sa.Index("runs_by_batch", "batch_id", "state"),
        sa.Index("runs_of_state", "state", "id"),
        sa.Index("runs_of_batch", "batch_id", "id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "artefacts",
        sa.Column("result_id", _IDENTITY, sa.ForeignKey("results.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("sha256", _HASH, nullable=False, index=True),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("id", _IDENTITY, primary_key=True),
        sa.Column("at", sa.DateTime, nullable=False, index=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("batch_id", _IDENTITY, index=True),
        sa.Column("run_id", _IDENTITY),
        sa.Column("data", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "answers",
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("request", _HASH, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False, index=True),
    )
    op.create_table(
        "notes",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
    )
