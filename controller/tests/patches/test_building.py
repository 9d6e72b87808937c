"""What of a kernel that cannot be built, or whose building is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from junitparser import JUnitXml

from tests.patches.linux import builder, commit, made
from windlull.commands.kernel_check import command
from windlull.errors import FailureError

ROOT = Path(__file__).resolve().parents[3]


def test_a_check_of_a_tree_that_does_not_compile_says_so_in_every_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = made(tmp_path / "linux")
    base = commit(tree, "fast")
    commit(tree, "does not compile")
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path / "kernels"))
    monkeypatch.setenv("WINDLULL_KERNEL_BUILDER", str(builder(tmp_path)))
    out = tmp_path / "out"
    ended = CliRunner().invoke(
        command, [str(tree), "--base", base, "--suite", "quick", "--out", str(out)], standalone_mode=False
    )
    assert isinstance(ended.exception, FailureError)
    assert ended.stdout.startswith("Bail out! ")
    assert ended.stdout.endswith("(does not compile) does not build\n")
    assert (out / "check.ktap").read_text(encoding="utf-8") == ended.stdout
    assert JUnitXml.fromfile(str(out / "check.xml")).errors == 1
    assert "There is no check: " in (out / "check.md").read_text(encoding="utf-8")


def quiet_builder(directory: Path) -> Path:
    """Write a builder with the own builder's way to run a compiler, which here sleeps and writes down its number."""
    text = (ROOT / "testbed" / "kernel" / "build.sh").read_text(encoding="utf-8")
    begin = text.index("quietly() {")
    quietly = text[begin : text.index("\n}\n", begin) + 3]
    file = directory / "build.sh"
    body = (
        f'#!/bin/bash\nset -euo pipefail\nlog=/dev/null\n{quietly}quietly sh -c \'echo $$ >"$0"; sleep 600\' "$1/pid"\n'
    )
    file.write_text(body, encoding="utf-8")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_build_that_is_ended_ends_its_compilers(tmp_path: Path, number: signal.Signals) -> None:
    environment = os.environ | {
        "WINDLULL_KERNELS": str(tmp_path), "WINDLULL_KERNEL_BUILDER": str(quiet_builder(tmp_path)),
    }  # fmt: skip
    command = [sys.executable, "-m", "windlull", "kernel", "build"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text(encoding="utf-8").strip():
            assert process.poll() is None
        compiler = int((tmp_path / "pid").read_text(encoding="utf-8"))
        process.send_signal(number)
        assert process.wait() == 130
    deadline = time.monotonic() + 60
    while Path(f"/proc/{compiler}").exists() and state_of(compiler) != "Z":
        assert time.monotonic() < deadline, "the compiler goes on"
        time.sleep(0.05)


def state_of(process: int) -> str:
    """Return the state of a process, as one letter; a zombie's is Z, as is that of one that has gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2][:1]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"
