"""Write what a release is made of, as CycloneDX: engine.cdx.json, pages.cdx.json and python.cdx.json.

    sbom.py DIRECTORY ENGINE TARGET

`engine` names the crates that ENGINE was compiled of for TARGET, and what was linked into it beside them; `pages` the
npm packages in the web pages; `python` the libraries that the command runs with, none of which is in a wheel. The same
commit, locks and engine give the same bytes: the time is the commit's, and the serial number a hash of the rest.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
import uuid
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import audit
import runtime_requirements
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

if TYPE_CHECKING:
    from cyclonedx.model.license import License

ROOT = Path(__file__).resolve().parent.parent
CONTROLLER = ROOT / "controller"
LINE = re.compile(r"(?P<depth>\d+)(?P<name>\S+) v(?P<version>\S+)")
"""A crate in what `cargo tree --prefix depth` prints."""
C_LIBRARY = re.compile(rb"GNU C Library \([^)]*\) stable release version (\d+\.\d+)")
COMPILER = re.compile(rb"rustc version (\d+\.\d+\.\d+)")
OLD_OR = re.compile(r"(?<=\w)/(?=\w)")
"""What crates wrote between two licences before there were SPDX expressions."""


class SbomError(Exception):
    """Why there is none."""


def main() -> int:
    """Write all three. Exit code 1 if something in the engine or a lock cannot be told."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("engine", type=Path)
    parser.add_argument("target")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    try:
        for name, document in (
            ("engine", of_engine(given.engine, given.target)),
            ("pages", of_pages()),
            ("python", of_python()),
        ):
            path = given.directory / f"{name}.cdx.json"
            path.write_text(finished(document), encoding="utf-8")
    except (SbomError, LookupError) as error:
        print(f"error: {error.args[0]}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"error: {' '.join(error.cmd[:2])} failed: {error.stderr.strip()}", file=sys.stderr)
        return 1
    return 0


# --- the engine -------------------------------------------------------------------------------------------------------


def of_engine(engine: Path, target: str) -> dict[str, Any]:
    """Name what Cargo compiles for the engine: what ends in it is required, macros and build scripts are excluded."""
    # `cargo metadata` alone names the features of the whole workspace, and so libraries that the engine does without.
    edges = crate_edges("normal,build", target)
    linked = {crate for edge in crate_edges("normal,no-proc-macro", target) for crate in edge}
    known = {(crate["name"], crate["version"]): crate for crate in crates(target)}
    checksums = {
        (entry["name"], entry["version"]): entry["checksum"]
        for entry in tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
        if "checksum" in entry
    }
    parts: dict[tuple[str, str], Component] = {}
    for crate in sorted({crate for edge in edges for crate in edge}):
        name, version = crate
        parts[crate] = library("cargo", name, version, known[crate]["license"] or "")
        if crate in checksums:
            parts[crate].hashes = [HashType(alg=HashAlgorithm.SHA_256, content=checksums[crate])]
        if crate not in linked:
            parts[crate].scope = ComponentScope.EXCLUDED
    root = parts.pop(next(crate for crate in parts if crate[0] == "windlull-engine"))
    root.type, root.scope = ComponentType.APPLICATION, None
    bom = described(root, [*parts.values(), *statically_linked(engine)])
    every = {(part.name, part.version): part for part in (root, *bom.components)}
    for crate in every.values():
        needed = [every[to] for whose, to in edges if whose == (crate.name, crate.version)]
        bom.register_dependency(crate, needed if crate is not root else [*needed, *statically_linked(engine)])
    return written(bom)


def crate_edges(kinds: str, target: str) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Return which crate depends on which other, of all that is compiled for the engine."""
    command = ["cargo", "tree", "--locked", "--quiet", "--package", "windlull-engine", "--target", target]
    lines = LINE.finditer(said([*command, "--edges", kinds, "--prefix", "depth"]))
    above: list[tuple[str, str]] = []
    edges = set()
    for line in lines:
        depth, crate = int(line["depth"]), (line["name"], line["version"])
        above[depth:] = [crate]
        if depth:
            edges.add((above[depth - 1], crate))
    return sorted(edges)


def crates(target: str) -> list[dict[str, Any]]:
    """Return what the manifests of all crates say."""
    command = ["cargo", "metadata", "--locked", "--quiet", "--format-version", "1", "--filter-platform", target]
    packages: list[dict[str, Any]] = json.loads(said(command))["packages"]
    return packages


def statically_linked(engine: Path) -> list[Component]:
    """Name what is in the engine and no lock knows: the C library and Rust's own. The program itself says which."""
    content = engine.read_bytes()
    found = [
        (name, match[1].decode(), licence)
        for name, banner, licence in (
            ("glibc", C_LIBRARY, "LGPL-2.1-or-later"),  # of a program that needs none of the system
            ("rust-std", COMPILER, "MIT OR Apache-2.0"),
        )
        if (match := banner.search(content))
    ]
    if not any(name == "rust-std" for name, _, _ in found):
        raise SbomError(f"{engine} does not say which Rust is in it")
    return [library("generic", *one) for one in found]


# --- the pages --------------------------------------------------------------------------------------------------------


def of_pages() -> dict[str, Any]:
    """Ask npm, which knows its own lock, for all but what only builds and tests."""
    command = ["npm", "sbom", "--package-lock-only", "--omit=dev", "--sbom-format=cyclonedx"]
    document: dict[str, Any] = json.loads(said(command, ROOT / "web"))
    # It takes the name from the directory.
    document["metadata"]["component"]["name"] = "windlull-web"
    return document


# --- the command ------------------------------------------------------------------------------------------------------


def of_python() -> dict[str, Any]:
    """Name the libraries that the command needs, in the versions and for the reasons that the lock has."""
    lock = runtime_requirements.needed(CONTROLLER)
    parts = {}
    for name, block in lock.items():
        licence = audit.licence_of(name)
        if licence is None:
            continue  # for another system than this one
        version = block.removeprefix(f"{name}==").split()[0]
        parts[name] = library("pypi", name, version, licence)
    root = library("pypi", "windlull", metadata.version("windlull"), "Apache-2.0")
    root.type, root.scope = ComponentType.APPLICATION, None
    bom = described(root, list(parts.values()))
    for who, component in (("windlull", root), *parts.items()):
        bom.register_dependency(
            component, [parts[name] for name in parts if who in runtime_requirements.asked_by(lock[name])]
        )
    return written(bom)


# --- all of them ------------------------------------------------------------------------------------------------------


def library(registry: str, name: str, version: str, licence: str) -> Component:
    """Return a part without which the program does not run; `licence` is an SPDX expression, or nothing."""
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        bom_ref=f"{name}@{version}",
        purl=PackageURL(registry, None, name, version),
        licenses=licences(licence),
        scope=ComponentScope.REQUIRED,
    )


def licences(expression: str) -> list[License]:
    """Return what CycloneDX has for an SPDX expression; nothing for none."""
    return [LicenseFactory().make_from_string(OLD_OR.sub(" OR ", expression))] if expression else []


def described(root: Component, parts: list[Component]) -> Bom:
    """Return what describes a program made of these parts."""
    bom = Bom(components=parts)
    bom.metadata.component = root
    return bom


def written(bom: Bom) -> dict[str, Any]:
    """Return it as it stands in a file."""
    document: dict[str, Any] = json.loads(JsonV1Dot6(bom).output_as_string())
    return document


def finished(document: dict[str, Any]) -> str:
    """Return the text with the commit's time, and a serial number that is another for other contents."""
    epoch = int(said(["git", "log", "-1", "--format=%ct"]))
    document["metadata"]["timestamp"] = datetime.fromtimestamp(epoch, UTC).isoformat().replace("+00:00", "Z")
    document.pop("serialNumber", None)
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_OID, content).urn
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def said(command: list[str], where: Path = ROOT) -> str:
    """Return what a tool prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=where).stdout


if __name__ == "__main__":
    raise SystemExit(main())
