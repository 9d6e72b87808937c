"""The commit that a batch is of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Give batches a commit: that of the round that made each."""
    op.add_column("batches", sa.Column("commit", sa.String(100)))
    batches = sa.table("batches", sa.column("id"), sa.column("commit"))
    rounds = sa.table("rounds", sa.column("batch_id"), sa.column("commit"))
    of_round = sa.select(sa.func.max(rounds.c.commit)).where(rounds.c.batch_id == batches.c.id).scalar_subquery()
    op.execute(batches.update().values(commit=of_round))
