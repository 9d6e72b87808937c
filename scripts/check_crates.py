"""The crates that others use are fit to be published: what a registry asks, few dependencies, and packages that build.

Without arguments it looks at the manifests, counts what `windlull-link` brings along, packs all of them, and looks
whether the packages hold what their sources include; that takes seconds. With `--build` each is also built from its
package alone, with the others from theirs. With `--semver [COMMIT]` cargo-semver-checks compares their public
interfaces with those of a commit, by default the last release's.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# In an order in which they can be published.
CRATES = (
    "windlull-units",
    "windlull-fates",
    "windlull-link",
    "windlull-profile",
    "windlull-wire",
    "windlull-tcp",
)

# What `cargo add windlull-link` may bring along.
LIMIT = 20

# Older ones pack no crates that depend on each other and are not published yet.
PACKING_CARGO = (1, 90)

# A file that a source includes, by its path from there.
INCLUDES = re.compile(r'\binclude(?:_str|_bytes)?!\("([^"]+)"\)')


def output(*command: str) -> str:
    """What a command says."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def workspace() -> tuple[dict[str, dict[str, Any]], Path]:
    """The workspace's packages by name, as `cargo metadata` has them, and the directory that cargo builds in."""
    metadata = json.loads(output("cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"))
    return {package["name"]: package for package in metadata["packages"]}, Path(metadata["target_directory"])


def of_manifest(package: dict[str, Any], members: dict[str, dict[str, Any]]) -> list[str]:
    """What a registry, or who looks there, would miss in a package."""
    name = package["name"]
    wrong = [
        f"{name}: its manifest has no {key}"
        for key in ("description", "license", "readme", "keywords", "categories", "rust_version")
        if not package[key]
    ]
    if package["publish"] == []:
        wrong.append(f"{name}: its manifest says `publish = false`")
    folder = Path(package["manifest_path"]).parent
    wrong += [
        f"{name}: there is no {file} beside its manifest"
        for file in ("README.md", "LICENSE")
        if not (folder / file).is_file()
    ]
    for dependency in package["dependencies"]:
        other = dependency["name"]
        if other not in members:
            continue
        if dependency["kind"] == "dev":
            # With a version, publishing one of a circle would wait for the other.
            if dependency["req"] != "*":
                wrong.append(f"{name}: {other}, which only its tests use, must have a path and no version")
        elif other not in CRATES:
            wrong.append(f"{name}: depends on {other}, which is not published")
        elif dependency["req"] != f"^{members[other]['version']}":
            wrong.append(f"{name}: asks for {other} {dependency['req']}, and here it is {members[other]['version']}")
    return wrong


def brought_along(tree: str) -> set[str]:
    """The names of the crates in a tree of dependencies without prefixes, but for the first, whose tree it is."""
    names = [line.split()[0] for line in tree.splitlines() if line]
    return set(names[1:]) - {names[0]}


def too_many(name: str, tree: str) -> list[str]:
    """What is wrong with a tree of dependencies, at most one sentence."""
    along = brought_along(tree)
    if len(along) < LIMIT:
        return []
    return [f"{name}: brings {len(along)} crates along, fewer than {LIMIT} are promised: {', '.join(sorted(along))}"]


def cargo_version() -> tuple[int, int]:
    """Of the `cargo` on the PATH."""
    found = re.match(r"cargo (\d+)\.(\d+)", output("cargo", "--version"))
    return (int(found[1]), int(found[2])) if found else (0, 0)


def selected() -> list[str]:
    """The crates as arguments of cargo."""
    return [word for crate in CRATES for word in ("--package", crate)]


def lacking(files: dict[str, str]) -> list[str]:
    """What the sources of a package include and the package, its files by their paths, does not hold."""
    return [
        f"{path}: the package has no {included}"
        for path, text in sorted(files.items())
        if path.endswith(".rs")
        for included in INCLUDES.findall(text)
        if posixpath.normpath(posixpath.join(posixpath.dirname(path), included)) not in files
    ]


def packed_files(package: Path) -> dict[str, str]:
    """The files in a package by their paths in it."""
    with tarfile.open(package) as archive:
        members = [(member.name, archive.extractfile(member)) for member in archive.getmembers()]
        return {name: file.read().decode() for name, file in members if file}


def pack(members: dict[str, dict[str, Any]], target: Path, *, build: bool) -> int:
    """Packs the crates, and may build each from its package. Cargo itself says why it fails."""
    have = cargo_version()
    if have < PACKING_CARGO:
        wanted = ".".join(map(str, PACKING_CARGO))
        print(
            f"note: the crates were NOT packed: that needs cargo {wanted} or newer, and 'cargo' is {have[0]}.{have[1]}"
        )
        return 0
    # What is there already is not asked for again: without a network, too, the crates are packed.
    output("cargo", "fetch", "--quiet", "--locked")
    # A change that is not committed yet is what is tried.
    command = ["cargo", "package", "--quiet", "--locked", "--allow-dirty", *selected()]
    if not build:
        command += ["--offline", "--no-verify"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        return 1
    wrong = [
        sentence
        for crate in CRATES
        for sentence in lacking(packed_files(target / "package" / f"{crate}-{members[crate]['version']}.crate"))
    ]
    for sentence in wrong:
        print(f"error: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


def compare_interfaces(baseline: str | None) -> int:
    """Has cargo-semver-checks compare the crates with those of a commit."""
    if not baseline:
        tags = output("git", "tag", "--list", "v*", "--sort=-version:refname").split()
        if not tags:
            print(
                "error: there is no release to compare with; give a commit, as in `make semver BASELINE=HEAD~1`",
                file=sys.stderr,
            )
            return 1
        baseline = tags[0]
    command = ["cargo", "semver-checks", "check-release", "--baseline-rev", baseline, *selected()]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def check(*, build: bool) -> int:
    """Exit code 0 when all of them could be published."""
    members, target = workspace()
    wrong = [sentence for crate in CRATES for sentence in of_manifest(members[crate], members)]
    wrong += [
        f"{name}: its manifest says `publish = true`, and scripts/check_crates.py does not know it"
        for name in sorted(members.keys() - set(CRATES))
        if members[name]["publish"] != []
    ]
    tree = output("cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none", "--package", "windlull-link")
    wrong += too_many("windlull-link", tree)
    # The check must be able to fail.
    many = "\n".join(f"x{number} v1" for number in range(LIMIT + 1))
    if not too_many("x0", many) or too_many("x", "x v1\ny v1\ny v1 (*)\n"):
        wrong.append("the check itself is broken: it counts dependencies wrongly")
    bare = {"name": "x", "publish": [], "manifest_path": "/x/Cargo.toml", "dependencies": []}
    keys = ("description", "license", "readme", "keywords", "categories", "rust_version")
    if not of_manifest({**dict.fromkeys(keys), **bare}, {}):
        wrong.append("the check itself is broken: it accepts an empty manifest")
    source = {"x/src/lib.rs": 'include_str!("../README.md")'}
    if not lacking(source) or lacking({**source, "x/README.md": ""}):
        wrong.append("the check itself is broken: it does not see what a package lacks")
    for sentence in wrong:
        print(f"error: {sentence}", file=sys.stderr)
    return 1 if wrong else pack(members, target, build=build)


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--semver", nargs="?", const="", metavar="COMMIT", help="compare interfaces with this commit's")
    parser.add_argument(
        "--build", action="store_true", help="build each crate from its package; minutes, with a network"
    )
    arguments = parser.parse_args()
    return check(build=arguments.build) if arguments.semver is None else compare_interfaces(arguments.semver)


if __name__ == "__main__":
    raise SystemExit(main())
