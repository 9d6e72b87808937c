"""A run in each kernel that was built of Debian's source: those of older series tell as much as the newest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull
from windlull import kernels, locate

if TYPE_CHECKING:
    from pathlib import Path

BUILT = [kernel.name for kernel in kernels.found(locate.kernels()) if kernel.source.startswith("Debian")]


@pytest.mark.parametrize("name", BUILT)
def test_what_a_kernel_decides_is_told_whatever_its_series(tmp_path: Path, name: str) -> None:
    variant = f"linux-no-timestamps@{name}"
    run = ("run", "kernel/holds", "--testbed", "kernel", "--variants", variant, "--reps", "1", "--out", "out")
    process = windlull(*run, cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    [cell] = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["cells"]
    assert cell["metrics"]["spurious_timeouts"]["min"] > 0
    explained = windlull("explain", f"out/runs/kernel/{variant}/001", cwd=tmp_path).stdout
    assert "by the kernel's counter TCPSpuriousRTOs. Its answer: spurious, which was right." in explained
