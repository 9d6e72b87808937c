"""tshark and tcptrace read every capture, find nothing wrong in it, and count what we count."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import faults, said, windlull

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

EXPERIMENTS = ("table-1", "table-2-5pct", "table-3", "figure-1", "figure-2", "figure-3", "figure-4")
REPETITIONS = "3"


@pytest.fixture(scope="module", params=EXPERIMENTS)
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    out = tmp_path_factory.mktemp("captures") / "out"
    done = windlull("run", f"papers/sarolahti2003/{request.param}", "--reps", REPETITIONS, "--out", out)
    assert done.returncode == 0, done.stderr
    directories = sorted(path.parent for path in (out / "runs").rglob("run.json"))
    assert directories
    return directories


@dataclass(frozen=True)
class Counted:
    """What tcptrace counts in one direction: everything sent again that has a sequence number, SYN and FIN too."""

    retransmitted: int
    syns: int
    fins: int


def counted(capture: Path) -> tuple[Counted, Counted]:
    """Return tcptrace's counts for the end that opened the connection, and for the other."""
    text = said(["tcptrace", "-l", "-n", str(capture)])
    again = re.search(r"rexmt data pkts:\s+(\d+)\s+rexmt data pkts:\s+(\d+)", text)
    flags = re.search(r"SYN/FIN pkts sent:\s+(\d+)/(\d+)\s+SYN/FIN pkts sent:\s+(\d+)/(\d+)", text)
    assert again, f"tcptrace found no connection in {capture}"
    assert flags, f"tcptrace found no connection in {capture}"
    return (
        Counted(int(again[1]), int(flags[1]), int(flags[2])),
        Counted(int(again[2]), int(flags[3]), int(flags[4])),
    )


def in_the_longest_packet(capture: bytes) -> int:
    """Return where the last octet of the longest packet lies in a little-endian pcapng file."""
    enhanced_packet, place, longest = 6, 0, (0, 0)
    while place < len(capture):
        kind, length = struct.unpack_from("<II", capture, place)
        if kind == enhanced_packet:
            (captured,) = struct.unpack_from("<I", capture, place + 20)
            longest = max(longest, (captured, place + 28 + captured - 1))
        place += length
    assert longest[0] > 0
    return longest[1]


def test_tshark_finds_no_fault(runs: list[Path]) -> None:
    captures = [run / name for run in runs for name in ("server.pcapng", "client.pcapng")]
    with ThreadPoolExecutor(2) as pool:
        for capture, found in zip(captures, pool.map(faults, captures), strict=True):
            assert found == "", f"{capture}:\n{found}"


def test_tcptrace_counts_the_same_retransmissions(runs: list[Path]) -> None:
    for run in runs:
        ours = json.loads((run / "run.json").read_bytes())
        sender, receiver = counted(run / "server.pcapng")
        assert sender.retransmitted == ours["metrics"]["retransmissions"], run
        # The receiver of the data has nothing else to send again.
        assert receiver.retransmitted == receiver.syns - 1 + receiver.fins - 1, run


def test_a_flipped_bit_does_not_pass(runs: list[Path], tmp_path: Path) -> None:
    content = bytearray((runs[0] / "server.pcapng").read_bytes())
    content[in_the_longest_packet(bytes(content))] ^= 0x10
    spoilt = tmp_path / "spoilt.pcapng"
    spoilt.write_bytes(content)
    answer = subprocess.run(
        ["tshark", "-n", "-r", str(spoilt), "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE",
         "-Y", "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert answer.returncode != 0 or answer.stdout != ""
