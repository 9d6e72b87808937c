"""A web process with a small application in the place of ours: `python -m tests.serve.small_web BOUNDS`.

BOUNDS is JSON. The first line of standard output is its port.

`/take` answers with more than any buffer holds, and writes a line to standard output when that has ended. Anything else
is answered with how long its body is.
"""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Any

import msgspec
from gunicorn.app.base import BaseApplication

from windlull.api import gateway
from windlull.bounds import Bounds
from windlull.serve.worker import bounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MUCH_BYTES = 256 << 20


class Small(BaseApplication):
    """Gunicorn with one process."""

    def __init__(self, listening: int, bounds: Bounds) -> None:
        self._listening = listening
        self._bounds = bounds
        super().__init__()

    def load_config(self) -> None:
        for name, value in {
            "bind": f"fd://{self._listening}",
            "worker_class": bounded(self._bounds),
            "threads": self._bounds.watchers + self._bounds.open_requests,
            "worker_connections": self._bounds.connections,
            "control_socket_disable": True,
        }.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        gateway.tell_errors_as_json()
        return _answer


def _answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/take":
        start_response("200 OK", [("Content-Type", "application/octet-stream")])
        return _much()
    body = b"%d" % len(environ["wsgi.input"].read())
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


def _much() -> Iterator[bytes]:
    try:
        for _ in range(MUCH_BYTES >> 16):
            yield bytes(1 << 16)
    finally:
        print("ended", flush=True)  # noqa: T201 - to the test


if __name__ == "__main__":
    there = socket.create_server(("127.0.0.1", 0))
    print(there.getsockname()[1], flush=True)  # noqa: T201 - to the test
    # Gunicorn closes it.
    Small(there.detach(), msgspec.json.decode(sys.argv[1], type=Bounds)).run()
