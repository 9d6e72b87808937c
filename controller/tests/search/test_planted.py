"""The planted faults of scripts/check_searches.py fit the sources as they are, and the verdict on their searches."""

from __future__ import annotations

import importlib
import json
import re
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


def test_every_patch_has_its_search_and_fits(script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stock", *(fault.name for fault in script.ALL if fault.where == "kernel")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "linux").touch()
        (tmp_path / name / "record").write_text(f"release {name}\n", encoding="utf-8")
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path))
    assert {fault.patch.stem for fault in script.ALL if fault.patch} == {
        file.stem for file in script.FAULTS.glob("*.patch")
    }
    assert sorted(fault.where for fault in script.ALL) == ["kernel", "kernel", "ours", "ours", "stack"]
    for fault in script.ALL:
        if fault.where == "ours":
            command = ["patch", "-p1", "--dry-run", "--batch", "--fuzz=0", "-i", fault.patch]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout
        request = Request(
            str(fault.experiment), "elapsed", 10, fault.variant, fault.baseline, testbed=fault.testbed,
            repetitions=fault.repetitions,
        )  # fmt: skip
        prepared = prepare(request, [locate.profiles()])
        assert prepared.random
        assert prepared.beside == 0


def test_a_kernels_patch_is_of_its_tcp_and_says_when_it_shows(script: Any) -> None:
    for fault in script.ALL:
        if fault.where == "kernel":
            text = fault.patch.read_text(encoding="utf-8")
            words, _, change = text.partition("\n--- a/")
            assert "It shows only if" in words
            assert re.match(r"net/ipv4/tcp_\w+\.c\n\+\+\+ b/net/ipv4/tcp_\w+\.c\n@@ ", change)


def fault_of(script: Any, *decision: str) -> Any:
    return script.Fault("a", "ours", "x", "y", 1.5, decision)


def searched(script: Any, *found: tuple[Any, ...], at_random: bool = False) -> Any:
    of = (script.Found(*one, *(("", True)[len(one) - 3 :])) for one in found)
    return script.Searched(fault_of(script), at_random, 1, 9, 1.6, tuple(of))


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ([(2, 1.0, 1.1)], 0),
        ([(2, 1.0, 1.6)], 1),  # fails without the fault, too
        ([(2, 0.4, 1.1)], 1),  # an accident of the search's seeds
        ([(2, 0.9, 1.1)], 1),  # fails again too seldom
        ([(4, 1.0, 1.1)], 1),  # too many events
        ([(2, 1.0, 1.1), (2, 0.4, 1.1)], 1),  # one of two is an accident
        ([(4, 1.0, 1.1), (1, 1.0, 1.0), (3, 0.9, 1.1), (3, 1.0, 1.1)], 0),
        ([(2, 1.0, 1.1, "", False)], 1),  # its decision is not named
        ([(2, 1.0, 1.1, "", False), (2, 1.0, 1.1)], 0),  # on another link of the fault it is
        ([], 1),
    ],
)
def test_the_verdict(script: Any, found: list[tuple[Any, ...]], code: int) -> None:
    assert script.verdict([searched(script, *found), searched(script, at_random=True)]) == code


def test_what_links_at_random_show_is_no_use_of_a_search(script: Any) -> None:
    by_search, by_chance = (searched(script, (2, 1.0, 1.0), at_random=at_random) for at_random in (False, True))
    neither = searched(script, at_random=True)
    assert script.verdict([by_search, by_search, by_search, by_chance, by_chance, neither]) == 1
    assert script.verdict([by_search, by_search, by_search, by_chance, neither, neither]) == 0


@pytest.mark.parametrize(
    ("origin", "names", "named"),
    [
        ("sender", ("new-data", "timeout"), True),
        ("sender", ("timeout", "nothing"), True),
        ("sender", ("new-data", "retransmission"), False),
        ("link", ("new-data", "timeout"), False),
    ],
)
def test_the_decision_that_is_named(script: Any, origin: str, names: tuple[str, str], named: bool) -> None:  # noqa: FBT001
    a, b = ({"decision": {"name": name, "rule": None, "text": "It did so."}} for name in names)
    said = {"parting": {"a": a, "b": b, "at_ns": 1_500_000_000, "origin": origin}}
    words, found = script.parting(fault_of(script, "timeout"), said)
    assert found == named
    assert words == f"at 1.5000 s: faulty {names[0]}; right {names[1]}; by the {origin}"
    assert script.parting(fault_of(script, "timeout"), {"parting": None}) == ("they do not part", False)


def test_what_has_ended_is_not_searched_again(script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault, ran = script.ALL[0], []

    def windlull(command: str, *arguments: Any, engine: Path | None = None, may_fail: bool = False) -> None:
        del engine, may_fail
        ran.append(command)
        if command == "search":
            out = Path(arguments[arguments.index("--out") + 1])
            out.mkdir(parents=True, exist_ok=True)
            tried = [{"trial": trial, "value": value} for trial, value in enumerate((1.0, 1.2, None, 8.6))]
            (out / "search.json").write_text(json.dumps({"tried": tried, "found": []}), encoding="utf-8")

    monkeypatch.setattr(script, "windlull", windlull)
    given = {fault.name: tmp_path / "engine"}
    first = script.search(fault, tmp_path, 1, 600, given, at_random=False)
    assert (first.first, first.worst, first.shows) == (3, 8.6, False)
    assert script.search(fault, tmp_path, 1, 600, given, at_random=False) == first
    assert ran == ["search"]
    script.search(fault, tmp_path, 1, 1200, given, at_random=False)
    assert ran == ["search", "search"], "another budget is another search"
