"""A script that waits for Linux's sender, on the machine's own kernel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path

LINK = """
title = "l"
[both]
rate = "10 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "100 packets" }
[[script]]
on = "down"
at = "data segment 200"
do = "drop"
[[script]]
on = "up"
at = "when the window first exceeds 15 segments"
for = "20 ms"
do = "hold"
[[script]]
on = "up"
at = "on entering recovery"
for = "30 ms"
do = "hold"
[[script]]
on = "up"
at = "retransmission 1"
for = "40 ms"
do = "hold-arrivals"
"""
EXPERIMENT = """
title = "triggers"
link = "link.toml"
variants = ["linux"]
workload = "bulk-1-mb-down"
"""


@pytest.mark.live
@pytest.mark.long
def test_the_link_is_told_what_linux_comes_to(tmp_path: Path) -> None:
    """Whether it was late is not asked: each entry begins once, and not before what it waits for."""
    (tmp_path / "link.toml").write_text(LINK, encoding="utf-8")
    (tmp_path / "x.toml").write_text(EXPERIMENT, encoding="utf-8")
    options = ("--testbed", "netns", "--reps", "1", "--attempts", "1", "--out", "out")
    ended = windlull("run", "x.toml", *options, cwd=tmp_path)
    assert ended.returncode == 0 or "none is valid by its certificate" in ended.stderr, ended.stderr
    lines = (tmp_path / "out/runs/netns/linux/001/events.jsonl").read_text(encoding="utf-8").splitlines()
    events: list[dict[str, Any]] = [json.loads(line) for line in lines]
    links = [(event["t"], event["link"]) for event in events if "link" in event]
    holds = [(at, link["name"]) for at, link in links if link["event"] == "hold-began"]
    assert sorted(name for _, name in holds) == ["script 2", "script 3", "script 4"]
    began = {name: at for at, name in holds}
    senders = [(event["t"], event["sender"]) for event in events if "sender" in event]
    recoveries = [at for at, sender in senders if sender["event"] == "fast-retransmit"]
    # The capture dates the recovery by its first retransmission, the link the hold by when it was told.
    late_ns = began["script 3"] - recoveries[0]
    assert -1_000_000 < late_ns < 50_000_000
