"""Tags and a note of batches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_IDENTITY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Give batches an empty note, and make the table of tags."""
    op.add_column("batches", sa.Column("note", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "batch_tags",
        sa.Column("batch_id", _IDENTITY, sa.ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(40), primary_key=True, index=True),
    )
