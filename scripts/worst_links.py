"""Search for the worst links of six senders, ship what is found, and write the tables of docs/worst-links.md.

    .venv/bin/python scripts/worst_links.py [--only frto,...] [--links 2000] [--kernel-links 250] [--out DIR]

Each search is `windlull search` over events of at most two seconds in the first one and a half of a transfer, on the
shipped link `short-pauses`. What it finds becomes an experiment, profiles/experiments/worst/NAME-1.toml and so on, over
a link of the same name, profiles/links/worst-NAME-1.toml. The stack quinn and the kernel `stock` must be built.

It can be interrupted: the same command goes on. With --only the other tables stay as they are.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measured

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "worst-links.md"
LINKS = ROOT / "profiles" / "links"
EXPERIMENTS = ROOT / "profiles" / "experiments" / "worst"
LINK, WORKLOAD = "short-pauses", "bulk-2-mb-down"
SEED = 1
KINDS = 3
_SHRINK = {"sim": 400, "kernel": 60}
"""How many simpler links are tried for each that is found; in kernels a try takes a second or two."""
SPACE = """
[events]
most   = 2
begin  = { from = "0 s", to = "1.5 s" }
length = { from = "10 ms", to = "2 s" }

[parameters]
"""
HEADINGS = ("", "the link", "ratio", "fails again", "steadily", "wrong decisions that it adds")


@dataclass(frozen=True)
class Study:
    """Whose worst links are searched, and against whom; in kernels or in simulation."""

    name: str
    variant: str
    against: str
    title: str
    testbed: str = "sim"


ALL = (
    Study("frto", "frto-sack+sack", "sack", "F-RTO against conventional recovery"),
    Study("eifel", "eifel+sack", "sack", "Eifel against conventional recovery"),
    Study("rack-tlp", "rack-tlp", "sack", "RACK-TLP against conventional recovery"),
    Study("modern", "modern", "sack", "A current host of ours against conventional recovery"),
    Study("linux", "linux", "modern", "Linux 6.12 against a current host of ours", "kernel"),
    Study("quinn", "quinn", "modern", "quinn, a QUIC stack, against a current host of ours"),
)


def searched(study: Study, links: int, out: Path) -> dict[str, Any]:
    """Search, or go on with a search, and return what it came to, with the paths of its files made absolute."""
    place = out / study.name
    out.mkdir(parents=True, exist_ok=True)
    space, experiment = out / "space.toml", out / f"{study.name}.toml"
    space.write_text(SPACE, encoding="utf-8")
    own = {"title": study.title, "source": "ours", "link": LINK, "workload": WORKLOAD, "seed": SEED}
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in own.items())
    if study.testbed == "kernel":
        text += f'variants = ["{study.against}"]\n\n[live]\nvariants = ["{study.variant}"]\n'
    else:
        text += f'variants = ["{study.against}", "{study.variant}"]\n'
    experiment.write_text(text, encoding="utf-8")
    command = [
        sys.executable, "-m", "windlull", "search", str(experiment), "--variant", study.variant,
        "--against", study.against, "--worst", "elapsed", "--budget", str(links), "--space", str(space),
        "--kinds", str(KINDS), "--testbed", study.testbed, "--shrink", str(_SHRINK[study.testbed]), "--out", str(place),
    ]  # fmt: skip
    subprocess.run(command, check=True, stdout=sys.stderr)
    said: dict[str, Any] = json.loads((place / "search.json").read_bytes())
    return said


def ship(study: Study, said: dict[str, Any], out: Path) -> None:
    """Write each finding as a link and an experiment of the profiles, instead of those of an earlier time."""
    for old in (*LINKS.glob(f"worst-{study.name}-*.toml"), *EXPERIMENTS.glob(f"{study.name}-*.toml")):
        old.unlink()
    EXPERIMENTS.mkdir(exist_ok=True)
    for number, found in enumerate(said["found"], 1):
        experiment = out / study.name / found["files"]["experiment"]
        title = f"Worst link {number} for {study.variant}, against {study.against}"
        source = f"ours: a search of {said['budget']:,} links, docs/worst-links.md"
        link = experiment.with_name("worst-link.toml").read_text(encoding="utf-8")
        head = f'title   = "{title}"\nsource  = "{source}"\nfamily  = "laboratory"\n'
        body = re.sub(r"^title = .*\n", "", link, count=1)
        (LINKS / f"worst-{study.name}-{number}.toml").write_text(head + body, encoding="utf-8")
        text = experiment.read_text(encoding="utf-8")
        text = re.sub(r"^title = .*\n", f'title = "{title}"\nsource = "{source}"\n', text, count=1)
        text = text.replace('"worst-link.toml"', f'"worst-{study.name}-{number}"')
        (EXPERIMENTS / f"{study.name}-{number}.toml").write_text(text, encoding="utf-8")


def table(study: Study, said: dict[str, Any]) -> str:
    """Return what is measured of a study: how much was tried, and a row for each finding."""
    testbed = " --testbed kernel" if study.testbed == "kernel" else ""
    tried, runs = len(said["tried"]) - 1, said["repetitions"]
    lines = [
        f"`{study.variant}` against `{study.against}`; {tried:,} links were tried, {runs} runs of each on each.",
        "",
        f"| {' | '.join(HEADINGS)} |",
        "|---:|---|---:|---:|---:|---|",
    ]
    for number, found in enumerate(said["found"], 1):
        link, confirmed, steady = found["sentence"].split(". elapsed time: ")[0], found["confirmed"], found["steady"]
        again = "-" if not confirmed["runs"] else f"{confirmed['failed']} of {confirmed['runs']}"
        told = "" if steady is None or steady["answer"] == "high" else ": no"
        steadily = "-" if steady is None else f"{steady['failed']} of {steady['runs']}{told}"
        wrong = ", ".join(found["kind"]["wrong"]).replace("_", " ") or "none"
        lines.append(f"| {number} | {link} | {confirmed['value']:.2f} | {again} | {steadily} | {wrong} |")
    lines += [
        "",
        *(f"    windlull run worst/{study.name}-{number}{testbed}" for number in range(1, len(said["found"]) + 1)),
    ]
    return "\n".join(lines)


def main() -> int:
    """Do what is asked."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", help="names of studies, with commas between them (default: all)")
    options.add_argument("--links", type=int, default=2000, help="how many are tried in simulation (default 2000)")
    options.add_argument("--kernel-links", type=int, default=250, help="how many in kernels (default 250)")
    options.add_argument("--out", type=Path, default=ROOT / "target" / "worst-links")
    given = options.parse_args()
    chosen = [study for study in ALL if given.only is None or study.name in given.only.split(",")]
    if not chosen:
        options.error(f"--only {given.only}: there are {', '.join(study.name for study in ALL)}")
    for study in chosen:
        said = searched(study, given.kernel_links if study.testbed == "kernel" else given.links, given.out.resolve())
        ship(study, said, given.out.resolve())
        text = table(study, said)
        print(text, flush=True)
        measured.write(PAGE, text, study.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
