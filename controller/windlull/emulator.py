"""The emulator's process, asked over HTTP: the link that stands, and changes of it by hand."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from windlull.contract.engine import EmulatorError, Problem
from windlull.contract.problems import line
from windlull.errors import BadInputError, ExitCode, FailureError, WindlullError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from http.client import HTTPResponse

TIMEOUT_S = 10.0
"""How long the emulator may take to answer; it takes milliseconds."""

_LONGEST_ANSWER = 4 << 20
_PIECE = 1 << 16


class GoneError(FailureError):
    """The emulator does not answer."""


class RefusedError(WindlullError):
    """The emulator answers, and does not do it. `problems` say what is wrong with what was asked for."""

    def __init__(self, status: int, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__("\n".join(map(line, problems)) or message)
        self.status = status
        self.message = message
        self.problems = tuple(problems)
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
            raise BadInputError(f"{self.url!r} is not the address of an emulator, such as http://127.0.0.1:7411")

    def link(self) -> dict[str, Any]:
        """Return how the link is."""
        return self._ask("GET", "/link")

    def history(self, after_ms: int = 0) -> dict[str, Any]:
        """Return the link's last minutes: samples later than `after_ms` (since 1970), and what was done to it."""
        return self._ask("GET", f"/link/history?after={after_ms}")

    def replace(self, replacement: dict[str, Any]) -> dict[str, Any]:
        """Let another link stand: `name` or `profile` (the text of one), `links`, `seed`; return how it is."""
        return self._ask("PUT", "/link", replacement)

    def change(self, change: dict[str, Any]) -> dict[str, Any]:
        """Change the link: `kind`, `direction`, `for`, `set`; return the change."""
        return self._ask("POST", "/link/changes", change)

    def take_back(self, change: int | None = None) -> dict[str, Any]:
        """Take one change back, or all; return how the link is."""
        return self._ask("DELETE", "/link/changes" if change is None else f"/link/changes/{change}")

    def captures(self) -> dict[str, Any]:
        """Return the captures of the link, and how much there may be."""
        return self._ask("GET", "/captures")

    def start_capture(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Begin a capture: `limit` as `100 MB`, `snaplen` as `96 B`; return it."""
        return self._ask("POST", "/captures", asked)

    def stop_capture(self, capture: int) -> dict[str, Any]:
        """End a capture; return it."""
        return self._ask("POST", f"/captures/{capture}/stop")

    def delete_capture(self, capture: int) -> dict[str, Any]:
        """Delete a capture that has ended; return those that are left."""
        return self._ask("DELETE", f"/captures/{capture}")

    @contextmanager
    def capture_file(self, capture: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Open the file of a capture that has ended: its length, and its pieces as they come over the network.

        A file that ends too early raises GoneError where it ends.
        """
        with self._opened("GET", f"/captures/{capture}/file") as answer:
            length = int(answer.headers["Content-Length"])
            yield length, self._pieces(answer, length)

    def _pieces(self, answer: HTTPResponse, length: int) -> Iterator[bytes]:
        left = length
        while left > 0:
            try:
                piece = answer.read(min(_PIECE, left))
            except (OSError, http.client.HTTPException) as error:
                raise GoneError(f"the emulator at {self.url} went while it sent a capture: {error}") from error
            if not piece:
                raise GoneError(f"the emulator at {self.url} went while it sent a capture")
            left -= len(piece)
            yield piece

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        try:
            with self._opened(method, path, body) as answer:
                return msgspec.json.decode(answer.read(_LONGEST_ANSWER), type=dict[str, Any])
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as error:
            raise self._gone(error) from error

    def _opened(self, method: str, path: str, body: dict[str, Any] | None = None) -> HTTPResponse:
        request = urllib.request.Request(  # noqa: S310 - the scheme was looked at
            self.url.rstrip("/") + path,
            method=method,
            data=None if body is None else msgspec.json.encode(body),
            headers={"Content-Type": "application/json"},
        )
        try:
            answer: HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT_S)  # noqa: S310 - as above
        except urllib.error.HTTPError as error:
            raise _refused(error) from error
        except (OSError, http.client.HTTPException) as error:
            raise self._gone(error) from error
        return answer

    def _gone(self, error: Exception) -> GoneError:
        reason = getattr(error, "reason", error)
        return GoneError(f"no emulator answers at {self.url}: {getattr(reason, 'strerror', None) or reason}")


def _refused(error: urllib.error.HTTPError) -> RefusedError:
    with error:
        body = error.read(_LONGEST_ANSWER)
    try:
        refusal = msgspec.json.decode(body, type=EmulatorError).error
    except msgspec.MsgspecError:
        return RefusedError(error.code, f"the emulator answers {error.code} {error.reason}")
    return RefusedError(error.code, refusal.message, refusal.problems)
