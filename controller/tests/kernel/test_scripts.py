"""`windlull run x.pkt --testbed kernel`, with a program in packetdrill's place that checks how it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path

STAND_IN = """#!/bin/sh
# In packetdrill's place: a socket, virtual seconds, and what the script says of its end.
[ "$#" = 1 ] || { echo "arguments: $*"; exit 64; }
[ -f "$1" ] && [ -f ./beside.sh ] || { echo "not in the script's directory: $(pwd)"; exit 65; }
[ "$(id -u)" = 0 ] || { echo "not root"; exit 66; }
[ -c /dev/net/tun ] || { echo "no /dev/net/tun"; exit 67; }
sysctl_before=$(cat /proc/sys/net/ipv4/tcp_frto)
echo 0 > /proc/sys/net/ipv4/tcp_frto
[ "$sysctl_before" != 0 ] || { echo "the settings of another script"; exit 68; }
before=$(date +%s)
sleep 5000
[ $(($(date +%s) - before)) -ge 5000 ] || { echo "time did not pass"; exit 69; }
if grep -q holds "$1"; then exit 0; fi
echo "$1:2: error handling packet: timing error"
echo "of no use" >&2
exit 1
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    program = tmp_path / "packetdrill"
    program.write_text(STAND_IN, encoding="utf-8")
    program.chmod(0o755)
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "beside.sh").touch()
    (scripts / "good.pkt").write_text("// holds\n", encoding="utf-8")
    (scripts / "bad.pkt").write_text("// fails\n", encoding="utf-8")
    return tmp_path


def test_scripts_run_in_virtual_time_each_in_a_kernel_of_its_own(place: Path) -> None:
    good, bad = (str(place / "scripts" / name) for name in ("good.pkt", "bad.pkt"))
    ended = windlull("run", good, bad, good, "--testbed", "kernel", "--packetdrill", str(place / "packetdrill"))
    assert ended.returncode == 1
    lines = ended.stdout.splitlines()
    assert lines[:4] == ["TAP version 14", "1..3", f"ok 1 - {good}", f"not ok 2 - {bad}"]
    assert lines[4:] == [
        "# exit code 1",
        "# bad.pkt:2: error handling packet: timing error",
        "# of no use",
        f"ok 3 - {good}",
    ]
    assert "1 of 3 scripts failed" in ended.stderr


def test_scripts_that_hold_are_a_success(place: Path) -> None:
    good = str(place / "scripts" / "good.pkt")
    ended = windlull("run", good, "--testbed", "kernel", "--packetdrill", str(place / "packetdrill"))
    assert (ended.returncode, ended.stdout) == (0, f"TAP version 14\n1..1\nok 1 - {good}\n")


def test_a_kernel_that_is_not_there_is_bad_input(place: Path) -> None:
    good = str(place / "scripts" / "good.pkt")
    given = ("--testbed", "kernel", "--packetdrill", str(place / "packetdrill"), "--kernel", "mine")
    ended = windlull("run", good, *given)
    assert ended.returncode == 2
    assert 'there is no kernel "mine"' in ended.stderr
    assert "windlull kernel build --name mine" in ended.stderr
