"""Changes to what the client has read, and to nothing newer: `If-Match` on documents.

The `ETag` of a document is `"REVISION-DIGEST"`. The digest makes it as strong as any. The revision alone decides
whether a change is allowed: a document stays the same one when another that it names is changed.
"""

import re
from http import HTTPStatus

from windlull.api.errors import ApiError

_TAG = re.compile(r'(W/)?"([^"]*)"')


def of(revision: int | None, digest: str) -> str:
    """Return an ETag, without quotes; `revision` is None for what is shipped."""
    return f"{revision or 'shipped'}-{digest}"


def require(match: str | None, revision: int) -> None:
    """Refuse a change without `If-Match` (428), or of another revision than this one (412). Raises ApiError."""
    if match is None:
        raise ApiError(
            HTTPStatus.PRECONDITION_REQUIRED,
            "send the ETag of the document in If-Match, so that nobody's change is lost",
        )
    if match.strip() == "*":
        return
    seen = {tag.partition("-")[0] for weak, tag in _TAG.findall(match) if not weak}
    if str(revision) not in seen:
        raise ApiError(
            HTTPStatus.PRECONDITION_FAILED, f"it has been changed meanwhile; it is at revision {revision} now"
        )
