"""What clients cannot do to a web process: hold its threads with requests that do not come, or answers not taken."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from tests.store.postgres import end_with_the_tests
from windlull.bounds import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTROLLER = Path(__file__).parents[2]
PATIENCE_S = 60
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


@dataclass(frozen=True)
class Small:
    """A small web process: its port, and what it says."""

    port: int
    said: IO[str]

    def connect(self, sent: bytes = b"", receive_bytes: int | None = None) -> socket.socket:
        """A connection on which this was sent."""
        connection = socket.socket()
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(PATIENCE_S)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(sent)
        return connection


@contextmanager
def small(bounds: Bounds) -> Iterator[Small]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.serve.small_web", msgspec.json.encode(bounds)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd=CONTROLLER,
        preexec_fn=end_with_the_tests,  # noqa: PLW1509 - one system call, no lock
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield Small(int(process.stdout.readline()), process.stdout)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()


def answer(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of what comes until the connection is closed."""
    octets = b""
    while piece := connection.recv(1 << 16):
        octets += piece
    head, _, body = octets.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


def error(connection: socket.socket) -> tuple[int, Any]:
    status, _, body = answer(connection)
    return status, json.loads(body)["error"]


def test_a_request_must_come_in_time() -> None:
    with small(Bounds(head_s=1, body_s=1)) as web:
        with closing(web.connect(GET)) as connection:
            refusal = {"code": "too-slow", "message": "the head of the request did not come within 1 s"}
            assert error(connection) == (408, refusal)
        posted = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf"
        with closing(web.connect(posted)) as connection:
            refusal = {"code": "too-slow", "message": "the body of the request did not come within 1 s"}
            assert error(connection) == (408, refusal)
        # Nothing on it: it has no thread, and goes.
        with closing(web.connect()) as connection:
            assert connection.recv(1) == b""
        # In pieces is well, if they come.
        with closing(web.connect(posted)) as connection:
            connection.sendall(b" a body")
            connection.shutdown(socket.SHUT_WR)
            assert answer(connection)[::2] == (200, b"10")


def test_a_large_body_has_longer() -> None:
    with small(Bounds(body_s=1)) as web:
        octets = 4 << 20
        head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {octets}\r\n\r\n"
        with closing(web.connect(head.encode())) as connection:
            for _ in range(octets >> 16):
                connection.sendall(bytes(1 << 16))
            connection.shutdown(socket.SHUT_WR)
            assert answer(connection)[::2] == (200, b"%d" % octets)


def test_more_open_requests_than_may_be_are_refused_at_once() -> None:
    with small(Bounds(watchers=1, open_requests=1, head_s=5)) as web, ExitStack() as stack:
        # Two have the threads, and one waits for one.
        held = [stack.enter_context(closing(web.connect(GET))) for _ in range(3)]
        with closing(web.connect(GET + b"\r\n")) as one_more:
            status, headers, body = answer(one_more)
        assert (status, json.loads(body)["error"]["code"]) == (503, "overloaded")
        assert headers["Retry-After"]
        for connection in held:
            connection.sendall(b"Connection: close\r\n\r\n")
        assert [answer(connection)[::2] for connection in held] == [(200, b"0")] * 3


def test_who_takes_nothing_of_an_answer_loses_the_connection() -> None:
    with small(Bounds(taking_s=1)) as web, closing(web.connect(b"GET /take HTTP/1.1\r\n\r\n", 4096)):
        assert web.said.readline() == "ended\n"
