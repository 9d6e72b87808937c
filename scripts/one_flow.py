"""Measure what one flow gets through the links of each family, and write the tables of docs/links.

    .venv/bin/python scripts/one_flow.py

A page's links are those of its first table. The variant, the workload and the seed are those of the shipped experiment
`one-flow`; each link is run five times, and medians are printed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlull import locate
from windlull.recordings.link import rate_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "links"
REPETITIONS = 5
LINK = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
BEGIN, END = "<!-- one flow -->\n", "<!-- end -->"
HEADINGS = ("link", "goodput", "wait in the queue", "packets lost", "limited most by")
LIMITED_BY = "limited_by_"


def links_of(page: str) -> list[str]:
    """Return the links of a page in order, each once."""
    return list(dict.fromkeys(LINK.findall(page)))


def measured(links: list[str]) -> list[Mapping[str, Any]]:
    """Return each link's cell of the results, in order."""
    shipped = tomllib.loads((locate.profiles() / "experiments" / "one-flow.toml").read_text(encoding="utf-8"))
    experiment = {key: shipped[key] for key in ("title", "variants", "workload", "seed")}
    experiment |= {"links": links, "repetitions": REPETITIONS}
    with tempfile.TemporaryDirectory() as directory:
        file, results = Path(directory, "one-flow.toml"), Path(directory, "results.json")
        file.write_text(
            "".join(f"{key} = {json.dumps(value)}\n" for key, value in experiment.items()), encoding="utf-8"
        )
        command = [sys.executable, "-m", "windlull", "run", str(file), "--no-pcap", "--json", str(results)]
        subprocess.run([*command, "--out", str(Path(directory, "out"))], check=True, stdout=subprocess.DEVNULL)
        cells = json.loads(results.read_text(encoding="utf-8"))["cells"]
    by_link = {cell["link"]: cell for cell in cells}
    return [by_link[link] for link in links]


def row(cell: Mapping[str, Any]) -> str:
    """Return the table's line of a link."""
    median = {name: metric["median"] for name, metric in cell["metrics"].items() if metric is not None}
    wait = median["queue_delay_s"]
    share, limit = max((value, name) for name, value in median.items() if name.startswith(LIMITED_BY))
    values = (
        f"`{cell['link']}`",
        rate_text(float(f"{median['goodput_bps']:.3g}")),
        f"{wait * 1e3:.3g} ms" if wait < 1 else f"{wait:.3g} s",
        f"{median['packets_lost']:,.0f}",
        f"{limit.removeprefix(LIMITED_BY).replace('_', ' ')}, {share * 100:.0f} % of the time",
    )
    return f"| {' | '.join(values)} |"


def table(cells: Iterable[Mapping[str, Any]]) -> str:
    """Return a page's table with the sentence that says what it is."""
    said = f"One flow of `modern` down for 60 s, medians of {REPETITIONS} simulated runs (`make one-flow`):"
    head = f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}"
    return "\n".join(["", said, "", head, *map(row, cells), "", ""])


def main() -> None:
    """Write each page's table anew."""
    for path in sorted(PAGES.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        _, _, after = rest.partition(END)
        path.write_text(before + BEGIN + table(measured(links_of(page))) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
