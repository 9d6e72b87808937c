"""What a worker makes of a chunk, with the engine itself and with small programs in its place."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.examples import experiment_dict, failed_dict, line, live_dict, plan_line, run_dict
from windlull import locate
from windlull.errors import EngineDiedError, EngineError, ExitCode
from windlull.runner import plans, work
from windlull.runner.bundle import Bundle
from windlull.runner.messages import Failed, Progress, ProtocolError, Run
from windlull.runner.options import RunOptions
from windlull.runner.work import Chunk, EngineId, EngineMismatchError, Left, Outcome, Unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILES = {"run.json", "series.json.gz", "server.pcapng", "client.pcapng", "fates.csv", "events.jsonl"}


@pytest.fixture(autouse=True)
def _nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever happens, a chunk leaves nothing in the directory for temporary files."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    yield
    assert list(scratch.iterdir()) == []


@pytest.fixture(scope="module")
def chunk() -> Chunk:
    """All runs of a small experiment."""
    planned = plans.plan("first-look", RunOptions(repetitions=4), profiles=[locate.profiles()])
    about = planned.experiment
    return Chunk(
        Bundle.of(planned), about["seed"], about["repetitions"], tuple(run.place for run in planned.runs),
        EngineId(about["version"], about["commit"]),
    )  # fmt: skip


def test_runs_in_a_kernel_that_is_not_there_are_refused_by_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path / "kernels"))
    planned = plans.plan("first-look", RunOptions(repetitions=1, testbed="kernel"), profiles=[locate.profiles()])
    about = planned.experiment
    live = tuple(run.place for run in planned.runs if run.testbed == "kernel")
    chunk = Chunk(
        Bundle.of(planned), about["seed"], about["repetitions"], live, EngineId(about["version"], about["commit"]),
        testbed="kernel",
    )  # fmt: skip
    with pytest.raises(EngineError, match=r'there is no kernel "stock" in .*kernels; there is none') as refused:
        work.perform(chunk)
    assert refused.value.exit_code == ExitCode.BAD_INPUT


def by_place(outcomes: list[Outcome]) -> dict[int, Outcome]:
    return {outcome.place: outcome for outcome in outcomes}


def test_files_can_be_left_in_a_directory(chunk: Chunk, tmp_path: Path) -> None:
    wanted = replace(chunk, places=(0, 1))
    sent, left = (
        by_place(work.perform(wanted, leave=leave)) for leave in (None, tmp_path / "left" / "task")
    )  # fmt: skip
    for place, outcome in left.items():
        files = {name: file for name, file in outcome.files.items() if isinstance(file, Left)}
        assert {name: file.path.read_bytes() for name, file in files.items()} == sent[place].files
        assert {len(file) - file.path.stat().st_size for file in files.values()} == {0}
        assert len(pickle.dumps(outcome)) < 20_000


def test_pieces_are_the_whole_to_the_octet(chunk: Chunk) -> None:
    whole = by_place(work.perform(pickle.loads(pickle.dumps(chunk))))  # noqa: S301 - our own octets
    assert set(whole) == set(chunk.places)
    assert set(whole[0].files) == FILES
    pieces = [work.perform(replace(chunk, places=places, jobs=2)) for places in ((7, 1), (0, 2, 3, 4, 5, 6))]
    assert by_place([outcome for piece in pieces for outcome in piece]) == whole


def test_outcomes_are_told_as_they_come(chunk: Chunk) -> None:
    outcomes: list[Outcome] = []
    assert work.perform(replace(chunk, captures=False), on_outcome=outcomes.append) == outcomes
    assert set(outcomes[0].files) == {"run.json", "series.json.gz"}


def test_nothing_is_written_if_nothing_is_kept(chunk: Chunk) -> None:
    outcomes = work.perform(replace(chunk, captures=False, series=False))
    assert all(outcome.files == {} for outcome in outcomes)
    runs = work.metrics_only(replace(chunk, places=chunk.places[::-1]))
    assert [run.place for run in runs] == list(chunk.places)[::-1]
    assert {run.place: run for run in runs} == {outcome.place: outcome.run for outcome in outcomes}


def test_another_engine_is_refused(chunk: Chunk) -> None:
    for perform in (work.perform, work.metrics_only):
        with pytest.raises(EngineMismatchError, match=r"planned by 9\.9\.9 \(cafe\)"):
            perform(replace(chunk, engine=EngineId("9.9.9", "cafe")))


def test_a_chunk_that_is_wrong_is_the_engines_to_refuse(chunk: Chunk) -> None:
    for perform in (work.perform, work.metrics_only):
        with pytest.raises(EngineError, match="there is no run 99") as error:
            perform(replace(chunk, places=(99,)))
        assert error.value.exit_code == ExitCode.BAD_INPUT


def test_a_stop_keeps_what_was_finished(chunk: Chunk) -> None:
    stop = threading.Event()
    many = replace(chunk, repetitions=100_000, places=tuple(range(50_000)), captures=False)
    outcomes = work.perform(many, on_outcome=lambda _: stop.set(), stop=stop)
    assert 0 < len(outcomes) < len(many.places)
    assert all(isinstance(outcome.run, Run) and outcome.files for outcome in outcomes)


def test_what_goes_wrong_here_ends_the_engine(chunk: Chunk) -> None:
    def fail(_: Outcome) -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        work.perform(replace(chunk, repetitions=100_000, places=tuple(range(50_000))), on_outcome=fail)


def test_it_works_in_any_thread(chunk: Chunk) -> None:
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.extend(work.perform(chunk)))
    thread.start()
    thread.join()
    assert len(outcomes) == len(chunk.places)


PROGRAM = """#!{python}
import os, signal, sys
def say(octets):
    os.write(1, octets)
def make(run):
    if "--out" not in sys.argv:
        return
    out = sys.argv[sys.argv.index("--out") + 1] + "/" + run
    os.makedirs(out)
    open(out + "/run.json", "w").close()
{text}
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a Python program in the place of the engine."""

    def put(text: str) -> None:
        file = tmp_path / "engine"
        file.write_text(PROGRAM.format(python=sys.executable, text=text), encoding="utf-8")
        file.chmod(0o755)
        monkeypatch.setenv("WINDLULL_ENGINE", str(file))

    return put


def small(**changes: object) -> Chunk:
    about = experiment_dict()
    made = Chunk(
        Bundle(about["name"], {"experiments/x.toml": ""}), about["seed"], 3, (0, 1),
        EngineId(about["version"], about["commit"]),
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def plan(runs: int, *testbeds: str) -> str:
    return f"say({plan_line(runs, testbeds or ('sim',))!r})\n"


def ended(run: dict[str, object]) -> str:
    return f"make({run['directory']!r}); say({line(run)!r})\n"


def test_what_was_whole_when_the_engine_died_is_told(program: Callable[[str], None]) -> None:
    program(plan(2) + ended(run_dict(place=0)) + 'say(b\'{"event":"r\'); os.kill(os.getpid(), signal.SIGKILL)')
    outcomes: list[Outcome] = []
    with pytest.raises(EngineDiedError, match="SIGKILL"):
        work.perform(small(), on_outcome=outcomes.append)
    assert [(outcome.place, set(outcome.files)) for outcome in outcomes] == [(0, {"run.json"})]
    with pytest.raises(EngineDiedError):
        work.metrics_only(small())


def test_runs_that_came_to_nothing_are_outcomes(program: Callable[[str], None]) -> None:
    failed = failed_dict(place=1)
    program(
        plan(2, "netns", "sim")
        + ended(run_dict(place=0, unfinished="the time limit"))
        + f"say({line(failed)!r}); sys.stderr.write('error: 2 of 2 runs did not end in order'); sys.exit(1)"
    )
    first, second = work.perform(small(testbed="netns", plane="model", attempts=3))
    assert isinstance(first.run, Unfinished)
    assert (first.run.reason, set(first.files)) == ("the time limit", {"run.json"})
    assert isinstance(second.run, Failed)
    assert second.files == {}


def test_progress_is_passed_on(program: Callable[[str], None]) -> None:
    live = live_dict(place=0)
    far = {key: live[key] for key in ("testbed", "variant", "link", "repetition", "seed", "directory", "place")}
    far |= {"event": "progress", "at_s": 1.5, "octets": 100, "of": 200}
    done = line({"event": "done", "runs": 1})
    program(plan(1, "netns", "sim") + f"say({line(far)!r})\n" + ended(live) + f"say({done!r})")
    heard: list[Progress] = []
    assert len(work.perform(small(testbed="netns", places=(0,)), on_progress=heard.append)) == 1
    assert [(progress.octets, progress.of) for progress in heard] == [(100, 200)]


@pytest.mark.parametrize(
    "text", ["", "say(b'nonsense\\n')", plan(2), plan(2) + "sys.exit(1)", plan(2) + ended(run_dict()) + "sys.exit(0)"]
)
def test_an_engine_that_breaks_is_an_error(program: Callable[[str], None], text: str) -> None:
    program(text)
    for perform in (work.perform, work.metrics_only):
        with pytest.raises((ProtocolError, EngineError)):
            perform(small())


def test_an_engine_that_does_not_listen_is_killed(
    program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "PATIENCE_S", 0.0)
    program("signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + plan(2) + ended(run_dict(place=0)) + "signal.pause()")
    stop = threading.Event()
    assert len(work.perform(small(), on_outcome=lambda _: stop.set(), stop=stop)) == 1


def test_the_engine_ends_with_a_worker_that_is_killed(chunk: Chunk, tmp_path: Path) -> None:
    many = replace(chunk, repetitions=100_000, places=tuple(range(100_000)), captures=False)
    (tmp_path / "chunk").write_bytes(pickle.dumps(many))
    # The worker is killed with the first outcome; the end of its engine is the end of this pipe, which only it has.
    read, write = os.pipe()
    worker = (
        "import os, pickle, signal, sys, pathlib\n"
        "from windlull.runner import process, work\n"
        "popen = process.subprocess.Popen\n"
        f"process.subprocess.Popen = lambda *a, **k: popen(*a, **k, pass_fds=[{write}])\n"
        "chunk = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "work.perform(chunk, on_outcome=lambda _: os.kill(os.getpid(), signal.SIGKILL))\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", worker, str(tmp_path / "chunk")],
        env=os.environ | {"TMPDIR": str(tmp_path / "scratch")}, pass_fds=[write],
    )  # fmt: skip
    os.close(write)
    assert started.wait() == -signal.SIGKILL
    assert os.read(read, 1) == b""
    os.close(read)
    # What it left goes when the next one starts.
    assert len(list((tmp_path / "scratch").iterdir())) == 1
    work.metrics_only(replace(chunk, places=(0,)))
