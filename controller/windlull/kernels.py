"""The kernels that were built for `--testbed kernel`: each a directory of its name, with a record of its making."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.errors import ExitCode, FailureError
from windlull.signals import as_interrupt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

STOCK = "stock"
"""The kernel of variants that name none."""


STDOUT, STDERR = 1, 2
"""File descriptors."""

_BAD_INPUT = 2
"""The builder's exit code for what the person gave."""


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


def build(builder: Path, directory: Path, name: str, options: Sequence[str], *, says_to: int = STDOUT) -> ExitCode:
    """Build the kernel `name` in a directory, with the builder's own options.

    The builder says to the file descriptor `says_to` what it does, and to standard error what is wrong. Returns OK,
    BAD_INPUT for what the person gave, or FAILURE. Raises FailureError if the builder cannot be started.
    """
    arguments = [str(builder), str(directory), "--name", name, *options]
    try:
        # A list of arguments, no shell: nothing that a person types is interpreted.
        with as_interrupt(), subprocess.Popen(arguments, stdout=says_to) as process:  # noqa: S603
            code = _ended(process)
    except OSError as error:
        raise FailureError(f"cannot start {builder}: {error.strerror}") from error
    if code == _BAD_INPUT:
        return ExitCode.BAD_INPUT
    return ExitCode.OK if code == 0 else ExitCode.FAILURE


def _ended(process: subprocess.Popen[bytes]) -> int:
    """Wait for the builder. Interrupted, have it end its compilers: they would keep the lock of the directory."""
    try:
        return process.wait()
    except BaseException:
        process.terminate()
        raise


def lacking(directory: Path, wanted: Iterable[str]) -> list[str]:
    """Return a sentence for each of the `wanted` kernels that is not in the directory, by name: what would make it."""
    missing = sorted({name for name in wanted if not (directory / name / "linux").is_file()})
    there = ", ".join(kernel.name for kernel in found(directory)) or "none"
    return [f'there is no kernel "{name}" in {directory}; there is {there}; {_made(name)}' for name in missing]


def _made(name: str) -> str:
    if name == STOCK:
        return "`windlull kernel build` makes it in some minutes"
    return f"`windlull kernel build --name {name}` with its patch or source makes it"


def _read(place: Path) -> Kernel:
    pairs = [line.partition(" ") for line in (place / "record").read_text(encoding="utf-8").splitlines()]
    said = {key: value for key, _, value in pairs}
    # Version and where it is from, without the hash.
    source = " ".join(said.get("source", "unknown").split()[:2])
    patches = tuple(value.split()[0] for key, _, value in pairs if key == "patch")
    return Kernel(place.name, said.get("release", "unknown"), source, patches)
