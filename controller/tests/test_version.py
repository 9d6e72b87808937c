from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import windlull

ROOT = Path(__file__).resolve().parents[2]


def test_command_engine_and_pages_have_one_version() -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert workspace["workspace"]["package"]["version"] == windlull.__version__ == version("windlull")
    for name in ("package.json", "package-lock.json"):
        assert json.loads((ROOT / "web" / name).read_text(encoding="utf-8"))["version"] == windlull.__version__
    images = re.findall(r"WINDLULL_VERSION:-([^}]+)", (ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert set(images) == {windlull.__version__}


def test_the_changelog_knows_the_version_or_has_none_yet() -> None:
    numbers = [
        line.removeprefix("## [").partition("]")[0]
        for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("## [")
    ]
    assert numbers[0] == "Unreleased"
    assert numbers[1:2] in ([], [windlull.__version__])
