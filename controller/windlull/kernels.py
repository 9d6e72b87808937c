"""The kernels that were built for `--testbed kernel`: each a directory of its name, with a record of its making."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

STOCK = "stock"
"""The kernel of variants that name none."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: its name, the release that it says it is, the source it was built of and the patches to that."""

    name: str
    release: str
    source: str
    patches: tuple[str, ...]


def found(directory: Path) -> list[Kernel]:
    """Return the kernels in a directory, by name; none if it is not there."""
    if not directory.is_dir():
        return []
    # The tree that all are built in has a kernel in it too, but no record: it is nobody's by name.
    places = sorted(place for place in directory.iterdir() if (place / "record").is_file())
    return [_read(place) for place in places]


def _read(place: Path) -> Kernel:
    told = [line.partition(" ") for line in (place / "record").read_text(encoding="utf-8").splitlines()]
    said = {key: value for key, _, value in told}
    # Version and where it is from, without the hash.
    source = " ".join(said.get("source", "unknown").split()[:2])
    patches = tuple(value.split()[0] for key, _, value in told if key == "patch")
    return Kernel(place.name, said.get("release", "unknown"), source, patches)
