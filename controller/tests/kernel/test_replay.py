"""What the packets of a run of Linux met, played to the same Linux again, in virtual time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.command import said
from tests.kernel.making import record, run

if TYPE_CHECKING:
    from pathlib import Path

LINUX = "linux"
EXPERIMENT = """
title    = "What its packets met"
link     = {link}
variants = ["sack"]
workload = "{workload}"

[live]
variants = ["linux"]
"""
FIELDS = ("frame.time_epoch", "ip.src", "tcp.flags", "tcp.seq", "tcp.ack", "tcp.len")


@dataclass(frozen=True)
class Recorded:
    home: Path
    workload: str

    def play(self, name: str, link: str) -> Path:
        """Make a run of this name on a link and return its directory."""
        file = self.home / f"{name}.toml"
        file.write_text(EXPERIMENT.format(link=link, workload=self.workload), encoding="utf-8")
        run(self.home / name, file, "--variants", LINUX)
        return self.home / name / "runs" / "kernel" / LINUX / "001"


@pytest.fixture(
    scope="module",
    params=[("sarolahti2003-sudden-delays", "bulk-100-kib-down"), ("wifi-6-far", "bulk-1-mb-down")],
    ids=["pauses", "losses"],
)
def recorded(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Recorded:
    link, workload = request.param
    made = Recorded(tmp_path_factory.mktemp("replay"), workload)
    made.play("recorded", f'"{link}"')
    return made


def segments(run: Path, host: str) -> list[str]:
    """Return what passed a host and when, to the nanosecond, with numbers relative to the first ones."""
    fields = [option for field in FIELDS for option in ("-e", field)]
    return said(["tshark", "-n", "-r", str(run / f"{host}.pcapng"), "-T", "fields", *fields]).splitlines()


def decisions(run: Path) -> tuple[list[int], list[Any]]:
    """Return when the sender's states were read, ns, and what they said."""
    lines = (run / "events.jsonl").read_text(encoding="utf-8").splitlines()
    found = [event for event in map(json.loads, lines) if "sender" in event]
    return [event["t"] for event in found], [(event["host"], event["sender"]) for event in found]


@pytest.mark.parametrize("by", ["packet", "time", "octets"])
def test_linux_does_again_what_it_did_to_the_nanosecond(recorded: Recorded, by: str) -> None:
    before = recorded.home / "recorded" / "runs" / "kernel" / LINUX / "001"
    after = recorded.play(by, f'{{ fates = "{before}", by = "{by}" }}')
    metrics = record(recorded.home / by, LINUX, 1)["metrics"]
    assert (metrics["unrecorded_packets"], metrics["resized_packets"]) == (0, 0)
    for host in ("server", "client"):
        assert segments(after, host) == segments(before, host)
    (read_before, said_before), (read_after, said_after) = decisions(before), decisions(after)
    assert len(said_before) > 10
    assert said_after == said_before
    # Who reads them may have to let the link go first.
    assert max(abs(one - other) for one, other in zip(read_before, read_after, strict=True)) <= 2
    assert (after / "fates.csv").read_bytes() == (before / "fates.csv").read_bytes()
