"""Where the service listens: this machine alone unless told otherwise, and beyond it only with a token."""

from __future__ import annotations

import errno
import ipaddress
import socket
import time
from typing import TYPE_CHECKING

from windlull.errors import BadInputError, FailureError

if TYPE_CHECKING:
    from pathlib import Path

BACKLOG = 512
"""How many clients may wait to be let in, also while the web processes are started again."""

SHORTEST_TOKEN = 16

_TAKEN_S = 5.0
"""How long the port of a service that was killed may still be its web processes'."""


def read_token(file: Path) -> str:
    """Return the token that a file holds, without the space around it. Raises BadInputError."""
    try:
        token = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"cannot read the token in {file}: {getattr(error, 'strerror', None) or error}") from error
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or " " in token:
        raise BadInputError(
            f"{file} holds no token: one line of at least {SHORTEST_TOKEN} letters and digits, as made by\n"
            f"    (umask 077; openssl rand -hex 32 > {file})"
        )
    return token


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it. Names but `localhost` may mean anything."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refuse_open_door(host: str, token: str | None) -> None:
    """Raise BadInputError if others could reach the service and it asked them for nothing."""
    if token is None and not is_loopback(host):
        raise BadInputError(
            f"--host {host}: whoever reaches this machine could use it; --token-file FILE asks for a token"
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
