"""What the README promises to build with is what the manifests ask for and what CI tries."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


RUST = tomllib.loads(text("Cargo.toml"))["workspace"]["package"]["rust-version"]
PYTHON = tomllib.loads(text("controller/pyproject.toml"))["project"]["requires-python"].removeprefix(">=")
NODE = json.loads(text("web/package.json"))["engines"]["node"].removeprefix(">=")


@pytest.mark.parametrize("page", ["README.md", "docs/install.md", "docs/tutorial.md"])
def test_pages_promise_what_the_manifests_ask_for(page: str) -> None:
    assert f"Rust {RUST}, Python {PYTHON} and Node.js {NODE} or newer" in text(page).replace(
        f"Rust {RUST}, Python {PYTHON}, Node.js", f"Rust {RUST}, Python {PYTHON} and Node.js"
    )


def test_ci_builds_with_the_oldest_rust_and_python_and_builds_images_from_source() -> None:
    assert re.search(rf"^suite=\w+ version={re.escape(RUST)}\.0\+", text("scripts/oldest-rust.sh"), re.MULTILINE)
    run = text(".ci/run")
    assert "scripts/oldest-rust.sh" in run
    assert f" {re.escape(PYTHON)}" in run
    assert "PARTS" not in run
