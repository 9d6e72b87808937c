"""A search by the command: the same on one worker or two, interrupted or not, and what it found can be run again."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from tests.end_to_end.command import WINDLULL, tree, windlull

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

SPACE = """
[events]
most   = 2
kinds  = ["hold", "drop"]
on     = ["down"]
length = { from = "100 ms", to = "5 s" }
"""
ARGUMENTS = (
    "search", "papers/sarolahti2003/table-1", "--variant", "sack", "--worst", "elapsed", "--budget", "32",
    "--kinds", "2", "--confirm", "4",
)  # fmt: skip


def searched(out: Path, space: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    done = windlull(*ARGUMENTS, "--space", space, "--out", out, *options)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("space") / "space.toml"
    file.write_text(SPACE, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, space: Path) -> tuple[Path, subprocess.CompletedProcess[str]]:
    out = tmp_path_factory.mktemp("search") / "out"
    return out, searched(out, space, "--jobs", "2")


def result(out: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((out / "search.json").read_bytes())
    return read


def test_what_it_says(found: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    out, done = found
    said = result(out)
    assert len(said["tried"]) == 33
    assert said["tried"][0]["kinds"] == []
    assert said["found"]
    worst = said["found"][0]
    assert worst["value"] > said["base"]
    assert worst["confirmed"]["runs"] == 4
    assert worst["sentence"] in done.stdout.replace("\n", " ")
    assert "of 32 links tried, worst" in done.stderr
    assert "1: " in done.stderr
    dots = [
        one.attrib["class"]
        for one in ET.parse(out / "tried.svg").iter("{http://www.w3.org/2000/svg}circle")  # noqa: S314 - ours
    ]
    assert dots.count("link") == sum(one["value"] is not None for one in said["tried"][1:])
    assert dots.count("found") == len(said["found"])


def test_every_finding_has_its_files_and_can_be_run_again(
    found: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    out, _ = found
    for one in result(out)["found"]:
        assert windlull("capsule", "run", out / one["files"]["capsule"]).returncode == 0
        again = tmp_path / "again"
        done = windlull("run", out / one["files"]["experiment"], "--no-pcap", "--out", again)
        assert done.returncode == 0, done.stderr
        (cell,) = json.loads((again / "results.json").read_bytes())["cells"]
        assert cell["metrics"]["elapsed_s"]["median"] == pytest.approx(one["confirmed"]["value"])
        shutil.rmtree(again)
        script = one["files"]["packetdrill"]
        assert (script is None) == ("no_packetdrill" in one["files"])
        if script is not None:
            assert (out / script).read_text(encoding="utf-8").startswith("//")


def test_one_worker_finds_the_same(
    found: tuple[Path, subprocess.CompletedProcess[str]], space: Path, tmp_path: Path
) -> None:
    out, _ = found
    searched(tmp_path / "out", space, "--jobs", "1")
    assert (tmp_path / "out" / "search.json").read_bytes() == (out / "search.json").read_bytes()
    ours, theirs = tree(tmp_path / "out"), tree(out)
    # Trials are written as they end.
    del ours["trials.jsonl"], theirs["trials.jsonl"]
    assert ours == theirs


def test_it_goes_on_with_what_there_is(
    found: tuple[Path, subprocess.CompletedProcess[str]], space: Path, tmp_path: Path
) -> None:
    out, _ = found
    part = tmp_path / "part"
    part.mkdir()
    shutil.copy(out / "search-plan.json", part)
    lines = (out / "trials.jsonl").read_bytes().splitlines(keepends=True)
    (part / "trials.jsonl").write_bytes(b"".join(lines[:20]) + lines[20][:15])
    searched(part, space)
    assert (part / "search.json").read_bytes() == (out / "search.json").read_bytes()
    # All is there now, and nothing is run.
    before = (part / "trials.jsonl").read_bytes()
    searched(part, space)
    assert (part / "trials.jsonl").read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupt", "kill"])
def test_a_search_that_a_signal_ended_goes_on(
    found: tuple[Path, subprocess.CompletedProcess[str]], space: Path, tmp_path: Path, number: signal.Signals
) -> None:
    out, whole = found
    part = tmp_path / "part"
    command = [*WINDLULL, *ARGUMENTS, "--space", str(space), "--out", str(part), "--jobs", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        while "16 of 32 links tried" not in (line := process.stderr.readline()):
            assert line, "it ended before its first batch"
        process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == (130 if number != signal.SIGKILL else -number)
    assert "Traceback" not in said
    assert not (part / "search.json").exists()
    kept = (part / "trials.jsonl").read_bytes()
    there = kept.count(b"\n")
    assert 17 <= there < (out / "trials.jsonl").read_bytes().count(b"\n")
    if number != signal.SIGKILL:
        assert re.search(rf"interrupted; {there} trials are in .*; the same command goes on", said)
    again = searched(part, space, "--jobs", "2")
    assert again.stdout.replace(str(part), str(out)) == whole.stdout
    assert (part / "search.json").read_bytes() == (out / "search.json").read_bytes()
    # What was there was not made again.
    assert (part / "trials.jsonl").read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])


def test_links_may_be_drawn_at_random(
    found: tuple[Path, subprocess.CompletedProcess[str]], space: Path, tmp_path: Path
) -> None:
    out, _ = found
    options = ("--space", space, "--at-random", "--shrink", "0", "--kinds", "1")
    done = windlull(*ARGUMENTS[:-4], "--confirm", "1", *options, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    tried, theirs = result(tmp_path / "out")["tried"], result(out)["tried"]
    # The first batch of each study is drawn at random either way.
    assert tried[:17] == theirs[:17]
    assert len(tried) == len(theirs) == 33


def test_where_nothing_is_random_each_link_is_run_once(space: Path, tmp_path: Path) -> None:
    done = windlull(
        "search", "detectors", "--variant", "sack", "--worst", "elapsed", "--budget", "8", "--kinds", "1",
        "--shrink", "8", "--confirm", "4", "--space", space, "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "nothing is random on these links: one run of each tells all" in done.stdout
    said = result(tmp_path / "out")
    assert (said["random"], said["repetitions"]) == (False, 1)
    (worst,) = said["found"]
    assert (worst["confirmed"]["runs"], worst["confirmed"]["failed"]) == (1, 1)
    assert worst["confirmed"]["interval"] is None
    assert worst["confirmed"]["value"] == worst["value"]


def test_another_search_is_refused_where_one_is(
    found: tuple[Path, subprocess.CompletedProcess[str]], space: Path, tmp_path: Path
) -> None:
    out, _ = found
    done = windlull(*ARGUMENTS, "--space", space, "--out", out, "--seed", "7")
    assert done.returncode == 2
    assert 'has another search: seed is "2003" there, "7" here' in done.stderr
    (tmp_path / "mine").write_text("", encoding="utf-8")
    done = windlull(*ARGUMENTS, "--space", space, "--out", tmp_path)
    assert done.returncode == 2
    assert "has files but no search-plan.json, so no search wrote it" in done.stderr
