"""Say whether two wheels are the same bytes, and if not, which of their files differ: `differences.py WHEEL WHEEL`."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path


def main() -> int:
    """Exit code 0 if they are the same, 1 if not."""
    one, other = (Path(argument) for argument in sys.argv[1:])
    if one.name == other.name and one.read_bytes() == other.read_bytes():
        print(f"{one.name}: the same {one.stat().st_size} bytes")
        return 0
    for line in differences(one, other) or ["the same files, in archives that differ"]:
        print(line, file=sys.stderr)
    return 1


def differences(one: Path, other: Path) -> list[str]:
    """Name what differs, a line each."""
    lines = [] if one.name == other.name else [f"the names differ: {one.name}, {other.name}"]
    with zipfile.ZipFile(one) as left, zipfile.ZipFile(other) as right:
        here, there = ({entry.filename: entry for entry in archive.infolist()} for archive in (left, right))
        for name in sorted(here.keys() | there.keys()):
            if name not in here or name not in there:
                lines.append(f"{name}: only in {'the first' if name in here else 'the second'}")
                continue
            for what in ("CRC", "file_size", "external_attr", "date_time"):
                if getattr(here[name], what) != getattr(there[name], what):
                    lines.append(f"{name}: another {_WORDS[what]}")
                    break
        if list(here) != list(there) and here.keys() == there.keys():
            lines.append("the files stand in another order")
    return lines


_WORDS = {"CRC": "content", "file_size": "content", "external_attr": "mode", "date_time": "time"}

if __name__ == "__main__":
    raise SystemExit(main())
