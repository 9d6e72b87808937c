"""Which Windlull this is: versions and commits of command and engine, profiles, Python, libraries, machine.

For `windlull --version`, and for whoever must know whether two machines have the same.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from typing import TYPE_CHECKING, Any

import windlull
from windlull import locate
from windlull.errors import WindlullError
from windlull.runner import engine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KINDS = ("links", "variants", "workloads", "experiments")


def collect() -> dict[str, Any]:
    """Return what is known, ready for JSON. A part that is not there says so under `missing`."""
    return {
        "windlull": {"version": windlull.__version__, **_source()},
        "engine": _or_missing(lambda: {**engine.version(), "path": str(locate.engine())}),
        "profiles": _or_missing(lambda: _profiles(locate.profiles())),
        "python": {"version": platform.python_version(), "path": sys.executable},
        "machine": {"system": platform.system(), "kernel": platform.release(), "architecture": platform.machine()},
        "libraries": _libraries(),
    }


def missing(about: dict[str, Any]) -> list[str]:
    """Return why the parts that are not there are not."""
    return [part["missing"] for part in about.values() if "missing" in part]


def lines(about: dict[str, Any]) -> list[str]:
    """Return it for a person: a line for each part that is there."""
    command, the_engine, profiles = about["windlull"], about["engine"], about["profiles"]
    rows = [f"windlull {command['version']}, {_made_of(command)}, {command['path']}"]
    if "missing" not in the_engine:
        rows.append(f"engine {the_engine['version']}, {_made_of(the_engine)}, {the_engine['path']}")
    if "missing" not in profiles:
        counts = ", ".join(f"{profiles[kind]} {kind}" for kind in KINDS)
        rows.append(f"profiles {profiles['sha256'][:12]}: {counts}, {profiles['path']}")
    rows.append(f"Python {about['python']['version']}, {about['python']['path']}")
    rows.append(" ".join(about["machine"].values()))
    libraries = ", ".join(f"{name} {version}" for name, version in about["libraries"].items())
    rows.append(f"libraries: {libraries or 'not installed as a package'}")
    return rows


def _made_of(part: dict[str, Any]) -> str:
    return engine.made_of(part["commit"], changed=bool(part.get("dirty")))


def _or_missing(find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return find()
    except WindlullError as error:
        return {"missing": str(error)}


def _source() -> dict[str, Any]:
    """Return the commit of this package, and whether files were changed since: as built, or as the repository is."""
    path = {"path": str(locate.package())}
    built = locate.built()
    if built is not None:
        return {**json.loads(built.read_text(encoding="utf-8")), **path}
    repository = locate.repository()
    commit = _git(repository, "rev-parse", "--short=12", "HEAD") if repository else None
    if commit is None or repository is None:
        return {"commit": None, "dirty": None, **path}
    changed = _git(repository, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": changed != "", **path}


def _git(repository: Path, *arguments: str) -> str | None:
    """Ask git; None if it is not there, or this is no repository of its own."""
    try:
        answer = subprocess.run(  # noqa: S603 - a list of our own words
            ["git", "-C", str(repository), *arguments],  # noqa: S607 - whichever git the person uses
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def _profiles(root: Path) -> dict[str, Any]:
    """Count them, and return one hash over names and contents of all files: equal hashes, equal profiles."""
    digest = hashlib.sha256()
    counts = dict.fromkeys(KINDS, 0)
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        name, content = file.relative_to(root), file.read_bytes()
        digest.update(f"{name.as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
        if name.parts[0] in counts and name.suffix == ".toml":
            counts[name.parts[0]] += not _is_base(content)
    return {"sha256": digest.hexdigest(), **counts, "path": str(root)}


def _is_base(content: bytes) -> bool:
    """Whether a profile is only what others have in common and extend; the engine does not list it either."""
    try:
        return tomllib.loads(content.decode()).get("base") is True
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False


def _libraries() -> dict[str, str]:
    """Return the installed versions of what the package asks for, without what its development asks for.

    A package that was not installed, but is read from where it lies, asks for nothing.
    """
    try:
        asked = metadata.requires("windlull") or []
    except metadata.PackageNotFoundError:
        return {}
    names = sorted(re.split(r"[^\w.-]", requirement)[0] for requirement in asked if "extra ==" not in requirement)
    return {name: metadata.version(name) for name in names}
