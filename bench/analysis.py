"""The analysis's part of the benchmark: captures of more than a million packets, against tshark and tcptrace.

`python bench/analysis.py` measures it alone; about two minutes. The engine makes the captures itself: a transfer of
670 MB over 1 Gbit/s, once with the losses of a full queue alone and once with two packets in a hundred lost, each way.
`analyze --series` judges segments, counts and infers, measures round trips and writes the diagram's columns;
`tcptrace -S` writes its time-sequence graphs; `tshark -T fields` writes what a script would ask for. What counts is the
processor time of whole processes, in turns.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path

from memory import peak_mb
from row import Row

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "bench" / "analysis"
ENGINE = ROOT / "target" / "release" / "windlull-engine"

AGAINST_TSHARK = 25.0
AGAINST_TCPTRACE = 3.0
PACKETS = 1_000_000
"""The least that a capture must have."""
ROUNDS = 5

LINK = """\
title  = "Benchmark of the analysis: 1 Gbit/s, 10 ms"
source = "bench/analysis.py"
[both]
rate  = "1 Gbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "1000 packets" }
"""
LOSSES = """\
[[impairment]]
name        = "losses"
kind        = "loss"
on          = "each"
probability = "2 %"
"""
WORKLOAD = 'title = "670 MB down"\nkind = "bulk"\nsize = "670 MB"\ndirection = "down"\n'
EXPERIMENT = """\
title    = "What the analysis's benchmark reads"
link     = "LINK"
variants = ["sack"]
workload = "large"
seed     = 1
[tcp]
mss            = "1000 B"
receive_window = "4000000 B"
window_scale   = true
"""
FIELDS = (
    "frame.time_epoch",
    "tcp.seq_raw",
    "tcp.ack_raw",
    "tcp.len",
    "tcp.window_size_value",
    "tcp.options.sack_le",
    "tcp.options.sack_re",
    "tcp.analysis.retransmission",
    "tcp.analysis.ack_rtt",
)


def made(name: str, losses: str) -> Path:
    """Simulate the transfer; returns the run's directory."""
    profiles, out = WORK / "profiles", WORK / name
    for folder, file, text in (
        ("links", name, LINK + losses),
        ("workloads", "large", WORKLOAD),
        ("experiments", name, EXPERIMENT.replace("LINK", name)),
    ):
        (profiles / folder).mkdir(parents=True, exist_ok=True)
        (profiles / folder / f"{file}.toml").write_text(text, encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(ROOT / "profiles" / "variants", profiles / "variants", dirs_exist_ok=True)
    subprocess.run(
        [ENGINE, "run", name, "--profiles", profiles, "--no-series", "--out", out],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return out / "runs" / "sack" / "001"


def cost(command: list[str | Path], place: Path) -> float:
    """Run a command in a directory, its output into a file there; returns its processor time, s.

    Raises SystemExit if it fails.
    """
    with (place / "said").open("wb") as said:
        child = subprocess.Popen(command, cwd=place, stdout=said)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"error: exit code {child.returncode} from {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime


def measure(title: str, run: Path) -> list[Row]:
    """Ours and the peers on the data sender's capture of a run, and ours on both ends' captures."""
    place = WORK / "written"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    server, client = run / "server.pcapng", run / "client.pcapng"
    analyze: list[str | Path] = [ENGINE, "analyze", server, "--series", place / "series.json"]
    tcptrace: list[str | Path] = ["tcptrace", "-S", server]
    tshark: list[str | Path] = [
        "tshark",
        "-r",
        server,
        "-T",
        "fields",
        *(word for field in FIELDS for word in ("-e", field)),
    ]

    theirs_fields = cost(tshark, place)
    peak, theirs_peak = peak_mb(analyze), peak_mb(tshark)
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        theirs.append(cost(tcptrace, place))
        ours.append(cost(analyze, place))
    found = json.loads((place / "said").read_text(encoding="utf-8"))
    packets = found["connection"]["packets"]
    both = [cost([*analyze, client], place) for _ in range(ROUNDS)]
    shutil.rmtree(place)

    if packets < PACKETS or not found["round_trips"]["samples"]:
        raise SystemExit(f"error: {server}: {packets} packets, round trips {found['round_trips']}")
    print(f"  {title}: {packets} packets, {found['metrics']['retransmissions']} retransmissions", flush=True)

    def speed(name: str, seconds: float, peer_s: float, bar: float | None) -> Row:
        ratio = peer_s / seconds
        holds = bar is None or ratio >= bar
        return Row(name, packets / seconds, packets / peer_s, "packets/s", ratio, bar, holds)

    return [
        speed(f"analyze {title}, tshark -T fields", statistics.median(ours), theirs_fields, AGAINST_TSHARK),
        speed(f"analyze {title}, tcptrace -S", statistics.median(ours), statistics.median(theirs), AGAINST_TCPTRACE),
        speed(
            f"analyze {title}, both ends, tcptrace -S of one", statistics.median(both), statistics.median(theirs), None
        ),
        Row(f"analyze {title}, peak memory, tshark", peak, theirs_peak, "MB", peak / theirs_peak, None, holds=True),
    ]


def rows() -> list[Row]:
    """Measure both captures; nothing of them stays."""
    found = [row for name, losses in (("clean", ""), ("lossy", LOSSES)) for row in measure(name, made(name, losses))]
    shutil.rmtree(WORK)
    return found


if __name__ == "__main__":
    for row in rows():
        print(row)
