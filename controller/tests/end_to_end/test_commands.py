"""Commands over a link between network namespaces: what was captured at the link, and what they left."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.command import faults, said
from tests.end_to_end.user import ordinary_user

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live

SIZE = 60_000
"""Octets that either side sends."""
SMALL = 600
"""The largest segment of the variant of that name."""
FOREVER = "864213"
"""Seconds that the server's daemon sleeps, by which it is known from others."""

LINK = """title = "Two losses each way"
[both]
rate  = "2 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "100 packets" }
""" + "".join(
    f"""[[script]]
at = "packet {nth}"
do = "drop"
on = "{way}"
"""
    for way in ("down", "up")
    for nth in (7, 20)
)
SERVER = f"""
import os, socket, subprocess
subprocess.Popen(["setsid", "sleep", "{FOREVER}"])
listener = socket.create_server(("", 7000))
stream = listener.accept()[0]
left = {SIZE}
while left > 0:
    left -= len(stream.recv(65536))
stream.sendall(bytes({SIZE}))
stream.close()
"""
CLIENT = f"""
import os, socket
stream = socket.create_connection((os.environ["WINDLULL_SERVER"], 7000))
stream.sendall(bytes({SIZE}))
got = 0
while piece := stream.recv(65536):
    got += len(piece)
raise SystemExit(got != {SIZE})
"""
FILES = {
    "link.toml": LINK,
    "small.toml": f"""title = "Small segments"
stack = "linux"
[linux]
congestion_control = "cubic"
mss = "{SMALL} B"
""",
    "commands.toml": f"""title = "Commands"
link = "./link.toml"
variants = ["linux", "./small.toml"]
time_limit = "60 s"
workload = {{ kind = "command", client = {json.dumps(["/usr/bin/python3", "-c", CLIENT])}, """
    f"""server = {json.dumps(["/usr/bin/python3", "-c", SERVER])}, port = 7000 }}
""",
}  # fmt: skip
LISTENS = 'create_server((\\"\\", 7000)'
OVER_IPV6 = FILES | {
    "commands.toml": 'network = "ipv6"\n'
    + FILES["commands.toml"].replace(LISTENS, f"{LISTENS}, family=socket.AF_INET6"),
}
"""The same over IPv6, with a server that hears no IPv4 before."""


@pytest.fixture(scope="module")
def runs() -> Iterator[dict[str, Path]]:
    """The directory of each variant's run."""
    with made(FILES) as runs:
        yield runs


@pytest.fixture(scope="module")
def over_ipv6() -> Iterator[dict[str, Path]]:
    """The same over IPv6."""
    with made(OVER_IPV6) as runs:
        yield runs


@contextmanager
def made(files: dict[str, str]) -> Iterator[dict[str, Path]]:
    """Run `commands.toml`, and yield the directory of each variant's run."""
    user = ordinary_user()
    # Not below pytest's own directory, which is the tester's alone.
    home = Path(tempfile.mkdtemp(prefix="windlull-commands-"))
    try:
        for name, text in files.items():
            (home / name).write_text(text, encoding="utf-8")
        if user.number is not None:
            os.chown(home, user.number, user.number)
        environment = os.environ | {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
        options = ("--testbed", "netns", "--attempts", "2", "--out", home / "out")
        done = user.windlull("run", home / "commands.toml", *options, cwd=home, env=environment)
        # What is looked at here does not depend on how busy the machine is.
        assert done.returncode == 0 or "none is valid by its certificate" in done.stderr, done.stderr
        yield {place.parents[1].name: place.parent for place in sorted((home / "out" / "runs").rglob("run.json"))}
    finally:
        shutil.rmtree(home)


def test_each_variant_has_a_run(runs: dict[str, Path]) -> None:
    assert set(runs) == {"linux", "small"}
    for run in runs.values():
        assert json.loads((run / "run.json").read_bytes())["metrics"]["exit_code"] == 0


def fates(run: Path) -> list[dict[str, str]]:
    """Return what the link did to each packet."""
    with (run / "fates.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def at_devices(run: Path) -> dict[tuple[int, int], Counter[tuple[str, ...]]]:
    """Return the packets at the link's devices, by interface and way: 1 for those that came, 2 for those that left."""
    fields = ("frame.interface_id", "frame.packet_flags_direction", "ip.src", "ip.id", "tcp.seq_raw")
    asked = [word for field in fields for word in ("-e", field)]
    output = said(["tshark", "-n", "-r", str(run / "emulator.pcapng"), "-Y", "ip", "-T", "fields", *asked])
    packets: dict[tuple[int, int], Counter[tuple[str, ...]]] = {
        (interface, way): Counter() for interface in (0, 1) for way in (1, 2)
    }
    for line in output.splitlines():
        interface, way, *which = line.split("\t")
        packets[int(interface), int(way, 0)][tuple(which)] += 1
    return packets


def test_what_the_link_lost_came_to_one_device_and_left_by_none(runs: dict[str, Path]) -> None:
    for run in runs.values():
        assert faults(run / "emulator.pcapng") == ""
        packets = at_devices(run)
        for direction, came, left in (("down", 0, 1), ("up", 1, 0)):
            rows = [row for row in fates(run) if row["direction"] == direction]
            lost = [row for row in rows if row["end"] != "delivered"]
            assert len(lost) >= 2, direction
            assert packets[came, 1].total() == len(rows), direction
            assert packets[left, 2].total() == len(rows) - len(lost), direction
            assert not packets[left, 2] - packets[came, 1], direction
            assert (packets[came, 1] - packets[left, 2]).total() == len(lost), direction


def test_the_run_says_what_is_in_the_capture(runs: dict[str, Path]) -> None:
    for run in runs.values():
        captured: dict[str, Any] = json.loads((run / "run.json").read_bytes())["emulator_capture"]
        lines = said(
            ["tshark", "-n", "-r", str(run / "emulator.pcapng"), "-T", "fields", "-e", "frame.len"]
        ).splitlines()
        assert (captured["packets"], captured["dropped"], captured["full"]) == (len(lines), 0, False)
        assert captured["bytes"] == (run / "emulator.pcapng").stat().st_size


def first_s(capture: Path, *more: str) -> float:
    """Return when a connection's first packet passed, as the capture's stamps count."""
    wanted = " && ".join(("tcp.flags.syn == 1", "tcp.flags.ack == 0", *more))
    output = said(["tshark", "-n", "-r", str(capture), "-Y", wanted, "-T", "fields", "-e", "frame.time_epoch"])
    return float(output.split()[0])


def test_its_stamps_are_of_the_runs_time(runs: dict[str, Path]) -> None:
    for run in runs.values():
        at_client, at_server = first_s(run / "client.pcapng"), first_s(run / "server.pcapng")
        came = first_s(run / "emulator.pcapng", "frame.interface_id == 1")
        left = first_s(run / "emulator.pcapng", "frame.interface_id == 0")
        # The link's delay is 10 ms; clocks are compared within far less than a fifth of that.
        assert at_client - 0.002 < came < left - 0.008, (at_client, came, left, at_server)
        assert left - 0.002 < at_server


def test_segments_are_as_large_as_the_variant_says(runs: dict[str, Path]) -> None:
    for variant, bounds in {"linux": range(1400, 1461), "small": range(SMALL - 20, SMALL + 1)}.items():
        for source in ("198.18.0.1", "198.18.0.2"):
            capture = str(runs[variant] / "client.pcapng")
            output = said(["tshark", "-n", "-r", capture, "-Y", f"ip.src == {source}", "-T", "fields", "-e", "tcp.len"])
            assert max(map(int, output.split())) in bounds, (variant, source)


def test_a_daemon_of_the_servers_command_has_ended(runs: dict[str, Path]) -> None:
    assert runs
    left = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().split(b"\0")
        except OSError:
            continue  # It has just ended.
        if FOREVER.encode() in words:
            left.append(process)
    assert left == []


def test_over_ipv6_segments_are_smaller_and_the_link_has_the_same_losses(over_ipv6: dict[str, Path]) -> None:
    assert set(over_ipv6) == {"linux", "small"}
    for variant, bounds in {"linux": range(1380, 1441), "small": range(SMALL - 40, SMALL - 19)}.items():
        run = over_ipv6[variant]
        recorded = json.loads((run / "run.json").read_bytes())
        assert recorded["metrics"]["exit_code"] == 0
        assert recorded["settings"]["server.address"] == "2001:2::1"
        assert recorded["certificate"]["unmatched"] == 0
        for direction in ("down", "up"):
            lost = [row for row in fates(run) if row["direction"] == direction and row["end"] != "delivered"]
            assert len(lost) >= 2, direction
        for source in ("2001:2::1", "2001:2::2"):
            capture = str(run / "client.pcapng")
            assert faults(run / "client.pcapng") == ""
            output = said(
                ["tshark", "-n", "-r", capture, "-Y", f"ipv6.src == {source}", "-T", "fields", "-e", "tcp.len"]
            )
            assert max(map(int, output.split())) in bounds, (variant, source)
