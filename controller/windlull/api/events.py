"""What happens, as it happens: server-sent events."""

import socket
from collections.abc import Callable, Iterator
from typing import Literal

from flask import Response, request
from pydantic import Field

from windlull.api.blueprint import Blueprint
from windlull.api.context import Context, current
from windlull.api.errors import RETRY_AFTER_S, ApiError, too_many, unavailable
from windlull.api.schemas import LARGEST_ID, Headers, Query
from windlull.api.watch import Client, Interest, TooManyError, text
from windlull.bounds import Bounds
from windlull.store import events

blueprint = Blueprint("events", __name__, tag="events", about="What happens, as it happens.")

HEARTBEAT_S = 15.0
"""How often something is sent at least, so that neither end takes the other for dead."""

LOOK_S = 1.0
"""How often a stream looks whether its client is still there."""

_PAGE = 500


class EventsQuery(Query):
    """What to hear of, and from where on."""

    batch: int | None = Field(None, ge=1, le=LARGEST_ID, description="Only of this batch and its runs.")
    run: int | None = Field(None, ge=1, le=LARGEST_ID, description="Only of this run.")
    kind: (
        list[Literal["run", "batch", "document", "scheduler", "progress", "calibration", "search", "schedule"]] | None
    ) = Field(None, description="Only of these kinds; may be repeated.", max_length=7)
    after: int | None = Field(
        None, ge=0, le=LARGEST_ID, description="The last event known; `Last-Event-ID` goes before it."
    )
    follow: bool = Field(True, description="Stay for what comes; else the stream ends with what is there.")  # noqa: FBT003


class EventsHeaders(Headers):
    """Where a lost stream goes on."""

    last: str | None = Field(
        None, alias="Last-Event-ID", pattern=r"^[0-9]{1,18}$", description="The `id` of the last event that came."
    )


@blueprint.get(
    "/events",
    responses={
        200: {
            "description": "Events, until the client leaves. Comment lines come while nothing happens.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
def stream(query: EventsQuery, header: EventsHeaders) -> Response:
    """Watch what happens.

    A stream of server-sent events: `id` is the event's number, `event` its kind, `data` a JSON object with `id`, `at`,
    `kind`, `batch`, `run` and `data`. The first is `hello`: it only says from which number on the stream tells. A
    client that was away sends `Last-Event-ID`, as browsers do by themselves, and gets all that it missed; if that is
    not kept any more, it gets `missed` and reads anew what it shows. As many clients may watch as the service has
    threads for; beyond that it answers 503, and 429 to an address from which enough watch
    already.
    """
    context = current()
    interest = Interest(query.batch, query.run, frozenset(query.kind) if query.kind else None)
    last = int(header.last) if header.last is not None else query.after
    with context.database.reader() as session:
        newest, oldest = events.last(session), events.first(session)
    start = newest if last is None else min(last, newest)
    missed = last is not None and (last < oldest - 1 or last > newest)
    greeting = b"retry: %d\n" % (1000 * RETRY_AFTER_S) + _say(b"hello", start)
    if missed:
        greeting, start = greeting + _say(b"missed", newest), newest
    if not query.follow:
        known = b"".join(piece for _, piece in _known(context, interest, start))
        return _response(iter((greeting + known,)))
    try:
        # Before the stream begins: what is kept between now and its first look at the database waits here.
        client = context.watch.join(interest, newest, request.remote_addr or "")
    except TooManyError as error:
        raise _too_many(context.settings.bounds, of_client=error.of_client) from None
    response = _response(_stream(context, client, start, greeting, _peer()))
    response.call_on_close(lambda: context.watch.leave(client))
    return response


def _too_many(bounds: Bounds, *, of_client: bool) -> ApiError:
    if of_client:
        return too_many(
            f"{bounds.watchers_of_client} clients watch from this address already, which is the limit; close a page",
            "too-many-watchers",
        )
    return unavailable(f"{bounds.watchers} clients watch already, which is the limit", "too-many-watchers")


def _response(pieces: Iterator[bytes]) -> Response:
    response = Response(pieces, mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # of nginx: what it kept back would come too late
    return response


def _stream(
    context: Context, client: Client, last: int, greeting: bytes, is_there: Callable[[], bool]
) -> Iterator[bytes]:
    """Yield what is known already, then what comes; what would come twice is told once."""
    yield greeting
    for number, piece in _known(context, client.interest, last):
        last = number
        yield piece
    quiet_s = 0.0
    while not client.ended and is_there():
        handful = client.take(LOOK_S)
        pieces = b"".join(piece for number, piece in handful.texts if number > last) if handful else b""
        quiet_s = 0.0 if pieces else quiet_s + LOOK_S
        if quiet_s >= HEARTBEAT_S:
            pieces, quiet_s = b":\n\n", 0.0
        if pieces:
            yield pieces


def _known(context: Context, interest: Interest, last: int) -> Iterator[tuple[int, bytes]]:
    """Yield what has happened since event `last`, a page of the database at a time."""
    while True:
        with context.database.reader() as session:
            found = events.after(session, last, limit=_PAGE, batch_id=interest.batch_id, run_id=interest.run_id)
        wanted = [text(event) for event in found if interest.wants(event)]
        if found:
            last = found[-1].id
        if wanted:
            yield last, b"".join(wanted)
        if len(found) < _PAGE:
            return


def _say(kind: bytes, last: int) -> bytes:
    """Return an event of the stream itself; its number is where a lost stream would go on."""
    return b'id: %d\nevent: %s\ndata: {"id":%d}\n\n' % (last, kind, last)


def _peer() -> Callable[[], bool]:
    """Return a look at whether the client is still there; without one its place would be kept until the next event."""
    connection = request.environ.get("gunicorn.socket")
    if not isinstance(connection, socket.socket):
        return lambda: True

    def is_there() -> bool:
        try:
            return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    return is_there
