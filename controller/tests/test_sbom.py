"""What a release says it is made of: valid, the same each time, and all that the locks have of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).resolve().parents[2]
ENGINE = (
    b"GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\0rustc version 1.85.0 (built from a tarball)\0"
)
"""What a program that is linked statically has in it."""


def sboms(directory: Path, engine: bytes = ENGINE) -> subprocess.CompletedProcess[str]:
    program = directory / "engine"
    program.write_bytes(engine)
    command: list[str | Path] = [
        sys.executable,
        ROOT / "scripts" / "sbom.py",
        directory / "sboms",
        program,
        "aarch64-unknown-linux-gnu",
    ]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    directory = tmp_path_factory.mktemp("sbom")
    done = sboms(directory)
    assert done.returncode == 0, done.stderr
    return {path.name.removesuffix(".cdx.json"): path.read_text() for path in (directory / "sboms").iterdir()}


def parts(text: str) -> dict[str, dict[str, Any]]:
    return {part["name"]: part for part in json.loads(text)["components"]}


def fault(text: str) -> str | None:
    found = JsonStrictValidator(SchemaVersion.from_version(json.loads(text)["specVersion"])).validate_str(text)
    return None if found is None else str(found)


def test_each_is_valid(documents: dict[str, str]) -> None:
    assert documents.keys() == {"engine", "pages", "python"}
    for text in documents.values():
        assert fault(text) is None
        broken = json.loads(text)
        broken["components"][0]["kind"] = broken["components"][0].pop("type")
        assert fault(json.dumps(broken)) is not None


def test_each_is_the_same_when_made_again(documents: dict[str, str], tmp_path: Path) -> None:
    assert sboms(tmp_path).returncode == 0
    assert {
        path.name.removesuffix(".cdx.json"): path.read_text() for path in (tmp_path / "sboms").iterdir()
    } == documents
    assert not [name for name, text in documents.items() if str(ROOT) in text]


def test_the_engine_is_made_of_its_crates_and_of_what_is_linked_in(documents: dict[str, str]) -> None:
    crates = parts(documents["engine"])
    manifest = tomllib.loads((ROOT / "testbed" / "cli" / "Cargo.toml").read_text())
    assert {name for name in manifest["dependencies"] if name != "windlull-engine"} <= crates.keys()
    assert crates["tokio"]["scope"] == "required"
    assert crates["tokio"]["hashes"][0]["alg"] == "SHA-256"
    assert crates["serde_derive"]["scope"] == "excluded"
    assert "proptest" not in crates
    assert (crates["glibc"]["version"], crates["rust-std"]["version"]) == ("2.36", "1.85.0")
    assert [name for name, crate in crates.items() if not crate.get("licenses")] == []


def test_the_pages_are_made_of_what_the_browser_is_given(documents: dict[str, str]) -> None:
    manifest = json.loads((ROOT / "web" / "package.json").read_text())
    packages = parts(documents["pages"]).keys()
    assert manifest["dependencies"].keys() <= packages
    assert not {"vite", "vitest", "typescript"} & packages


def test_the_command_needs_what_the_package_asks_for_and_nothing_of_its_tests(documents: dict[str, str]) -> None:
    document = json.loads(documents["python"])
    asked = {entry["ref"]: entry.get("dependsOn", []) for entry in document["dependencies"]}
    ours = {name.partition("@")[0] for name in asked[document["metadata"]["component"]["bom-ref"]]}
    assert {"click", "numpy", "pyarrow"} <= ours
    libraries = parts(documents["python"])
    assert ours < libraries.keys()
    assert not {"pytest", "mypy", "ruff"} & libraries.keys()
    assert libraries["numpy"]["licenses"]


def test_a_file_that_no_compiler_of_rust_has_made_is_refused(tmp_path: Path) -> None:
    done = sboms(tmp_path, b"#!/bin/sh")
    assert done.returncode == 1
    assert "does not say which Rust is in it" in done.stderr
