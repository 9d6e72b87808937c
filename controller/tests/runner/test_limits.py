"""An experiment that would take the whole machine ends with a message, and other runs go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.scheduler.test_service import ended, states, submit, until
from windlull import locate
from windlull.errors import BadInputError, EngineError
from windlull.runner.bundle import Bundle
from windlull.runner.cluster import connect
from windlull.runner.limits import (
    DISK,
    ENGINES,
    EVENTS,
    FILE,
    MEMORY,
    MOST_MEMORY,
    PROCESSOR,
    Limits,
    limits,
    memory_for,
)
from windlull.runner.plans import plan
from windlull.runner.work import Chunk, EngineId, metrics_only
from windlull.scheduler.loop import Loop
from windlull.scheduler.worker_pool import WorkerPool
from windlull.store.tables import Run, State

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.store.database import Database
    from windlull.store.home import Home

FILES = {
    "links/endless.toml": """\
title = "Faster than anything"
[both]
rate = "1000 Gbit/s"
delay = "0 s"
queue = { kind = "droptail", limit = "1000000 packets" }
""",
    "workloads/endless.toml": """\
title = "More than anybody waits for"
kind = "bulk"
size = "100 GB"
direction = "down"
""",
    "links/wide.toml": """\
title = "A window of more segments than fit into memory"
[both]
rate = "1000 Gbit/s"
delay = "100 ms"
queue = { kind = "droptail", limit = "1000000 packets" }
""",
    "links/slow.toml": """\
title = "On which it is given up at once"
[both]
rate = "1 Mbit/s"
delay = "10 s"
queue = { kind = "droptail", limit = "10 packets" }
""",
    **{
        f"experiments/{name}.toml": f"""\
title = "A legal one"
links = [{links}]
variants = ["sack"]
workload = "../workloads/endless.toml"
repetitions = 1
seed = 1
time_limit = "30 s"
[tcp]
mss = "64 B"
receive_window = "{window}"
window_scale = true
"""
        for name, links, window in (
            ("wide", '"../links/wide.toml"', "1 GB"),
            ("both", '"../links/endless.toml", "../links/slow.toml"', "1 MB"),
        )
    },
}
ENOUGH = 256 << 20
"""Octets of memory for any run of a sensible experiment."""
SOME_DISK = 100 << 20
"""Octets of disk."""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    profiles = tmp_path / "profiles"
    for name, text in FILES.items():
        (profiles / name).parent.mkdir(parents=True, exist_ok=True)
        (profiles / name).write_text(text, encoding="utf-8")
    return profiles


MEASURED = """\
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:])
with open(sys.argv[1], "w") as told:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=told)
sys.exit(done.returncode)
"""
"""Runs a command from a process that is small: until it executes a program, a child counts with its parent's memory."""


def command(
    experiment: Path, out: Path, options: tuple[str, ...], limits_of_it: dict[str, int]
) -> subprocess.CompletedProcess[str]:
    """Run an experiment with other limits than usual."""
    asked = [sys.executable, "-m", "windlull", "run", str(experiment), "--out", str(out), *options]
    return subprocess.run(
        [sys.executable, "-c", MEASURED, str(peak_of(out)), *asked],
        env=os.environ | {name: str(most) for name, most in limits_of_it.items()},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def peak_of(out: Path) -> Path:
    """Return the file that tells the most KiB which a process of the command had."""
    return out.with_name(f"{out.name}.peak")


def test_the_command_ends_a_run_that_wants_the_machine(hostile: Path, tmp_path: Path) -> None:
    done = command(hostile / "experiments" / "wide.toml", tmp_path / "out", ("--no-pcap",), {MEMORY: ENOUGH})
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"it needs more than 256 MiB of memory; {MEMORY} sets another limit" in done.stderr
    assert int(peak_of(tmp_path / "out").read_text(encoding="utf-8")) <= 2 * ENOUGH >> 10


@pytest.mark.parametrize("options", [(), ("--no-pcap",)])
def test_a_long_transfer_needs_disk_and_no_memory(hostile: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Ended by memory at c248d7e: what the diagram keeps grew by 200 MB a second."""
    limits_of_it = {MEMORY: ENOUGH, DISK: SOME_DISK}
    done = command(hostile / "experiments" / "both.toml", tmp_path / "out", options, limits_of_it)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"it needs more than 100 MiB of disk; {DISK} sets another limit" in done.stdout + done.stderr
    # The run that is hostile has ended alone, and nothing is left of it.
    assert [run.parts[-4] for run in (tmp_path / "out").rglob("run.json")] == ["slow"]
    assert sum(file.stat().st_size for file in (tmp_path / "out").rglob("*") if file.is_file()) < SOME_DISK


@pytest.mark.parametrize(
    ("limit", "most", "reason"),
    [
        (EVENTS, 100_000, f"it needs more than 100000 events; {EVENTS} sets another limit"),
        (FILE, 1 << 20, f"one of its files is longer than a file may be here; {FILE} sets another limit"),
    ],
)
def test_each_limit_ends_one_run_with_a_sentence_of_its_own(
    hostile: Path, tmp_path: Path, limit: str, most: int, reason: str
) -> None:
    done = command(hostile / "experiments" / "both.toml", tmp_path / "out", (), {limit: most})
    assert done.returncode == 1, done.stdout + done.stderr
    assert reason in done.stdout + done.stderr
    assert [run.parts[-4] for run in (tmp_path / "out").rglob("run.json")] == ["slow"]


def test_the_service_ends_it_and_makes_the_others(
    database: Database, home: Home, hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MEMORY, str(ENOUGH))
    monkeypatch.setenv(DISK, str(SOME_DISK))
    with connect(None, 1, scratch=tmp_path) as client:
        loop = Loop(database, home, WorkerPool(client))
        wide = submit(database, home, "wide", hostile, locate.profiles(), captures=False)
        both = submit(database, home, "both", hostile, locate.profiles())
        others = submit(database, home, "first-look", captures=False)
        for batch in (others, both, wide):
            until(loop, ended(database, batch))
    assert states(database, others) == {State.DONE: 10}
    with database.reader() as session:
        (run,) = session.query(Run).filter_by(batch_id=wide)
        assert run.state is State.FAILED
        assert "it needs more than 256 MiB of memory" in (run.reason or "")
        reasons = [run.reason or "" for run in session.query(Run).filter_by(batch_id=both)]
        assert sum("it needs more than 100 MiB of disk" in reason for reason in reasons) == 1


def test_a_workers_run_has_no_more_disk_than_it_can_carry_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DISK, raising=False)
    assert limits(2).environment() == {DISK: str(1 << 30)}
    assert limits(None).environment() == {}, "the command's files stay where they are written"
    monkeypatch.setenv(DISK, "5")
    assert limits(2).environment() == {DISK: "5"}


def test_metrics_alone_are_refused_with_the_limits_sentence(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EVENTS, "100000")
    roots = [hostile, locate.profiles()]
    planned = plan("both", profiles=roots)
    engine = EngineId(planned.experiment["version"], planned.experiment["commit"])
    chunk = Chunk(Bundle.of(planned), seed="1", repetitions=1, places=(0, 1), engine=engine)
    with pytest.raises(EngineError, match="it needs more than 100000 events"):
        metrics_only(chunk)


def test_all_engines_together_fit_into_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for engines in (1, 2, 64, 1000):
        assert memory_for(engines) <= MOST_MEMORY
        assert engines * memory_for(engines) <= max(machine, engines << 20)
    monkeypatch.setenv(MEMORY, str(1 << 50))
    for engines in (1, 2, 64):
        assert MOST_MEMORY < limits(1).memory_bytes < machine
        assert engines * limits(engines).memory_bytes < machine
    assert limits(None).memory_bytes < machine
    # A service with fewer workers than cores says so.
    monkeypatch.setenv(ENGINES, "2")
    assert machine // 4 < limits(64).memory_bytes < machine // 2


def test_limits_are_set_by_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, "1000000")
    monkeypatch.setenv(FILE, "2000")
    monkeypatch.setenv(PROCESSOR, "3")
    monkeypatch.setenv(DISK, "40")
    assert limits(None) == limits(2) == Limits(1_000_000, 2000, 3, 40)
    monkeypatch.setenv(PROCESSOR, "3 s")
    with pytest.raises(BadInputError, match="WINDLULL_RUN_PROCESSOR_S=3 s: write a whole number above zero"):
        limits(2)


def test_a_command_may_take_as_long_as_its_experiment_does_and_not_all_of_the_memory() -> None:
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    alone = limits(None)
    assert alone.processor_s is None
    assert memory_for(1) <= alone.memory_bytes < machine


def test_processor_time_ends_a_process_and_is_told() -> None:
    few = Limits(1 << 30, 1 << 20, 1)
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        few.impose(process.pid)
        assert process.wait() == -signal.SIGXCPU
    assert "more than 1 s of processor time" in (few.exceeded(-signal.SIGXCPU, "") or "")
    assert few.exceeded(1, "") is None
