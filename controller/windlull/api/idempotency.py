"""Creations that are asked for again, because the answer was lost, create nothing more: they get the same answer.

The answer is kept in the transaction of what it tells of, under the client's key and the hash of what was asked. The
same key with another request is an error of the client's.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import msgspec
from flask import Response, request
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from windlull.api.answers import encoded
from windlull.api.context import current
from windlull.api.errors import ApiError
from windlull.store.tables import Answer

REPLAYED = "Idempotency-Replayed"


@dataclass(frozen=True, slots=True)
class Created:
    """What was created: the body that tells of it, its address, and other headers."""

    body: Any
    location: str
    headers: dict[str, str] = field(default_factory=dict)


class _Kept(msgspec.Struct):
    """An answer as it is kept."""

    headers: dict[str, str]
    body: msgspec.Raw


def answered(key: str | None, asked: str | None = None) -> Response | None:
    """Return the answer if this request has been answered, so that nothing need be prepared for it. Raises ApiError.

    `asked` is the hash of a request whose body was read by the caller.
    """
    if key is None:
        return None
    with current().database.reader() as session:
        known = session.get(Answer, key)
        return None if known is None else _again(known, asked or _asked())


def once(key: str | None, make: Callable[[Session], Created], asked: str | None = None) -> Response:
    """Create by `make`, in one transaction with the memory of it. Raises what `make` raises; then nothing is kept.

    `asked` as for `answered`.
    """
    asked = "" if key is None else asked or _asked()
    try:
        return _once(key, make, asked)
    except IntegrityError:
        # Two at once with one key on PostgreSQL: the other one was quicker, and has created.
        response = answered(key, asked)
        if response is None:
            raise
        return response


def _once(key: str | None, make: Callable[[Session], Created], asked: str) -> Response:
    with current().database.session() as session:
        if key is not None and (known := session.get(Answer, key)) is not None:
            return _again(known, asked)
        created = make(session)
        body = msgspec.json.encode(created.body)
        headers = {"Location": created.location} | created.headers
        if key is not None:
            kept = msgspec.json.encode(_Kept(headers, msgspec.Raw(body))).decode()
            session.add(
                Answer(
                    key=key, request=asked, status=HTTPStatus.CREATED, body=kept, created_at=datetime.now(UTC)
                )
            )  # fmt: skip
            session.flush()
    return encoded(body, HTTPStatus.CREATED, headers=headers)


def _again(known: Answer, asked: str) -> Response:
    if known.request != asked:
        raise ApiError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "this Idempotency-Key was used for another request; take a new one",
            code="key-reused",
        )
    kept = msgspec.json.decode(known.body, type=_Kept)
    return encoded(bytes(kept.body), known.status, headers=kept.headers | {REPLAYED: "true"})


def _asked() -> str:
    """Return the hash of what is asked."""
    asked = b"\0".join((request.method.encode(), request.full_path.encode(), request.get_data(cache=True)))
    return hashlib.sha256(asked).hexdigest()
