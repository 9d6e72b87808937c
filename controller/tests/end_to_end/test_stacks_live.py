"""A stack from elsewhere on real UDP sockets, beside the same runs simulated.

Nothing here depends on how fast the machine is: a run that was late has a certificate that says so, and is as whole.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.test_stacks import STACK, events, fields, packets, sent_from, shown, variant
from tests.end_to_end.user import ordinary_user

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.live, pytest.mark.long]

SIZE = 200_000
ADDRESSES = {
    "ipv4": {"server": "198.18.0.1", "client": "198.18.0.2"},
    "ipv6": {"server": "2001:2::1", "client": "2001:2::2"},
}

# However late a busy machine lets the stack begin, slow start fills so short a queue.
LINK = """\
title = "A link that loses a burst, and what its queue does not hold"
down  = { rate = "1 Mbit/s", delay = "20 ms", queue = { kind = "droptail", limit = "10 packets" } }
up    = { rate = "1 Mbit/s", delay = "20 ms", queue = { kind = "droptail", limit = "60 packets" } }

[[script]]
at  = "800 ms"
do  = "drop"
on  = "down"
for = "40 ms"
"""

EXPERIMENT = f"""\
title       = "aioquic, simulated and live"
link        = "link.toml"
variants    = ["aioquic.toml"]
workload    = {{ kind = "bulk", direction = "down", size = "{SIZE} B" }}
repetitions = 1
seed        = 4
"""


@pytest.fixture(scope="module", params=["ipv4", "ipv6"])
def network(request: pytest.FixtureRequest) -> str:
    """The version of IP of all packets."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def runs(network: str) -> Iterator[dict[str, Path]]:
    """The run of each testbed."""
    user = ordinary_user()
    # Not below pytest's own directory, which is the tester's alone.
    home = Path(tempfile.mkdtemp(prefix="windlull-stacks-"))
    try:
        (home / "link.toml").write_text(LINK, encoding="utf-8")
        (home / "aioquic.toml").write_text(variant([user.python or sys.executable, str(STACK)]), encoding="utf-8")
        (home / "quic.toml").write_text(f'network = "{network}"\n{EXPERIMENT}', encoding="utf-8")
        if user.number is not None:
            os.chown(home, user.number, user.number)
        environment = os.environ | {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
        options = ("--testbed", "netns", "--attempts", "2", "--out", home / "out")
        done = user.windlull("run", "quic.toml", *options, cwd=home, env=environment)
        assert done.returncode == 0 or "none is valid by its certificate" in done.stderr, done.stderr
        yield {testbed: home / "out" / "runs" / testbed / "aioquic" / "001" for testbed in ("sim", "netns")}
    finally:
        shutil.rmtree(home)


def record(run: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((run / "run.json").read_bytes())
    return read


def test_all_is_transferred_and_the_certificate_says_how_exactly(runs: dict[str, Path], network: str) -> None:
    live = record(runs["netns"])
    assert live["ending"]["end"] == "closed"
    assert live["received"]["octets"] == SIZE
    certificate = live["certificate"]
    assert (certificate["unmatched"], certificate["host_drops"], certificate["capture_drops"]) == (0, 0, 0)
    assert int(live["settings"]["server.socket.SO_RCVBUF"]) > 0
    assert live["settings"]["server.address"] == ADDRESSES[network]["server"]
    assert "certificate" not in record(runs["sim"])


def test_every_packet_is_told_captured_and_decrypted(runs: dict[str, Path], network: str) -> None:
    run = runs["netns"]
    with (run / "fates.csv").open(encoding="utf-8") as file:
        fates = list(csv.DictReader(line for line in file if not line.startswith("#")))
    for end, way in (("server", "down"), ("client", "up")):
        capture = run / f"{end}.pcapng"
        assert fields(capture, "frame.number", only="_ws.malformed || udp.checksum.status == 0") == []
        assert fields(capture, "frame.number", only="quic && !quic.frame_type") == []
        sent = sum(1 for fate in fates if fate["direction"] == way)
        address = ADDRESSES[network][end]
        assert len(fields(capture, "frame.number", only=sent_from(address))) == sent
        said = [(kind, number) for kind, number, _ in packets(run / f"{end}.sqlog", "quic:packet_sent")]
        assert shown(capture, address) == said
        times = [one["time"] for one in events(run / f"{end}.sqlog") if "time" in one]
        assert times == sorted(times)


def test_what_was_declared_lost_is_what_the_link_lost(runs: dict[str, Path]) -> None:
    for run in runs.values():
        metrics = record(run)["metrics"]
        assert metrics["packets_lost"] > 0
        assert metrics["packets_declared_lost"] >= metrics["packets_lost"]
        assert metrics["spurious_losses"] <= metrics["packets_declared_lost"] - metrics["packets_lost"]
