"""The emulator's process, asked over HTTP: the link that stands, and changes of it by hand."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import msgspec

from windlull.errors import BadInputError, ExitCode, FailureError, WindlullError

TIMEOUT_S = 10.0
"""How long the emulator may take to answer; it takes milliseconds."""

_LONGEST_ANSWER = 4 << 20


class GoneError(FailureError):
    """The emulator does not answer."""


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with what was asked for, and where, as far as that is known."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    suggestion: str | None = None

    def __str__(self) -> str:
        """Put it in one line, with what was likely meant."""
        place = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        parts = [part for part in (place, self.key, self.message) if part]
        return ": ".join(parts)


class _Error(msgspec.Struct, frozen=True):
    message: str
    problems: tuple[Problem, ...] = ()


class _Refusal(msgspec.Struct, frozen=True):
    error: _Error


class RefusedError(WindlullError):
    """The emulator answers, and does not do it. `problems` say what is wrong with what was asked for."""

    def __init__(self, status: int, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__("\n".join(str(problem) for problem in problems) or message)
        self.status = status
        self.message = message
        self.problems = problems
        if status == HTTPStatus.BAD_REQUEST:
            self.exit_code = ExitCode.BAD_INPUT


@dataclass(frozen=True, slots=True)
class Emulator:
    """An emulator at this address, as `http://127.0.0.1:7411`. Answers are those of docs/emulator.md.

    Every question raises GoneError if nobody answers, and RefusedError for an answer that is an error.
    """

    url: str

    def __post_init__(self) -> None:
        """Raise BadInputError for what cannot be an address."""
        place = urlsplit(self.url)
        if place.scheme not in {"http", "https"} or not place.hostname or place.path not in {"", "/"} or place.query:
            raise BadInputError(f"{self.url!r} is no address of an emulator, as http://127.0.0.1:7411")

    def link(self) -> dict[str, Any]:
        """Return how the link is."""
        return self._ask("GET", "/link")

    def replace(self, replacement: dict[str, Any]) -> dict[str, Any]:
        """Let another link stand: `name` or `profile` (the text of one), `links`, `seed`; return how it is."""
        return self._ask("PUT", "/link", replacement)

    def change(self, change: dict[str, Any]) -> dict[str, Any]:
        """Change the link: `kind`, `direction`, `for`, `set`; return the change."""
        return self._ask("POST", "/link/changes", change)

    def take_back(self, change: int | None = None) -> dict[str, Any]:
        """Take one change back, or all; return how the link is."""
        return self._ask("DELETE", "/link/changes" if change is None else f"/link/changes/{change}")

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - the scheme was looked at
            self.url.rstrip("/") + path,
            method=method,
            data=None if body is None else msgspec.json.encode(body),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
                return msgspec.json.decode(answer.read(_LONGEST_ANSWER), type=dict[str, Any])
        except urllib.error.HTTPError as error:
            raise _refused(error) from error
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as error:
            reason = getattr(error, "reason", error)
            raise GoneError(f"no emulator answers at {self.url}: {reason}") from error


def _refused(error: urllib.error.HTTPError) -> RefusedError:
    with error:
        body = error.read(_LONGEST_ANSWER)
    try:
        refusal = msgspec.json.decode(body, type=_Refusal).error
    except msgspec.MsgspecError:
        return RefusedError(error.code, f"the emulator answers {error.code} {error.reason}")
    return RefusedError(error.code, refusal.message, refusal.problems)
