"""What documents said before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the table of revisions, with what each document says now as its first row."""
    op.create_table(
        "revisions",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("change", sa.String(16), nullable=False),
        sa.Column("restored", sa.Integer),
        sa.Column("at", sa.DateTime, nullable=False, index=True),
        sa.Column("size_bytes", sa.Integer, nullable=False),
        sa.Column("lines_added", sa.Integer),
        sa.Column("lines_removed", sa.Integer),
        sa.Column("toml", sa.Text),
    )
    postgresql = op.get_bind().dialect.name == "postgresql"
    octets = "octet_length(toml)" if postgresql else "length(CAST(toml AS BLOB))"
    op.execute(
        'INSERT INTO revisions (kind, name, revision, change, "at", size_bytes, toml) '  # noqa: S608 - no input
        "SELECT kind, name, revision, CASE WHEN revision = 1 THEN 'created' ELSE 'changed' END, updated_at, "
        f"{octets}, toml FROM documents"
    )
