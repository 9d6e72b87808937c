"""What `windlull link` prints of the emulator's answers."""

from __future__ import annotations

from typing import Any

import pytest

from windlull.commands.link import in_lines
from windlull.commands.link_capture import in_line
from windlull.commands.link_capture import in_lines as captures_in_lines
from windlull.runner.messages import ProtocolError

DIRECTION: dict[str, Any] = {
    "delay_ms": 150, "dropped": {"channel": 2, "queue": 0}, "dropping": False, "held": False, "inside_packets": 3,
    "octets": 1500, "packets": 7, "queued_octets": 576, "queued_packets": 1, "rate_bps": 64_000,
}  # fmt: skip
CHANGE: dict[str, Any] = {
    "id": 4, "kind": "set", "direction": "up", "since": "2026-01-01T00:00:00Z", "until": None,
    "set": {"rate": "64 kbit/s", "delay": "20 ms"},
}  # fmt: skip
LINK: dict[str, Any] = {
    "changes": [CHANGE, {"id": 5, "kind": "hold", "direction": "both", "since": "then", "until": "12:00"}],
    "down": DIRECTION, "up": DIRECTION | {"rate_bps": None, "delay_ms": None, "dropped": {}, "held": True},
    "link": {"name": "gprs", "title": "GPRS"}, "lost": None, "plane": "model",
    "planes": [{"name": name, "works": True, "why": None} for name in ("model", "netem")], "restored": False,
    "run": None, "seed": "1", "since": "11:00", "started": "10:00", "state": "standing",
}  # fmt: skip
CAPTURE: dict[str, Any] = {
    "bytes": 900, "dropped": 2, "ended": None, "id": 1, "limit_bytes": 1000, "link": "gprs", "packets": 3,
    "snaplen": None, "started": "11:00", "state": "running",
}  # fmt: skip


def test_a_link_in_lines() -> None:
    assert in_lines(LINK).splitlines() == [
        "gprs: GPRS (seed 1, plane model)",
        "standing since 11:00",
        "change 4: set rate 64 kbit/s, delay 20 ms, up, until it is cleared",
        "change 5: hold, both ways, until 12:00",
        "down: 64 kbit/s; 150 ms; 7 packets, 1,500 octets; 3 inside, 1 of them queued; lost: 2 channel",
        "up:   no limit; random delay; 7 packets, 1,500 octets; 3 inside, 1 of them queued; lost: none; HELD",
    ]
    assert in_lines(LINK | {"state": "lent", "run": "7"}).splitlines()[1] == "lent to run 7"


def test_captures_in_lines() -> None:
    line = "capture 1: running; of gprs, since 11:00; 3 packets, 900 of 1,000 octets, "
    assert in_line(CAPTURE) == f"{line}whole packets; 2 packets are missing"
    assert in_line(CAPTURE | {"snaplen": 96, "dropped": 0}) == f"{line}96 octets of each packet"
    sizes = ("default_bytes", "least_bytes", "most_bytes", "most_captures", "most_total_bytes")
    answer: dict[str, object] = {"captures": [], "limits": dict.fromkeys(sizes, 1), "unavailable": None}
    assert captures_in_lines(answer) == "no captures"
    assert captures_in_lines(answer | {"unavailable": "no devices"}) == "no devices"


@pytest.mark.parametrize("wrong", [{"state": "asleep"}, {"down": {}}, {"new": 1}])
def test_what_is_not_in_the_contract_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        in_lines(LINK | wrong)
