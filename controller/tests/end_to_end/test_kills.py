"""The service is killed, each kind of process once; every run ends once. In large: scripts/kill_scheduler.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "kill_scheduler.py"


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_every_run_ends_once_whatever_is_killed(database: str) -> None:
    command = [
        sys.executable, str(SCRIPT), "--database", database, "--runs", "40", "--size", "4", "--seed", "11",
        "--in-turn", "--kills", "4", "--kinds", "engine", "worker", "scheduler", "supervisor", "--within", "0.3",
    ]  # fmt: skip
    said = subprocess.run(command, check=False, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "4 kills (1 engine, 1 scheduler, 1 supervisor, 1 worker)" in said.stdout
    assert "40 runs done once each" in said.stdout
