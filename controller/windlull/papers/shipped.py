"""The papers whose experiments are shipped: the folders under `experiments/papers` of the profiles."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from windlull.errors import BadInputError, nearest

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "papers"


def papers(profiles: Path) -> dict[str, list[str]]:
    """Return the names of the experiments by paper, both in order: tables and figures by their numbers."""
    root = profiles / "experiments"
    found: dict[str, list[str]] = {}
    for file in (root / FOLDER).rglob("*.toml"):
        if tomllib.loads(file.read_text(encoding="utf-8")).get("base"):
            continue  # What several have in common is none of them.
        name = file.relative_to(root).with_suffix("").as_posix()
        found.setdefault(name.split("/")[1], []).append(name)
    return {paper: sorted(found[paper], key=_place) for paper in sorted(found)}


def chosen(known: dict[str, list[str]], only: tuple[str, ...]) -> dict[str, list[str]]:
    """Return those that were asked for: papers whole (`wen2010`) or experiments (`wen2010/figure-3`); all if none was.

    Raises BadInputError for a name that is neither.
    """
    wanted: set[str] = set()
    for asked in only:
        name = asked.removeprefix(f"{FOLDER}/")
        of_it = {
            one for paper, names in known.items() for one in names if name in {paper, one.removeprefix(f"{FOLDER}/")}
        }
        if not of_it:
            names = [*known, *(one.removeprefix(f"{FOLDER}/") for names in known.values() for one in names)]
            meant = nearest(name, names)
            hint = f'did you mean "{meant}"?' if meant else f"the papers are {', '.join(known)}"
            raise BadInputError(f"--only {asked}: no paper or experiment of that name; {hint}")
        wanted |= of_it
    kept = {paper: [one for one in names if not only or one in wanted] for paper, names in known.items()}
    return {paper: names for paper, names in kept.items() if names}


def _place(name: str) -> tuple[tuple[bool, int, str], ...]:
    """Sort `figure-10` behind `figure-9`."""
    return tuple((part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", name))
