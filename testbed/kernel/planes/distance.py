"""How near the nearest link comes: shipped links that netem cannot express. `make test-kernel` calls it.

`windlull-probe --nearest` plays what `windlull export --format tc` writes for them. Prints for each link the distance
of Kolmogorov and Smirnov between the delays, the median and the 95th percentile of the delays, and the share of packets
lost. Exit code 1 if a link is further from the model than its bound, or if its control, another link by
netem, is not: the bound must tell a wrong link.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from probe import ROOT, Tools, arguments_of
from scipy import stats

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A link, what is sent down it, and how far the nearest may be from the model."""

    link: str
    control: str
    packets: int
    gap_us: int
    most_distance: float
    most_lost_apart: float


CASES = (
    Case("gprs", "umts-3g", 900, 250_000, 0.10, 0.01),
    Case("umts-3g", "gprs", 5_000, 30_000, 0.10, 0.01),
)


def play(tools: Tools, case: Case, link: str, *options: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the delay of each packet in ms; NaN if it was lost."""
    traffic = ("--packets", str(case.packets), "--gaps", str(case.gap_us), "--settle", "60")
    everything: list[str | Path] = ["--profiles", ROOT / "profiles", *options, *traffic]
    return tools.delays_us(f"{case.link}-as-{link}-{options[1]}", link, everything) / 1e3


def main() -> int:
    """Exit code 0 when each link is within its bounds and its control is not."""
    tools = Tools.of(arguments_of(__doc__).parse_args())
    failed = []
    print("link      K-S dist.  median ms (model, tc)  95 % ms (model, tc)    lost % (model, tc)  control's K-S")
    for case in CASES:
        model = play(tools, case, case.link, "--plane", "model")
        nearest = play(tools, case, case.link, "--plane", "netem", "--nearest")
        control = play(tools, case, case.control, "--plane", "netem", "--nearest")
        passed = [sample[~np.isnan(sample)] for sample in (model, nearest, control)]
        distance = float(stats.ks_2samp(passed[0], passed[1]).statistic)
        wrong = float(stats.ks_2samp(passed[0], passed[2]).statistic)
        lost = [float(np.isnan(sample).mean()) for sample in (model, nearest)]
        halves = [float(np.median(sample)) for sample in passed[:2]]
        tails = [float(np.quantile(sample, 0.95)) for sample in passed[:2]]
        print(
            f"{case.link:8}  {distance:9.4f}  {halves[0]:9.1f}  {halves[1]:9.1f}  {tails[0]:9.1f}  {tails[1]:9.1f}"
            f"  {100 * lost[0]:8.2f}  {100 * lost[1]:8.2f}  {wrong:13.3f}",
            flush=True,
        )
        near = distance <= case.most_distance and abs(lost[0] - lost[1]) <= case.most_lost_apart
        if not near or wrong <= case.most_distance:
            failed.append(case.link)
    if failed:
        print(
            f"error: further from the model than the bound, or a control within it: {', '.join(failed)}",
            file=sys.stderr,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
