"""A session for a browser: the token once, a cookie from then on."""

import time
from http import HTTPStatus
from typing import Self

from flask import Response
from pydantic import Field, model_validator

from windlull.api import security
from windlull.api.answers import answer, no_content
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import ApiError
from windlull.api.schemas import Given, View
from windlull.store.access import Logins

blueprint = Blueprint("session", __name__, tag="service", about="The service itself.")


class SessionGiven(Given):
    """The token of the service, or the code of one login in the address that the service printed."""

    token: str | None = Field(None, min_length=1, max_length=1000)
    code: str | None = Field(None, min_length=1, max_length=1000, description="Good once, and for ten minutes.")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.token is None) == (self.code is None):
            raise ValueError("give either token or code")
        return self


class SessionView(View):
    """Whether a token is needed at all."""

    required: bool = Field(description="Whether the service wants a token.")


@blueprint.get("/session", responses={200: SessionView})
def needed() -> Response:
    """Say whether a token is needed.

    Answered without one.
    """
    return answer({"required": current().settings.token is not None})


@blueprint.post("/session", responses={204: None, 403: None})
def begin(body: SessionGiven) -> Response:
    """Begin a session.

    Gives a cookie for the token, which scripts cannot read and which goes to no other site. It lasts 30 days, or until
    the token changes. 403 if the token is wrong, or the code was used or is too old; a service without a token takes
    any.
    """
    settings = current().settings
    response = no_content()
    if settings.token is None:
        return response
    if body.token is not None and not security.is_token(body.token, settings.token):
        raise ApiError(HTTPStatus.FORBIDDEN, "the token is wrong", code="wrong-token")
    if body.code is not None and not (settings.logins and Logins(settings.data).spend(body.code, time.time())):
        raise ApiError(
            HTTPStatus.FORBIDDEN,
            "this address for one login was used before, or is too old; give the token instead",
            code="spent-login",
        )
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
