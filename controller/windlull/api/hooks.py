"""What a forge calls when something was pushed: it starts a schedule, and shows by a secret that it may.

A hook needs no token, so it can do one thing, and tells nothing to whoever does not know the secret: not even whether
there is such a schedule. GitHub, Gitea and Forgejo sign the body with the secret; GitLab sends the secret itself.
"""

import hashlib
import hmac
import re
from http import HTTPStatus
from typing import cast

import msgspec
from flask import Response, request
from flask_openapi3.models import RawModel
from sqlalchemy.orm import Session

from windlull.api import idempotency
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint, created
from windlull.api.context import current
from windlull.api.errors import ApiError, conflict
from windlull.api.idempotency import Created
from windlull.api.parsing import JSON, require_type
from windlull.api.schedules import RoundView, round_view, started
from windlull.api.schemas import Creating, IdPath, View
from windlull.schedules.messages import is_signature
from windlull.store.tables import Cause, Schedule

blueprint = Blueprint("hooks", __name__, tag="schedules", about="Experiments that run at set times.")

SIGNATURE, TOKEN = "X-Hub-Signature-256", "X-Gitlab-Token"
EVENTS = {"X-GitHub-Event": "push", "X-Gitlab-Event": "Push Hook"}
"""The header in which a forge says what happened, and what it says of a push."""
DELIVERY = "X-GitHub-Delivery"
"""The header in which GitHub names what it sends, also when it sends it again; GitLab's is `Idempotency-Key`."""

LONGEST_BODY = 5 << 20
COMMIT = re.compile(r"[0-9a-f]{7,64}")
_REQUEST = cast("PushBody", request)


class PushBody(RawModel):
    """What a forge says of a push."""

    mimetypes = [JSON]  # noqa: RUF012 - as the library reads it


class HookedView(View):
    """Why nothing was started."""

    words: str


@blueprint.post(
    "/hooks/<int:id>",
    responses={
        200: HookedView,
        201: created(RoundView, "schedules_read_round", id="$response.body#/id"),
        400: None,
        403: None,
        409: None,
        413: None,
        415: None,
    },
)
def receive(path: IdPath, header: Creating, raw: PushBody = _REQUEST) -> Response:
    """Start a schedule since something was pushed.

    For the webhooks of forges; needs no token. `X-Hub-Signature-256` is `sha256=` and the HMAC of the body with the
    schedule's secret in hexadecimal, or `X-Gitlab-Token` is the secret; 403 for all else. The commit is `after` of the
    body. What is no push, or to another branch, starts nothing. 409 (`paused`) if the schedule is paused. The same
    delivery (`X-GitHub-Delivery`, or GitLab's `Idempotency-Key`) starts nothing twice.
    """
    del raw
    require_type(JSON)
    request.max_content_length = LONGEST_BODY
    octets = request.get_data(cache=True)
    with current().database.reader() as session:
        row = session.get(Schedule, path.id)
    if row is None or row.hook_secret is None or not _may(row.hook_secret, octets):
        raise ApiError(HTTPStatus.FORBIDDEN, f"{SIGNATURE} or {TOKEN} is missing or wrong", code="wrong-signature")
    said = _read(octets)
    if (nothing := _why_nothing(said, row.hook_branch)) is not None:
        return answer({"words": nothing})
    if row.paused:
        raise conflict(f"schedule {path.id} is paused", "paused")
    return idempotency.once(_delivery(path.id, header.key), lambda session: _start(session, path.id, said.after))


class _Push(msgspec.Struct, frozen=True):
    """What of a push matters here: the branch's name in full, and the commit that it has now."""

    ref: str | None = None
    after: str | None = None


def _read(octets: bytes) -> _Push:
    try:
        return msgspec.json.decode(octets, type=_Push)
    except msgspec.DecodeError as error:
        raise ApiError(HTTPStatus.BAD_REQUEST, f"the body is not a push: {error}", code="bad-json") from error


def _may(secret: str, octets: bytes) -> bool:
    """Whether a request shows that its sender knows the secret."""
    signature, token = request.headers.get(SIGNATURE), request.headers.get(TOKEN)
    if signature is not None:
        return is_signature(signature, secret, octets)
    return token is not None and hmac.compare_digest(token.encode(), secret.encode())


def _why_nothing(said: _Push, branch: str | None) -> str | None:
    """Say why a schedule is not started by this; None if it is."""
    for header, push in EVENTS.items():
        event = request.headers.get(header)
        if event is not None and event != push:
            return f"nothing is started by {event[:40]!r}, only by {push!r}"
    if said.after is not None and not said.after.strip("0"):
        return "the branch was deleted"
    if branch is not None and said.ref != f"refs/heads/{branch}":
        return f"only pushes to {branch} start it"
    return None


def _start(session: Session, number: int, commit: str | None) -> Created:
    known = commit if commit is not None and COMMIT.fullmatch(commit) else None
    made = started(session, number, Cause.HOOK, known)
    return Created(round_view(made, []), f"/api/v1/rounds/{made.id}")


def _delivery(number: int, key: str | None) -> str | None:
    """Return the key of what is delivered, in the form of those of clients."""
    named = request.headers.get(DELIVERY, key)
    return None if named is None else f"hook-{number}-{hashlib.sha256(named.encode()).hexdigest()}"
