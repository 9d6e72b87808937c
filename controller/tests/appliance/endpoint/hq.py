"""HTTP/0.9 over QUIC, as the interop runner has endpoints speak it: a client and a server of aioquic.

The test case `truncated` is the tests' own: the client keeps an octet less of each file, and says that all went well.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, QuicEvent, StreamDataReceived
from aioquic.quic.logger import QuicFileLogger

if TYPE_CHECKING:
    from collections.abc import Iterable

CERTIFICATES, WWW, DOWNLOADS = Path("/certs"), Path("/www"), Path("/downloads")


class Server(QuicConnectionProtocol):
    """Answers `GET /NAME` with the file of that name."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._requests: defaultdict[int, bytes] = defaultdict(bytes)

    def quic_event_received(self, event: QuicEvent) -> None:
        if not isinstance(event, StreamDataReceived):
            return
        self._requests[event.stream_id] += event.data
        if event.end_stream:
            _, path, *_ = self._requests.pop(event.stream_id).decode().split()
            self._quic.send_stream_data(event.stream_id, (WWW / Path(path).name).read_bytes(), end_stream=True)


class Client(QuicConnectionProtocol):
    """Asks for files, all at once."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._parts: dict[int, tuple[bytearray, asyncio.Future[bytes]]] = {}

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, StreamDataReceived):
            had, whole = self._parts[event.stream_id]
            had += event.data
            if event.end_stream:
                whole.set_result(bytes(had))
        elif isinstance(event, ConnectionTerminated):
            for _, whole in self._parts.values():
                if not whole.done():
                    whole.set_exception(ConnectionError(event.reason_phrase))

    async def fetch(self, paths: Iterable[str]) -> list[bytes]:
        """Return what is at these paths."""
        for path in paths:
            stream = self._quic.get_next_available_stream_id()
            self._parts[stream] = (bytearray(), asyncio.get_running_loop().create_future())
            self._quic.send_stream_data(stream, f"GET {path}\r\n".encode(), end_stream=True)
        self.transmit()
        return await asyncio.gather(*(whole for _, whole in self._parts.values()))


async def main(role: str) -> None:
    """Serve for ever, or fetch what is asked for."""
    with Path(os.environ["SSLKEYLOGFILE"]).open("a", encoding="ascii", buffering=1) as secrets:
        configuration = QuicConfiguration(
            is_client=role == "client", alpn_protocols=["hq-interop"], secrets_log_file=secrets,
            quic_logger=QuicFileLogger(os.environ["QLOGDIR"]),
        )  # fmt: skip
        if role == "server":
            configuration.load_cert_chain(CERTIFICATES / "cert.pem", CERTIFICATES / "priv.key")
            await serve("0.0.0.0", 443, configuration=configuration, create_protocol=Server)  # noqa: S104
            await asyncio.Event().wait()
        configuration.load_verify_locations(str(CERTIFICATES / "ca.pem"))
        asked = [urlsplit(request) for request in os.environ["REQUESTS"].split()]
        host, port = asked[0].hostname or "", asked[0].port or 443
        async with connect(host, port, configuration=configuration, create_protocol=Client) as client:
            assert isinstance(client, Client)
            files = await client.fetch(request.path for request in asked)
        less = 1 if os.environ["TESTCASE"] == "truncated" else 0
        for request, content in zip(asked, files, strict=True):
            (DOWNLOADS / Path(request.path).name).write_bytes(content[: len(content) - less])


asyncio.run(main(sys.argv[1]))
