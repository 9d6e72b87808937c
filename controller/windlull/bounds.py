"""What one service takes at most, so that nobody uses it up: every bound, once.

A bound's variable is `WINDLULL_MOST_` and its name in capitals. docs/serve.md has the table that `table` makes of them;
a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLES = "WINDLULL_MOST_"
LARGEST = 1 << 40
"""No bound is set above this."""


def _bound(most: int, what: str, beyond: str) -> Any:  # noqa: ANN401 - a field
    return field(default=most, metadata={"what": what, "beyond": beyond})


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a service; those per process apply to each of its web processes separately.

    Bytes where the name ends in `_bytes`, seconds where it ends in `_s`.
    """

    queued_runs: int = _bound(200_000, "waiting runs of all batches together", "429 `queue-full`; queued runs stay")
    runs_of_batch: int = _bound(100_000, "runs of one batch", "422 `invalid`")
    documents: int = _bound(2_000, "users' own documents", "507 `too-many-documents`")
    documents_bytes: int = _bound(64 << 20, "all texts of documents together", "507 `documents-full`")
    document_bytes: int = _bound(4 << 20, "the text of one document", "413 `too-large`")
    revisions_of_document: int = _bound(50, "earlier revisions of one document", "the oldest are removed")
    revisions: int = _bound(20_000, "earlier revisions of all documents, deleted ones too", "the oldest are removed")
    revisions_bytes: int = _bound(64 << 20, "all texts of earlier revisions together", "the oldest are removed")
    body_bytes: int = _bound(10 << 20, "the body of a request, unless it is a capsule or a capture", "413 `too-large`")
    capsule_bytes: int = _bound(256 << 20, "an uploaded capsule; 1 GiB unpacked", "413 `too-large`, 422 `invalid`")
    capture_bytes: int = _bound(1 << 30, "an uploaded capture", "413 `too-large`")
    captures_bytes: int = _bound(4 << 30, "all uploaded captures", "the least recently used ones are removed")
    watchers: int = _bound(64, "clients that watch events, per process", "503 `too-many-watchers`")
    watchers_of_client: int = _bound(
        32, "clients that watch events from one address, per process", "429 `too-many-watchers`"
    )
    open_requests: int = _bound(
        64, "requests answered at once, besides clients that watch; as many more wait", "503 `overloaded`"
    )
    questions: int = _bound(
        8, "calls of the engine at once, per process; others wait for up to 30 s", "503 `overloaded`"
    )
    requests_per_s: int = _bound(2_000, "requests per second from one address, per process", "429 `too-many-requests`")
    posts_per_s: int = _bound(100, "those with `POST` among them", "429 `too-many-requests`")
    connections: int = _bound(1_000, "connections, per process", "no more are accepted until one closes")
    head_s: int = _bound(10, "seconds in which a client must send a request's head", "408 `too-slow`")
    body_s: int = _bound(60, "seconds in which it must send the body, plus one for each 64 KiB", "408 `too-slow`")
    taking_s: int = _bound(60, "seconds in which a client reads nothing of its answer", "the connection is closed")


def read(environment: Mapping[str, str]) -> Bounds:
    """Return the bounds that the environment sets. Raises BadInputError, which names the variable."""
    given = {
        name: environment[variable(name)] for name in Bounds.__dataclass_fields__ if environment.get(variable(name))
    }
    bounds = Bounds(**{name: _number(variable(name), text) for name, text in given.items()})
    threads = bounds.watchers + bounds.open_requests
    if bounds.connections <= threads:
        raise BadInputError(
            f"{variable('connections')}={bounds.connections}: must be more than {variable('watchers')} and "
            f"{variable('open_requests')} together, which are {threads}"
        )
    return bounds


def variable(name: str) -> str:
    """Return the variable that sets a bound."""
    return f"{VARIABLES}{name.upper()}"


def table() -> list[str]:
    """Return the rows of the bounds' table in the documentation."""
    return [
        f"| `{variable(one.name)}` | {one.metadata['what']} | {_shown(one.name, int(str(one.default)))} "
        f"| {one.metadata['beyond']} |"
        for one in fields(Bounds)
    ]


def size(octets: int) -> str:
    """Return a number of octets as a person reads it: the largest unit in which it is a whole number."""
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if octets >= 1 << shift and octets % (1 << shift) == 0:
            return f"{octets >> shift} {unit}"
    return f"{octets} bytes"


def _shown(name: str, most: int) -> str:
    if name.endswith("_bytes"):
        return size(most)
    return f"{most} s" if name.endswith("_s") and not name.endswith("per_s") else f"{most:,}"


def _number(name: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:20]) <= LARGEST:
        raise BadInputError(f"{name}={text[:40]}: write a whole number from 1 to {LARGEST}")
    return int(text)
