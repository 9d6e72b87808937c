"""Values into responses: JSON and files with strong ETags, 304 where nothing has changed."""

import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import BinaryIO

import msgspec
from flask import Response, request
from werkzeug.wsgi import wrap_file

_ENCODER = msgspec.json.Encoder()

PRIVATE = "private, no-cache"
"""Keep it, but ask each time: `If-None-Match` makes that cheap."""


def answer(value: object, status: int = 200, *, etag: str | None = None) -> Response:
    """Return `value` as JSON: dicts, lists, structs, datetimes (UTC). `etag` without quotes; else of the body."""
    return encoded(_ENCODER.encode(value), status, etag=etag)


def encoded(
    body: bytes, status: int = 200, *, etag: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Return JSON that is bytes already, as `answer` does."""
    reads = request.method in {"GET", "HEAD"} and status == HTTPStatus.OK
    if reads or etag:
        tag = etag or digest(body)
        if reads and is_known(tag):
            response = Response(status=HTTPStatus.NOT_MODIFIED)
        else:
            response = Response(body, status, mimetype="application/json")
        response.set_etag(tag)
        if reads:
            response.headers["Cache-Control"] = PRIVATE
    else:
        response = Response(body, status, mimetype="application/json")
    if headers:
        response.headers.update(headers)
    return response


def no_content() -> Response:
    """Return 204."""
    return Response(status=HTTPStatus.NO_CONTENT)


def file(source: bytes | BinaryIO, media: str, *, etag: str, name: str | None = None) -> Response:
    """Return a file. `etag`, without quotes: its content's hash; `name`: what to save it as."""
    if is_known(etag):
        if not isinstance(source, bytes):
            source.close()
        response = Response(status=HTTPStatus.NOT_MODIFIED)
    else:
        body = source if isinstance(source, bytes) else wrap_file(request.environ, source, 1 << 16)
        response = Response(body, mimetype=media, direct_passthrough=not isinstance(source, bytes))
        if name:
            response.headers.set("Content-Disposition", "attachment", filename=name)
    response.set_etag(etag)
    response.headers["Cache-Control"] = PRIVATE
    return response


def digest(body: bytes) -> str:
    """Return what stands for a body in its ETag."""
    return hashlib.blake2b(body, digest_size=16).hexdigest()


def is_known(etag: str) -> bool:
    """Whether `If-None-Match` names the ETag (RFC 9110, section 13.1.2: weakly compared)."""
    return request.if_none_match.contains_weak(etag)
