"""A notice on its way: one POST, in bounded time, to the address that was given and to no other."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import windlull
from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

WAIT_S = 5.0
"""How long each step may take: to connect, to send, to answer."""
IN_ALL_S = 15.0
"""How long a POST may take from its connection to the answer; then it is cut."""
LONGEST_URL = 2000


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a POST: whether it was taken, and the status, or what went wrong, in words."""

    taken: bool
    words: str


class _RefusedError(OSError):
    """The address leads where no notice is sent."""


def place(url: str) -> SplitResult:
    """Return the parts of a receiver's URL. Raises BadInputError for what is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), 0
    clean = url.isascii() and url.isprintable() and " " not in url and len(url) <= LONGEST_URL
    if not clean or parts.scheme not in {"http", "https"} or not parts.hostname or port == 0 or "@" in parts.netloc:
        raise BadInputError("is no address such as https://chat.example.org/hooks/abc, without user and password")
    return parts


def post(url: str, octets: bytes, headers: Mapping[str, str]) -> Answer:
    """Send a body; 2xx is taken. Redirects are not followed, and nothing of the answer but its status is read.

    Errors are answers: what was not taken is sent again by whoever sends it.
    """
    parts = place(url)
    connection = _connection(parts)
    cut = threading.Event()
    timer = threading.Timer(IN_ALL_S, _cut, [connection, cut])
    timer.daemon = True
    timer.start()
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", path, octets, {"User-Agent": f"windlull/{windlull.__version__}", **headers})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        return Answer(taken=False, words=f"no answer within {IN_ALL_S:g} s" if cut.is_set() else _reason(error))
    finally:
        timer.cancel()
        connection.close()
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return Answer(taken=False, words=f"{status}: redirects are not followed")
    known = http.client.responses.get(status, "")
    return Answer(taken=HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES, words=f"{status} {known}".strip())


class _Connection(http.client.HTTPConnection):
    """A connection that looks whom it has reached before anything is said, and that can be cut at any moment."""

    tls: ssl.SSLContext | None = None

    def connect(self) -> None:
        """Connect, and shake hands where it is HTTPS. Raises OSError."""
        super().connect()
        peer = ipaddress.ip_address(ip_of(self.sock))
        if isinstance(peer, ipaddress.IPv6Address) and peer.ipv4_mapped is not None:
            peer = peer.ipv4_mapped
        # There clouds tell a machine its secrets (169.254.169.254).
        if peer.is_link_local:
            raise _RefusedError(f"{peer} is a link-local address; nothing is sent there")
        if self.tls is not None:
            # In two steps, so that the socket is there to be cut while hands are shaken.
            wrapped = self.tls.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock = wrapped
            wrapped.do_handshake()


def ip_of(connected: socket.socket) -> str:
    """Return the address at the other end."""
    host, *_ = connected.getpeername()
    return str(host).partition("%")[0]


def _connection(parts: SplitResult) -> _Connection:
    secure = parts.scheme == "https"
    connection = _Connection(parts.hostname or "", parts.port or (443 if secure else 80), timeout=WAIT_S)
    connection.tls = ssl.create_default_context() if secure else None
    return connection


def _cut(connection: _Connection, cut: threading.Event) -> None:
    cut.set()
    if connection.sock is not None:
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


def _reason(error: Exception) -> str:
    """Say what went wrong, without the address, in which receivers have secrets."""
    match error:
        case ssl.SSLCertVerificationError():
            said = f"its certificate is not valid: {error.verify_message}"
        case ssl.SSLError():
            said = "TLS failed"
        case socket.gaierror() | UnicodeError():
            said = "its name is not known"
        case TimeoutError():
            said = f"no answer within {WAIT_S:g} s"
        case OSError():
            said = error.strerror or str(error) or type(error).__name__
        case _:
            said = "it does not speak HTTP"
    return said
