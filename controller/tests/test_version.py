from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import windlull


def test_command_and_engine_have_one_version() -> None:
    workspace = tomllib.loads((Path(__file__).resolve().parents[2] / "Cargo.toml").read_text(encoding="utf-8"))
    assert workspace["workspace"]["package"]["version"] == windlull.__version__ == version("windlull")
