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
    directory = Path(sys.argv[1])
    project = tomllib.loads((directory / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [re.split(r"[^\w.-]", requirement)[0] for requirement in project["dependencies"]]
    blocks = _blocks((directory / "requirements.lock").read_text(encoding="utf-8"))
    if missing := [name for name in wanted if name not in blocks]:
        print(f"error: the lock has no {', '.join(missing)}; its first lines say how it is made", file=sys.stderr)
        return 1
    asked_by = {name: set(_ASKED_BY.findall(block)) for name, block in blocks.items()}
    needed = set(wanted)
    while more := {name for name, by in asked_by.items() if by & needed} - needed:
        needed |= more
    for name in sorted(needed):
        print(blocks[name], end="")
    return 0


def _blocks(lock: str) -> dict[str, str]:
    """Return the lines of each library, by its name."""
    starts = list(_NAME.finditer(lock))
    ends = [*(start.start() for start in starts[1:]), len(lock)]
    return {start[1]: lock[start.start() : end] for start, end in zip(starts, ends, strict=True)}


if __name__ == "__main__":
    raise SystemExit(main())
