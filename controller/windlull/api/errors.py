"""What can go wrong with a request, in the one shape that every error of the API has.

    {"error": {"code": "not-found", "message": "...", "problems": [{"key": "limit", "message": "..."}]}}

`code` is for programs and never changes its meaning; `message` is for people; `problems` are there if the input has
several, or if it is known where in the input they are. docs/api.md lists the codes.
"""

import logging
from collections.abc import Sequence
from http import HTTPStatus

import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge

from windlull.bounds import size
from windlull.contract.engine import Problem
from windlull.errors import BadInputError, EngineError, ExitCode
from windlull.runner.engine import BusyError
from windlull.runner.plans import InvalidFilesError
from windlull.store.blobs import DiskFullError
from windlull.store.database import UnavailableError
from windlull.store.documents import NoRoomError
from windlull.store.runs import QueueFullError

log = logging.getLogger(__name__)

CODES: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "bad-request",
    HTTPStatus.UNAUTHORIZED: "unauthorized",
    HTTPStatus.FORBIDDEN: "forbidden",
    HTTPStatus.NOT_FOUND: "not-found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method-not-allowed",
    HTTPStatus.CONFLICT: "conflict",
    HTTPStatus.GONE: "gone",
    HTTPStatus.PRECONDITION_FAILED: "changed-meanwhile",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too-large",
    HTTPStatus.REQUEST_URI_TOO_LONG: "too-long",
    HTTPStatus.REQUEST_TIMEOUT: "too-slow",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "wrong-content-type",
    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE: "range-not-satisfiable",
    HTTPStatus.MISDIRECTED_REQUEST: "wrong-host",
    HTTPStatus.UNPROCESSABLE_ENTITY: "invalid",
    HTTPStatus.PRECONDITION_REQUIRED: "revision-required",
    HTTPStatus.TOO_MANY_REQUESTS: "too-many-requests",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "headers-too-large",
    HTTPStatus.INTERNAL_SERVER_ERROR: "internal",
    HTTPStatus.SERVICE_UNAVAILABLE: "unavailable",
    HTTPStatus.INSUFFICIENT_STORAGE: "disk-full",
}
"""The code of a status, where the error names no other."""

RETRY_AFTER_S = 2
"""When a client may try again after 503: the database is asked again about as often."""

QUEUE_AGAIN_S = 60
"""When it may try again to queue runs, of which as many wait as may."""


class SlowError(Exception):
    """A client did not send its request within the time that it may take."""


class ApiError(Exception):
    """An answer that is an error. Raised anywhere below a handler; `install` makes the response of it."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        problems: Sequence[Problem] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code or CODES[status]
        self.message = message
        self.problems = tuple(problems)
        self.headers = headers or {}

    def response(self) -> Response:
        """Return it in the one shape."""
        error: dict[str, object] = {"code": self.code, "message": self.message}
        if self.problems:
            error["problems"] = self.problems
        response = Response(msgspec.json.encode({"error": error}), self.status, mimetype="application/json")
        response.headers.update(self.headers)
        return response


def not_found(what: str) -> ApiError:
    """Return 404: `what` does not exist, as in `run 7`."""
    return ApiError(HTTPStatus.NOT_FOUND, f"there is no {what}")


def conflict(message: str, code: str = "conflict") -> ApiError:
    """Return 409: what is asked for does not go with the state of things."""
    return ApiError(HTTPStatus.CONFLICT, message, code=code)


def invalid(message: str, problems: Sequence[Problem] = ()) -> ApiError:
    """Return 422: the input is understood and cannot be right."""
    return ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, message, problems=problems)


def wrong(key: str, message: str, suggestion: str | None = None) -> ApiError:
    """Return 422 for one key of the input."""
    return invalid(f"{key}: {message}", [Problem(message=message, key=key, suggestion=suggestion)])


def of_files(error: InvalidFilesError) -> ApiError:
    """Return 422 with what the engine said of the files."""
    count = len(error.problems)
    return invalid(f"the engine finds {count} {'problem' if count == 1 else 'problems'}", error.problems)


def install(app: Flask) -> None:
    """Make every error that leaves a handler, and every one of Flask's own, an answer in the one shape."""
    app.register_error_handler(ApiError, _api_error)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)


def _api_error(error: ApiError) -> Response:
    return error.response()


def _http(error: HTTPException) -> Response:
    if isinstance(error.response, Response):
        return error.response
    status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    message = error.description or HTTPStatus(status).phrase
    headers = {}
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        message, headers = f"this address takes {allowed}", {"Allow": allowed}
    elif isinstance(error, RequestEntityTooLarge) and request.max_content_length:
        message = f"the body has more than {size(request.max_content_length)}, which is the limit here"
    elif isinstance(error, NotFound):
        message = "there is nothing at this address; GET /api/v1/openapi.json lists all addresses"
    code = CODES.get(status) or HTTPStatus(status).phrase.lower().replace(" ", "-")
    return ApiError(status, message, code=code, headers=headers).response()


def _unexpected(error: Exception) -> Response:
    """Return what an error of the rooms below means for a client; one that nobody foresaw is logged and is 500."""
    match error:
        case InvalidFilesError():
            meant = of_files(error)
        case QueueFullError():
            meant = too_many(str(error), "queue-full", QUEUE_AGAIN_S)
        case NoRoomError():
            meant = ApiError(HTTPStatus.INSUFFICIENT_STORAGE, str(error), code=error.code)
        case BadInputError():
            meant = invalid(str(error))
        case EngineError(exit_code=ExitCode.BAD_INPUT):
            meant = invalid(str(error))
        case UnavailableError():
            log.warning("the database is not available: %s", error)
            meant = unavailable("the database is not available; try again")
        case BusyError():
            meant = unavailable(str(error), "overloaded")
        case DiskFullError():
            meant = ApiError(HTTPStatus.INSUFFICIENT_STORAGE, "the disk is full")
        case SlowError():
            meant = ApiError(HTTPStatus.REQUEST_TIMEOUT, str(error))
        case _:
            log.error("a request failed", exc_info=error)
            meant = ApiError(HTTPStatus.INTERNAL_SERVER_ERROR, "something went wrong here; see the log")
    return meant.response()


def too_many(message: str, code: str, retry_after_s: int = RETRY_AFTER_S) -> ApiError:
    """Return 429: the client has or asks for more than it may; it will do later."""
    return ApiError(HTTPStatus.TOO_MANY_REQUESTS, message, code=code, headers={"Retry-After": str(retry_after_s)})


def unavailable(message: str, code: str = "unavailable") -> ApiError:
    """Return 503: it will do later, unchanged."""
    return ApiError(HTTPStatus.SERVICE_UNAVAILABLE, message, code=code, headers={"Retry-After": str(RETRY_AFTER_S)})
