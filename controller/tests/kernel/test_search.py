"""`windlull search` with runs in kernels: two names of one kernel differ nowhere, Linux without loss probes does."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.command import windlull
from windlull import locate

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

STOCK = locate.kernels() / "stock" / "linux"
LINK = """
title = "10 Mbit/s, 40 ms"

[both]
rate  = "10 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "100 packets" }
"""
EXPERIMENT = """
title    = "A response over a link that may lose its end"
link     = "link.toml"
variants = ["modern"]
workload = "bulk-20-kib-down"
seed     = 1

[live]
variants = ["linux", "linux-no-tlp"]
"""
SPACE = """
[events]
most   = 1
kinds  = ["drop"]
on     = ["down"]
length = { from = "10 ms", to = "60 ms" }
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name, text in (("link", LINK), ("experiment", EXPERIMENT), ("space", SPACE)):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    for name in ("stock", "again"):
        (tmp_path / "kernels" / name).mkdir(parents=True)
        (tmp_path / "kernels" / name / "linux").symlink_to(STOCK)
    return tmp_path


def search(place: Path, out: str, budget: int, *options: str) -> subprocess.CompletedProcess[str]:
    return windlull(
        "search", "experiment.toml", "--testbed", "kernel", "--worst", "elapsed", "--budget", str(budget), "--space",
        "space.toml", "--kinds", "1", "--shrink", "4", "--out", out, *options,
        cwd=place, env=os.environ | {"WINDLULL_KERNELS": str(place / "kernels")},
    )  # fmt: skip


def result(place: Path, out: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((place / out / "search.json").read_bytes())
    return read


def test_a_kernel_is_worse_than_itself_nowhere(place: Path) -> None:
    done = search(
        place, "out", 4, "--variant", "linux@again", "--against", "linux", "--fail-if",
        "elapsed.median > 1.01 * baseline",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = result(place, "out")
    assert said["testbed"] == "kernel"
    assert [one["value"] for one in said["tried"]] == pytest.approx([1.0] * 5, rel=0.001)
    assert said["found"] == []


def test_linux_is_slower_without_loss_probes_where_the_end_is_lost(place: Path) -> None:
    done = search(place, "out", 12, "--variant", "linux-no-tlp", "--against", "linux")
    assert done.returncode == 0, done.stderr
    said = result(place, "out")
    # Nothing is random on the link: one run of each tells all.
    assert (said["random"], said["repetitions"]) == (False, 1)
    (worst,) = said["found"]
    assert worst["value"] > 1.2
    assert "--testbed kernel" in done.stdout
    run = json.loads((place / "out" / worst["files"]["run"] / "run.json").read_bytes())
    assert (run["provenance"]["testbed"], run["provenance"]["variant"]) == ("kernel", "linux-no-tlp")
