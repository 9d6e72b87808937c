"""Hold `windlull search` against faults that were planted, and against links drawn at random.

    .venv/bin/python scripts/check_searches.py [--runs 20000] [--seeds 1,2] [--only NAME,...] [--out DIR]

Each patch of scripts/faults makes a mechanism of our TCP faulty: it does harm only after events of a certain timing. An
engine is built with the patch (sources and target stay in --out; 4 GB). With it the experiment beside the patch is
searched twice: as `windlull search` does it, and with `--at-random`. A link shows the fault if the faulty variant then
breaks the rule, and, on the same seeds, that of an engine without the patch does not. Prints, for each, after how many
runs the first link broke the rule, and of the links that were found how many events they have, how often they failed
again on fresh seeds, and whether they show the fault. Ends with 1 if the search shows fewer than four in five, or if
what shows one has more than three events in the median, or fails again on less than 95 % of fresh seeds.

--engine NAME=FILE takes an engine that was built with the patch of that name; the one without is as for every command.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FAULTS = ROOT / "scripts" / "faults"
REPETITIONS = 3
RUNS_OF_A_LINK = 2 * REPETITIONS
SHOWN = 0.8
MOST_EVENTS = 3
FAILS_AGAIN = 0.95


@dataclass(frozen=True)
class Fault:
    """A patch, whose variant it harms, the baseline that it does not, and the ratio that only the fault reaches."""

    name: str
    variant: str
    baseline: str
    ratio: float

    @property
    def rule(self) -> str:
        """What is a failure."""
        return f"elapsed.median > {self.ratio} * baseline"


ALL = (
    Fault("minimum-of-the-late", "frto-sack+sack", "sack", 2.5),
    Fault("longest-trip", "modern", "modern-6675", 4.0),
)


@dataclass(frozen=True)
class Found:
    """A link of a search, and what became of the same runs without the patch."""

    events: int
    again: float
    without: float

    def shows(self, fault: Fault) -> bool:
        """Whether it fails with the patch on most of the fresh seeds, and not without."""
        return self.again > 0.5 and self.without <= fault.ratio


@dataclass(frozen=True)
class Searched:
    """What a search came to; `first` is the first link that broke the rule, 0 if none did."""

    fault: Fault
    at_random: bool
    seed: int
    first: int
    worst: float
    found: tuple[Found, ...]

    @property
    def shows(self) -> bool:
        """Whether one of the links shows the fault."""
        return any(one.shows(self.fault) for one in self.found)


def windlull(*arguments: str | Path, engine: Path | None) -> None:
    """Run the command, with this engine or with that of every command; what it prints goes to standard error."""
    env = dict(os.environ) | ({"WINDLULL_ENGINE": str(engine)} if engine else {})
    subprocess.run([sys.executable, "-m", "windlull", *map(str, arguments)], check=True, env=env, stdout=sys.stderr)


def built(fault: Fault, out: Path) -> Path:
    """Build the engine with a patch, of the commit that is checked out."""
    sources, target = out / "sources", out / "target"
    shutil.rmtree(sources, ignore_errors=True)
    sources.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", sources], input=archive, check=True)
    subprocess.run(["patch", "-p1", "-i", FAULTS / f"{fault.name}.patch"], cwd=sources, check=True, stdout=sys.stderr)
    subprocess.run(
        ["cargo", "build", "--release", "--locked", "-p", "windlull-engine"],
        cwd=sources, check=True, env=dict(os.environ) | {"CARGO_TARGET_DIR": str(target)},
    )  # fmt: skip
    engine = out / f"engine-{fault.name}"
    shutil.copy2(target / "release" / "windlull-engine", engine)
    return engine


def search(fault: Fault, engine: Path, seed: int, runs: int, out: Path, *, at_random: bool) -> Searched:
    """Search with the faulty engine, and run what is found without the patch."""
    directory = out / f"{fault.name}-{seed}{'-random' if at_random else ''}"
    windlull(
        "search", FAULTS / f"{fault.name}.toml", "--variant", fault.variant, "--against", fault.baseline,
        "--worst", "elapsed", "--fail-if", fault.rule, "--budget", str(max(1, runs // RUNS_OF_A_LINK)),
        "--reps", str(REPETITIONS), "--seed", str(seed), "--out", directory,
        *(["--at-random"] if at_random else []), engine=engine,
    )  # fmt: skip
    said = json.loads((directory / "search.json").read_bytes())
    values = [(one["trial"], one["value"]) for one in said["tried"][1:] if one["value"] is not None]
    found = tuple(Found(*_found(fault, directory, one)) for one in said["found"])
    return Searched(
        fault, at_random, seed, next((trial for trial, value in values if value > fault.ratio), 0),
        max((value for _, value in values), default=0.0), found,
    )  # fmt: skip


def _found(fault: Fault, directory: Path, one: dict[str, Any]) -> tuple[int, float, float]:
    plain = directory / "without" / str(one["files"]["experiment"]).replace("/", "-")
    windlull("run", directory / one["files"]["experiment"], "--no-pcap", "--out", plain, engine=None)
    elapsed = {
        cell["variant"]: cell["metrics"]["elapsed_s"]["median"]
        for cell in json.loads((plain / "results.json").read_bytes())["cells"]
    }
    confirmed = one["confirmed"]
    return (
        len(one["link"]["events"]),
        confirmed["failed"] / confirmed["runs"],
        elapsed[fault.variant] / elapsed[fault.baseline],
    )


def row(of: Searched) -> str:
    """Say in a row what a search came to."""
    after = f"{of.first * RUNS_OF_A_LINK:,}" if of.first else "none"
    links = "; ".join(
        f"{one.events} events, {100 * one.again:.0f} % again, {one.without:.2f} without" for one in of.found
    )
    cells = (
        of.fault.name, "random" if of.at_random else "search", str(of.seed), after, f"{of.worst:.2f}",
        "yes" if of.shows else "no", links or "-",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Search for each fault, twice for each seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000, help="how many runs each search has (default 20000)")
    parser.add_argument("--seeds", default="1", help="master seeds, each a search of its own (default 1)")
    parser.add_argument("--only", help="names of faults (default: all)")
    parser.add_argument("--engine", action="append", default=[], metavar="NAME=FILE", help="an engine with that patch")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "searches")
    asked = parser.parse_args()
    given = {name: Path(file).resolve() for name, _, file in (one.partition("=") for one in asked.engine)}
    out = asked.out.resolve()
    chosen = [fault for fault in ALL if asked.only is None or fault.name in asked.only.split(",")]
    if not chosen:
        parser.error(f"--only {asked.only}: there are {', '.join(fault.name for fault in ALL)}")
    print("| fault | links are | seed | runs until the rule broke | worst ratio | shows the fault | what was found |")
    print("|---|---|---:|---:|---:|---|---|", flush=True)
    came = []
    for fault in chosen:
        engine = given.get(fault.name) or built(fault, out)
        for seed in map(int, asked.seeds.split(",")):
            for at_random in (False, True):
                came.append(search(fault, engine, seed, asked.runs, out, at_random=at_random))
                print(row(came[-1]), flush=True)
    return verdict(came)


def verdict(came: list[Searched]) -> int:
    """Print how many were shown, and return 1 if it is too few, or what shows them is too large or too rare."""
    searched = [one for one in came if not one.at_random]
    by_chance = [one for one in came if one.at_random]
    shown, chance = sum(one.shows for one in searched), sum(one.shows for one in by_chance)
    print(f"\nThe search shows {shown} of {len(searched)}, links drawn at random show {chance} of {len(by_chance)}.")
    links = [found for one in searched for found in one.found if found.shows(one.fault)]
    if not links:
        return 1
    events = statistics.median(found.events for found in links)
    again = statistics.mean(found.again for found in links)
    print(f"Links that show one have {events:g} events in the median and fail again on {100 * again:.1f} % of seeds.")
    return int(shown < SHOWN * len(searched) or events > MOST_EVENTS or again < FAILS_AGAIN)


if __name__ == "__main__":
    sys.exit(main())
