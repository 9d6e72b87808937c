"""The stacks from elsewhere: those whose adapters the repository has, and the engines that they were built into."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.errors import BadInputError, FailureError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENGINE = "engine"
"""The name of an engine with a stack in it, in the directory of that stack's name."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack that was built: its name, its package with the version, and its options with what they mean."""

    name: str
    version: str
    options: Mapping[str, str]


def adapters(sources: Path) -> list[str]:
    """Return the names of the stacks whose adapters are in a directory."""
    if not sources.is_dir():
        return []
    return sorted(place.name for place in sources.iterdir() if (place / "Cargo.toml").is_file())


def build(sources: Path, name: str, built: Path) -> Path:
    """Build an engine with a stack in it, and return where it is. What Cargo says goes to the terminal.

    Raises BadInputError if there is no such stack, and FailureError if it does not build.
    """
    known = adapters(sources)
    if name not in known:
        there = ", ".join(known) or "none"
        raise BadInputError(f'there is no stack "{name}" in {sources}; there is {there}')
    place = built / name
    place.mkdir(parents=True, exist_ok=True)
    command = [
        "cargo", "build", "--release", "--locked", "--package", f"windlull-{name}-engine",
        "--manifest-path", str(sources / name / "Cargo.toml"), "--target-dir", str(place / "build"),
    ]  # fmt: skip
    try:
        # A list of arguments, no shell: nothing that a person types is interpreted.
        code = subprocess.run(command, check=False).returncode  # noqa: S603
    except OSError as error:
        raise FailureError(f"cannot start cargo, which builds stacks: {error.strerror}") from error
    if code != 0:
        raise FailureError(f'the stack "{name}" was not built: cargo ended with exit code {code}')
    engine = place / ENGINE
    draft = place / f"{ENGINE}.{os.getpid()}"
    shutil.copy2(place / "build" / "release" / f"windlull-{name}-engine", draft)
    draft.replace(engine)
    return engine


def found(built: Path) -> list[Stack]:
    """Return the stacks that were built, by name, as their engines tell of them."""
    engines = sorted(built.glob(f"*/{ENGINE}")) if built.is_dir() else []
    return [stack for engine in engines for stack in _told(engine)]


def _told(engine: Path) -> list[Stack]:
    try:
        said = subprocess.run([engine, "stacks"], check=True, capture_output=True).stdout  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise FailureError(f"{engine} does not say which stack it has: {error}") from error
    return [Stack(one["name"], one["version"], one["options"]) for one in json.loads(said)]
