"""The web page's part of the benchmark: a run of a million segments in a browser, through a running service.

`python bench/web.py` measures it alone. The page is built anew, as it is packaged; the service makes the run of
bench/series.py and serves the page; headless Chromium opens the run's page in a window of 1280 by 900 pixels, without
a graphics card, on the same cores as the service. web/bench/diagram.mjs drives it and says what is counted.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import series
from row import Row

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
DRIVER = WEB / "bench" / "diagram.mjs"

FIRST_PAINT_MS = 1000.0
FRAMES_PER_S = 50.0
MOVEMENTS = {
    "zoom": "zoom in and out by the wheel",
    "pan": "pan by dragging",
    "pan_close": "pan, every segment drawn",
}


def build() -> None:
    """Build the page. One that tests left may be a developer's, in which React checks everything and takes its time."""
    words = ["npx", "vite", "build", "--logLevel", "error", "--config", "vite.app.config.ts"]
    done = subprocess.run(words, check=False, cwd=WEB, env={**os.environ, "NODE_ENV": "production"})
    if done.returncode != 0:
        raise SystemExit("error: the page was not built; npm ci in web/ installs what it takes")


def measured(address: str) -> Any:  # noqa: ANN401 - JSON
    """Return what the browser counted on a page."""
    words = ["node", str(DRIVER), address, os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell")]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=series.PATIENCE_S * 2)
    if done.returncode != 0:
        raise SystemExit(f"error: the browser did not measure: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def rows() -> list[Row]:
    """Measure the first paint, and movements."""
    build()
    with tempfile.TemporaryDirectory(prefix="windlull-bench-") as directory:
        data = Path(directory) / "data"
        # As many processes as a service has unless it is told: a page asks for several things at once.
        with series.service(data, web=2) as service:
            run = series.simulated(service)
            series.prepared(data)
            segments = service.json("GET", f"/runs/{run}/series?pixels=100")["data"]["rows"]
            if segments < series.SEGMENTS:
                raise SystemExit(f"error: {segments} segments are not {series.SEGMENTS}")
            found = measured(f"{service.address}runs/{run}")
    first, *others = found["first_paint_ms"]
    print(f"  web: {segments:,} segments; first paint {', '.join(f'{ms:.0f}' for ms in [first, *others])} ms")
    for name in MOVEMENTS:
        said = found[name]
        print(
            f"  web: {name}: {said['drawings']} drawings, {said['frames_per_s']:.1f} a second, from one to the next "
            f"{said['p95_ms']:.1f} ms (95 %), {said['worst_ms']:.1f} ms (worst); "
            f"{said['long_tasks']} long tasks, the longest {said['longest_task_ms']:.0f} ms"
        )
    return [
        _paint("a million segments, first paint, first visit", first),
        _paint("a million segments, first paint, next visits", statistics.median(others)),
        *(_frames(f"a million segments, {words}", found[name]["frames_per_s"]) for name, words in MOVEMENTS.items()),
    ]


def _paint(name: str, took_ms: float) -> Row:
    return Row(name, took_ms, None, "ms", None, FIRST_PAINT_MS, took_ms < FIRST_PAINT_MS)


def _frames(name: str, frames: float) -> Row:
    return Row(name, frames, None, "frames/s", None, FRAMES_PER_S, frames >= FRAMES_PER_S)


if __name__ == "__main__":
    found = rows()
    for row in found:
        print(f"{row.name:52} {row.ours:8.1f} {row.unit}  bar {row.bar:g}  {'holds' if row.holds else 'DOES NOT HOLD'}")
    sys.exit(0 if all(row.holds for row in found) else 1)
