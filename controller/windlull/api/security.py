"""Who may ask, from where, and what a browser may do with the answers.

- `Host` must be a name of this machine's, unless there is a token: else a foreign page whose name was pointed at
  127.0.0.1 could read everything (DNS rebinding).
- With a token, everything but health, the session and hooks wants it: as `Authorization: Bearer`, or in the cookie that
  `POST /api/v1/session` gives for it.
- A request that changes something and comes from another origin is refused, whatever it carries.
- Answers are never framed, guessed at or run as script.
"""

import hashlib
import hmac
import time
from http import HTTPStatus
from urllib.parse import urlsplit

from flask import Flask, Request, Response, request

from windlull.api.errors import ApiError
from windlull.api.settings import Settings

COOKIE = "windlull_session"
SESSION_S = 30 * 24 * 3600
"""How long a session lasts."""

OPEN = frozenset({"/api/v1/health/live", "/api/v1/health/ready", "/api/v1/session"})
"""What may be asked without a token: whether the service lives, and for a session."""
HOOKS = "/api/v1/hooks/"
"""Below this a signature stands for the token (`hooks.py`)."""

NO_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""For everything that is no page."""

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def install(app: Flask, settings: Settings) -> None:
    """Check every request before its handler, and complete every answer."""

    @app.before_request
    def _check() -> None:
        if settings.hosts is not None:
            _check_host(request, settings.hosts)
        if request.method not in _SAFE:
            _check_origin(request)
        if request.path.startswith("/api/") and not is_open(request.path) and not may_ask(request, settings):
            raise ApiError(
                HTTPStatus.UNAUTHORIZED,
                "the token is missing or wrong; send it as Authorization: Bearer TOKEN",
                headers={"WWW-Authenticate": 'Bearer realm="windlull"'},
            )

    @app.after_request
    def _complete(response: Response) -> Response:
        response.headers.extend(_HEADERS)
        response.headers.setdefault("Content-Security-Policy", NO_CONTENT_POLICY)
        response.headers.setdefault("Cache-Control", "no-store")
        return response


def is_open(path: str) -> bool:
    """Whether an address needs no token."""
    return path in OPEN or path.startswith(HOOKS)


def may_ask(asked: Request, settings: Settings) -> bool:
    """Whether a request may read what the API tells: there is no token, or it has it or a session."""
    if settings.token is None:
        return True
    scheme, _, given = asked.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and is_token(given.strip(), settings.token):
        return True
    return is_session(asked.cookies.get(COOKIE, ""), settings.token, time.time())


def session_cookie(token: str, now_s: float) -> str:
    """Return the value of a cookie that stands for the token until SESSION_S from now."""
    until = str(int(now_s) + SESSION_S)
    return f"{until}.{_seal(token, until)}"


def is_token(given: str, token: str) -> bool:
    """Whether it is the token; takes as long for a wrong one as for the right one."""
    return hmac.compare_digest(hashlib.sha256(given.encode()).digest(), hashlib.sha256(token.encode()).digest())


def _check_host(asked: Request, hosts: frozenset[str]) -> None:
    name = asked.host.rpartition(":")[0] if _has_port(asked.host) else asked.host
    if name.lower() not in hosts:
        allowed = ", ".join(sorted(hosts))
        raise ApiError(
            HTTPStatus.MISDIRECTED_REQUEST, f"this service does not have that name; its names are: {allowed}"
        )


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdecimal() and not host.endswith("]")


def _check_origin(asked: Request) -> None:
    origin = asked.headers.get("Origin")
    foreign = origin is not None and urlsplit(origin).netloc != asked.host
    if foreign or asked.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
        raise ApiError(
            HTTPStatus.FORBIDDEN, "a page of another origin may not change anything here", code="cross-origin"
        )


def is_session(cookie: str, token: str, now_s: float) -> bool:
    """Whether a cookie was given for the token, and holds still."""
    until, _, seal = cookie.partition(".")
    if not (until.isascii() and until.isdecimal() and len(until) < 16 and seal.isascii()):
        return False
    return hmac.compare_digest(seal, _seal(token, until)) and now_s < int(until)


def _seal(token: str, until: str) -> str:
    return hmac.new(token.encode(), f"session until {until}".encode(), hashlib.sha256).hexdigest()
