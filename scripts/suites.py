"""The ten slowest tests of all suites, and those that failed, with the targets of make that did.

    suites.py DIRECTORY

It reads what the suites wrote into that directory: JUnit's XML, the log of `cargo test`, and what make said.

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
FAILED = re.compile(r"^test (\S+) \.\.\. FAILED$|^---- (\S+) stdout ----$")
TARGET = re.compile(r"^make(?:\[\d+\])?: \*\*\* \[(?:[^:\]]+:\d+: )?([^\]]+)\]")


def of_junit(file: Path) -> list[tuple[float, str]]:
    """Return seconds and name of each test."""
    cases = ElementTree.parse(file).iter("testcase")  # noqa: S314 - our own tests wrote it
    return [(float(case.get("time", 0)), f"{case.get('classname')} {case.get('name')}") for case in cases]


def of_cargo(file: Path) -> list[tuple[float, str]]:
    """Return seconds and name of each program of tests."""
    found: list[tuple[float, str]] = []
    program = ""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        if parsed := PROGRAM.search(line):
            if parsed["s"]:
                found.append((float(parsed["s"]), program))
            else:
                program = Path(parsed["file"]).name if parsed["file"] else f"documentation of {parsed['crate']}"
    return found


def failed_in_junit(file: Path) -> list[str]:
    """Return name and first line of the reason of each test that failed."""
    cases = ElementTree.parse(file).iter("testcase")  # noqa: S314 - our own tests wrote it
    return [
        f"{case.get('classname')} {case.get('name')}: {(reason.get('message') or '').partition(chr(10))[0]}"
        for case in cases
        for reason in case
        if reason.tag in {"failure", "error"}
    ]


def failed_in_cargo(file: Path) -> list[str]:
    """Return the name of each test that failed."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return sorted({parsed[1] or parsed[2] for line in lines if (parsed := FAILED.match(line))})


def none_of_make(_: Path) -> list[tuple[float, str]]:
    """Return no times: make tells none."""
    return []


def failed_in_make(file: Path) -> list[str]:
    """Return each target that make gave up."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return sorted({f"make {parsed[1]}" for line in lines if (parsed := TARGET.match(line))})


READERS = {
    ".xml": (of_junit, failed_in_junit),
    ".log": (of_cargo, failed_in_cargo),
    ".make": (none_of_make, failed_in_make),
}


def main(directory: Path) -> None:
    """Print the slowest, the slowest first, and then what failed."""
    files = sorted(directory.iterdir())
    rows = [
        (seconds, file.stem.removeprefix("test-"), name)
        for file in files
        for seconds, name in READERS[file.suffix][0](file)
    ]
    print(f"The slowest of {len(rows)} tests:")
    for seconds, suite, name in sorted(rows, reverse=True)[:MOST]:
        print(f"{seconds:8.1f} s  {suite:<12} {name}")
    for file in files:
        for reason in READERS[file.suffix][1](file):
            print(f"failed: {file.stem.removeprefix('test-')}: {reason}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
