"""The sweep's part of the benchmark: what Dask and the columns cost, and whether results show that a worker was lost.

`python bench/sweep.py` measures it alone; `--runs 100000` at full size. Three times the same runs: by one process of
the engine on all cores, which only says what they measured; by `windlull sweep` with a worker a core; by `windlull
sweep` on a Dask cluster of separate processes, one of which is killed when half of the runs are there. Start, end,
merging and summing up are counted. The machine must have nothing else to do.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "bench" / "sweep"
ENGINE = ROOT / "target" / "release" / "windlull-engine"
PYTHON = ROOT / ".venv" / "bin" / "python"

RUNS = 20_000
SPEED = 0.8
"""The part of the engine's own speed that a sweep must reach."""
GROWTH = 1.2
"""How much more memory the controller may have at the end of the runs than after a tenth of them."""

LINKS = ("sudden-delays", "bursty-losses", "losses-2pct", "losses-5pct", "losses-10pct")
"""Those of the paper's Tables 1 to 3."""
VARIANTS = ("newreno", "sack", "frto+newreno", "frto+sack")
EXPERIMENT = """\
title      = "What the sweep's benchmark runs"
{links}
variants   = {variants}
workload   = "workload.toml"
seed       = 2003
time_limit = "10 h"

[tcp]
mss         = "256 B"
burst_limit = 3
delayed_ack = {{ kind = "every-second", timer = "200 ms" }}
"""
WORKLOAD = 'title = "1 MB down"\nkind = "bulk"\nsize = "1 MB"\ndirection = "down"\n'

Command = list[str | Path]


@dataclass(frozen=True)
class Swept:
    """A sweep that has ended: how long it took, and its controller's memory, MB.

    `tenth`, `half` and `whole` are when so many of the runs were there; `most` is at any time, merging and summing up
    included.
    """

    wall_s: float
    tenth: float
    half: float
    whole: float
    most: float
    results: Path


def write_experiments() -> tuple[Path, Path]:
    """The same runs for the engine, which takes several links, and for the sweep, whose grid has them."""
    names = [f"sarolahti2003-{link}" for link in LINKS]
    for name, links in (("engine", f"links      = {json.dumps(names)}"), ("sweep", f'link       = "{names[0]}"')):
        text = EXPERIMENT.format(links=links, variants=json.dumps(VARIANTS))
        (WORK / f"{name}.toml").write_text(text, encoding="utf-8")
    (WORK / "workload.toml").write_text(WORKLOAD, encoding="utf-8")
    return WORK / "engine.toml", WORK / "sweep.toml"


def engine_alone(experiment: Path, repetitions: int) -> float:
    """Seconds that one process of the engine takes on all cores; what it says goes nowhere."""
    cores = str(os.cpu_count())
    command: Command = [ENGINE, "run", experiment, "--profiles", ROOT / "profiles", "--reps", str(repetitions)]
    start = time.perf_counter()
    subprocess.run([*command, "--jobs", cores, "--no-pcap", "--no-series"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


@contextmanager
def sweeping(experiment: Path, repetitions: int, out: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """`windlull sweep`, started."""
    shutil.rmtree(out, ignore_errors=True)
    links = ",".join(f"sarolahti2003-{link}" for link in LINKS)
    command: Command = [PYTHON, "-m", "windlull", "sweep", experiment, "--grid", f"link={links}"]
    command += ["--reps", str(repetitions), "--out", out, *options]
    with (WORK / f"{out.name}.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            yield process
        finally:
            process.kill()


def sweep(experiment: Path, repetitions: int) -> Swept:
    """Let `windlull sweep` do it, looking at its memory meanwhile."""
    out = WORK / "one-machine"
    start = time.perf_counter()
    samples: list[tuple[int, float]] = []
    with sweeping(experiment, repetitions, out) as process:
        while process.poll() is None:
            samples.append((parts(out), memory_mb(process.pid)))
            time.sleep(0.02)
    wall_s = time.perf_counter() - start
    if process.returncode != 0:
        raise SystemExit(f"error: exit code {process.returncode} of a sweep")
    total = json.loads((out / "sweep.json").read_bytes())["parts"]["count"]
    tenth, half, whole = (
        next((memory for count, memory in samples if count >= total * part), samples[-1][1]) for part in (0.1, 0.5, 1)
    )
    return Swept(wall_s, tenth, half, whole, max(memory for _, memory in samples), out / "results.parquet")


def parts(out: Path) -> int:
    """How many parts are finished."""
    try:
        return sum(1 for name in os.listdir(out / "parts") if re.fullmatch(r"\d+\.parquet", name))  # noqa: PTH208
    except OSError:
        return 0


def memory_mb(pid: int) -> float:
    """Resident memory of a process; 0 once it has ended."""
    try:
        found = re.search(r"^VmRSS:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.MULTILINE)
    except OSError:
        return 0.0
    return int(found[1]) * 1024 / 1e6 if found else 0.0


def sweep_that_loses_a_worker(experiment: Path, repetitions: int, total: int) -> Path:
    """The same on a Dask cluster of separate processes; one worker is killed when half of the parts are there."""
    out = WORK / "cluster"
    with ExitStack() as stack:
        address, workers = stack.enter_context(cluster())
        process = stack.enter_context(
            sweeping(experiment, repetitions, out, "--cluster", address, "--insecure-cluster")
        )
        killed = False
        while process.poll() is None:
            if not killed and parts(out) * 2 >= total:
                workers[0].send_signal(signal.SIGKILL)
                killed = True
            time.sleep(0.02)
        if process.returncode != 0 or not killed:
            raise SystemExit(f"error: exit code {process.returncode} of a sweep, a worker was killed: {killed}")
    return out / "results.parquet"


@contextmanager
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and a worker a core, each a process of its own: the scheduler's address, and the workers."""
    described = WORK / "scheduler.json"
    described.unlink(missing_ok=True)
    with ExitStack() as stack:
        scheduler = ["dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        started = [stack.enter_context(quiet([PYTHON, "-m", *scheduler, "--scheduler-file", described]))]
        while not described.exists() or not (text := described.read_text(encoding="utf-8")).rstrip().endswith("}"):
            time.sleep(0.05)
        address = json.loads(text)["address"]
        worker: Command = [PYTHON, "-m", "windlull", "worker", address, "--insecure-cluster"]
        workers = [stack.enter_context(quiet(worker)) for _ in range(os.cpu_count() or 1)]
        started += workers
        try:
            yield address, workers
        finally:
            for process in started:
                process.kill()


def quiet(command: Command) -> subprocess.Popen[bytes]:
    """A process that says nothing."""
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=WORK)


def rows(runs: int = RUNS) -> list[Row]:
    """Measure the sweep; a row for each bar."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    repetitions = runs // (len(LINKS) * len(VARIANTS))
    for_engine, for_sweep = write_experiments()
    engine_s = engine_alone(for_engine, repetitions)
    print(f"  sweep: {runs} runs by one process of the engine: {engine_s:.1f} s", flush=True)
    swept = sweep(for_sweep, repetitions)
    print(f"  sweep: through Dask: {swept.wall_s:.1f} s")
    print(
        f"  sweep: controller's memory, MB: {swept.tenth:.0f} at 10 %, {swept.half:.0f} at 50 %, {swept.whole:.0f} at "
        f"100 % of the runs, {swept.most:.0f} at most",
        flush=True,
    )
    total = json.loads((swept.results.parent / "sweep.json").read_bytes())["parts"]["count"]
    other = sweep_that_loses_a_worker(for_sweep, repetitions, total)
    equal = filecmp.cmp(swept.results, other, shallow=False)
    ratio, growth = engine_s / swept.wall_s, swept.whole / swept.tenth
    return [
        Row(f"sweep: {runs:,} runs, against one engine process", runs / swept.wall_s, runs / engine_s, "runs/s", ratio,
            SPEED, ratio >= SPEED),
        Row("sweep: controller's memory, against that at 10 %", swept.whole, swept.tenth, "MB", growth, GROWTH,
            growth <= GROWTH),
        Row("sweep: the same, merging included", swept.most, swept.tenth, "MB", swept.most / swept.tenth, None,
            holds=True),
        Row("sweep: equal octets after a worker was killed", float(equal), None, "yes", None, 1, equal),
    ]  # fmt: skip


def main() -> int:
    """Measure it alone; see the module's words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="how many runs, a multiple of 20")
    found = rows(parser.parse_args().runs)
    for row in found:
        print(row)
    return 0 if all(row.holds for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
