"""The wheel for another processor: its engine under QEMU writes what this machine's writes, to the byte.

`make test-other-processor` builds both wheels and sets WINDLULL_OTHER_PROCESSOR, WINDLULL_ENGINE to the engine of this
machine's; both engines are of one commit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import windlull as package
from tests.end_to_end.command import tree, windlull

OTHER = os.environ.get("WINDLULL_OTHER_PROCESSOR", "")
DIST = Path(__file__).resolve().parents[3] / "dist"

pytestmark = pytest.mark.skipif(not OTHER, reason="make test-other-processor tries the wheel of another processor")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's contents, laid out by pip, which is told that this is a machine of that kind."""
    (wheel,) = DIST.glob(f"windlull-{package.__version__}-py3-none-*_{OTHER}.whl")
    place = tmp_path_factory.mktemp("other")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    command += ["--no-index", "--only-binary=:all:", "--platform", f"manylinux_2_17_{OTHER}", "--target", str(place)]
    subprocess.run([*command, str(wheel)], check=True)
    return place / "windlull" / "_packaged"


@pytest.fixture(scope="module")
def under_qemu(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the command starts that engine, with the profiles that came with it."""
    starter = tmp_path_factory.mktemp("starter") / "windlull-engine"
    starter.write_text(f'#!/bin/sh\nexec qemu-{OTHER}-static {installed}/windlull-engine "$@"\n')
    starter.chmod(0o755)
    return os.environ | {"WINDLULL_ENGINE": str(starter), "WINDLULL_PROFILES": str(installed / "profiles")}


def test_the_engine_is_for_that_processor(installed: Path) -> None:
    said = subprocess.run(
        ["readelf", "--file-header", installed / "windlull-engine"], check=True, capture_output=True, text=True
    )
    assert f"Machine:                           {OTHER.capitalize().replace('Aarch', 'AArch')}" in said.stdout


@pytest.mark.parametrize(
    ("experiment", "options"),
    [
        ("first-look", []),
        ("detectors", ["--reps", "2"]),
        ("queues", ["--reps", "1"]),
        ("papers/sarolahti2003/table-1", ["--reps", "1"]),
    ],
)
def test_it_writes_the_same_bytes(
    experiment: str, options: list[str], under_qemu: dict[str, str], tmp_path: Path
) -> None:
    for where, environment in (("here", None), ("there", under_qemu)):
        done = windlull("run", experiment, *options, "--seed", "7", "--out", tmp_path / where, env=environment)
        assert done.returncode == 0, done.stderr
    here, there = tree(tmp_path / "here"), tree(tmp_path / "there")
    assert any(name.endswith(".pcapng") for name in here), sorted(here)[:20]
    assert there == here
