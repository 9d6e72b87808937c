"""The model plane's part of the benchmark: how exactly and how fast real packets pass the link.

`python bench/plane.py` measures it alone and prints what was measured. The machine must have nothing else to do: the
plane has a core to itself only if nobody else wants it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from row import Row

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "target" / "release" / "windlull-engine"

# Microseconds; at 10,000 packets a second.
RELEASE_P50 = 30.0
RELEASE_P99 = 150.0
SCRIPT_P99 = 200.0
# Per cent, from 10 kbit/s to 1 Gbit/s.
RATE = 0.2
# Gbit/s of TCP with 1500-byte packets and no offloads, sender, link and receiver on two cores.
THROUGHPUT = 5.0
# Or else the plane does nothing but send: the part of its time in system calls, at that throughput.
SENDING = 0.75


def calibrate() -> Any:  # noqa: ANN401 - JSON
    """Let the engine measure the plane, and return what it says."""
    said = subprocess.run([ENGINE, "calibrate", "--thorough"], check=True, stdout=subprocess.PIPE)
    return json.loads(said.stdout)


def rows() -> list[Row]:
    """Measure the plane; a row for each bar."""
    found = calibrate()
    delays, script, rates = found["delays"], found["script_error_us"], found["rates"]
    stalls = delays["stalls"]
    print(f"  plane: {stalls['count']} stalls of the machine, {stalls['longest_us']} us at longest, counted apart")
    for rate in rates:
        error = 100 * rate["error"]
        print(f"  plane: {rate['planned_bps']:,} bit/s: {error:+.4f} % over {rate['over_s']:.1f} s")
    worst = max(100 * abs(rate["error"]) for rate in rates)
    sending = found["throughput_sending"]
    print(f"  plane: at full speed {100 * sending:.0f} % of its time in the system calls that send")
    throughput, forwarding = found["throughput_bps"] / 1e9, found["forwarding_throughput_bps"] / 1e9
    return [
        at_most("plane: release error p50, 10,000 packets/s", delays["release"]["p50"], RELEASE_P50, "us"),
        at_most("plane: release error p99, 10,000 packets/s", delays["release"]["p99"], RELEASE_P99, "us"),
        Row("plane: error at the far host p50", delays["wire"]["p50"], None, "us", None, None, holds=True),
        Row("plane: error at the far host p99", delays["wire"]["p99"], None, "us", None, None, holds=True),
        at_most("plane: script error p99", script["p99"], SCRIPT_P99, "us"),
        at_most("plane: worst rate error, 10 kbit/s to 1 Gbit/s", worst, RATE, "%"),
        Row(
            "plane: TCP, against forwarding by the kernel",
            throughput,
            forwarding,
            "Gbit/s",
            throughput / forwarding,
            None,
            holds=True,
        ),
        Row(
            f"plane: TCP at {THROUGHPUT:.0f} Gbit/s, or {100 * SENDING:.0f} % of the time in sendmmsg",
            throughput,
            None,
            "Gbit/s",
            None,
            THROUGHPUT,
            throughput >= THROUGHPUT or sending >= SENDING,
        ),
        Row("plane: part of the time in sendmmsg meanwhile", 100 * sending, None, "%", None, None, holds=True),
    ]


def at_most(name: str, ours: float, bar: float, unit: str) -> Row:
    """A row whose bar must not be exceeded."""
    return Row(name, ours, None, unit, None, bar, ours <= bar)


if __name__ == "__main__":
    for row in rows():
        print(row)
