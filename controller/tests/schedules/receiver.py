"""A receiver of notices on loopback, and what it was sent."""

from __future__ import annotations

import json
import queue
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_S = 120


@dataclass(frozen=True)
class Received:
    """One POST."""

    path: str
    headers: dict[str, str]
    octets: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.octets)


@dataclass
class Receiver:
    """Answers with `status`, and with `location` if that is set; what it was sent is in `inbox`."""

    url: str = ""
    status: int = 200
    location: str | None = None
    inbox: queue.Queue[Received] = field(default_factory=queue.Queue)

    def next(self) -> Received:
        """Wait for the next one."""
        return self.inbox.get(timeout=PATIENCE_S)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver, until the end of the body."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            octets = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.inbox.put(Received(self.path, dict(self.headers.items()), octets))
            self.send_response(receiver.status)
            if receiver.location is not None:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
