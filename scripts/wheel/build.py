"""Build dist/windlull-VERSION-py3-none-PLATFORM.whl: the package, and in it engine, profiles, report page, application.

    build.py [DIRECTORY] [--engine PROGRAM]

`make wheel` calls it when these are built. The same commit, engine and pages give the same bytes: files have the time
of the commit and one of two modes, and stand in the order of their names. What all of it is made of is carried too, as
CycloneDX (PEP 770).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "controller" / "windlull"
ENGINE = ROOT / "target" / "release" / "windlull-engine"
PARTS = {
    "profiles": ROOT / "profiles",
    "schema": ROOT / "schema",
    "report.html": ROOT / "web" / "dist" / "report.html",
    "two-runs.html": ROOT / "web" / "dist" / "two-runs.html",
    "app": ROOT / "web" / "dist" / "app",
}
"""What is carried beside the engine, under the names by which `windlull/locate.py` looks for it."""

NOT_CARRIED = shutil.ignore_patterns("__pycache__", "*.pyc", "_packaged")
LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
"""What a program may need of the system for it to go with every Linux that has the C library (PEP 600)."""
OLDEST = (2, 17)
"""The oldest version of the C library that Rust's own programs run with, asked for where a program needs no library."""
PROCESSORS = {62: "x86_64", 183: "aarch64"}
"""The processors that a wheel may be for, by the number that programs for them begin with (`e_machine`, elf(5))."""


def main() -> int:
    """Build it, and say where it is. Exit code 1 if a part is missing or cannot be carried."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("directory", type=Path, nargs="?", default=ROOT / "dist")
    parser.add_argument("--engine", type=Path, default=ENGINE)
    given = parser.parse_args()
    try:
        print(build(given.directory, given.engine))
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


class BuildError(Exception):
    """Why there is no wheel."""


def build(out: Path, engine: Path) -> Path:
    """Build the wheel with this engine into a directory and return its path."""
    missing = [os.path.relpath(part, ROOT) for part in (engine, *PARTS.values()) if not part.exists()]
    if missing:
        raise BuildError(f"there is no {', '.join(missing)}: `make wheel` builds it")
    with tempfile.TemporaryDirectory() as directory:
        stage = Path(directory)
        _stage(stage, engine)
        environment = os.environ | {
            "SOURCE_DATE_EPOCH": _git("log", "-1", "--format=%ct"),
            "WINDLULL_PLATFORM": platform_tag(engine),
        }
        # What pip builds with is what the lock has pinned, not what an index has today.
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-build-isolation", "--wheel-dir", str(stage / "dist"), str(stage)]
        subprocess.run(command, check=True, env=environment, umask=0o022)
        (wheel,) = (stage / "dist").glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, out / wheel.name))


def _stage(stage: Path, engine: Path) -> None:
    """Lay out what is packaged. Whoever builds it, under whatever umask, has the same modes."""
    shutil.copytree(PACKAGE, stage / "windlull", ignore=NOT_CARRIED)
    carried = stage / "windlull" / "_packaged"
    carried.mkdir()
    shutil.copyfile(engine, carried / "windlull-engine")
    for name, part in PARTS.items():
        if part.is_dir():
            shutil.copytree(part, carried / name, ignore=NOT_CARRIED)
        else:
            shutil.copyfile(part, carried / name)
    changed = _git("status", "--porcelain", "--untracked-files=no")
    built = {"commit": _git("rev-parse", "--short=12", "HEAD"), "dirty": changed != ""}
    (carried / "built.json").write_text(json.dumps(built) + "\n", encoding="utf-8")
    shutil.copyfile(ROOT / "controller" / "pyproject.toml", stage / "pyproject.toml")
    shutil.copyfile(Path(__file__).with_name("setup.py"), stage / "setup.py")
    shutil.copyfile(ROOT / "LICENSE", stage / "LICENSE")
    of_what = [sys.executable, str(ROOT / "scripts" / "sbom.py"), str(stage / "sboms"), str(engine)]
    if subprocess.run([*of_what, f"{processor(engine)}-unknown-linux-gnu"], check=False).returncode != 0:
        raise BuildError("what it is made of cannot be told")
    for file in stage.rglob("*"):
        file.chmod(0o755 if file.is_dir() or file.name == "windlull-engine" else 0o644)


def platform_tag(program: Path) -> str:
    """Return the platform that a program asks for: manylinux of the newest version of the C library that it uses.

    Raises BuildError if it needs libraries that not every system has.
    """
    needed = set(re.findall(r"Shared library: \[(.+?)\]", _readelf("--dynamic", program)))
    if needed - LIBRARIES:
        raise BuildError(f"{program} needs {', '.join(sorted(needed - LIBRARIES))}, which a wheel cannot ask for")
    versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", _readelf("--version-info", program))
    major, minor = max(((int(major), int(minor)) for major, minor in versions), default=OLDEST)
    return f"manylinux_{major}_{minor}_{processor(program)}"


def processor(program: Path) -> str:
    """Return which processor a program is for. Raises BuildError if no wheel is for that one."""
    with program.open("rb") as file:
        head = file.read(20)
    number = int.from_bytes(head[18:20], "little")
    if head[:6] != b"\x7fELF\x02\x01" or number not in PROCESSORS:
        raise BuildError(f"{program} is no program for one of {', '.join(PROCESSORS.values())} on Linux")
    return PROCESSORS[number]


def _readelf(what: str, program: Path) -> str:
    """Ask binutils, which every Rust tool chain on Linux brings along."""
    command = ["readelf", "--wide", what, str(program)]
    environment = os.environ | {"LC_ALL": "C"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def _git(*arguments: str) -> str:
    if not (ROOT / ".git").exists():
        raise BuildError("a wheel says of which commit it is: build it in a clone of the repository")
    return subprocess.run(
        ["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main())
