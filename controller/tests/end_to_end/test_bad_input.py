"""Bad input: a message with file, line, key and the nearest right name; exit code 2; nothing written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import tree, windlull

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = """\
title       = "An experiment of one's own"
link        = "mine-link.toml"
variants    = ["sack", "mine-variant.toml"]
workload    = "mine-workload.toml"
repetitions = 2
seed        = 7
time_limit  = "600 s"
"""
LINK = """\
title = "A link of one's own"
source = "invented for a test"

[both]
rate  = "64 kbit/s"
delay = "100 ms"
queue = { kind = "droptail", limit = "10 packets" }

[[script]]
at  = "2 s"
for = "3 s"
do  = "hold"
"""
VARIANT = """\
title     = "A variant of one's own"
recovery  = "sack"
detection = "frto-sack"
response  = "frto-conservative"
sack      = true
"""
WORKLOAD = """\
title     = "20 KiB down"
kind      = "bulk"
size      = "20 KiB"
direction = "down"
"""
FILES = {
    "mine.toml": EXPERIMENT,
    "mine-link.toml": LINK,
    "mine-variant.toml": VARIANT,
    "mine-workload.toml": WORKLOAD,
}


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    directory = tmp_path / "mine"
    directory.mkdir()
    for name, text in FILES.items():
        (directory / name).write_text(text, encoding="utf-8")
    return directory


def change(directory: Path, name: str, old: str, new: str) -> int:
    """Replace a line's text in a file; returns the number of the line."""
    before = FILES[name]
    assert before.count(old) == 1
    (directory / name).write_text(before.replace(old, new), encoding="utf-8")
    return before[: before.index(old)].count("\n") + 1


def test_the_files_as_they_stand_are_good(mine: Path) -> None:
    done = windlull("run", "mine.toml", "--out", "out", "--no-pcap", cwd=mine)
    assert done.returncode == 0, done.stderr
    for name in FILES:
        assert windlull("check", name, cwd=mine).returncode == 0


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        # An unknown key, and the nearest right one.
        ("mine.toml", "repetitions = 2", "repetitoins = 2", ["repetitoins", "repetitions"]),
        ("mine-link.toml", 'delay = "100 ms"', 'dealy = "100 ms"', ["dealy", "delay"]),
        ("mine-variant.toml", "detection", "detektion", ["detektion", "detection"]),
        ("mine-workload.toml", "direction", "directoin", ["directoin", "direction"]),
        # A unit that is missing or unknown.
        ("mine-link.toml", '"64 kbit/s"', '"64"', ["rate"]),
        ("mine-link.toml", '"100 ms"', "100", ["delay"]),
        ("mine-link.toml", '"100 ms"', '"100 msec"', ["delay", "ms"]),
        ("mine-workload.toml", '"20 KiB"', '"20"', ["size"]),
        # Negative and absurd values.
        ("mine-link.toml", '"100 ms"', '"-100 ms"', ["delay"]),
        ("mine-link.toml", '"64 kbit/s"', '"0 bit/s"', ["rate"]),
        ("mine.toml", "repetitions = 2", "repetitions = 0", ["repetitions"]),
        ("mine.toml", "seed        = 7", "seed        = -7", ["seed"]),
        # A script that overlaps itself.
        (
            "mine-link.toml",
            'do  = "hold"',
            'do  = "hold"\n\n[[script]]\nat  = "4 s"\nfor = "3 s"\ndo  = "hold"',
            ["overlap"],
        ),
        # What is not there.
        ("mine.toml", '"mine-link.toml"', '"no-such-file.toml"', ["no-such-file.toml"]),
        ("mine.toml", '"mine-link.toml"', '"gprrs"', ["gprrs", "gprs"]),
        ("mine.toml", '"sack"', '"scak"', ["scak", "sack"]),
        # A word that is none of those possible.
        ("mine-variant.toml", '"frto-sack"', '"frto-sak"', ["frto-sak", "frto-sack"]),
        # No TOML at all.
        ("mine.toml", "seed        = 7", "seed        = = 7", []),
        ("mine.toml", "seed        = 7", "seed        = 7\nseed = 8", ["seed"]),
    ],
)
def test_bad_files(mine: Path, name: str, old: str, new: str, words: list[str]) -> None:
    line = change(mine, name, old, new)
    before = tree(mine.parent)
    done = windlull("run", "mine.toml", "--out", "out", cwd=mine)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    messages = [text for text in done.stderr.splitlines() if text.startswith("error: ")]
    # One that contradicts another key, or a key that is missing now, may be told of as well.
    assert any(
        re.match(rf"error: \S*{re.escape(name)}:{line + offset}: ", message) and all(word in message for word in words)
        for message in messages
        for offset in range(new.count("\n") + 1)
    ), done.stderr
    assert tree(mine.parent) == before
    checked = windlull("check", name, cwd=mine)
    assert (checked.returncode, checked.stderr) == (2, done.stderr)


@pytest.mark.parametrize(
    ("recovery", "line", "key"),
    [("sack", 2, "recovery"), ("newreno", 3, "detection")],
)
def test_a_variant_that_contradicts_itself(mine: Path, recovery: str, line: int, key: str) -> None:
    """Recovery by SACK, or F-RTO that reads SACK blocks, in a connection without SACK."""
    text = VARIANT.replace('recovery  = "sack"', f'recovery  = "{recovery}"').replace("= true", "= false")
    (mine / "mine-variant.toml").write_text(text, encoding="utf-8")
    before = tree(mine)
    for command in (("check", "mine-variant.toml"), ("run", "mine.toml", "--out", "out")):
        done = windlull(*command, cwd=mine)
        assert done.returncode == 2
        assert f"error: mine-variant.toml:{line}: {key}: " in done.stderr
        assert "sack = false" in done.stderr
    assert tree(mine) == before


def test_a_kernel_is_not_simulated(mine: Path) -> None:
    change(mine, "mine.toml", '"sack", ', '"linux", ')
    before = tree(mine)
    done = windlull("run", "mine.toml", "--out", "out", cwd=mine)
    assert done.returncode == 2
    assert 'variant "linux"' in done.stderr
    assert "--testbed netns" in done.stderr
    assert tree(mine) == before


def test_an_old_result_outlives_bad_input(mine: Path) -> None:
    assert windlull("run", "mine.toml", "--out", "out", "--no-pcap", cwd=mine).returncode == 0
    before = tree(mine / "out")
    change(mine, "mine.toml", "repetitions = 2", "repetitoins = 2")
    assert windlull("run", "mine.toml", "--out", "out", cwd=mine).returncode == 2
    assert tree(mine / "out") == before


def test_a_directory_that_is_not_ours_is_left_alone(mine: Path) -> None:
    before = tree(mine)
    done = windlull("run", "mine.toml", "--out", ".", cwd=mine)
    assert done.returncode == 2
    assert "experiment.json" in done.stderr
    assert tree(mine) == before


def test_a_missing_file(tmp_path: Path) -> None:
    for command in ("run", "check"):
        done = windlull(command, "none.toml", cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert "none.toml" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_every_file_is_checked(mine: Path) -> None:
    """Those after one that is wrong, too; the names of those that are right go to standard output."""
    line = change(mine, "mine-link.toml", 'delay = "100 ms"', 'dealy = "100 ms"')
    done = windlull("check", "mine-link.toml", "mine-variant.toml", "none.toml", "mine-workload.toml", cwd=mine)
    assert done.returncode == 2
    assert done.stdout == "mine-variant.toml: ok\nmine-workload.toml: ok\n"
    assert f"error: mine-link.toml:{line}: both.dealy: " in done.stderr
    assert "none.toml" in done.stderr
    done = windlull("check", "mine-variant.toml", "mine-workload.toml", cwd=mine)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("out", ["mine.toml", "mine.toml/below"])
@pytest.mark.parametrize(
    "command",
    [
        ("run", "mine.toml"),
        ("sweep", "mine.toml", "--grid", "seed=1,2"),
        ("search", "mine.toml", "--variant", "sack", "--worst", "elapsed", "--budget", "2"),
        ("papers",),
    ],
)
def test_a_file_is_no_place_for_results(mine: Path, command: tuple[str, ...], out: str) -> None:
    before = tree(mine)
    done = windlull(*command, "--out", out, cwd=mine)
    assert (done.returncode, done.stderr) == (2, f"error: --out {out}: mine.toml is a file; give a directory\n")
    assert tree(mine) == before
