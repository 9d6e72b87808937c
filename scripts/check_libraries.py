"""Every library has its reason: a row in docs/decisions/0002-libraries.md, and no row is without a library.

Reads Cargo.toml, fuzz/Cargo.toml, controller/pyproject.toml, docs/site/requirements.in and web/package.json. Libraries
of one family may share a row, separated by commas; type declarations (`@types/...`) need none.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REASONS = ROOT / "docs" / "decisions" / "0002-libraries.md"
SITE = ROOT / "docs" / "site"
ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \|$", re.MULTILINE)


def used() -> set[str]:
    """The names of all libraries that a manifest asks for."""
    names: set[str] = set()
    for manifest in ("Cargo.toml", "fuzz/Cargo.toml"):
        cargo = tomllib.loads((ROOT / manifest).read_text(encoding="utf-8"))
        names |= set(cargo.get("workspace", {}).get("dependencies", {})) | set(cargo.get("dependencies", {}))
    names |= of_python() | of_the_site()
    package = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    names |= set(package["dependencies"]) | set(package["devDependencies"])
    return {name for name in names if not name.startswith(("windlull", "@types/"))}


def of_python() -> set[str]:
    """The names of all libraries that the Python package asks for."""
    project = tomllib.loads((ROOT / "controller" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [
        *project["dependencies"],
        *(r for extra in project["optional-dependencies"].values() for r in extra),
    ]
    return {re.split(r"[^\w.-]", requirement)[0] for requirement in requirements}


def of_the_site() -> set[str]:
    """The names of what builds the documentation."""
    return set(re.findall(r"^[\w.-]+", (SITE / "requirements.in").read_text(encoding="utf-8"), re.MULTILINE))


def unlocked() -> list[tuple[str, str]]:
    """What is asked for and its lock does not have: the lock was not made anew. Lock and name."""
    return [
        (lock.relative_to(ROOT).as_posix(), name)
        for lock, names in (
            (ROOT / "controller" / "requirements.lock", of_python()),
            (SITE / "requirements.lock", of_the_site()),
        )
        for name in sorted(names - set(re.findall(r"^([\w.-]+)==", lock.read_text(encoding="utf-8"), re.MULTILINE)))
    ]


def explained() -> set[str]:
    """The names in the first column of the tables."""
    cells = ROW.findall(REASONS.read_text(encoding="utf-8"))
    names = {name.strip() for cell in cells for name in cell.split(",")}
    return {name for name in names if name not in {"library", "---"}}


def main() -> int:
    """Exit code 0 when libraries, reasons and the lock match."""
    for lock, name in unlocked():
        print(f"error: {lock} has no {name}; its first lines say how it is made", file=sys.stderr)
    unexplained, unused = used() - explained(), explained() - used()
    for name in sorted(unexplained):
        print(f"error: {REASONS.relative_to(ROOT)} gives no reason for {name}", file=sys.stderr)
    for name in sorted(unused):
        print(f"error: {REASONS.relative_to(ROOT)} has a row for {name}, which nothing uses", file=sys.stderr)
    return 1 if unexplained or unused or unlocked() else 0


if __name__ == "__main__":
    raise SystemExit(main())
