"""`windlull link import`: from a file to a link that the engine takes."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [(second, 0 if second in {20, 21, 41} else 9_000 + (second * 37 % 11) * 900) for second in range(60)]
DRIVE = "Time;RSRP [dBm];DL throughput [kbit/s];UL throughput [kbit/s];RTT [ms]\n" + "".join(
    f"2026-05-04T10:00:{second:02};-95,5;{kbps};{3000};48\n" for second, kbps in ROWS
)


def test_a_drive_test_becomes_a_link(tmp_path: Path) -> None:
    (tmp_path / "drive.csv").write_text(DRIVE)
    asked = windlull("link", "import", "drive.csv", cwd=tmp_path)
    assert asked.returncode == 2
    assert "--zeros outage" in asked.stderr
    assert not (tmp_path / "drive.toml").exists()
    done = windlull("link", "import", "drive.csv", "--zeros", "outage", "--random-start", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    mean = sum(kbps for _, kbps in ROWS) / len(ROWS) / 1000
    assert done.stdout.startswith(f"60 s, 60 rows\ndown: mean {mean:.2f} Mbit/s, 0 bit/s to 18 Mbit/s")
    assert done.stdout.endswith("wrote drive.toml\n")
    assert windlull("check", "drive.toml", cwd=tmp_path).stdout == "drive.toml: ok\n"


def test_several_files_and_options_make_one_link(tmp_path: Path) -> None:
    (tmp_path / "bw_1.txt").write_text("".join(f"{at}\n" for at in range(1, 2001)))
    (tmp_path / "delay_1.txt").write_text("24\n" * 100 + "30\n" * 100)
    arguments = ("--down", "bw_1.txt", "--up-rate", "2 Mbit/s", "--rate-times", "0.5", "--out", "leo.toml", "--json")
    done = windlull("link", "import", "delay_1.txt", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["file"] == "leo.toml"
    assert answer["figures"]["down"]["mean_bps"] == 1000 * 1504 * 8 / 2
    link = tomllib.loads((tmp_path / "leo.toml").read_text())
    assert len(link["down"]["rate"]["milliseconds"]) == 1000
    assert link["recording"]["csv"] == "time_s,delay_ms\n0,24\n1,30\n"
    assert windlull("check", "leo.toml", cwd=tmp_path).returncode == 0


def test_a_preview_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.down").write_text("0\n5\n10\n")
    done = windlull("link", "import", "a.down", "--up", "a.down", "--delay", "25 ms", "--preview", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["a.down"]


def test_what_is_wrong_is_told_with_its_place_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "drive.csv").write_text("time_s;DL kbit/s\n0;1\n1;x\n")
    cases = {
        (): "drive.csv, line 3, column DL kbit/s: 'x' is not a number",
        ("--unit", "down=m"): "'m' is no unit of down; choose of bit/s",
        ("--column", "speed=2"): "--column speed=2: write WHAT=VALUE",
        ("--from", "soon"): "'soon' is not a time",
        ("--rate-times", "0"): "the rate times 0 is no scale",
        ("--format", "ping"): "drive.csv: there is no answer in it",
    }
    for options, why in cases.items():
        done = windlull("link", "import", "drive.csv", *options, cwd=tmp_path)
        assert done.returncode == 2, (options, done.stdout)
        assert why in done.stderr
    missing = windlull("link", "import", "none.csv", cwd=tmp_path)
    assert (missing.returncode, missing.stderr) == (2, "error: cannot read none.csv: No such file or directory\n")
    assert [one.name for one in tmp_path.iterdir()] == ["drive.csv"]


def test_what_the_engine_does_not_take_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "a.down").write_text("0\n5\n")
    done = windlull("link", "import", "a.down", "--up-rate", "fast", "--delay", "25 ms", cwd=tmp_path)
    assert done.returncode == 2
    assert "up.rate" in done.stderr
    assert not (tmp_path / "a.toml").exists()
