"""How often the gate cries wolf, and how often it finds the wolf: measured with simulated runs.

    .venv/bin/python scripts/gate_false_alarms.py            # some minutes; --seeds 20 for a first look

Two links: one of few losses, where runs hardly differ, and one of sudden delays, where they do. For each seed two
identical variants are held against each other: with the same seeds of the runs (the numbers are then the same) and with
seeds of their own (they are not). Then the candidate's link is slowed down until its median run takes 5 % longer, and
the gate is run with as many runs as it asked for itself. docs/statistics.md has the figures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from windlull import locate
from windlull.stats.compare import METRICS, Match, Side, compare
from windlull.stats.gate import ALPHA, gate
from windlull.stats.looks import looks
from windlull.stats.rules import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

SLOWER = parse("elapsed.median > baseline")
LIMIT = parse("elapsed.median > 1.05 * baseline")
PILOT = 10
MOST = 320
"""Runs of each side that `--until-decided` may make here."""

TRUTH = 20_000
"""Runs that tell what the planted slowdown is in truth."""

APART = 1 << 32
"""Added to a seed for runs that have nothing to do with those of that seed."""

EXPERIMENT = """\
title       = "{name}"
link        = "{name}"
variants    = ["{variant}"]
workload    = "bulk-100-kib-down"
repetitions = 10
seed        = 1

[tcp]
mss = "256 B"
"""
LINK = """\
title   = "{name}"
extends = "{link}"

[both]
rate = "{rate} bit/s"
"""


@dataclass(frozen=True)
class Scenario:
    """A link as shipped, the variant that runs over it, and the rate at which a median run takes 5 % longer."""

    name: str
    link: str
    variant: str
    rate_bps: int
    slow_bps: int


SCENARIOS = (
    Scenario("few losses", "sarolahti2003-losses-2pct", "sack", 28_800, 27_000),
    Scenario("sudden delays", "sarolahti2003-sudden-delays", "sack", 28_800, 23_000),
)


class Laboratory:
    """The scenarios' files in a directory of their own, beside the shipped ones, and the engine that runs them."""

    def __init__(self, profiles: Path) -> None:
        self._profiles = profiles
        for kind in ("links", "experiments", "variants", "workloads"):
            (profiles / kind).mkdir()
        self.runs = 0

    def plant(self, scenario: Scenario, rate_bps: int) -> str:
        """Write link and experiment of a scenario at a rate; return the experiment's name."""
        name = f"{scenario.link}-{rate_bps}"
        (self._profiles / "links" / f"{name}.toml").write_text(
            LINK.format(name=name, link=scenario.link, rate=rate_bps), encoding="utf-8"
        )
        (self._profiles / "experiments" / f"{name}.toml").write_text(
            EXPERIMENT.format(name=name, variant=scenario.variant), encoding="utf-8"
        )
        return name

    def side(self, experiment: str, seed: int, reps: int) -> Side:
        """Run it: one side's values."""
        answer = subprocess.run(
            [str(locate.engine()), "run", experiment, "--reps", str(reps), "--seed", str(seed),
             "--profiles", str(self._profiles), "--profiles", str(locate.profiles())],
            check=True, capture_output=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        values: dict[str, dict[int, float]] = {name: {} for name in METRICS}
        for line in answer.stdout.splitlines():
            message = json.loads(line)
            if message["event"] == "run":
                for name in METRICS:
                    values[name][message["repetition"]] = message["metrics"][name]
        self.runs += reps
        return Side(experiment, values)


def match(baseline: Side, candidate: Side, *, paired: bool) -> Match:
    """Set two sides against each other."""
    return Match("link", "sim", Side("baseline", baseline.values), Side("candidate", candidate.values), paired)


def first(side: Side, count: int) -> Side:
    """Return the first repetitions: what fewer runs would have been."""
    return Side(
        side.name,
        {name: {n: value for n, value in values.items() if n <= count} for name, values in side.values.items()},
    )


def tally(found: Mapping[str, int], total: int) -> str:
    """Say how often each thing was found."""
    return ", ".join(f"{what} {count} of {total}" for what, count in sorted(found.items()))


def identical(laboratory: Laboratory, scenario: Scenario, seeds: int, runs: int, *, apart: bool) -> dict[str, Any]:
    """Hold a variant against itself; return how often each verdict came up."""
    experiment = laboratory.plant(scenario, scenario.rate_bps)
    statuses: dict[str, dict[str, int]] = {rule.text: {} for rule in (SLOWER, LIMIT)}
    verdicts: dict[str, int] = {}
    for seed in range(1, seeds + 1):
        baseline = laboratory.side(experiment, seed, runs)
        candidate = laboratory.side(experiment, seed + apart * APART, runs)
        of = match(baseline, candidate, paired=not apart)
        for rule in (SLOWER, LIMIT):
            status = gate([of], [rule], seed=seed).status
            statuses[rule.text][status] = statuses[rule.text].get(status, 0) + 1
        found = {finding.verdict for finding in compare([of], seed=seed).findings}
        word = "different" if found & {"better", "worse"} else "equal" if found == {"equal"} else "inconclusive"
        verdicts[word] = verdicts.get(word, 0) + 1
    return {"gate": statuses, "compare": verdicts}


def planted(laboratory: Laboratory, scenario: Scenario, seeds: int, *, apart: bool) -> str:
    """Ask with PILOT runs how many it takes, run so many afresh, and see whether the slowdown is found."""
    experiments = [laboratory.plant(scenario, rate) for rate in (scenario.rate_bps, scenario.slow_bps)]

    def sides(seed: int, runs: int) -> Match:
        baseline, candidate = (
            laboratory.side(experiment, seed + place * apart * APART, runs)
            for place, experiment in enumerate(experiments)
        )
        return match(baseline, candidate, paired=not apart)

    asked: list[int] = []
    early = found = 0
    for seed in range(1, seeds + 1):
        pilot = gate([sides(seed, PILOT)], [SLOWER], seed=seed)
        if pilot.status == "fail":
            early += 1
        elif pilot.asked is not None:
            asked.append(pilot.asked)
            found += gate([sides(seed + 1_000_000, pilot.asked)], [SLOWER], seed=seed).status == "fail"
    quartiles = ", ".join(f"{q:.0f}" for q in np.quantile(asked, (0, 0.25, 0.5, 0.75, 1))) if asked else "-"
    return (
        f"{early} of {seeds} by {PILOT} runs alone; {found} of {len(asked)} with the number asked for "
        f"(least, quartiles, most: {quartiles}); {early + found} of {seeds} in all"
    )


def until_decided(laboratory: Laboratory, scenario: Scenario, seeds: int, slow_bps: int, *, apart: bool) -> str:
    """Run in rounds, as `--until-decided` does."""
    experiments = [laboratory.plant(scenario, rate) for rate in (scenario.rate_bps, slow_bps)]
    statuses: dict[str, int] = {}
    counts: list[int] = []
    for seed in range(1, seeds + 1):
        whole = [
            laboratory.side(experiment, seed + place * apart * APART, MOST)
            for place, experiment in enumerate(experiments)
        ]
        status, count = "inconclusive", MOST
        for look in looks(PILOT, MOST, ALPHA):
            baseline, candidate = (first(side, look.runs) for side in whole)
            of = match(baseline, candidate, paired=not apart)
            status, count = gate([of], [SLOWER], seed=seed, alpha=look.alpha).status, look.runs
            if status != "inconclusive":
                break
        statuses[status] = statuses.get(status, 0) + 1
        counts.append(count)
    return f"{tally(statuses, seeds)}; after {np.median(counts):.0f} runs, the median"


def truth(laboratory: Laboratory, scenario: Scenario) -> dict[str, float]:
    """Say what the planted slowdown is, and how far runs scatter, over many runs."""
    sides = [
        laboratory.side(laboratory.plant(scenario, rate), 1 << 40, TRUTH).values["elapsed_s"]
        for rate in (scenario.rate_bps, scenario.slow_bps)
    ]
    base, slow = (np.array([of[repetition] for repetition in sorted(of)]) for of in sides)
    return {
        "slowdown of the median": float(np.median(slow) / np.median(base) - 1),
        "slowdown of the mean": float(slow.mean() / base.mean() - 1),
        "variation of runs": float(base.std() / base.mean()),
        "correlation of pairs": float(np.corrcoef(base, slow)[0, 1]),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--runs", type=int, default=20, help="runs of each side of identical variants")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        laboratory = Laboratory(Path(directory))
        for scenario in SCENARIOS:
            print(f"{scenario.name} ({scenario.link}, {scenario.variant})")
            for what, value in truth(laboratory, scenario).items():
                print(f"  in truth, {what}: {value:.4f}")
            for apart in (False, True):
                seeds = "seeds of their own" if apart else "the same seeds"
                found = identical(laboratory, scenario, options.seeds, options.runs, apart=apart)
                print(f"  identical, {seeds}, {options.runs} runs each:")
                for rule, statuses in found["gate"].items():
                    print(f"    gate {rule}: {tally(statuses, options.seeds)}")
                print(f"    compare: {tally(found['compare'], options.seeds)}", flush=True)
            for apart in (False, True):
                seeds = "seeds of their own" if apart else "the same seeds"
                found_of = planted(laboratory, scenario, options.seeds, apart=apart)
                print(f"  slower by 5 %, {seeds}, gate {SLOWER.text}: found in {found_of}", flush=True)
            for apart, rate in ((True, scenario.rate_bps), (False, scenario.slow_bps), (True, scenario.slow_bps)):
                what = "identical" if rate == scenario.rate_bps else "slower by 5 %"
                seeds = "seeds of their own" if apart else "the same seeds"
                told = until_decided(laboratory, scenario, options.seeds, rate, apart=apart)
                print(f"  until decided, at most {MOST}, {what}, {seeds}: {told}", flush=True)
        print(f"{laboratory.runs} runs in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
