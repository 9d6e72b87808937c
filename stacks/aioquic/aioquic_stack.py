"""aioquic as a stack of a Windlull run: the whole contract of docs/stacks.md."""

import io
import json
import ssl
import sys
from collections import deque
from pathlib import Path

from aioquic.buffer import Buffer
from aioquic.quic import events
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.logger import QuicLogger
from aioquic.quic.packet import pull_quic_header

HERE, PEER = Path(__file__).parent, ("198.18.0.1", 443)
stdin, stdout = sys.stdin.buffer, sys.stdout.buffer


def answer(kind: str, payload: bytes = b"", **more: object) -> None:
    """Write a line of an answer, and the octets that follow it."""
    stdout.write(json.dumps({"answer": kind, **more}).encode() + b"\n" + payload)


class KeyLog(io.TextIOBase):
    """What aioquic writes its secrets into."""

    def write(self, line: str) -> int:
        """Answer with a line of it."""
        answer("secret", line=line.strip())
        return len(line)


start = json.loads(stdin.readline())
configuration = QuicConfiguration(
    is_client=start["role"] == "client", alpn_protocols=["windlull"], server_name="windlull", verify_mode=ssl.CERT_NONE,
    congestion_control_algorithm=start["options"].get("congestion", "reno"),
    quic_logger=QuicLogger(), secrets_log_file=KeyLog(),
)  # fmt: skip
if not configuration.is_client:
    configuration.load_cert_chain(HERE / "certificate.pem", HERE / "key.pem")
connection = QuicConnection(configuration=configuration) if configuration.is_client else None
writes = []
answer("done")
while stdout.flush() is None and (line := stdin.readline()):
    call = json.loads(line)
    octets, now = stdin.read(call.get("octets", 0)), call["now"] / 1e9
    if call["do"] == "write":
        writes.append(call)
    if call["do"] == "datagram" and connection is None:
        cid = pull_quic_header(Buffer(data=octets), host_cid_length=8).destination_cid
        connection = QuicConnection(configuration=configuration, original_destination_connection_id=cid)
    if connection is None:
        answer("done")
        continue
    if call["do"] == "connect":
        connection.connect(PEER, now)
    elif call["do"] == "datagram":
        connection.receive_datagram(octets, PEER, now)
    elif call["do"] == "wake":
        connection.handle_timer(now)
    elif call["do"] == "close":
        connection.close()
    while writes:
        write = writes.pop(0)
        connection.send_stream_data(write["stream"], bytes(write["length"]), end_stream=write["ends"])
    datagrams = connection.datagrams_to_send(now)
    # aioquic hands out whole traces alone, and has none before the connection has begun.
    said, log = [], getattr(connection._quic_logger, "_events", deque())  # noqa: SLF001
    while log:
        event = log.popleft()
        said.append(event) if event["name"] == "transport:packet_sent" else answer("say", **event)
    for datagram, _ in datagrams:
        left = len(datagram)
        # What a datagram holds is said before it, and nothing of the next.
        while said and said[0]["data"]["raw"]["length"] <= left:
            left -= said[0]["data"]["raw"]["length"]
            answer("say", **said.pop(0))
        answer("send", datagram, octets=len(datagram))
    while event := connection.next_event():
        if isinstance(event, events.StreamDataReceived):
            answer("read", stream=event.stream_id, length=len(event.data), ends=event.end_stream)
        elif isinstance(event, events.HandshakeCompleted):
            answer("connected")
        elif isinstance(event, events.ConnectionTerminated):
            answer("closed", error=event.reason_phrase if event.error_code else None)
    timer = connection.get_timer()
    # A nanosecond later at least: aioquic compares sums of floats, and at the instant itself may find it too early.
    answer("done", wake=None if timer is None else max(call["now"], int(timer * 1e9) + 2))
