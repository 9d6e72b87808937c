"""Imports run one way: every crate imports just the rooms that docs/architecture.md grants it.

Reads the table "Rooms" of docs/architecture.md and the dependencies that `cargo metadata` reports. Fails on a
dependency that the table does not grant, on a grant to a room that does not exist, on a crate without a row.
Dependencies of tests alone are free.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = ROOT / "docs" / "architecture.md"
ROW = re.compile(r"^\| `[^`|]+` \| `(windlull-[a-z]+)` \|[^|]*\| ([^|]*) \|$", re.MULTILINE)


def granted(table: str) -> dict[str, set[str]]:
    """Crate name to the crate names it may import, from the architecture's table."""
    rows = ROW.findall(table)
    every = {name for name, _ in rows}
    grants: dict[str, set[str]] = {}
    for name, cell in rows:
        words = cell.strip()
        if words == "-":
            grants[name] = set()
        elif words == "all above":
            grants[name] = every - {name}
        else:
            grants[name] = {f"windlull-{room.strip()}" for room in words.split(",")}
        unknown = grants[name] - every
        if unknown:
            raise SystemExit(f"error: {ARCHITECTURE}: {name} is granted {sorted(unknown)}, which no row names")
    return grants


def actual() -> dict[str, set[str]]:
    """Crate name to the workspace crates it depends on outside its tests."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    members = {package["name"] for package in metadata["packages"]}
    return {
        package["name"]: {
            dependency["name"]
            for dependency in package["dependencies"]
            if dependency["name"] in members and dependency["kind"] != "dev"
        }
        for package in metadata["packages"]
    }


def violations(grants: dict[str, set[str]], uses: dict[str, set[str]]) -> list[str]:
    """What breaks the rule, one sentence each."""
    found = []
    for crate, imports in sorted(uses.items()):
        if crate not in grants:
            found.append(f"{crate} has no row in docs/architecture.md")
            continue
        found += [
            f"{crate} imports {room}, which docs/architecture.md does not grant"
            for room in sorted(imports - grants[crate])
        ]
    found += [
        f"docs/architecture.md has a row for {crate}, which does not exist"
        for crate in sorted(grants.keys() - uses.keys())
    ]
    return found


def main() -> int:
    """Exit code 0 when imports run one way."""
    found = violations(granted(ARCHITECTURE.read_text(encoding="utf-8")), actual())
    # The check must be able to fail: units importing sim is the plainest breach.
    if not violations({"windlull-units": set()}, {"windlull-units": {"windlull-sim"}}):
        found.append("the check itself is broken: it lets units import sim")
    for sentence in found:
        print(f"error: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
