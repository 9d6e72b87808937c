"""Whose a directory is, and which of its parts count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.sweep.example import FILES, part_octets, sweep
from windlull.errors import BadInputError, FailureError
from windlull.runner.messages import ProtocolError
from windlull.runner.work import EngineId
from windlull.sweep.directory import MANIFEST, Directory

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.sweep.plan import Sweep

GRID = "link.both.rate=1 Mbit/s,2 Mbit/s"


def test_the_manifest_says_what_the_sweep_is_of(tmp_path: Path) -> None:
    with Directory(tmp_path / "out", sweep(GRID, repetitions=5)).held():
        written = json.loads((tmp_path / "out" / MANIFEST).read_bytes())
    assert written["grid"] == {"link.both.rate": ["1 Mbit/s", "2 Mbit/s"]}
    assert (written["points"], written["runs"], written["seed"]) == (2, 20, "7")
    assert written["engine"] == {"version": "0.1.0", "commit": "0123456789ab"}
    assert set(written["files"]) == set(FILES)


def test_the_same_sweep_goes_on_with_its_parts(tmp_path: Path) -> None:
    made = sweep(GRID)
    (part,) = made.parts()
    first = Directory(tmp_path, made)
    with first.held():
        assert not first.has(part)
        first.keep(part, part_octets(part, first.plan))
        assert first.has(part)
    again = Directory(tmp_path, sweep(GRID))
    with again.held():
        assert again.has(part)


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (sweep("link.both.rate=1 Mbit/s"), "grid differ in link.both.rate; points is 2 there, 1 here"),
        (sweep(GRID, repetitions=4), "runs is 12 there, 16 here"),
        (sweep(GRID, seed="8"), 'seed is "7" there, "8" here'),
        (sweep(GRID, engine=EngineId("0.2.0", "0123456789ab")), "engine differ in version"),
        (sweep(GRID, files=FILES | {"links/gprs.toml": ""}), "files differ in links/gprs.toml"),
    ],
)
def test_another_plan_is_refused_with_what_differs(tmp_path: Path, other: Sweep, difference: str) -> None:
    with Directory(tmp_path, sweep(GRID)).held():
        pass
    before = (tmp_path / MANIFEST).read_bytes()
    with pytest.raises(BadInputError) as raised, Directory(tmp_path, other).held():
        pass
    assert f"has another sweep: {difference}" in str(raised.value)
    assert (tmp_path / MANIFEST).read_bytes() == before


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInputError, match=r"has files but no sweep\.json"), Directory(tmp_path, sweep()).held():
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_manifest_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text("[]")
    with pytest.raises(BadInputError, match=r"its sweep\.json cannot be read"), Directory(tmp_path, sweep()).held():
        pass


def test_two_sweeps_do_not_share_a_directory(tmp_path: Path) -> None:
    made = sweep()
    with (
        Directory(tmp_path, made).held(),
        pytest.raises(FailureError, match="another process"),
        Directory(tmp_path, made).held(),
    ):
        pass


def test_a_part_of_another_plan_does_not_count(tmp_path: Path) -> None:
    made = sweep(GRID)
    directory = Directory(tmp_path, made)
    (part,) = made.parts()
    with directory.held():
        with pytest.raises(ProtocolError, match="something else than part 0"):
            directory.keep(part, part_octets(part, "another plan"))
        with pytest.raises(ProtocolError):
            directory.keep(part, b"nonsense")
        assert list((tmp_path / "parts").iterdir()) == []
        octets = part_octets(part, directory.plan)
        directory.part(part).write_bytes(octets[:-1])
        assert not directory.has(part)


def test_a_path_that_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(BadInputError, match="is a file; give a directory"),
        Directory(tmp_path / "file", sweep()).held(),
    ):
        pass
