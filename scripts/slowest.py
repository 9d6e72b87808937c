"""The ten slowest tests of all suites, of what these wrote into a directory: JUnit's XML, and the log of `cargo test`.

    slowest.py DIRECTORY

Rust's test runner tells how long a program of tests took, and nothing of each: such a row is a whole program.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

MOST = 10
PROGRAM = re.compile(
    r"(?:Running .*\((?P<file>\S+)-[0-9a-f]{16}\)|Doc-tests (?P<crate>\S+))$|finished in (?P<s>[\d.]+)s$"
)


def of_junit(file: Path) -> list[tuple[float, str]]:
    """Return seconds and name of each test."""
    cases = ElementTree.parse(file).iter("testcase")  # noqa: S314 - our own tests wrote it
    return [(float(case.get("time", 0)), f"{case.get('classname')} {case.get('name')}") for case in cases]


def of_cargo(file: Path) -> list[tuple[float, str]]:
    """Return seconds and name of each program of tests."""
    found: list[tuple[float, str]] = []
    program = ""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        if told := PROGRAM.search(line):
            if told["s"]:
                found.append((float(told["s"]), program))
            else:
                program = Path(told["file"]).name if told["file"] else f"documentation of {told['crate']}"
    return found


def main(directory: Path) -> None:
    """Print them, the slowest first."""
    rows = [
        (seconds, file.stem.removeprefix("test-"), name)
        for file in sorted(directory.iterdir())
        for seconds, name in (of_junit if file.suffix == ".xml" else of_cargo)(file)
    ]
    print(f"The slowest of {len(rows)} tests:")
    for seconds, suite, name in sorted(rows, reverse=True)[:MOST]:
        print(f"{seconds:8.1f} s  {suite:<12} {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
