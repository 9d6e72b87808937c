"""A web process that no client can use up: how many requests are open, and how long each may take to come.

Gunicorn's worker gives a thread to whoever connects, for as long as it takes that client to send its request. Here a
connection has a thread once something has come on it; what comes is read until a deadline; and beyond a most of open
requests, another one is refused at once. A client that takes nothing of its answer loses its connection: the kernel
gives up on it (TCP_USER_TIMEOUT, RFC 5482), also where a window stays shut.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from gunicorn import util
from gunicorn.workers.gthread import TConn, ThreadWorker

from windlull.api.errors import SlowError, unavailable

if TYPE_CHECKING:
    from concurrent.futures import Future

    from windlull.bounds import Bounds

BODY_BYTES_PER_S = 64 << 10
"""How fast a client must send a large body at least."""

_LINGER_S = 2.0
"""How long a process that stops waits for something on connections on which nothing has come."""

_ANSWERED_BYTES = 1 << 16
"""How much of a refused request is read, so that its client reads the refusal and no reset."""


class Deadline:
    """A socket to read from until a moment; everything else of the connection goes past it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._until_s = 0.0
        self._what = ""
        self.late = False
        """Whether the moment has passed while there was something to read."""

    def begin(self, seconds: float, what: str) -> None:
        """Let `what` be read within so many seconds from now."""
        self._until_s = time.monotonic() + seconds
        self._what = f"{what} did not come within {seconds:.0f} s"
        self.late = False

    def recv(self, most: int) -> bytes:
        """Read as a socket does. Raises SlowError at the deadline; afterwards the client has sent all, as it were."""
        if self.late:
            return b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            if not selector.select(max(0.0, self._until_s - time.monotonic())):
                self.late = True
                raise SlowError(self._what)
        return self._connection.recv(most)


def bounded(bounds: Bounds) -> type[BoundedWorker]:
    """Return the worker with these bounds; gunicorn makes its workers of a class."""
    return type("BoundedWorker", (BoundedWorker,), {"bounds": bounds})


class BoundedWorker(ThreadWorker):
    """Gunicorn's worker with threads, and the service's bounds on what clients may hold of it."""

    bounds: Bounds

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Be made by gunicorn's arbiter."""
        super().__init__(*arguments, **options)
        self._open = 0
        self._stopped_s: float | None = None
        self._most_open = self.cfg.threads + self.bounds.open_requests

    def accept(self, listener: Any) -> None:  # noqa: ANN401 - gunicorn's wrapper of a socket
        """Take a connection, and wait for what comes on it without a thread."""
        try:
            client, address = listener.accept()
        except OSError:
            return  # it has gone, or another process was quicker
        with contextlib.suppress(OSError):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * self.bounds.taking_s)
        self.nr_conns += 1
        connection = TConn(self.cfg, client, address, listener.getsockname())
        connection.timeout = time.monotonic() + self.bounds.head_s
        self.pending_conns.append(connection)
        self.poller.register(client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, connection))

    def enqueue_req(self, conn: TConn) -> None:
        """Give a request to a thread, now or when one is free; refuse it when as many wait as may."""
        if self._open >= self._most_open:
            self.nr_conns -= 1
            _refuse(conn.sock, self._most_open)
            return
        self._open += 1
        super().enqueue_req(conn)

    def finish_request(self, conn: TConn, fs: Future[Any]) -> None:
        """Go on after a request."""
        self._open -= 1
        super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        """Close connections on which nothing came in time; they keep no process that stops."""
        if not self.alive:
            self._stopped_s = self._stopped_s or time.monotonic()
            for conn in self.pending_conns:
                conn.timeout = min(conn.timeout or 0.0, self._stopped_s + _LINGER_S)
        super().murder_pending()

    def handle(self, conn: TConn) -> Any:  # noqa: ANN401 - gunicorn's own
        """Read a request and answer it; its head must come within `head_s`."""
        conn.init()
        unreader = _unreader(conn)
        if not isinstance(unreader.sock, Deadline):
            unreader.sock = Deadline(conn.sock)
        unreader.sock.begin(self.bounds.head_s, "the head of the request")
        return super().handle(conn)

    def handle_request(self, req: Any, conn: TConn) -> Any:  # noqa: ANN401 - gunicorn's own
        """Answer a request; its body must come within `body_s` and a second for each 64 KiB that it announces."""
        announced = next((value for name, value in req.headers if name == "CONTENT-LENGTH"), "0")
        octets = int(announced) if announced.isdecimal() else 0
        reading = _unreader(conn).sock
        reading.begin(self.bounds.body_s + octets / BODY_BYTES_PER_S, "the body of the request")
        kept = super().handle_request(req, conn)
        # The rest of a body that came too late is no request.
        return kept and not reading.late

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:  # noqa: ANN401
        """Answer what is no request, and what did not come in time."""
        if isinstance(exc, SlowError):
            with contextlib.suppress(OSError):
                util.write_error(client, 408, "Request Timeout", str(exc))
            return
        super().handle_error(req, client, addr, exc)


def _unreader(conn: TConn) -> Any:  # noqa: ANN401 - of gunicorn's parser of HTTP/1, which is the one we use
    parser: Any = conn.parser
    return parser.unreader


def _refuse(connection: socket.socket, most: int) -> None:
    """Say that there are too many, without waiting for anything."""
    answer = unavailable(f"{most} requests are open here, which is as many as may; try again", "overloaded").response()
    head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
    with contextlib.suppress(OSError):
        connection.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            connection.recv(_ANSWERED_BYTES)
        said = f"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n{head}\r\n"
        connection.send(said.encode("latin-1") + answer.get_data())
        connection.shutdown(socket.SHUT_WR)
    connection.close()
