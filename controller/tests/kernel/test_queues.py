"""Queues that the kernel's own disciplines manage, on the netem plane."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

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
queue = %s
"""
EXPERIMENT = """
title       = "Ten seconds"
link        = "link.toml"
variants    = ["sack+ecn"]
repetitions = 1

[workload]
kind      = "bulk"
duration  = "10 s"
direction = "down"
"""


def fates(out: Path, variant: str) -> list[dict[str, Any]]:
    with (out / "runs" / "kernel" / variant / "001" / "fates.csv").open(encoding="utf-8") as file:
        rows = [line for line in file if not line.startswith("#")]
    return [row for row in csv.DictReader(rows) if row["direction"] == "down"]


@pytest.mark.parametrize(
    ("discipline", "queue"),
    [
        ("codel", '{ kind = "codel", limit = "1000 packets", ecn = true }'),
        ("fq_codel", '{ kind = "fq-codel", limit = "1000 packets", ecn = true }'),
        ("pie", '{ kind = "pie", limit = "1000 packets", ecn = true }'),
        ("red", '{ kind = "red", limit = "1000 packets", weight = "2 %", ecn = true }'),
        ("cake", '{ kind = "cake", limit = "4 MB" }'),
    ],
)
def test_the_kernel_manages_the_queue(tmp_path: Path, discipline: str, queue: str) -> None:
    (tmp_path / "link.toml").write_text(LINK % queue, encoding="utf-8")
    (tmp_path / "experiment.toml").write_text(EXPERIMENT, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "experiment.toml", "--plane", "netem")
    certificate = record(tmp_path / "out", "sack+ecn", 1)["certificate"]
    assert certificate["valid"], certificate["reasons"]
    counted = certificate["kernel_queues"]["down"]
    assert counted["discipline"] == discipline
    rows = fates(tmp_path / "out", "sack+ecn")
    marked = sum(row["marked"] == "1" for row in rows)
    lost = [row for row in rows if row["end"] != "delivered"]
    # What is still inside at the end is in no capture.
    assert marked > 0
    assert marked <= counted["marks"] <= marked + 10
    assert counted["drops"] <= len(lost) <= counted["drops"] + 100
    if counted["overflows"] == 0 and counted["drops"]:
        assert {row["end"] for row in lost} == {"queue-early"}


def test_cake_is_linuxs_alone(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(LINK % '{ kind = "cake", limit = "4 MB" }', encoding="utf-8")
    (tmp_path / "experiment.toml").write_text(EXPERIMENT, encoding="utf-8")
    for options in ([], ["--testbed", "netns"], ["--testbed", "kernel", "--plane", "model"]):
        ended = windlull("run", "experiment.toml", *options, cwd=tmp_path)
        assert ended.returncode == 2
        assert 'link "link" has a queue of `cake`, which only Linux has: --testbed kernel --plane netem' in ended.stderr
    # Nothing is simulated beside it.
    run(tmp_path / "out", tmp_path / "experiment.toml", "--plane", "netem")
    assert [place.name for place in (tmp_path / "out" / "runs").iterdir()] == ["kernel"]
