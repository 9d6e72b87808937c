"""What a program behind `windlull shell` meets: how late packets come, at which rate, and how much passes at most.

`.venv/bin/python bench/shell.py` measures it, as an ordinary user or root, and prints it. The machine must have nothing
else to do. The link is one of a shell in a shell, so that packets pass from one kernel to the other with nothing but
the link between them; programs at both ends measure, this one:

    within, in the network of the outer shell -- [ link ] -- inside, the program of the inner one

The last part is what people do with Mahimahi: a client behind `mm-delay 20 mm-link TRACE TRACE`, and its server on the
loopback address outside.

`.venv/bin/python bench/shell.py --engine PATH` takes another engine than that of `make build`.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import struct
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "target" / "release" / "windlull-engine"

DELAY_MS = 10
PACKETS = 10_000
GAP_S = 0.001
RATES_MBPS = (1, 12, 100)
RATE_S = 5.0
THROUGHPUT_S = 5.0
# Linux's (asm-generic/socket.h), which Python does not name.
SO_TIMESTAMPNS = 35
# Octets of a datagram that makes a packet of 1500, and of the headers that the link counts as well.
DATAGRAM = 1472
HEADERS = 28
QUEUED = 500
PATIENCE_S = 10
# Behind Mahimahi's commands: an opportunity to send 1504 octets each millisecond, of which 1448 are payload where TCP
# has its time stamps. Each way a packet waits for an opportunity.
MAHIMAHI_DELAY_MS = 20
MAHIMAHI_TRACE = "1\n"
MAHIMAHI_PAYLOAD_MBPS = 1448 * 8 / 1e3
MAHIMAHI_ROUND_TRIP_MS = (2 * MAHIMAHI_DELAY_MS, 2 * MAHIMAHI_DELAY_MS + 2)
CONNECTIONS = 100


def main() -> None:
    """Measure, or be one of the programs that do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", type=Path, default=ENGINE)
    parser.add_argument("--part", choices=["within", "delay", "rate", "throughput", "mahimahi"], help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    match given.part:
        case None:
            command = [*shell(given.engine), "--", *myself(given.engine, "within")]
            code = subprocess.run(command, check=False).returncode
            if code == 0:
                behind_mahimahi(given.engine)
            sys.exit(code)
        case "within":
            within(given.engine)
        case "delay":
            send_stamped(outside(given.port))
        case "rate":
            print(received_mbps(outside(given.port)))
        case "throughput":
            print(received_gbps(outside(given.port)))
        case "mahimahi":
            base = os.environ["MAHIMAHI_BASE"], given.port
            print(1e3 * received_gbps(base), *connected_ms(base))


def shell(engine: Path) -> list[str]:
    """The command that starts a program behind a link; its options follow."""
    return [str(engine), "--profiles", str(ROOT / "profiles"), "shell"]


def myself(engine: Path, part: str, *more: str) -> list[str]:
    """The command that starts a part of this program."""
    return [sys.executable, str(Path(__file__).resolve()), "--engine", str(engine), "--part", part, *more]


def outside(port: int) -> tuple[str, int]:
    """Where the program in front of the link listens."""
    return os.environ["WINDLULL_OUTSIDE"], port


def within(engine: Path) -> None:
    """Measure each thing with a program behind a link of its own."""
    for pace in ("frugal", "precise"):
        p50, p99 = delay_errors_us(engine, pace)
        print(f"delay error of {PACKETS:,} packets at {DELAY_MS} ms, --pace {pace}: p50 {p50:.0f} us, p99 {p99:.0f} us")
    for mbps in RATES_MBPS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as source:
            source.bind(("", 0))
            enough = threading.Event()
            sender = threading.Thread(target=send_too_much, args=(source, mbps, enough))
            sender.start()
            measured = float(behind(engine, ["--down", f"{mbps} Mbit/s"], "rate", source))
            enough.set()
            sender.join()
        print(
            f"rate towards the program, of {mbps} Mbit/s: {measured:.4f} Mbit/s, {100 * (measured / mbps - 1):+.3f} %"
        )
    with socket.create_server(("", 0)) as listener:
        sender = threading.Thread(target=send_for_long, args=(listener,))
        sender.start()
        gbps = float(behind(engine, ["--pace", "precise"], "throughput", listener))
        sender.join()
    print(f"one TCP connection towards the program without a rate: {gbps:.2f} Gbit/s of payload")


def behind(engine: Path, options: list[str], part: str, ours: socket.socket) -> str:
    """Let a part of this program run behind a link, and return what it says."""
    port = str(ours.getsockname()[1])
    command = [*shell(engine), *options, "--", *myself(engine, part, "--port", port)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def behind_mahimahi(engine: Path) -> None:
    """Measure with a client behind Mahimahi's commands, as they are installed beside this Python."""
    search = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    environment = os.environ | {"PATH": search, "WINDLULL_ENGINE": str(engine)}
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0), backlog=CONNECTIONS) as server:
        trace = Path(folder) / "trace"
        trace.write_text(MAHIMAHI_TRACE)
        sender = threading.Thread(target=send_for_long, args=(server,))
        sender.start()
        link = ["mm-delay", str(MAHIMAHI_DELAY_MS), "mm-link", str(trace), str(trace), "--"]
        client = myself(engine, "mahimahi", "--port", str(server.getsockname()[1]))
        done = subprocess.run([*link, *client], check=True, stdout=subprocess.PIPE, text=True, env=environment)
        sender.join()
    mbps, *took = map(float, done.stdout.split())
    cuts = statistics.quantiles(took, n=100)
    least, most = MAHIMAHI_ROUND_TRIP_MS
    print(
        f"behind mm-delay and mm-link, {MAHIMAHI_PAYLOAD_MBPS:.3f} Mbit/s of payload: {mbps:.4f} Mbit/s, "
        f"{100 * (mbps / MAHIMAHI_PAYLOAD_MBPS - 1):+.3f} %\n"
        f"{CONNECTIONS} connections there, each a round trip of {least} to {most} ms: "
        f"p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms"
    )


def delay_errors_us(engine: Path, pace: str) -> tuple[float, float]:
    """The stamp of the receiving kernel less the sender's clock before it sent and the link's delay: median, p99."""
    errors: list[float] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        sink.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        sink.settimeout(PATIENCE_S)
        sink.bind(("", 0))

        def receive() -> None:
            while len(errors) < PACKETS:
                try:
                    data, stamp_ns, _ = stamped(sink)
                except TimeoutError:
                    return
                (sent_ns,) = struct.unpack_from("q", data)
                errors.append((stamp_ns - sent_ns) / 1e3 - DELAY_MS * 1e3)

        receiver = threading.Thread(target=receive)
        receiver.start()
        behind(engine, ["--delay", f"{DELAY_MS} ms", "--pace", pace], "delay", sink)
        receiver.join()
    if len(errors) < PACKETS:
        print(f"  {PACKETS - len(errors):,} of the next line's packets did not come")
    cuts = statistics.quantiles(errors, n=100)
    return cuts[49], cuts[98]


def stamped(sink: socket.socket) -> tuple[bytes, int, tuple[str, int]]:
    """A datagram, the kernel's stamp of it by the machine's clock, and whom it is from."""
    data, (message, *_), _, sender = sink.recvmsg(2_000, 100)
    seconds, ns = struct.unpack("qq", message[2])
    return data, seconds * 1_000_000_000 + ns, sender


def send_stamped(to: tuple[str, int]) -> None:
    """Send datagrams at even intervals, each with the time."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as source:
        source.connect(to)
        begun = time.monotonic()
        for number in range(PACKETS):
            time.sleep(max(0.0, begun + number * GAP_S - time.monotonic()))
            source.send(struct.pack("q", time.clock_gettime_ns(time.CLOCK_REALTIME)).ljust(200 - HEADERS, b"\0"))


def send_too_much(source: socket.socket, mbps: int, enough: threading.Event) -> None:
    """Send to whoever asks what fills half of the link's queue, and from then on a fifth more than passes."""
    _, asker = source.recvfrom(9)
    packet = bytes(DATAGRAM)
    a_second = 1.2 * mbps * 1e6 / 8 / (DATAGRAM + HEADERS)
    begun, sent = time.monotonic(), 0
    while not enough.wait(GAP_S):
        due = QUEUED + (time.monotonic() - begun) * a_second
        while sent < due:
            source.sendto(packet, asker)
            sent += 1


def received_mbps(peer: tuple[str, int]) -> float:
    """The rate of IP packets between the first and the last of them, by the kernel's stamps."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        sink.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        sink.settimeout(PATIENCE_S)
        sink.connect(peer)
        sink.send(b"go")
        _, first_ns, _ = stamped(sink)
        stamp_ns, packets = first_ns, 0
        while stamp_ns - first_ns < RATE_S * 1e9:
            _, stamp_ns, _ = stamped(sink)
            packets += 1
        return packets * (DATAGRAM + HEADERS) * 8e3 / (stamp_ns - first_ns)


def send_for_long(listener: socket.socket) -> None:
    """Send to who connects until that has enough."""
    stream, _ = listener.accept()
    chunk = bytes(1 << 20)
    with stream:
        try:
            while True:
                stream.sendall(chunk)
        except ConnectionError:
            pass


def received_gbps(peer: tuple[str, int]) -> float:
    """The payload a second of one connection, after its first second."""
    with socket.create_connection(peer) as stream:
        room = bytearray(1 << 20)

        def receive(seconds: float) -> float:
            begun, octets = time.monotonic(), 0
            while (now := time.monotonic() - begun) < seconds:
                octets += stream.recv_into(room)
            return octets * 8e-9 / now

        receive(1.0)
        return receive(THROUGHPUT_S)


def connected_ms(peer: tuple[str, int]) -> list[float]:
    """How long each of some connections, one after the other, took to make."""
    took = []
    for _ in range(CONNECTIONS):
        begun = time.monotonic()
        with socket.create_connection(peer):
            took.append(1e3 * (time.monotonic() - begun))
    return took


if __name__ == "__main__":
    main()
