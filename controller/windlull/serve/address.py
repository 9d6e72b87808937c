"""Where the service listens: this machine alone unless told otherwise, and beyond it only with a given token."""

from __future__ import annotations

import errno
import ipaddress
import socket
import time

from windlull.errors import BadInputError, FailureError

BACKLOG = 512
"""How many clients may wait to be let in, also while the web processes are started again."""

_TAKEN_S = 5.0
"""How long the port of a service that was killed may still be its web processes'."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it. Names but `localhost` may mean anything."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refuse_open_door(host: str, token: str | None) -> None:
    """Raise BadInputError if other machines could reach the service and no token was given for them."""
    if token is None and not is_loopback(host):
        raise BadInputError(
            f"--host {host}: other machines could reach the service; give it a token for them with --token-file FILE"
        )


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is one that the kernel chooses. Raises FailureError, BadInputError."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise BadInputError(f"--host {host}: there is no such address: {error.strerror or error}") from error
    until_s = time.monotonic() + _TAKEN_S
    while True:
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(BACKLOG)
        except OSError as error:
            listening.close()
            if error.errno != errno.EADDRINUSE:
                raise FailureError(f"cannot listen on {host} port {port}: {error.strerror}") from error
            if time.monotonic() >= until_s:
                raise FailureError(f"port {port} of {host} is taken: choose another --port, or 0 for any") from error
            time.sleep(0.2)
        else:
            return listening


def url(listening: socket.socket) -> str:
    """Return the address of the page, as somebody on this machine would reach it."""
    host, port = listening.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = "127.0.0.1" if listening.family == socket.AF_INET else "::1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
