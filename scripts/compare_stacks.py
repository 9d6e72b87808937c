"""Compare stacks after what a link does to them, and write the tables of docs/stacks-compared.md.

    .venv/bin/python scripts/compare_stacks.py

Which links, how much, how often: the shipped experiment `quic/compared`. Compared are our TCP of today, Linux's (on the
testbed `kernel`), aioquic, and each stack that is built, with the variants that are shipped for it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlull import kernels, locate, stacks
from windlull.runner import engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "stacks-compared.md"
EXPERIMENT = "quic/compared"
BEGIN, END = "<!-- compared -->\n", "<!-- end -->"
OURS, LINUX, AIOQUIC = "modern", "linux", "aioquic"
HEADINGS = (
    "variant", "elapsed", "lost by the link", "declared lost", "of these spurious", "sent again", "of this unnecessary",
    "spurious timeouts", "windows restored",
)  # fmt: skip
METRICS = (
    "packets_lost", "packets_declared_lost", "spurious_losses", "retransmissions", "unnecessary_retransmissions",
    "spurious_timeouts", "windows_restored",
)  # fmt: skip


def variants_of(built: Sequence[stacks.Stack]) -> list[str]:
    """Return the shipped variants of the stacks that are built, by name."""
    names = {stack.name for stack in built}
    found = []
    for file in sorted((locate.profiles() / "variants").glob("*.toml")):
        transport = engine.ask(["show", str(file)])["resolved"]["resolved"].get("transport")
        if transport is not None and transport["name"] in names:
            found.append(file.stem)
    return found


def measured(variants: Sequence[str], *options: str) -> list[Mapping[str, Any]]:
    """Return the cells of the results of these variants."""
    with tempfile.TemporaryDirectory() as directory:
        shipped = locate.profiles() / "experiments" / f"{EXPERIMENT}.toml"
        own = {**tomllib.loads(shipped.read_text(encoding="utf-8")), "variants": list(variants)}
        file, results = Path(directory, "compared.toml"), Path(directory, "results.json")
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in own.items())
        file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "windlull", "run", str(file), "--no-pcap", "--json", str(results), *options]
        subprocess.run([*command, "--out", str(Path(directory, "out"))], check=True, stdout=subprocess.DEVNULL)
        cells: list[Mapping[str, Any]] = json.loads(results.read_text(encoding="utf-8"))["cells"]
        return cells


def row(cell: Mapping[str, Any]) -> str:
    """Return the table's line of a variant on a link."""
    median = {name: metric["median"] for name, metric in cell["metrics"].items() if metric is not None}
    counts = [f"{median[name]:,.0f}" if median.get(name) is not None else "-" for name in METRICS]
    return f"| `{cell['variant']}` | {median['elapsed_s']:.2f} s | {' | '.join(counts)} |"


def page(links: Mapping[str, str], cells: Sequence[Mapping[str, Any]], told: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the generated part: who took part, then a table for each link."""
    yield ""
    yield from (f"- {line}" for line in told)
    for link, title in links.items():
        yield from ("", f"## {title}", "", f"`{link}`", "")
        yield f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}"
        yield from (row(cell) for cell in cells if cell["link"] == link)
    yield ""


def main() -> None:
    """Write the page's tables anew."""
    built = stacks.found(locate.stacks())
    with tempfile.TemporaryDirectory() as directory:
        # A program stands in a variant as it is found on this machine.
        aioquic = Path(directory, f"{AIOQUIC}.toml")
        command = [sys.executable, str(ROOT / "stacks" / "aioquic" / "aioquic_stack.py")]
        aioquic.write_text(
            f'title = "aioquic"\nstack = "transport"\n[transport]\ncommand = {json.dumps(command)}\n', encoding="utf-8"
        )
        simulated = [OURS, *variants_of(built), str(aioquic)]
        cells = measured(simulated)
    told = [f"`{OURS}`: Windlull {engine.version()['version']}"]
    kernel = next((one for one in kernels.found(locate.kernels()) if one.name == kernels.STOCK), None)
    if kernel is not None:
        cells += [cell for cell in measured([LINUX], "--testbed", "kernel") if cell["testbed"] == "kernel"]
        told.append(f"`{LINUX}`: Linux {kernel.release}, in virtual time")
    told += [f"`{stack.name}`: {stack.version}" for stack in built]
    told.append(f"`{AIOQUIC}`: aioquic {version('aioquic')}, a process at each end")
    links = {cell["link"]: str(engine.ask(["show", cell["link"]])["resolved"]["title"]) for cell in cells}
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + "\n".join(page(links, cells, told)) + "\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
