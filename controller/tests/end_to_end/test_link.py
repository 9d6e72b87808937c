"""`windlull link`, against the emulator's process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.emulated import Emulated, emulated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """An emulator whose link holds nothing by itself."""
    with emulated(link="lte-good", state=tmp_path_factory.mktemp("state")) as there:
        yield there


def shown(emulator: Emulated) -> dict[str, object]:
    link: dict[str, object] = json.loads(emulator.windlull("link", "show", "--json").stdout)
    return link


def test_a_link_is_shown_changed_and_cleared(emulator: Emulated) -> None:
    assert emulator.windlull("link", "show").stdout.startswith("lte-good: ")
    hold = emulator.windlull("link", "hold", "--on", "down")
    number = hold.stdout.removeprefix("change ").partition(":")[0]
    assert hold.stdout == f"change {number}: hold, down, until it is cleared\n"
    assert "HELD" in emulator.windlull("link", "show").stdout
    drop = emulator.windlull("link", "drop", "--for", "10 min")
    assert ": drop, both ways, until 20" in drop.stdout
    cleared = emulator.windlull("link", "clear", number).stdout
    assert "HELD" not in cleared
    assert "DROPPING" in cleared
    new = emulator.windlull("link", "set", "--rate", "64 kbit/s", "--delay", "200 ms", "--loss", "1 %", "--on", "up")
    assert ": set rate 64 kbit/s, delay 200 ms, loss 1 %, up, " in new.stdout
    assert "up:   64 kbit/s; 200 ms; " in emulator.windlull("link", "show").stdout
    assert "change" not in emulator.windlull("link", "clear").stdout
    assert shown(emulator)["changes"] == []


def test_a_link_of_a_name_or_a_file_takes_the_place(emulator: Emulated, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('title = "Mine"\nextends = "umts-3g"\n')
    assert emulator.windlull("link", "load", str(mine)).stdout.startswith("profile: Mine (seed 1, plane model)\n")
    assert emulator.windlull("link", "load", "edge", "--seed", "7").stdout.startswith("edge: ")
    assert shown(emulator)["seed"] == "7"


def test_a_link_stands_on_the_plane_that_is_asked_for_or_it_is_said_why_not(emulator: Emulated) -> None:
    netem = next(plane for plane in shown(emulator)["planes"] if plane["name"] == "netem")  # type: ignore[attr-defined]
    done = emulator.windlull("link", "load", "bufferbloat", "--plane", "netem")
    if netem["works"]:
        assert "plane netem" in done.stdout
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert "plane: the netem plane is not available here: " in done.stderr
        assert netem["why"] in done.stderr
    # What the kernel cannot express is named, wherever there is a kernel that plays.
    assert emulator.windlull("link", "load", "gprs", "--plane", "netem").returncode == 2
    assert "plane model" in emulator.windlull("link", "load", "gprs", "--plane", "model").stdout


def test_a_capture_is_taken_fetched_and_deleted(emulator: Emulated, tmp_path: Path) -> None:
    assert emulator.windlull("link", "capture", "list").stdout == "no captures\n"
    begun = emulator.windlull("link", "capture", "start", "--limit", "1 MB", "--snaplen", "96 B").stdout
    assert begun.startswith("capture 1: running; of ")
    assert begun.endswith(" of 1,000,000 octets, 96 octets of each packet\n")
    early = emulator.windlull("link", "capture", "get", "1", "--out", str(tmp_path / "early.pcapng"))
    assert (early.returncode, list(tmp_path.iterdir())) == (1, [])
    assert "stop it first" in early.stderr
    assert emulator.windlull("link", "capture", "stop", "1").stdout.startswith("capture 1: stopped; ")
    listing = json.loads(emulator.windlull("link", "capture", "list", "--json").stdout)
    file = tmp_path / "got.pcapng"
    got = emulator.windlull("link", "capture", "get", "1", "--out", str(file))
    assert got.stdout == f"{file}: {listing['captures'][0]['bytes']} octets\n"
    assert file.read_bytes()[:4] == bytes.fromhex("0a0d0d0a")
    assert file.stat().st_size == listing["captures"][0]["bytes"]
    again = emulator.windlull("link", "capture", "get", "1", "--out", str(file))
    assert (again.returncode, "--out" in again.stderr) == (2, True)
    wrong = emulator.windlull("link", "capture", "start", "--limit", "1 B")
    assert (wrong.returncode, "limit: " in wrong.stderr) == (2, True), wrong.stderr
    assert emulator.windlull("link", "capture", "delete", "1").stdout == "no captures\n"


def test_what_is_wrong_is_said_and_nothing_done(emulator: Emulated, tmp_path: Path) -> None:
    before = shown(emulator)
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('title = "x"\n[both]\ndelayy = "1 s"\n')
    for arguments, code, words in (
        (["load", "gprss"], 2, "gprs"),
        (["load", str(wrong)], 2, "sent/profile.toml:3"),
        (["load", str(tmp_path / "nowhere.toml")], 2, "cannot read"),
        (["hold", "--for", "ever"], 2, "for: "),
        (["set"], 2, "--rate"),
        (["clear", "999"], 1, "999"),
        (["show", "--emulator", "http://127.0.0.1:1"], 1, "no emulator answers"),
        (["show", "--emulator", "ftp://x"], 2, "http://127.0.0.1:7411"),
    ):
        done = emulator.windlull("link", *arguments)
        assert (done.returncode, done.stdout) == (code, ""), (arguments, done)
        assert words in done.stderr, (arguments, done)
    assert shown(emulator)["changes"] == before["changes"]
