"""Where the engine, the profiles and the report's page are.

Three places, in this order: an environment variable; beside this package, if they were packaged with it; the
repository, if this package is installed from it in editable mode.
"""

from __future__ import annotations

import os
from pathlib import Path

from windlull.errors import FailureError

_PACKAGE = Path(__file__).resolve().parent
_PACKAGED = _PACKAGE / "_packaged"
_REPOSITORY = _PACKAGE.parent.parent


def engine() -> Path:
    """Return the path of the engine's binary.

    Raises FailureError if there is none, and says how to build it.
    """
    return _find(
        "the engine",
        "WINDLULL_ENGINE",
        (_PACKAGED / "windlull-engine", _REPOSITORY / "target" / "release" / "windlull-engine"),
        "build it with: cargo build --release -p windlull-engine",
    )


def profiles() -> Path:
    """Return the directory of the shipped links, variants, workloads and experiments.

    Raises FailureError if there is none.
    """
    return _find(
        "the profiles",
        "WINDLULL_PROFILES",
        (_PACKAGED / "profiles", _REPOSITORY / "profiles"),
        "set WINDLULL_PROFILES to the directory that has links/, variants/, workloads/, experiments/",
    )


def schema() -> Path:
    """Return the JSON Schema of all that the engine says and writes. Raises FailureError if there is none."""
    return _find(
        "the engine's schema",
        "WINDLULL_SCHEMA",
        (_PACKAGED / "schema" / "engine.json", _REPOSITORY / "schema" / "engine.json"),
        "it is in schema/ of the repository",
    )


def kernels() -> Path:
    """Return the directory of the kernels that runs can be made in, which need not be there."""
    return _built("WINDLULL_KERNELS", "kernels", _REPOSITORY / "target" / "kernel", kernel_builder_here())


def kernel_builder() -> Path:
    """Return the program that builds kernels. Raises FailureError if it is not there."""
    return _find(
        "what builds kernels",
        "WINDLULL_KERNEL_BUILDER",
        (_PACKAGED / "testbed" / "kernel" / "build.sh", kernel_builder_here()),
        "it is in testbed/kernel of the repository",
    )


def kernel_builder_here() -> Path:
    """Return where it is in the repository, if this package is installed from it."""
    return _REPOSITORY / "testbed" / "kernel" / "build.sh"


def stacks() -> Path:
    """Return the directory of the engines with stacks from elsewhere in them, which need not be there."""
    return _built("WINDLULL_STACKS", "stacks", _REPOSITORY / "target" / "stacks", _REPOSITORY / "stacks")


def stack_sources() -> Path:
    """Return the directory of the adapters of stacks. Raises FailureError if there is none."""
    return _find(
        "the adapters of stacks",
        "WINDLULL_STACK_SOURCES",
        (_REPOSITORY / "stacks",),
        "they are in stacks/ of the repository",
    )


def report_page() -> Path:
    """Return the path of the report's page, which the web room builds.

    Raises FailureError if there is none, and says how to build it.
    """
    return _page("the report's page", "WINDLULL_REPORT_PAGE", "report.html")


def two_runs_page() -> Path:
    """Return the path of the page of two runs, which the web room builds.

    Raises FailureError if there is none, and says how to build it.
    """
    return _page("the page of two runs", "WINDLULL_TWO_RUNS_PAGE", "two-runs.html")


def _page(what: str, variable: str, name: str) -> Path:
    return _find(
        what,
        variable,
        (_PACKAGED / name, _REPOSITORY / "web" / "dist" / name),
        "build it with: npm --prefix web ci && npm --prefix web run build",
    )


def package() -> Path:
    """Return the directory of this package."""
    return _PACKAGE


def built() -> Path | None:
    """Return the file in which a packaged Windlull says of which commit it was built; None if this is none."""
    file = _PACKAGED / "built.json"
    return file if file.exists() else None


def repository() -> Path | None:
    """Return the repository that this package is installed from in editable mode; None if it is not."""
    return _REPOSITORY if (_REPOSITORY / ".git").exists() else None


def _built(variable: str, name: str, here: Path, sources: Path) -> Path:
    """Return where what a person builds goes: what the variable says, `here` if the sources are, or their own data."""
    named = os.environ.get(variable)
    if named:
        return Path(named).absolute()
    if sources.exists():
        return here
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "windlull" / name


def _find(what: str, variable: str, places: tuple[Path, ...], remedy: str) -> Path:
    named = os.environ.get(variable)
    if named:
        if Path(named).exists():
            return Path(named)
        raise FailureError(f"{what}: {variable} says {named}, where there is nothing")
    for place in places:
        if place.exists():
            return place
    raise FailureError(f"{what} was not found at {places[-1]}; {remedy}")
