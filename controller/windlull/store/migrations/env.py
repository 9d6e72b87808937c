"""What Alembic runs to do the steps: on the connection, and in the transaction, that `migrate` gives it."""

from __future__ import annotations

from alembic import context

from windlull.store.tables import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
