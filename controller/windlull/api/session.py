"""A session for a browser: the token once, a cookie from then on."""

import time
from http import HTTPStatus

from flask import Response
from pydantic import Field

from windlull.api import security
from windlull.api.answers import answer, no_content
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import ApiError
from windlull.api.schemas import Given, Told

blueprint = Blueprint("session", __name__, tag="service", about="The service itself.")


class SessionGiven(Given):
    """The token of the service."""

    token: str = Field(min_length=1, max_length=1000)


class SessionTold(Told):
    """Whether a token is needed at all."""

    required: bool = Field(description="Whether the service wants a token.")


@blueprint.get("/session", responses={200: SessionTold})
def needed() -> Response:
    """Say whether a token is needed.

    Answered without one.
    """
    return answer({"required": current().settings.token is not None})


@blueprint.post("/session", responses={204: None, 403: None})
def begin(body: SessionGiven) -> Response:
    """Begin a session.

    Gives a cookie for the token, which scripts cannot read and which goes to no other site. It lasts 30 days, or until
    the token changes. 403 if the token is wrong; a service without a token takes any.
    """
    settings = current().settings
    response = no_content()
    if settings.token is None:
        return response
    if not security.is_token(body.token, settings.token):
        raise ApiError(HTTPStatus.FORBIDDEN, "this is not the token", code="wrong-token")
    response.set_cookie(
        security.COOKIE,
        security.session_cookie(settings.token, time.time()),
        max_age=security.SESSION_S,
        path="/",
        secure=settings.secure_cookie,
        httponly=True,
        samesite="Strict",
    )
    return response


@blueprint.delete("/session", responses={204: None})
def end() -> Response:
    """End the session.

    Takes the cookie away.
    """
    response = no_content()
    response.delete_cookie(security.COOKIE, path="/", httponly=True, samesite="Strict")
    return response
