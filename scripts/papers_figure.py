"""Write the figure of the papers' statements into README.md and docs/reproduce-a-paper.md.

    .venv/bin/python scripts/papers_figure.py FOUND.json

FOUND.json is what `windlull papers --json` wrote. The same part of both files, between `<!-- measured: ... -->` and
`<!-- end -->`, is replaced.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import measured
from windlull.papers.by_statement import headline
from windlull.papers.grades import GRADES

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/reproduce-a-paper.md")


def main() -> None:
    """Write it."""
    if len(sys.argv) != 2:
        sys.exit("usage: papers_figure.py FOUND.json")
    found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for page in PAGES:
        measured.write(ROOT / page, figure(found))


def figure(found: dict[str, Any]) -> str:
    """Return the sentence with the figure, a table by paper, and how grades move with the seed."""
    statements = found["statements"]
    papers = list(dict.fromkeys(one["paper"] for one in statements))
    rows = [_row(f"`{paper}`", (one["grade"] for one in statements if one["paper"] == paper)) for paper in papers]
    head = f"| paper | {' | '.join(GRADES)} |\n|---|{'---:|' * len(GRADES)}\n"
    return f"{headline(found['counts'])}.\n\n{head}{''.join(rows)}\n{_seeds(found)}"


def _row(name: str, grades: Iterable[str]) -> str:
    counted = Counter(grades)
    return f"| {name} | {' | '.join(str(counted[grade]) for grade in GRADES)} |\n"


def _seeds(found: dict[str, Any]) -> str:
    seeds, statements = found["seeds"], found["statements"]
    if len(seeds) == 1:
        return "With one master seed for each experiment, its own."
    supported = [counted[GRADES[0]] for counted in seeds]
    moving = sum(len(set(one["by_seed"])) > 1 for one in statements)
    return (
        f"With {len(seeds)} master seeds {min(supported)} to {max(supported)} are supported, and the grade of "
        f"{moving} of {len(statements)} moves."
    )


if __name__ == "__main__":
    main()
