"""Prints of controller/requirements.lock what the package needs to run, with versions and hashes; nothing of its tests.

    runtime_requirements.py DIRECTORY

reads pyproject.toml and requirements.lock in it. The lock says of every library who asks for it ("via"): what is
reached from the dependencies of the package belongs to it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

_NAME = re.compile(r"^([\w.-]+)==", re.MULTILINE)
_ASKED_BY = re.compile(r"^    # +(?:via +)?([\w.-]+)(?: \(.*\))?$", re.MULTILINE)


def main() -> int:
    """Print them. Exit code 1 if the lock lacks one that the package asks for."""
    try:
        print(end="".join(needed(Path(sys.argv[1])).values()))
    except LookupError as error:
        print(f"error: {error.args[0]}", file=sys.stderr)
        return 1
    return 0


def needed(directory: Path) -> dict[str, str]:
    """Return the lock's lines of each library that the package in a directory needs to run, in the order of names.

    Raises LookupError if the lock lacks one that the package asks for.
    """
    project = tomllib.loads((directory / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [re.split(r"[^\w.-]", requirement)[0] for requirement in project["dependencies"]]
    blocks = _blocks((directory / "requirements.lock").read_text(encoding="utf-8"))
    if missing := [name for name in wanted if name not in blocks]:
        raise LookupError(f"the lock has no {', '.join(missing)}; its first lines say how it is made")
    reached = set(wanted)
    while more := {name for name, block in blocks.items() if asked_by(block) & reached} - reached:
        reached |= more
    return {name: blocks[name] for name in sorted(reached)}


def asked_by(block: str) -> set[str]:
    """Return who asks for a library: others, and the package itself, by their names."""
    return set(_ASKED_BY.findall(block))


def _blocks(lock: str) -> dict[str, str]:
    """Return the lines of each library, by its name."""
    starts = list(_NAME.finditer(lock))
    ends = [*(start.start() for start in starts[1:]), len(lock)]
    return {start[1]: lock[start.start() : end] for start, end in zip(starts, ends, strict=True)}


if __name__ == "__main__":
    raise SystemExit(main())
