"""The planted faults of scripts/check_searches.py fit the sources as they are, and the verdict on their searches."""

from __future__ import annotations

import importlib
import subprocess
from pathlib import Path
from typing import Any

import pytest

from windlull import locate
from windlull.search.plan import Request, prepare

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("check_searches")


def test_every_patch_has_its_search_and_fits(script: Any) -> None:
    assert {fault.name for fault in script.ALL} == {file.stem for file in script.FAULTS.glob("*.patch")}
    for fault in script.ALL:
        command = ["patch", "-p1", "--dry-run", "--batch", "--fuzz=0", "-i", script.FAULTS / f"{fault.name}.patch"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
        request = Request(
            str(script.FAULTS / f"{fault.name}.toml"), "elapsed", 10, variant=fault.variant, baseline=fault.baseline
        )
        assert prepare(request, [locate.profiles()]).random


def searched(script: Any, *found: tuple[int, float, float], at_random: bool = False) -> Any:
    fault = script.Fault("a", "x", "y", 1.5)
    return script.Searched(fault, at_random, 1, 9, 1.6, tuple(script.Found(*one) for one in found))


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ([(2, 1.0, 1.1)], 0),
        ([(2, 1.0, 1.6)], 1),  # fails without the patch, too
        ([(2, 0.4, 1.1)], 1),  # an accident of the search's seeds
        ([(2, 0.9, 1.1)], 1),  # fails again too seldom
        ([(4, 1.0, 1.1)], 1),  # too many events
        ([(4, 1.0, 1.1), (1, 1.0, 1.0), (3, 0.9, 1.1), (3, 1.0, 1.1)], 0),
        ([], 1),
    ],
)
def test_the_verdict(script: Any, found: list[tuple[int, float, float]], code: int) -> None:
    by_chance = searched(script, (9, 1.0, 1.0), at_random=True)
    assert script.verdict([searched(script, *found), by_chance]) == code
