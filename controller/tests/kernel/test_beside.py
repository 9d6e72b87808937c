"""What is beside a flow on real kernels: packets at a constant rate, and an access link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull
from tests.kernel.making import record, run

if TYPE_CHECKING:
    from pathlib import Path

LINK = """
title = "A home's link"

[both]
rate  = "10 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "50 packets" }
"""
BESIDE = """
title       = "A download beside a call, behind an access link"
link        = "link.toml"
access      = "access.toml"
variants    = ["sack"]
repetitions = 1

[workload]
kind      = "bulk"
size      = "1 MB"
direction = "down"

[[workload.beside]]
kind      = "constant-rate"
rate      = "4 Mbit/s"
packet    = "500 B"
direction = "down"
start     = "100 ms"
"""
ACCESS = """
title = "A client's own"

[both]
rate  = "20 Mbit/s"
delay = "5 ms"
queue = { kind = "droptail", limit = "100 packets" }

[[impairment]]
name        = "air"
kind        = "loss"
on          = "each"
probability = 0.01
"""


def test_cross_traffic_and_an_access_link_are_as_simulated(tmp_path: Path) -> None:
    for name, text in (("link", LINK), ("access", ACCESS), ("experiment", BESIDE)):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "experiment.toml")
    simulated, real = (record(tmp_path / "out", "sack", 1, testbed) for testbed in ("sim", "kernel"))
    assert real["certificate"]["valid"], real["certificate"]["reasons"]
    assert real["metrics"]["elapsed_s"] == pytest.approx(simulated["metrics"]["elapsed_s"], rel=0.02)
    assert simulated["metrics"]["packets_lost"] > 0
    # 4 of the 10 Mbit/s are another's.
    assert real["metrics"]["goodput_bps"] < 6e6
    for count in ("packets_lost", "congestion_losses", "retransmissions"):
        assert real["metrics"][count] == pytest.approx(simulated["metrics"][count], abs=3)


def test_each_of_several_flows_has_an_access_link_of_its_own(tmp_path: Path) -> None:
    experiment = BESIDE.replace('size      = "1 MB"', 'size      = "500 kB"\nflows     = 3\ngap       = "200 ms"')
    for name, text in (("link", LINK), ("access", ACCESS), ("experiment", experiment)):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "experiment.toml")
    simulated, real = (record(tmp_path / "out", "sack", 1, testbed) for testbed in ("sim", "kernel"))
    assert real["certificate"]["valid"], real["certificate"]["reasons"]
    assert len({flow["packets_lost"] for flow in simulated["flows"]}) > 1
    for one, same in zip(simulated["flows"], real["flows"], strict=True):
        assert same["elapsed_s"] == pytest.approx(one["elapsed_s"], rel=0.05)
        assert same["packets_lost"] == pytest.approx(one["packets_lost"], abs=3)


def test_the_netem_plane_has_neither(tmp_path: Path) -> None:
    for name, text in (("link", LINK), ("access", ACCESS), ("experiment", BESIDE)):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    ended = windlull("run", "experiment.toml", "--testbed", "kernel", "--plane", "netem", cwd=tmp_path)
    assert ended.returncode == 2
    assert "the netem plane carries the hosts' packets alone; the model plane can (--plane model)" in ended.stderr
    assert '`access = "access"`: the netem plane has one link' in ended.stderr
