"""The script that scores every detector, on a few links."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from windlull import locate

SCRIPT = Path(__file__).resolve().parents[3] / "scripts/confusion.py"


def test_every_shipped_detector_is_scored() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--links", "4"], capture_output=True, text=True, check=False, timeout=600
    )

    assert done.returncode == 0, done.stderr
    scored = {line.split("|")[1].strip() for line in done.stdout.splitlines() if line.startswith("| `")}
    variant = json.loads((SCRIPT.parents[1] / "schema/variant.json").read_text(encoding="utf-8"))
    for detection in variant["properties"]["detection"]["enum"]:
        if (locate.profiles() / "variants" / f"{detection}+newreno.toml").exists():
            assert f"`{detection}`, with NewReno" in scored
