"""The two planes do the same to packets: netem by tc and nft, and the model. `make test-kernel` calls it.

Each link of `links/` is played by both planes in a kernel that has netem, in virtual time. The same packets, at random
times and of random sizes, are sent one way; two-sample tests then ask whether delays and losses can be told apart
at 1 %. A control is the link a little changed; the test named beside it must tell it apart, so that it has the power.

Prints a table and writes target/planes/report.json. Exit code 1 if two planes differ, or a control does not.
See README.md beside this directory for what is compared and how finely.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from probe import Tools, arguments_of
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

LINKS = Path(__file__).resolve().parent / "links"

LEVEL = 0.01
# What is closer than this is the same. netem's clock ticks in 64 ns; no plane in real time keeps to 10 us.
RESOLUTION_US = 20.0
# Losses in bursts depend on each other within a burst, not between blocks that are much longer than one.
BLOCK = 100
# Fewer runs than this say nothing about how long runs are.
FEWEST_RUNS = 20
SEED = 20_030_601

Test: TypeAlias = Literal["delay", "losses", "lost runs", "passed runs"]
Answers: TypeAlias = dict[Test, float]


@dataclass(frozen=True)
class Case:
    """A link, what is sent over it, and which test must tell its control apart."""

    link: str
    packets: int
    gaps_us: tuple[int, ...]
    control_seen_by: Test
    bursts: bool = False
    # Nothing is drawn about single packets, so that each meets the same on both planes.
    paired: bool = False


CASES = (
    Case("queue", 4_000, (20_000, 8_000, 6_000), "delay", paired=True),
    Case("fast", 6_000, (1_600, 800, 450), "delay", paired=True),
    Case("full", 6_000, (330, 250), "delay", paired=True),
    Case("loss", 10_000, (10_000, 2_000), "losses"),
    Case("bursts", 20_000, (10_000, 2_000), "lost runs", bursts=True),
    # So far apart that few packets wait for the one ahead: the tests ask for samples that do not depend on each other.
    Case("uniform", 8_000, (20_000,), "delay"),
    Case("normal", 8_000, (20_000,), "delay"),
    Case("pauses", 6_000, (12_000, 9_000), "delay", paired=True),
    Case("outages", 6_000, (12_000, 9_000), "losses", paired=True),
    Case("script", 4_000, (12_000, 9_000), "delay", paired=True),
)


@dataclass(frozen=True)
class Sample:
    """What became of the packets, in order: their delay in us, or that they were lost (NaN)."""

    delays_us: np.ndarray[tuple[int], np.dtype[np.float64]]

    @property
    def lost(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which were lost."""
        return np.isnan(self.delays_us)

    def runs(self, *, of_lost: bool) -> list[int]:
        """How many in a row were lost, or passed, each time."""
        return [len(list(run)) for is_lost, run in groupby(self.lost.tolist()) if is_lost == of_lost]

    def losses_a_block(self) -> list[int]:
        """Losses in each block of packets."""
        whole = len(self.lost) // BLOCK * BLOCK
        return [int(self.lost[start : start + BLOCK].sum()) for start in range(0, whole, BLOCK)]


@dataclass(frozen=True)
class Player:
    """What plays the links."""

    tools: Tools
    # The netem plane between two bridges, as in a run between containers, and not behind a kernel that forwards.
    wire: bool

    def play(self, case: Case, link: str, plane: str, seed: int) -> Sample:
        """Plays a link on a plane, in a kernel of its own."""
        options = [
            *("--plane", plane, "--packets", str(case.packets)),
            *("--gaps", ",".join(map(str, case.gaps_us)), "--settle", "20"),
            *("--seed", str(seed), "--traffic-seed", str(seed)),
            *(("--wire",) if self.wire else ()),
        ]
        return Sample(self.tools.delays_us(f"{link}-{plane}", LINKS / f"{link}.toml", options))


@dataclass(frozen=True)
class Comparison:
    """The tests' answers: probabilities that two samples of the same kind differ as much."""

    case: Case
    planes: Answers
    control: Answers
    lost: tuple[int, int]
    fates_differ: int
    # Of the same packet, us: half of them differ by less than the first, all by no more than the second.
    paired_us: tuple[float, float] | None

    @property
    def holds(self) -> bool:
        """The planes are alike, and the control is not."""
        return min(self.planes.values()) >= LEVEL and self.control[self.case.control_seen_by] < LEVEL

    @property
    def verdict(self) -> str:
        """In a word or two."""
        return "alike" if self.holds else "DIFFER"


def compare(case: Case, first: Sample, second: Sample) -> Answers:
    """All tests that apply."""
    random = np.random.default_rng(SEED)

    def smeared(sample: Sample) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        # The test asks for continuous samples. A constant delay is a single value, and a nanosecond's difference would
        # be all the difference there can be.
        passed = sample.delays_us[~sample.lost]
        return passed + random.uniform(-RESOLUTION_US / 2, RESOLUTION_US / 2, len(passed))

    answers: Answers = {"delay": float(stats.ks_2samp(smeared(first), smeared(second), method="asymp").pvalue)}
    if not first.lost.any() and not second.lost.any():
        return answers
    answers["losses"] = loss_answer(case, first, second)
    kinds: tuple[tuple[Test, bool], ...] = (("lost runs", True), ("passed runs", False))
    for name, of_lost in kinds:
        runs = (first.runs(of_lost=of_lost), second.runs(of_lost=of_lost))
        if min(map(len, runs)) >= FEWEST_RUNS:
            # Lengths are whole numbers: with ties the test errs on the side of "alike".
            answers[name] = float(stats.ks_2samp(*runs, method="asymp").pvalue)
    return answers


def loss_answer(case: Case, first: Sample, second: Sample) -> float:
    """Whether as many are lost: exact for independent losses, by permutation of blocks for those in bursts.

    Where each packet must meet the same on both sides: exact by the packets that only one side lost (McNemar).
    """
    if case.paired:
        either = (int((first.lost & ~second.lost).sum()), int((second.lost & ~first.lost).sum()))
        return float(stats.binomtest(either[0], sum(either)).pvalue) if sum(either) else 1.0
    if not case.bursts:
        table = [[int(sample.lost.sum()), int((~sample.lost).sum())] for sample in (first, second)]
        return float(stats.fisher_exact(np.array(table)).pvalue)
    blocks = (first.losses_a_block(), second.losses_a_block())
    return float(
        stats.permutation_test(
            blocks,
            lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
            vectorized=True,
            n_resamples=9_999,
            rng=np.random.default_rng(SEED),
        ).pvalue
    )


def run(case: Case, player: Player, pool: ThreadPoolExecutor, seed: int) -> Comparison:
    """Plays the link on both planes and its control on one, and compares."""
    wanted = ((case.link, "model"), (case.link, "netem"), (f"{case.link}-control", "netem"))
    model, netem, control = pool.map(lambda what: player.play(case, what[0], what[1], seed), wanted)
    both = ~model.lost & ~netem.lost
    apart = np.abs(model.delays_us - netem.delays_us)[both]
    return Comparison(
        case=case,
        planes=compare(case, model, netem),
        control=compare(case, model, control),
        lost=(int(model.lost.sum()), int(netem.lost.sum())),
        fates_differ=int((model.lost != netem.lost).sum()),
        paired_us=(float(np.median(apart)), float(apart.max())) if case.paired else None,
    )


def line(result: Comparison) -> str:
    """A row of the table."""
    cells = [f"{result.planes[test]:.3f}" if test in result.planes else "-" for test in TESTS]
    pair = "-"
    if result.paired_us:
        pair = f"{result.paired_us[0]:.3f}, {result.paired_us[1]:.1f}"
    seen = result.case.control_seen_by
    return "  ".join(
        [
            f"{result.case.link:8}",
            f"{result.case.packets:7}",
            f"{result.lost[0]:13} {result.lost[1]:6} {result.fates_differ:4}",
            *(f"{cell:>11}" for cell in cells),
            f"{pair:>16}",
            f"{seen} {result.control[seen]:.1e}".rjust(19),
            result.verdict,
        ]
    )


TESTS: tuple[Test, ...] = ("delay", "losses", "lost runs", "passed runs")
HEADING = "  ".join(
    [
        f"{'link':8}",
        "packets",
        "lost by model, netem, one",
        *(f"{test:>11}" for test in TESTS),
        f"{'same packet, us':>16}",
        "control".rjust(19),
        "planes",
    ]
)


def report(results: Sequence[Comparison]) -> list[dict[str, object]]:
    """The results for other programs."""
    return [
        {
            "link": result.case.link,
            "packets": result.case.packets,
            "lost": {"model": result.lost[0], "netem": result.lost[1], "by one plane alone": result.fates_differ},
            "p": result.planes,
            "control": {"seen by": result.case.control_seen_by, "p": result.control},
            "same packet, us": result.paired_us,
            "verdict": result.verdict,
            "holds": result.holds,
        }
        for result in results
    ]


def main() -> int:
    """Exit code 0 when all planes are alike and all controls are not."""
    parser = arguments_of(__doc__)
    parser.add_argument("--wire", action="store_true", help="the netem plane between two bridges, without forwarding")
    parser.add_argument("links", nargs="*", help="only these")
    arguments = parser.parse_args()
    chosen = [case for case in CASES if not arguments.links or case.link in arguments.links]
    player = Player(Tools.of(arguments), arguments.wire)
    print(f"p values; below {LEVEL} two samples differ. Delays are compared to {RESOLUTION_US:.0f} us.")
    print(HEADING, flush=True)
    results = []
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for case in chosen:
            result = run(case, player, pool, SEED)
            if not result.holds and not case.paired:
                # One right answer in a hundred is a false alarm, and these draw from the kernel anew each time.
                print(line(result), "(once more)", flush=True)
                result = run(case, player, pool, SEED + 1)
            results.append(result)
            print(line(result), flush=True)
    name = "report-wire.json" if arguments.wire else "report.json"
    (arguments.out / name).write_text(json.dumps(report(results), indent=2) + "\n", encoding="utf-8")
    failed = [result.case.link for result in results if not result.holds]
    if failed:
        print(f"error: the planes, or a control, are not as they should be: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
