"""Score every detector of spurious timeouts against the fates, over a thousand links drawn from a seed.

    .venv/bin/python scripts/confusion.py [--links 1000] [--seed 1988] [--page docs/detectors.md]

Draws the links by the distribution in `drawn`, writes them as link files beside an experiment that has every detector,
lets the engine simulate each variant over each link once, and adds the scores of the runs up. With --page the tables of
that page are replaced by the new ones; without, they are printed. The same seed and engine give the same numbers.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import measured
from windlull import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

RECOVERIES = {"newreno": "NewReno", "sack": "SACK"}


def detectors() -> dict[str, str]:
    """Return every shipped variant that is a detection and a recovery, and its words, in the order of the registry."""
    schema = json.loads((locate.schema().parent / "variant.json").read_text(encoding="utf-8"))
    shipped = {file.stem for file in (locate.profiles() / "variants").glob("*.toml")}
    return {
        f"{detection}+{recovery}": f"`{detection}`, with {name}"
        for detection in schema["properties"]["detection"]["enum"]
        for recovery, name in RECOVERIES.items()
        if f"{detection}+{recovery}" in shipped
    }


DETECTORS = detectors()

EXPERIMENT = """
title       = "Detectors over random links"
links       = [{links}]
variants    = [{variants}]
workload    = "bulk-5-mb-down"
repetitions = 1
seed        = {seed}
time_limit  = "2 h"
assumptions = ["The links are drawn at random; scripts/confusion.py says by which distribution."]

[tcp]
mss            = "1000 B"
receive_window = "64 kB"
delayed_ack    = {{ kind = "every-second", timer = "200 ms" }}

[tcp.timer]
estimator   = "rfc6298"
initial_rto = "3 s"
minimum_rto = "1 s"
granularity = "10 ms"
"""

HEADINGS = (
    "detector", "spurious, caught", "spurious, missed", "genuine, mistaken", "of these ack-lost", "genuine, respected",
    "undecided", "precision", "recall", "fast retransmits, spurious",
)  # fmt: skip

MOST_LINKS = 500
"""Of one experiment."""

TROUBLES = ("pauses", "outages", "losses", "reordering")


@dataclass(frozen=True)
class Link:
    """A link file, and which troubles it has."""

    name: str
    text: str
    troubles: frozenset[str]


COUNTED = {
    "caught": "detector_true_positives",
    "mistaken": "detector_false_positives",
    "respected": "detector_true_negatives",
    "missed": "detector_false_negatives",
    "undecided": "detector_undecided",
    "fast": "fast_retransmits",
    "fast_spurious": "spurious_fast_retransmits",
}


@dataclass
class Score:
    """What a detector said of the timeouts of all runs, against the fates."""

    caught: int = 0
    mistaken: int = 0
    respected: int = 0
    missed: int = 0
    undecided: int = 0
    fast: int = 0
    fast_spurious: int = 0
    ack_lost: int = 0
    """Of the mistaken ones, those whose segment had arrived: every acknowledgement of it was lost."""

    def add(self, run: dict[str, Any]) -> None:
        """Add what a run.json says."""
        for mine, name in COUNTED.items():
            setattr(self, mine, getattr(self, mine) + run["metrics"].get(name, 0))
        for timeout in run["timeouts"]:
            decision = (timeout["answer"], timeout["verdict"], timeout["reason"])
            self.ack_lost += decision == ("spurious", "genuine", "ack-lost")

    @property
    def precision(self) -> float | None:
        """Of the timeouts called spurious, the share that was."""
        called = self.caught + self.mistaken
        return self.caught / called if called else None

    @property
    def recall(self) -> float | None:
        """Of the spurious timeouts, the share that was called so."""
        spurious = self.caught + self.missed
        return self.caught / spurious if spurious else None


def main() -> None:
    """Draw, simulate, add up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1988)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)  # noqa: S311 - repeatable on purpose
    links = [drawn(f"random-{number:04}", draw.random) for number in range(1, arguments.links + 1)]
    text = "\n".join(report(links, simulated(links, arguments.seed)))
    if arguments.page is None:
        print(text)
        return
    measured.write(arguments.page, text)


def drawn(name: str, draw: Callable[[], float]) -> Link:
    """Draw a link. All numbers of a link are drawn whatever is used of them, so that none depends on another."""

    def uniform(low: float, high: float) -> float:
        return low + (high - low) * draw()

    def log_uniform(low: float, high: float) -> float:
        return math.exp(uniform(math.log(low), math.log(high)))

    rate = log_uniform(30_000, 2_000_000)
    delay = log_uniform(10, 400)
    queue = log_uniform(5, 100)
    has = {trouble: draw() < 0.5 for trouble in TROUBLES}
    blocks = {
        "pauses": 'kind = "hold"\non = "both"\n'
        f'every = "exponential(mean {uniform(10, 40):.3f} s)"\nlength = "exponential(mean {uniform(0.5, 5):.3f} s)"',
        "outages": 'kind = "drop"\non = "both"\n'
        f'every = "exponential(mean {uniform(20, 60):.3f} s)"\nlength = "exponential(mean {uniform(0.5, 4):.3f} s)"',
        "losses": f'kind = "loss"\non = "each"\nprobability = "{log_uniform(0.001, 0.05):.6f}"',
        "reordering": f'kind = "reorder"\non = "each"\nprobability = "{log_uniform(0.001, 0.05):.6f}"\n'
        f'by = "uniform(1 ms, {uniform(50, 2000):.0f} ms)"',
    }
    text = (
        f'title = "{name}"\nsource = "drawn at random"\n\n[both]\nrate = "{rate:.0f} bit/s"\ndelay = "{delay:.3f} ms"\n'
    )
    text += f'queue = {{ kind = "droptail", limit = "{queue:.0f} packets" }}\n'
    for trouble, block in blocks.items():
        if has[trouble]:
            text += f'\n[[impairment]]\nname = "{trouble}"\n{block}\n'
    return Link(name, text, frozenset(trouble for trouble in TROUBLES if has[trouble]))


def simulated(links: Sequence[Link], seed: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield link, variant and record of each run."""
    for begin in range(0, len(links), MOST_LINKS):
        with tempfile.TemporaryDirectory() as place:
            yield from simulated_in(Path(place), links[begin : begin + MOST_LINKS], seed)


def simulated_in(place: Path, links: Sequence[Link], seed: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the same of as many links as an experiment may have; all files are in `place`."""
    for folder in ("links", "experiments"):
        (place / folder).mkdir()
    for link in links:
        (place / "links" / f"{link.name}.toml").write_text(link.text, encoding="utf-8")
    text = EXPERIMENT.format(
        links=", ".join(f'"{link.name}"' for link in links),
        variants=", ".join(f'"{name}"' for name in DETECTORS),
        seed=seed,
    )
    (place / "experiments" / "confusion.toml").write_text(text, encoding="utf-8")
    roots = ["--profiles", str(place), "--profiles", str(locate.profiles())]
    command = [str(locate.engine()), *roots, "run", "confusion", "--no-pcap", "--out", str(place / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as engine:
        for line in engine.stdout or ():
            message = json.loads(line)
            if message["event"] == "run":
                directory = place / "out" / message["directory"]
                yield message["link"], message["variant"], json.loads((directory / "run.json").read_bytes())
                shutil.rmtree(directory)
    if engine.returncode:
        sys.exit(f"the engine ended with {engine.returncode}")


def report(links: list[Link], runs: Iterable[tuple[str, str, dict[str, Any]]]) -> list[str]:
    """Write the tables: over all links, and over those with and without reordering."""
    reorders = {link.name: "reordering" in link.troubles for link in links}
    everywhere = {variant: Score() for variant in DETECTORS}
    apart = {(variant, which): Score() for variant in DETECTORS for which in (False, True)}
    for link, variant, run in runs:
        everywhere[variant].add(run)
        apart[variant, reorders[link]].add(run)
    lines = [
        f"Over all {len(links):,} links, one transfer each:",
        "",
        f"| {' | '.join(HEADINGS)} |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for variant, title in DETECTORS.items():
        score = everywhere[variant]
        counts = (score.caught, score.missed, score.mistaken, score.ack_lost, score.respected, score.undecided)
        numbers = " | ".join(f"{count:,}" for count in counts)
        shares = f"{share(score.precision)} | {share(score.recall)}"
        lines.append(f"| {title} | {numbers} | {shares} | {score.fast_spurious:,} of {score.fast:,} |")
    with_, without = sum(reorders.values()), len(links) - sum(reorders.values())
    lines += [
        "",
        f"The {with_:,} links that reorder, and the {without:,} that do not:",
        "",
        "| detector | precision, reordered | precision, in order | recall, reordered | recall, in order |",
        "|---|---|---|---|---|",
    ]
    for variant, title in DETECTORS.items():
        bad, good = apart[variant, True], apart[variant, False]
        four = (bad.precision, good.precision, bad.recall, good.recall)
        lines.append(f"| {title} | {' | '.join(share(each) for each in four)} |")
    return lines


def share(value: float | None) -> str:
    """Write a share in percent."""
    return "-" if value is None else f"{100 * value:.1f} %"


if __name__ == "__main__":
    main()
