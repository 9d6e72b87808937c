"""Changes to what the client has read, and to nothing newer: `If-Match` on documents.

The `ETag` of a document is `"REVISION-DIGEST"`. The digest makes it as strong as any. The revision alone decides
whether a change is allowed: a document stays the same one when another that it names is changed.
"""

from http import HTTPStatus

from werkzeug.http import parse_etags

from windlull.api.errors import ApiError


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
    tags = parse_etags(match)
    if not tags.star_tag and str(revision) not in {tag.partition("-")[0] for tag in tags.as_set()}:
        raise ApiError(
            HTTPStatus.PRECONDITION_FAILED, f"it has been changed meanwhile; it is at revision {revision} now"
        )
