"""What the runs of a batch measured, found for a request."""

from sqlalchemy.orm import Session

from windlull.api import artefacts
from windlull.api.errors import ApiError, not_found
from windlull.batches import outcomes
from windlull.batches.outcomes import Outcomes
from windlull.store.tables import Batch

__all__ = ["Outcomes", "of_batch"]


def of_batch(session: Session, batch_id: int) -> Outcomes:
    """Return what the runs of a batch measured.

    Raises ApiError: 404 without such a batch, 410 without its plan on the disk, 422 if that is unreadable.
    """
    batch = session.get(Batch, batch_id)
    if batch is None:
        raise not_found(f"batch {batch_id}")
    try:
        return outcomes.of(session, batch, artefacts.of_batch(batch, batch.plan))
    except outcomes.UnreadableError as error:
        raise ApiError(422, str(error), code="unreadable") from error
