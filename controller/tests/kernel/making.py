"""Runs in kernels of their own, made as a person makes them, and what they leave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path


def run(out: Path, experiment: str | Path, *options: str) -> list[dict[str, Any]]:
    """Make it on the testbed kernel and return the results' cells."""
    process = windlull("run", experiment, "--testbed", "kernel", "--out", out, *options, cwd=out.parent)
    assert process.returncode == 0, process.stderr
    cells: list[dict[str, Any]] = json.loads((out / "results.json").read_bytes())["cells"]
    return cells


def record(out: Path, variant: str, repetition: int, testbed: str = "kernel") -> dict[str, Any]:
    place = out / "runs" / testbed / variant / f"{repetition:03}"
    found: dict[str, Any] = json.loads((place / "run.json").read_bytes())
    return found
