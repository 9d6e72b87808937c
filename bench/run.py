"""The benchmark: Windlull against ns-3 as Debian packages it, like with like, in one run. `make bench` calls it.

Prints a table and writes target/bench.json: a list of {name, ours, peer, unit, ratio, bar, holds}. `ratio` is
ours / peer; where there is no peer it is null. Exit code 1 if a bar does not hold, if a ratio is worse by more than
15 % than that of the last commit that passed (kept.py), if the two did different jobs, or if a part of it failed.

How it is measured: the processor time of whole processes, from start to exit, on one core; ours and the peer take
turns; medians. Host packets are what the two hosts hand to IP, data and acknowledgements, retransmissions included.
The model plane is measured in real time, alone: bench/plane.py; sweeps in bench/sweep.py. See bench/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import analysis
import kept
import load
import plane
import series
import sweep
from memory import peak_mb
from row import Row

import web

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "bench"
ENGINE = ROOT / "target" / "release" / "windlull-engine"
COMMAND = ROOT / ".venv" / "bin" / "windlull"
PEER_SOURCE = ROOT / "bench" / "ns3" / "dumbbell.cc"
# The .pc files of Debian's ns-3 3.37 are broken, hence by hand.
PEER_LIBRARIES = ("applications", "point-to-point", "traffic-control", "internet", "bridge", "network", "core")
TABLES = ("table-1", "table-2-2pct", "table-2-5pct", "table-2-10pct", "table-3")


@dataclass(frozen=True)
class Scenario:
    """One transfer, as both sides do it. profiles/experiments/bench/NAME.toml says the same to ours."""

    name: str
    octets: int
    rate: str
    delay: str
    queue: str
    mss: int
    window: int
    runs: int
    rounds: int
    bar: float
    bar_joined: float

    def peer_arguments(self, variant: str, routers: int) -> list[str]:
        """What ns-3's program is told."""
        return [
            f"--octets={self.octets}",
            f"--rate={self.rate}",
            f"--delay={self.delay}",
            f"--queue={self.queue}",
            f"--mss={self.mss}",
            f"--window={self.window}",
            f"--sack={int(variant == 'sack')}",
            f"--routers={routers}",
            f"--runs={self.runs}",
        ]


# Windows that are never the limit: ns-3 crashes when a sender fills the window exactly.
S1 = Scenario("s1", 102_400, "28800bps", "200ms", "7p", 256, 65_535, runs=30, rounds=9, bar=60, bar_joined=30)
S2 = Scenario("s2", 5_000_000, "2Mbps", "150ms", "75p", 1000, 400_000, runs=10, rounds=9, bar=100, bar_joined=50)
S3 = Scenario("s3", 1_000_000_000, "1Gbps", "10ms", "1000p", 1448, 8_000_000, runs=1, rounds=3, bar=300, bar_joined=280)
# Without SACK ns-3 3.37 crashes in S3 at the first loss, and in S2 it sends two thirds more packets than RFC 6582
# asks for; so only S1 is compared without.
COMPARED = ((S1, "sack"), (S1, "newreno"), (S2, "sack"), (S3, "sack"))


@dataclass(frozen=True)
class Process:
    """What one process cost, and what it said."""

    wall_s: float
    cpu_s: float
    output: str


@dataclass(frozen=True)
class Job:
    """What was done, summed over the repetitions; the elapsed virtual time is that of one."""

    packets: int
    octets: int
    elapsed_s: float


def spawn(command: Sequence[str | Path], cores: set[int]) -> Process:
    """Run a command on these cores; its standard output is kept, its standard error passes through.

    Raises SystemExit if it fails: a benchmark of a failure means nothing.
    """
    words = [str(word) for word in command]
    output = WORK / "output"
    os.sched_setaffinity(0, cores)
    with output.open("wb") as file:
        start = time.perf_counter()
        child = os.posix_spawn(words[0], words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, file.fileno(), 1)])
        _, status, usage = os.wait4(child, 0)
        wall_s = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"error: exit code {os.waitstatus_to_exitcode(status)} from {' '.join(words)}")
    cpu_s = usage.ru_utime + usage.ru_stime
    return Process(wall_s, cpu_s, output.read_text(encoding="utf-8"))


def build_peer() -> Path:
    """Compile ns-3's program if its source is newer; returns its path."""
    program = WORK / "dumbbell"
    if not program.exists() or program.stat().st_mtime < PEER_SOURCE.stat().st_mtime:
        libraries = [f"-lns3-{library}" for library in PEER_LIBRARIES]
        subprocess.run(["g++", "-std=c++17", "-O2", "-o", program, PEER_SOURCE, *libraries], check=True)
    return program


def engine_command(scenario: Scenario, variant: str, *options: str) -> list[str | Path]:
    """The engine's command line for a scenario; on one core it uses one thread."""
    experiment = f"bench/{scenario.name}-{variant}"
    return [ENGINE, "run", experiment, "--profiles", ROOT / "profiles", "--jobs", "1", *options]


def our_job(scenario: Scenario, variant: str) -> Job:
    """What the engine does in this scenario, from a run whose time does not count: its fates have a row a packet."""
    out = WORK / "counted"
    shutil.rmtree(out, ignore_errors=True)
    said = spawn(engine_command(scenario, variant, "--no-series", "--out", str(out)), os.sched_getaffinity(0)).output
    runs = [line["metrics"] for line in map(json.loads, said.splitlines()) if line["event"] == "run"]
    packets = sum(count_lines(fates) - 1 for fates in out.rglob("fates.csv"))
    shutil.rmtree(out)
    octets = sum(run["goodput_bps"] * run["elapsed_s"] / 8 for run in runs)
    return Job(packets, round(octets), statistics.median(run["elapsed_s"] for run in runs))


def count_lines(path: Path) -> int:
    """How many lines a file has."""
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def peer_job(output: str) -> Job:
    """What ns-3 did, from its one line."""
    said = json.loads(output)
    return Job(said["packets"], said["octets"], said["elapsed_s"])


class NotAlikeError(Exception):
    """The two sides of a comparison did not do the same job."""


def compare(scenario: Scenario, variant: str, peer: Path, core: int) -> Iterator[Row]:
    """Ours and the peer in turns: packets a second each, and memory for S3. Raises NotAlikeError at the end."""
    sides: dict[str, list[str | Path]] = {
        "ours": engine_command(scenario, variant, "--no-pcap", "--no-series"),
        "ns-3": [peer, *scenario.peer_arguments(variant, routers=2)],
        "ns-3, hosts joined directly": [peer, *scenario.peer_arguments(variant, routers=0)],
    }
    jobs = {"ours": our_job(scenario, variant)}
    measured: dict[str, list[Process]] = {side: [] for side in sides}
    for _ in range(scenario.rounds):
        for side, command in sides.items():
            measured[side].append(spawn(command, {core}))

    jobs |= {side: peer_job(measured[side][0].output) for side in sides if side != "ours"}
    speed = {side: jobs[side].packets / statistics.median(p.cpu_s for p in measured[side]) for side in sides}

    title = f"{scenario.name.upper()} {variant}"
    compared = (
        ("ns-3", title, scenario.bar),
        ("ns-3, hosts joined directly", f"{title}, hosts joined directly", scenario.bar_joined),
    )
    for side, name, bar in compared:
        ratio = speed["ours"] / speed[side]
        yield Row(name, speed["ours"], speed[side], "host packets/s", ratio, bar, ratio >= bar)
    if scenario is S3:
        ours, theirs = (peak_mb(sides[side]) for side in ("ours", "ns-3"))
        yield Row(f"{title}, peak memory below the bar", ours, theirs, "MB", ours / theirs, 100, ours < 100)
    if problems := unequal(title, scenario, jobs):
        raise NotAlikeError("; ".join(problems))


def unequal(title: str, scenario: Scenario, jobs: dict[str, Job]) -> list[str]:
    """Say what keeps the comparison from being one of like with like, and print what was done."""
    problems = []
    ours = jobs["ours"]
    for side, job in jobs.items():
        print(f"  {title}: {side}: {job.packets} packets, {job.octets} octets, {job.elapsed_s:.3f} s of link time")
        if job.octets != scenario.octets * scenario.runs:
            problems.append(f"{title}: {side} delivered {job.octets} octets")
        # Two TCPs are never the same to the packet, and a timeout more or less is seconds in S1.
        if abs(job.packets - ours.packets) > 0.10 * ours.packets:
            problems.append(f"{title}: {side} sent {job.packets} packets, ours {ours.packets}")
        if abs(job.elapsed_s - ours.elapsed_s) > 0.15 * ours.elapsed_s:
            problems.append(f"{title}: {side} took {job.elapsed_s} s of link time, ours {ours.elapsed_s}")
    return problems


def captures(core: int) -> list[Row]:
    """What is written and what it costs: the captures, and the diagram's series as well."""
    out = WORK / "written"
    modes = {"off": ("--no-pcap", "--no-series"), "captures": ("--no-series",), "captures and diagrams": ()}
    costs: dict[str, list[float]] = {mode: [] for mode in modes}
    for _ in range(5):
        for mode, options in modes.items():
            shutil.rmtree(out, ignore_errors=True)
            costs[mode].append(spawn(engine_command(S2, "sack", "--out", str(out), *options), {core}).cpu_s)
    shutil.rmtree(out)
    off, on, everything = (statistics.median(costs[mode]) for mode in modes)
    return [
        Row("captures on, against off (S2 sack)", on, off, "s", on / off, 2, on / off <= 2),
        Row(
            "captures and diagrams on, against off",
            everything,
            off,
            "s",
            everything / off,
            2.5,
            everything / off <= 2.5,
        ),
    ]


# What profiles/experiments/bench/flows-sack.toml says to ours.
FLOWS = (
    *("--flows=500", "--gap=2", "--seconds=300", "--octets=0", "--rate=50Mbps", "--delay=50ms", "--queue=500p"),
    *("--mss=1448", "--window=400000", "--sack=1", "--routers=2"),
)


def many_flows(peer: Path, core: int) -> Iterator[Row]:
    """500 flows that share a link, once each: payload a second of processor time. Raises NotAlikeError at the end."""
    name = "500 flows, 50 Mbit/s, 300 s"
    command: list[str | Path] = [ENGINE, "run", "bench/flows-sack", "--profiles", ROOT / "profiles", "--jobs", "1"]
    ours = spawn([*command, "--no-pcap", "--no-series"], {core})
    theirs = spawn([peer, *FLOWS], {core})
    said = [line["metrics"] for line in map(json.loads, ours.output.splitlines()) if line["event"] == "run"]
    delivered = sum(run["goodput_bps"] * run["elapsed_s"] / 8 for run in said)
    expected = peer_job(theirs.output).octets
    print(f"  {name}: ours delivered {delivered:.0f} octets, ns-3 {expected}")
    ratio = (delivered / ours.cpu_s) / (expected / theirs.cpu_s)
    yield Row(name, delivered / ours.cpu_s, expected / theirs.cpu_s, "octets/s", ratio, 25, ratio >= 25)
    if abs(delivered - expected) > 0.10 * expected:
        raise NotAlikeError(f"{name}: ns-3 delivered {expected} octets, ours {delivered:.0f}")


def tables(cores: set[int]) -> Row:
    """All of Tables 1 to 3, with the command, captures off, reports written."""
    wall_s = 0.0
    for table in TABLES:
        experiment = f"papers/sarolahti2003/{table}"
        command: list[str | Path] = [
            COMMAND,
            "run",
            experiment,
            "--out",
            WORK / table,
            "--no-pcap",
            "--jobs",
            str(len(cores)),
        ]
        wall_s += spawn(command, cores).wall_s
    return Row(f"Tables 1 to 3, 900 runs, {len(cores)} cores", wall_s, None, "s", None, 20, wall_s < 20)


def scaling(cores: set[int]) -> Row:
    """How much faster all cores are than one, on Table 1."""
    base: list[str | Path] = [
        ENGINE,
        "run",
        "papers/sarolahti2003/table-1",
        "--profiles",
        ROOT / "profiles",
        "--no-pcap",
        "--no-series",
        "--reps",
        "500",
    ]
    one, many = [], []
    for _ in range(9):
        one.append(spawn([*base, "--jobs", "1"], {min(cores)}).wall_s)
        many.append(spawn([*base, "--jobs", str(len(cores))], cores).wall_s)
    # The best of each: what else the machine does can only take cores away.
    ours, alone = min(many), min(one)
    bar = 0.8 * len(cores)
    # The peer is ourselves on one core; the ratio is the speed-up.
    return Row(
        f"speed-up by {len(cores)} cores (Table 1, 3000 runs)", ours, alone, "s", alone / ours, bar, alone / ours >= bar
    )


def print_rows(rows: Sequence[Row]) -> None:
    """Print rows for people."""
    print(f"{'':52} {'ours':>12} {'peer':>12} {'unit':14} {'ratio':>8} {'bar':>6}  holds")
    for row in rows:
        peer = "-" if row.peer is None else f"{row.peer:,.4g}" if row.peer < 1000 else f"{row.peer:,.0f}"
        ours = f"{row.ours:,.4g}" if row.ours < 1000 else f"{row.ours:,.0f}"
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        bar, verdict = ("-", "-") if row.bar is None else (f"{row.bar:g}", "yes" if row.holds else "NO")
        print(f"{row.name:52} {ours:>12} {peer:>12} {row.unit:14} {ratio:>8} {bar:>6}  {verdict}")


def against_ns3(cores: set[int]) -> Iterator[Row]:
    """The transfers and the many flows."""
    peer, core = build_peer(), max(cores)
    problems = []
    for comparison in (
        *(compare(scenario, variant, peer, core) for scenario, variant in COMPARED),
        many_flows(peer, core),
    ):
        try:
            yield from comparison
        except NotAlikeError as problem:
            problems.append(str(problem))
    if problems:
        raise NotAlikeError("; ".join(problems))


PARTS: dict[str, Callable[[set[int]], Iterable[Row]]] = {
    "ns-3": against_ns3,
    "engine": lambda cores: [*captures(max(cores)), tables(cores), scaling(cores)],
    "analysis": lambda _: analysis.rows(),
    "sweep": lambda _: sweep.rows(),
    "service": lambda _: [*series.rows(), *load.rows()],
    "page": lambda _: web.rows(),
    "plane": lambda _: plane.rows(),
}
"""What is measured, given the cores there are; each by itself with `bench/run.py PART`."""


def measured(part: str, cores: set[int]) -> tuple[list[Row], str | None]:
    """Return the rows of a part, and why there are not all of them."""
    print(f"measuring: {part}", flush=True)
    rows: list[Row] = []
    try:
        rows.extend(PARTS[part](cores))
    except (Exception, SystemExit) as failure:  # noqa: BLE001 - what was measured before is worth as much
        return rows, f"{part}: {failure}"
    finally:
        os.sched_setaffinity(0, cores)
        print_rows(rows)
    return rows, None


def main() -> int:
    """Measure everything, or the parts that are named; see the module's words."""
    parser = argparse.ArgumentParser(description="Measure Windlull against its peers.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all of them unless given: {', '.join(PARTS)}")
    parts = parser.parse_args().parts or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    WORK.mkdir(parents=True, exist_ok=True)
    cores = os.sched_getaffinity(0)
    rows: list[Row] = []
    problems: list[str] = []
    for part in parts:
        found, problem = measured(part, cores)
        rows += found
        problems += [problem] if problem else []
    result = ROOT / "target" / "bench.json"
    result.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n", encoding="utf-8")
    print("\nAll of it:")
    print_rows(rows)
    print(f"\nwritten: {result.relative_to(ROOT)}")
    ratios = kept.kept()
    problems += [f"worse by more than {kept.MOST_LOST:.0%}: {loss}" for loss in kept.fallen(rows, ratios)]
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if problems or not all(row.holds for row in rows):
        return 1
    if set(parts) == set(PARTS):
        kept.keep(rows, ratios)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
