"""Ctrl-C: exit code 130; the finished runs are whole, summed up and in the report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import WINDLULL

if TYPE_CHECKING:
    from pathlib import Path

PLANNED_REPETITIONS = 20000


@pytest.mark.parametrize("whole_group", [False, True], ids=["kill", "terminal"])
def test_an_interrupted_experiment(tmp_path: Path, whole_group: bool) -> None:  # noqa: FBT001
    """A terminal signals every process of the foreground, `kill` just the one that it names."""
    out = tmp_path / "out"
    command = [
        *WINDLULL, "run", "papers/sarolahti2003/figure-1",
        "--reps", str(PLANNED_REPETITIONS), "--no-pcap", "--out", str(out), "--json", str(tmp_path / "results.json"),
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        while "runs finished" not in (line := process.stderr.readline()):
            assert line, "it ended before its first run"
        if whole_group:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.SIGINT)
        shown, said = process.communicate()

    assert process.returncode == 130
    assert "Traceback" not in said
    assert "can be read in" in said
    assert f"report: {out / 'report.html'}" in shown
    results = json.loads((out / "results.json").read_bytes())
    whole = [run for run in (out / "runs").glob("*/*") if not run.name.startswith(".")]
    finished = results["incomplete"]["finished"]
    assert 0 < finished == len(whole) == sum(cell["runs"] for cell in results["cells"])
    assert finished < results["incomplete"]["planned"]
    for run in whole:
        assert json.loads((run / "run.json").read_bytes())["metrics"]
    assert (tmp_path / "results.json").read_bytes() == (out / "results.json").read_bytes()


LONG = """\
title       = "Longer than anybody waits"
link        = "l.toml"
variants    = ["newreno"]
repetitions = 1
workload    = { kind = "bulk", size = "100 GB", direction = "down" }
"""
FAST = """\
title = "Fast"
[both]
rate  = "10 Gbit/s"
delay = "1 ms"
queue = { kind = "droptail", limit = "unlimited" }
"""


def test_a_long_run_ends_soon(tmp_path: Path) -> None:
    """One run is all there is: it would go on for minutes, and nothing of it stays."""
    (tmp_path / "long.toml").write_text(LONG)
    (tmp_path / "l.toml").write_text(FAST)
    out = tmp_path / "out"
    command = [*WINDLULL, "run", str(tmp_path / "long.toml"), "--out", str(out)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        until = time.monotonic() + 60
        while not list(out.glob("runs/*/.*.part")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until, "it does not begin"
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert not list(out.glob("runs/*/.*")), "a draft was left"
