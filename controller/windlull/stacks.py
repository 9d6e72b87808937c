"""The stacks from elsewhere: those whose adapters the repository has, and the engines that they were built into."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import tomlkit

from windlull.errors import BadInputError, FailureError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENGINE = "engine"
"""The name of an engine with a stack in it, in the directory of that stack's name."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""A name of a build, as the engine reads it behind the `@` of a variant."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack that was built: its name, its package with the version, and its options with what they mean."""

    name: str
    version: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Instead:
    """What a build takes instead of the pinned package: another version, or a checkout that has it. Its name."""

    version: str | None
    checkout: Path | None
    name: str | None

    def label(self) -> str:
        """Return the name of the build. Raises BadInputError if it must be given."""
        if self.name is not None:
            label = self.name
        elif self.checkout is not None:
            label = self.checkout.resolve().name
        else:
            label = (self.version or "").replace(".", "-")
        if not _NAME.fullmatch(label):
            raise BadInputError(
                f'"{label}" is no name of a build, of small letters, digits and "-"; give one, as `--name mine`'
            )
        return label


def adapters(sources: Path) -> list[str]:
    """Return the names of the stacks whose adapters are in a directory."""
    if not sources.is_dir():
        return []
    return sorted(place.name for place in sources.iterdir() if (place / "Cargo.toml").is_file())


def build(sources: Path, name: str, built: Path, instead: Instead | None = None) -> Path:
    """Build an engine with a stack in it, and return where it is. What Cargo says goes to the terminal.

    Raises BadInputError if there is no such stack, version or checkout, and FailureError if it does not build.
    """
    known = adapters(sources)
    if name not in known:
        there = ", ".join(known) or "none"
        raise BadInputError(f'there is no stack "{name}" in {sources}; there is {there}')
    if instead is None:
        return _compile(sources / name, name, built / name, locked=True)
    called = f"{name}@{instead.label()}"
    source = built / called / "source"
    try:
        adapter = _changed(sources, name, source, instead)
        version = _version_of(adapter, instead)
    except BadInputError:
        shutil.rmtree(source)
        raise
    return _compile(adapter, name, built / called, WINDLULL_STACK=called, WINDLULL_STACK_VERSION=version)


def _compile(adapter: Path, name: str, place: Path, *, locked: bool = False, **told: str) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    command = [
        "cargo", "build", "--release", "--package", f"windlull-{name}-engine",
        "--manifest-path", str(adapter / "Cargo.toml"), "--target-dir", str(place / "build"),
        *(["--locked"] if locked else []),
    ]  # fmt: skip
    code = _cargo(command, told).returncode
    if code != 0:
        needs = _needs(adapter / "Cargo.toml")
        raise FailureError(f'the stack "{name}" was not built: cargo ended with exit code {code}; {needs}')
    engine = place / ENGINE
    draft = place / f"{ENGINE}.{os.getpid()}"
    shutil.copy2(place / "build" / "release" / f"windlull-{name}-engine", draft)
    draft.replace(engine)
    return engine


def _cargo(command: list[str], told: Mapping[str, str], *, hears: bool = False) -> subprocess.CompletedProcess[bytes]:
    output = subprocess.PIPE if hears else None
    try:
        # A list of arguments, no shell: nothing that a person types is interpreted.
        return subprocess.run(command, check=False, env={**os.environ, **told}, stdout=output)  # noqa: S603
    except OSError as error:
        raise FailureError(f"cannot start cargo, which builds stacks: {error.strerror}") from error


def _changed(sources: Path, name: str, place: Path, instead: Instead) -> Path:
    """Return a copy of an adapter, beside what it shares with others, that takes another version or a checkout."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(sources, place, ignore=shutil.ignore_patterns("target"))
    adapter = place / name
    for file in (adapter / "Cargo.toml", adapter / "engine" / "Cargo.toml"):
        original = sources / file.relative_to(place)
        manifest = tomlkit.parse(file.read_text(encoding="utf-8"))
        for dependency in _dependencies(manifest).values():
            # What is not copied stays where it is.
            if isinstance(dependency, dict) and "path" in dependency:
                target = (original.parent / dependency["path"]).resolve()
                if not target.is_relative_to(sources.resolve()):
                    dependency["path"] = str(target)
        if file.parent == adapter:
            _take(manifest, instead)
        file.write_text(tomlkit.dumps(manifest), encoding="utf-8")
    return adapter


def _dependencies(manifest: tomlkit.TOMLDocument) -> dict[str, str | dict[str, str]]:
    return cast("dict[str, str | dict[str, str]]", manifest["dependencies"])


def _package(manifest: tomlkit.TOMLDocument) -> str:
    """Return the package that an adapter is of."""
    metadata = cast("dict[str, dict[str, dict[str, str]]]", manifest["package"])["metadata"]
    return metadata["windlull"]["stack"]


def _take(manifest: tomlkit.TOMLDocument, instead: Instead) -> None:
    package = _package(manifest)
    dependency = cast("dict[str, str]", _dependencies(manifest)[package])
    if instead.checkout is not None:
        del dependency["version"]
        dependency["path"] = str(_crate(instead.checkout, package))
    else:
        dependency["version"] = f"={instead.version}"


def _crate(checkout: Path, package: str) -> Path:
    """Return where a package is in a checkout: at its top, or in a directory of it."""
    for file in (checkout / "Cargo.toml", *sorted(checkout.glob("*/Cargo.toml"))):
        if file.is_file() and tomlkit.parse(file.read_text(encoding="utf-8")).get("package", {}).get("name") == package:
            return file.parent.resolve()
    raise BadInputError(f'there is no package "{package}" in {checkout} or a directory of it')


def _version_of(adapter: Path, instead: Instead) -> str:
    """Return the package that the adapter now takes, with its version and, of a checkout, the commit."""
    package = _package(tomlkit.parse((adapter / "Cargo.toml").read_text(encoding="utf-8")))
    command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", str(adapter / "Cargo.toml")]
    done = _cargo(command, {}, hears=True)
    if done.returncode != 0:
        raise BadInputError(f"cargo finds no {package} as it was asked for; it has said why")
    packages = json.loads(done.stdout)["packages"]
    # A stack may depend on a published version of itself.
    local = instead.checkout is not None
    found = next(one for one in packages if one["name"] == package and (one["source"] is None) == local)
    version = f"{package} {found['version']}"
    if instead.checkout is None:
        return version
    git = ["git", "-C", str(instead.checkout), "describe", "--always", "--dirty", "--abbrev=12"]
    described = subprocess.run(git, check=False, capture_output=True, text=True).stdout.strip()  # noqa: S603
    return f"{version} ({described or 'a checkout'})"


def _needs(manifest: Path) -> str:
    """Return what a stack's build needs, in words: it is hard to see in what Cargo says."""
    package = tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]
    probes = package.get("metadata", {}).get("windlull", {}).get("needs", [])
    packages = [probe.partition("=")[2] for probe in probes]
    rust = f"it needs Rust {package['rust-version']} or newer"
    return f"{rust}, and what Debian has as {', '.join(packages)}" if packages else rust


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
