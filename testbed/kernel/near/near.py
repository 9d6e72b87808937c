"""How near our variant `modern` is to Linux: both play the links of `links/` in virtual time. `make near` calls it.

The same links, seeds and fates of packets for both, each in a kernel of its own. Medians of the elapsed time and of
retransmissions over all repetitions are compared. The intervals hold 95 % of the ratio of the two medians when
repetitions are drawn again, pair by pair, with a fixed seed.

Prints the table and, with --write, puts it into docs/near-linux.md. Exit code 1 if a run is missing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[2]
PAGE: Final = ROOT / "docs" / "near-linux.md"
BEGIN: Final = "<!-- The table begins: `make near` writes it. -->\n"
END: Final = "<!-- The table ends. -->\n"

OURS: Final = "modern"
THEIRS: Final = "linux"
TESTBED: Final = "kernel"
# What is compared, and how near the medians are to be.
MOST_APART: Final = {"elapsed_s": 0.05, "retransmissions": 0.10}
DRAWS: Final = 2000
SEED: Final = 20_260_601


@dataclass(frozen=True)
class Compared:
    """A metric of a link: both medians, and in which interval their ratio lies."""

    ours: float
    theirs: float
    low: float
    high: float
    most_apart: float

    @classmethod
    def of(cls, ours: Sequence[float], theirs: Sequence[float], most_apart: float) -> Compared:
        """Compare values of the same repetitions."""
        pairs = np.array([ours, theirs], dtype=float)
        drawn = pairs[:, np.random.default_rng(SEED).integers(0, pairs.shape[1], (DRAWS, pairs.shape[1]))]
        medians = np.median(drawn, axis=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(medians[0] == medians[1], 1.0, medians[0] / medians[1])
        low, high = np.quantile(ratios, [0.025, 0.975], method="nearest")
        return cls(float(np.median(pairs[0])), float(np.median(pairs[1])), float(low), float(high), most_apart)

    @property
    def near(self) -> bool:
        """Whether the medians are as near as they are to be."""
        return abs(self.ours - self.theirs) <= self.most_apart * self.theirs

    def columns(self, digits: int) -> list[str]:
        """Return both medians and what they are apart, for a table."""
        if self.theirs:
            apart = f"{100 * (self.ours / self.theirs - 1):+.1f} %"
            interval = f"{100 * (self.low - 1):+.1f} to {100 * (self.high - 1):+.1f}"
        else:
            apart, interval = ("0.0 %" if self.near else "none there"), "-"
        verdict = "yes" if self.near else "**no**"
        return [f"{self.ours:.{digits}f}", f"{self.theirs:.{digits}f}", apart, interval, verdict]


def run(reps: int | None, out: Path, jobs: int | None) -> None:
    """Play all links; what was finished there before is not played again."""
    windlull = Path(sys.executable).parent / "windlull"
    options = [*(("--reps", str(reps)) if reps else ()), *(("--jobs", str(jobs)) if jobs else ())]
    command = [windlull, "run", HERE / "near.toml", "--testbed", TESTBED, "--no-pcap", "--out", out, *options]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(f"error: windlull run ended with {done.returncode}")


def titles() -> dict[str, str]:
    """Return what each link is, by its name."""
    found = {}
    for file in sorted((HERE / "links").glob("*.toml")):
        first = file.read_text(encoding="utf-8").splitlines()[0]
        found[file.stem] = first.split('"')[1]
    return found


def compare(results: dict[str, Any]) -> dict[str, dict[str, Compared]]:
    """Return what was compared, by link and metric; ends if anything is missing."""
    cells = {(cell["link"], cell["variant"]): cell for cell in results["cells"] if cell["testbed"] == TESTBED}
    compared: dict[str, dict[str, Compared]] = {}
    for link in titles():
        pair = [cells.get((link, variant)) for variant in (OURS, THEIRS)]
        if None in pair:
            raise SystemExit(f"error: {link}: {OURS} or {THEIRS} has no runs; run it again")
        # A run that was stopped ends with a pair that is not whole.
        whole = min(cell["runs"] for cell in pair if cell)
        ours, theirs = (cell["metrics"] for cell in pair if cell)
        compared[link] = {
            metric: Compared.of(ours[metric]["values"][:whole], theirs[metric]["values"][:whole], bound)
            for metric, bound in MOST_APART.items()
        }
    return compared


def kernel() -> str:
    """Return which kernel it was."""
    record = (ROOT / "target" / "kernel" / "stock" / "record").read_text(encoding="utf-8")
    said = dict(line.split(" ", 1) for line in record.splitlines())
    source = " ".join(said["source"].split()[:2])
    return f"Linux {said['release']} ({source})"


def table(results: dict[str, Any]) -> str:
    """Return the table, with what it was made by."""
    compared = compare(results)
    runs = min(cell["runs"] for cell in results["cells"] if cell["testbed"] == TESTBED)
    near = {metric: sum(link[metric].near for link in compared.values()) for metric in MOST_APART}
    both = sum(all(metric.near for metric in link.values()) for link in compared.values())
    day = datetime.now(tz=UTC).date().isoformat()
    lines = [
        f"{kernel()}; Windlull {results['version']}; at least {runs} repetitions of each variant on each link; {day}.",
        "",
        (
            f"Links on which `modern` is near: **{both} of {len(compared)}** (elapsed time within 5 %: "
            f"{near['elapsed_s']}; retransmissions within 10 %: {near['retransmissions']})."
        ),
    ]
    for metric, heading, digits in (
        ("elapsed_s", "elapsed time, s", 2),
        ("retransmissions", "retransmissions", 1),
    ):
        lines += [
            "",
            f"| link | {heading}: `modern` | `linux` | apart | interval, % | near? |",
            "|---|---|---|---|---|---|",
        ]
        for link, title in titles().items():
            lines.append(f"| {title} | " + " | ".join(compared[link][metric].columns(digits)) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Play, compare, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "near", help="where runs and results go")
    parser.add_argument("--reps", type=int, help="repetitions instead of those of near.toml")
    parser.add_argument("--jobs", type=int, help="kernels at the same time")
    parser.add_argument("--finished", action="store_true", help="play nothing: take the runs that are finished there")
    parser.add_argument("--write", action="store_true", help="put the table into docs/near-linux.md")
    arguments = parser.parse_args()
    if not arguments.finished:
        run(arguments.reps, arguments.out, arguments.jobs)
    made = table(json.loads((arguments.out / "results.json").read_text(encoding="utf-8")))
    print(made, end="")
    if arguments.write:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}{made}{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
