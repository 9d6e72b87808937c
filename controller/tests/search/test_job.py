"""A search of the service: what lies on the disk, and the search that is made of it. With the real engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from windlull import locate
from windlull.errors import BadInputError, ExitCode, FailureError
from windlull.runner import plans
from windlull.runner.bundle import Bundle
from windlull.search import best, job, layout

if TYPE_CHECKING:
    from pathlib import Path

ASKED = job.Asked(metric="elapsed_s", budget=2, variant="frto+sack", baseline="sack", shrink=2, confirm=1, seed="7")


def laid_out(directory: Path, asked: job.Asked = ASKED, space: str | None = None) -> Path:
    planned = plans.plan("first-look", profiles=[locate.profiles()], brief=True)
    job.lay_out(directory, asked, Bundle.of(planned), space)
    return directory


def test_what_is_laid_out_is_read_as_it_was(tmp_path: Path) -> None:
    asked, bundle = job.read(laid_out(tmp_path / "1"))
    assert asked == ASKED
    assert bundle.experiment == "first-look"


def test_what_is_nothing_of_the_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FailureError, match="cannot read"):
        job.read(tmp_path)
    directory = laid_out(tmp_path / "1")
    (directory / layout.REQUEST).write_text("{}", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"request\.json: cannot be read"):
        job.read(directory)


def test_the_process_searches_and_leaves_what_it_tried_and_the_worst_so_far(tmp_path: Path) -> None:
    directory = laid_out(tmp_path / "1")
    done = subprocess.run(
        [sys.executable, "-m", "windlull.search", str(directory), "--jobs", "1"],
        check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    out = directory / layout.OUT
    said = json.loads((out / "search.json").read_text(encoding="utf-8"))
    assert (said["variant"], said["against"], said["seed"]) == ("frto+sack", "sack", "7")
    assert len(said["tried"]) == 3
    assert best.read(out) is not None


def test_one_that_is_interrupted_before_it_has_begun_says_so(tmp_path: Path) -> None:
    directory = laid_out(tmp_path / "1")
    request = directory / layout.REQUEST
    request.unlink()
    os.mkfifo(request)
    process = subprocess.Popen([sys.executable, "-m", "windlull.search", str(directory)], stdin=subprocess.DEVNULL)
    with request.open("wb"):  # Opens when the process reads it, and it waits there.
        process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT


def test_one_that_is_interrupted_while_it_prepares_leaves_nothing(tmp_path: Path) -> None:
    directory = laid_out(tmp_path / "1")
    engine = tmp_path / "engine"
    engine.write_text('#!/bin/sh\nkill -INT "$PPID"\nexec sleep 60\n', encoding="utf-8")
    engine.chmod(0o755)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "windlull.search", str(directory)], check=False, stdin=subprocess.DEVNULL,
        env=os.environ | {"WINDLULL_ENGINE": str(engine), "TMPDIR": str(scratch)},
    )  # fmt: skip
    assert done.returncode == ExitCode.INTERRUPTED
    assert list(scratch.iterdir()) == []


def test_the_process_says_what_is_wrong(tmp_path: Path) -> None:
    directory = laid_out(tmp_path / "1", space="[events]\nmost = 99\n")
    done = subprocess.run(
        [sys.executable, "-m", "windlull.search", str(directory), "--jobs", "1"],
        check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == BadInputError.exit_code
    assert "events.most" in done.stderr
