"""What gunicorn refuses before the application sees it, in the one shape of errors.

Such are requests whose line or headers are too long, or are not HTTP at all.
"""

import socket

from gunicorn import util

from windlull.api.errors import CODES, ApiError


def tell_errors_as_json() -> None:
    """Let gunicorn write its own errors as the application writes its: for a process that serves nothing else."""
    util.write_error = _write


def _write(sock: socket.socket, status_int: int, reason: str, mesg: str) -> None:
    code = CODES.get(status_int) or reason.lower().replace(" ", "-")
    body = ApiError(status_int, mesg, code=code).response().get_data()
    head = (
        f"HTTP/1.1 {status_int} {reason}\r\nConnection: close\r\nContent-Type: application/json\r\n"
        f"X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    util.write_nonblock(sock, head.encode("latin-1") + body)
