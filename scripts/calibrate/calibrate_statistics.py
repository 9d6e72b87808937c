"""Measure how often intervals, gates and comparisons are wrong, over runs whose truth is known.

    .venv/bin/python scripts/calibrate/calibrate_statistics.py [--quick] [--trials 500] [--seed 1] [--page PAGE]

Draws samples of 6 to 1000 runs of each side from populations with light, skewed, heavy and rare-event tails, of times
and of counts, in pairs and not, and from runs of the simulator; asks the package's own code for intervals and verdicts,
and for how many runs would decide. With --page the tables of that page are replaced by the new ones; without, they are
printed. The same seed gives the same numbers. Ends with 1 if a bar is not kept, and says which.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from advised import advise, advised_table, too_few
from calibration import Cell, broken, measure, tables
from looking import look, looked_table
from populations import POPULATIONS, simulated

COUNTS = (6, 10, 20, 40, 100, 200, 1000)
QUICK = (10, 40)
MOST = 100_000
"""How many values of a side all samples of a cell may have."""

LOOKED = ("light", "heavy", "rare")
LOOKED_AT_MOST = (80, 320)
"""Where, and with how many runs at most, gates look more than once."""

SIMULATED = 20_000
_TABLES = re.compile(r"(<!-- calibration -->\n).*?(<!-- end of the calibration -->)", re.DOTALL)


def main() -> int:
    """Measure, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=500, help="samples a cell, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a few cells and samples, a first look")
    parser.add_argument("--page", type=Path, help="replace the tables of this page")
    options = parser.parse_args()
    counts, trials = (QUICK, min(options.trials, 300)) if options.quick else (COUNTS, options.trials)
    populations = [*POPULATIONS, simulated(SIMULATED // 10 if options.quick else SIMULATED)]
    cells: list[Cell] = []
    for cell in measure(populations, counts, trials, most=MOST, seed=options.seed):
        cells.append(cell)
        where = f"{cell.population.name}, {'pairs' if cell.paired else 'no pairs'}, {cell.runs} runs"
        print(f"{len(cells)} of {2 * len(populations) * len(counts)}: {where}", file=sys.stderr)
    looked = list(look([one for one in populations if one.name in LOOKED], LOOKED_AT_MOST, trials, seed=options.seed))
    advised = list(advise(POPULATIONS, trials, seed=options.seed))
    text = "\n".join([tables(cells), "", *looked_table(looked), "", *advised_table(advised)])
    if options.page is None:
        print(text)
    else:
        page = options.page.read_text(encoding="utf-8")
        options.page.write_text(_TABLES.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page), encoding="utf-8")
    wrong = broken(cells, looked) + too_few(advised)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
