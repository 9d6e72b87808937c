"""Learn links that are known from captures alone, and play them again with another variant.

    .venv/bin/python scripts/calibrate/calibrate_learning.py [--links 200] [--repetitions 9] [--seed 2026]
        [--keep DIR] [--one-end] [--testbed kernel]

Draws links of the families below from the seed, each with seeds of its own for its runs. Over each, one run of
`CAPTURED` is played and captured; the link is learned from the two captures alone, which are read from a directory
without the run's other files. Then `PLAYED` transfers the same over the true and over the learned link, with the same
seeds. Prints for each link the ratio of the median elapsed times (learned to true), and by family how many are within
10 %. Ends with 1 if fewer than 80 % are.

All runs are simulated, or with `--testbed kernel` made by kernels in virtual time (docs/kernel-runs.md), where the
captured sender is Linux's own.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windlull import locate
from windlull.errors import WindlullError
from windlull.learning.document import link_text
from windlull.learning.learned import learn
from windlull.learning.matching import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CAPTURED = {"sim": "sack", "kernel": "linux"}
"""By testbed."""

PLAYED = "modern"
WITHIN = 0.1
SHARE = 0.8
_SECONDS = 40
"""About how long the captured transfer would take at the rate."""

_MOST_BYTES = 40_000_000


@dataclass(frozen=True)
class Drawn:
    """A link file, its family, how much is transferred over it, and the seeds of its runs."""

    family: str
    text: str
    size_bytes: int
    captured_seed: int
    """Each link has its own: with one for all, the outages of all links would come at the same times, but scaled."""
    played_seed: int


def _loss(draw: random.Random) -> str:
    return (
        f'[[impairment]]\nname = "l"\nkind = "loss"\non = "down"\nprobability = "{10 ** draw.uniform(-1.3, 0.3):.3f} %"'
    )


def _bursts(draw: random.Random) -> str:
    return (
        '[[impairment]]\nname = "g"\nkind = "gilbert-elliott"\non = "down"\n'
        f'to_bad = "{10 ** draw.uniform(-1.3, -0.3):.3f} %"\nto_good = "{draw.uniform(20, 60):.1f} %"\n'
        f'loss_bad = "{draw.uniform(50, 100):.1f} %"'
    )


def _holds(draw: random.Random) -> str:
    low = draw.uniform(0.1, 0.5)
    return (
        f'[[impairment]]\nname = "h"\nkind = "hold"\non = "both"\n'
        f'every = "exponential(mean {draw.uniform(1.5, 6):.2f} s)"\n'
        f'length = "uniform({low:.2f} s, {low * draw.uniform(1.5, 3):.2f} s)"'
    )


def _outages(draw: random.Random) -> str:
    return (
        f'[[impairment]]\nname = "d"\nkind = "drop"\non = "both"\n'
        f'every = "exponential(mean {draw.uniform(4, 10):.2f} s)"\n'
        f'length = "uniform(0.3 s, {draw.uniform(0.5, 1.2):.2f} s)"'
    )


def _nothing(_: random.Random) -> str:
    return ""


FAMILIES: dict[str, Callable[[random.Random], str]] = {
    "constant": _nothing,
    "changing rate": _nothing,
    "independent loss": _loss,
    "bursts of loss": _bursts,
    "holds": _holds,
    "holds and loss": lambda draw: f"{_holds(draw)}\n{_loss(draw)}",
    "outages": _outages,
    "CoDel": _nothing,
}


def drawn(count: int, seed: int) -> Iterator[Drawn]:
    """Draw so many links, the families by turns."""
    names = list(FAMILIES)
    for place in range(count):
        draw = random.Random(f"{seed}/{place}")  # noqa: S311 - nothing is secret
        family = names[place % len(names)]
        rate = 10 ** draw.uniform(5.7, 7.5)
        delay = draw.uniform(0.005, 0.1)
        limit = max(round(rate / 8 * 2 * delay * 10 ** draw.uniform(-0.3, 0.6)), 9_000)
        queue = f'{{ kind = "droptail", limit = "{limit} B" }}'
        if family == "CoDel":
            queue = f'{{ kind = "codel", limit = "{limit * 10} B" }}'
        recording = ""
        if family == "changing rate":
            rows = "".join(
                f"{second},{rate * 10 ** draw.uniform(-0.4, 0.4):.0f}\n"
                for second in range(0, 60, draw.choice([1, 2, 5]))
            )
            recording = f'[recording]\nperiod = "60 s"\ncsv = """\ntime_s,down_bps\n{rows}"""'
        text = (
            f'title = "{family}"\nsource = "drawn"\n[both]\ndelay = "{delay * 1e3:.3f} ms"\n'
            f'[down]\nrate = "{rate:.0f} bit/s"\n'
            f'queue = {queue}\n[up]\nrate = "{rate * draw.uniform(0.2, 1):.0f} bit/s"\n'
            f'queue = {{ kind = "droptail", limit = "200 packets" }}\n{FAMILIES[family](draw)}\n{recording}\n'
        )
        seeds = draw.randrange(1 << 32), draw.randrange(1 << 32)
        yield Drawn(family, text, min(round(rate / 8 * _SECONDS), _MOST_BYTES), *seeds)


def elapsed(
    directory: Path, link: str, variant: str, one: Drawn, repetitions: int, testbed: str, *, captures: bool = False
) -> list[float]:
    """Run a transfer over a link, the captured one or those that are played, and return how long each took."""
    directory.mkdir()
    (directory / "link.toml").write_text(link, encoding="utf-8")
    (directory / "bulk.toml").write_text(
        f'title = "B"\nkind = "bulk"\nsize = "{one.size_bytes} B"\ndirection = "down"\n', encoding="utf-8"
    )
    seed = one.captured_seed if captures else one.played_seed
    (directory / "run.toml").write_text(
        f'title = "R"\nlink = "link.toml"\nvariants = ["{variant}"]\nworkload = "bulk.toml"\n'
        f"repetitions = {repetitions}\n"
        f'seed = {seed}\ntime_limit = "1 h"\n',
        encoding="utf-8",
    )
    out = directory / "out"
    command = [
        str(locate.engine()),
        "run",
        str(directory / "run.toml"),
        "--profiles",
        str(locate.profiles()),
        "--out",
        str(out),
        "--no-series",
        *([] if captures else ["--no-pcap"]),
        *(_in_kernels(repetitions, simulated=variant not in CAPTURED.values()) if testbed == "kernel" else []),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    runs = sorted((out / "runs").rglob("run.json"))
    if len(runs) != repetitions:
        raise WindlullError(f"{len(runs)} of {repetitions} runs of {variant} are there")
    return [float(json.loads(run.read_text(encoding="utf-8"))["metrics"]["elapsed_s"]) for run in runs]


def _in_kernels(repetitions: int, *, simulated: bool) -> list[str]:
    """Return the options of runs in kernels, one at a time. What can be simulated comes first in a plan: left out."""
    first = repetitions if simulated else 0
    kernels = str(locate.kernels())
    return [
        "--testbed", "kernel", "--kernels", kernels, "--jobs", "1", "--runs", f"{first}-{first + repetitions - 1}"
    ]  # fmt: skip


def ratio(one: Drawn, directory: Path, repetitions: int, testbed: str, *, one_end: bool = False) -> tuple[float, float]:
    """Return the ratio of median elapsed times, learned to true, and the true one. Raises WindlullError."""
    elapsed(directory / "captured", one.text, CAPTURED[testbed], one, 1, testbed, captures=True)
    (directory / "captures").mkdir()
    names = ("server.pcapng", "client.pcapng")
    for name in names:
        shutil.move(next((directory / "captured").rglob(name)), directory / "captures" / name)
    server, client = (directory / "captures" / name for name in names)
    text = link_text(learn(joined(server, None if one_end else client)), names)
    learned = elapsed(directory / "learned", text, PLAYED, one, repetitions, testbed)
    true = elapsed(directory / "true", one.text, PLAYED, one, repetitions, testbed)
    return statistics.median(learned) / statistics.median(true), statistics.median(true)


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, default=200)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--one-end", action="store_true", help="learn from the server's capture alone")
    parser.add_argument("--testbed", choices=list(CAPTURED), default="sim", help="where all runs are made")
    parser.add_argument("--keep", type=Path, help="leave what was run in this directory")
    options = parser.parse_args()
    by_family: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as temporary:
        root = options.keep or Path(temporary)
        root.mkdir(parents=True, exist_ok=True)
        for place, one in enumerate(drawn(options.links, options.seed)):
            directory = root / f"{place:03}"
            directory.mkdir()
            try:
                found, true_s = ratio(one, directory, options.repetitions, options.testbed, one_end=options.one_end)
                print(f"{place:3} {one.family:17} true {true_s:8.2f} s, learned to true {found:.3f}", flush=True)
            except (WindlullError, subprocess.CalledProcessError) as error:
                found = float("inf")
                print(f"{place:3} {one.family:17} no ratio: {error}", flush=True)
            by_family[one.family].append(found)
            if options.keep is None:
                shutil.rmtree(directory)
    print("\n| family | links | within 10 % | least | median | most |\n|---|---|---|---|---|---|")
    every = [found for each in by_family.values() for found in each]
    for family, each in [*by_family.items(), ("all", every)]:
        within = sum(abs(found - 1) <= WITHIN for found in each)
        print(
            f"| {family} | {len(each)} | {within} | {min(each):.3f} | {statistics.median(each):.3f} | {max(each):.3f} |"
        )
    return 0 if sum(abs(found - 1) <= WITHIN for found in every) >= SHARE * len(every) else 1


if __name__ == "__main__":
    sys.exit(main())
