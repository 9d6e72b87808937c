"""Imports run one way: a crate imports just the rooms that docs/architecture.md grants it, and files make no circle.

Reads the table "Rooms" of docs/architecture.md and the dependencies that `cargo metadata` reports. Fails on a
dependency that the table does not grant, on a grant to a room that does not exist, on a crate without a row.
Dependencies of tests alone are free.

Inside a crate, in the Python package and in the pages, files import each other in one direction only
(`file_imports.py`). `EXCEPTIONS` are the imports that close a circle that stands; one that closes none is an error.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from file_imports import Imports, circles, python, rust, typescript

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = ROOT / "docs" / "architecture.md"
ROW = re.compile(r"^\| `[^`|]+` \| `(windlull-[a-z]+)` \|[^|]*\| ([^|]*) \|$", re.MULTILINE)

# The imports of files that close a circle: who imports, and which file, or which folder's.
EXCEPTIONS = {
    # The list of meters stands beside the rows of the metrics, so that a new metric is a row, a line and a file.
    ("testbed/analysis/src/metrics.rs", "testbed/analysis/src/metrics"),
    # Runs that another engine makes, in a kernel or with a stack in it, are a part of a sweep, and read its arguments.
    ("testbed/cli/src/run/apart.rs", "testbed/cli/src/run/mod.rs"),
    ("testbed/cli/src/run/kernels.rs", "testbed/cli/src/run/mod.rs"),
    ("testbed/cli/src/run/relay.rs", "testbed/cli/src/run/mod.rs"),
}


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


def of_files() -> Imports:
    """What each file of the repository imports of its own room."""
    rooms = [python(ROOT / "controller" / "windlull"), typescript(ROOT / "web" / "src")]
    for folder in ("emulator", "testbed"):
        roots = (ROOT / folder).rglob("src/*.rs")
        rooms += [rust(root) for root in roots if root.name in {"lib.rs", "main.rs"}]
    return {file: imported for room in rooms for file, imported in room.items()}


def in_circles(imports: Imports, exceptions: set[tuple[str, str]]) -> list[str]:
    """The circles beyond the exceptions, and the exceptions that there are no circles for, one sentence each."""
    standing = [set(circle) for circle in circles(imports)]
    closing = {
        exception: {
            other
            for other in imports.get(ROOT / exception[0], ())
            if other.is_relative_to(ROOT / exception[1])
            and any({ROOT / exception[0], other} <= circle for circle in standing)
        }
        for exception in exceptions
    }
    rest = {
        file: others.difference(*(left for (importer, _), left in closing.items() if ROOT / importer == file))
        for file, others in imports.items()
    }
    return [
        f"import each other in a circle: {', '.join(str(file.relative_to(ROOT)) for file in circle)}"
        for circle in circles(rest)
    ] + [
        f"{importer} closes no circle by {imported}: no exception is needed"
        for (importer, imported), left in sorted(closing.items())
        if not left
    ]


def main() -> int:
    """Exit code 0 when imports run one way."""
    found = violations(granted(ARCHITECTURE.read_text(encoding="utf-8")), actual())
    found += in_circles(of_files(), EXCEPTIONS)
    # The check must be able to fail: units importing sim is the plainest breach.
    if not violations({"windlull-units": set()}, {"windlull-units": {"windlull-sim"}}):
        found.append("the check itself is broken: it lets units import sim")
    one, other = ROOT / "one.rs", ROOT / "other.rs"
    if not in_circles({one: {other}, other: {one}}, set()) or not in_circles({one: {other}}, {("one.rs", "other.rs")}):
        found.append("the check itself is broken: it lets files import each other, or keeps exceptions")
    for sentence in found:
        print(f"error: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
