"""A sweep by the command: its results are the engine's, whoever made them, and whatever happened meanwhile."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from distributed.security import Security

from tests.end_to_end.command import WINDLULL, tree, windlull
from windlull.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.long

EXPERIMENT = "papers/sarolahti2003/table-1"
GRID = ("--grid", "link.both.rate=28.8 kbit/s,64 kbit/s", "--grid", "tcp.initial_window=1,3")
REPETITIONS = 500
PARTS = 3
"""Of the sweep: after the first it can be interrupted, on a fast machine too, and two workers have one each to lose."""
RUNS = 4 * 6 * REPETITIONS


@dataclass(frozen=True)
class Swept:
    out: Path
    process: subprocess.CompletedProcess[str]

    @property
    def octets(self) -> bytes:
        return (self.out / "results.parquet").read_bytes()


def sweep(out: Path, *options: str | Path) -> Swept:
    done = windlull("sweep", EXPERIMENT, *GRID, "--reps", str(REPETITIONS), "--out", out, *options)
    assert done.returncode == 0, done.stderr
    return Swept(out, done)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    directory = tmp_path_factory.mktemp("sweep")
    return sweep(directory / "out", "--jobs", "2", "--json", directory / "summary.json")


@contextmanager
def started(out: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """The same sweep, under way: its first part is finished, and not its last."""
    command = [*WINDLULL, "sweep", EXPERIMENT, *GRID, "--reps", str(REPETITIONS), "--out", str(out), *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        while "runs finished" not in (line := process.stderr.readline()):
            assert line, "it ended before its first part"
        yield process


@contextmanager
def cluster(directory: Path, *more: str) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler with two workers, each a process of its own."""
    described = directory / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    scheduler: list[str | Path] = [
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        described,
        *more,
    ]
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--resources", "sim=1"]
    processes: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([*dask, *arguments], cwd=directory, stderr=subprocess.DEVNULL)
        processes.append(process)
        return process

    try:
        start(*scheduler)
        while not described.exists() or not (text := described.read_text(encoding="utf-8")).rstrip().endswith("}"):
            assert processes[0].poll() is None
            os.sched_yield()
        address = json.loads(text)["address"]
        yield address, [start("worker", address, *options) for _ in range(2)]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_the_experiments_own_point_has_its_own_numbers(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = windlull("sweep", EXPERIMENT, "--grid", "tcp.initial_window=2,3", "--reps", "3", "--out", out, "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert windlull("run", EXPERIMENT, "--reps", "3", "--no-pcap", "--out", tmp_path / "run").returncode == 0
    rows = [row for row in pq.read_table(out / "results.parquet").to_pylist() if row["point"] == 0]
    assert len(rows) == 18
    for row in rows:
        directory = tmp_path / "run" / "runs" / row["variant"] / f"{row['repetition']:03}"
        metrics = json.loads((directory / "run.json").read_bytes())["metrics"]
        assert {name: row[name] for name in METRICS if row[name] is not None} == metrics


def test_a_row_a_run_and_columns_with_types(swept: Swept) -> None:
    table = pq.read_table(swept.out / "results.parquet")
    assert table.num_rows == RUNS
    schema = table.schema
    types = dict(zip(schema.names, map(str, schema.types), strict=True))
    assert types["grid.link.both.rate"] == "string"
    assert types["grid.tcp.initial_window"] == "int64"
    assert types["seed"] == "uint64"
    assert set(METRICS) <= set(types)


def test_the_terminal_and_the_summary_agree(swept: Swept) -> None:
    summary = json.loads((swept.out.parent / "summary.json").read_bytes())
    assert (summary["points"], summary["runs"], len(summary["cells"])) == (4, RUNS, 24)
    first = summary["cells"][0]
    assert first["grid"] == {"link.both.rate": "28.8 kbit/s", "tcp.initial_window": 1}
    low, high = first["metrics"]["elapsed_s"]["interval"]
    assert low < first["metrics"]["elapsed_s"]["median"] < high
    (row,) = [line for line in swept.process.stdout.splitlines() if re.match(r"28\.8 kbit/s +1 +eifel\+sack ", line)]
    assert f" {first['metrics']['elapsed_s']['median']:.2f} " in row
    assert max(len(line) for line in swept.process.stdout.splitlines()[:-1]) <= 100
    assert sorted(path.name for path in swept.out.iterdir()) == ["results.parquet", "sweep.json"]
    assert json.loads((swept.out / "sweep.json").read_bytes())["parts"]["count"] == PARTS


def test_a_finished_sweep_is_not_made_again(swept: Swept) -> None:
    before = tree(swept.out)
    again = sweep(swept.out)
    assert "runs finished" not in again.process.stderr
    assert again.process.stdout == swept.process.stdout
    assert tree(swept.out) == before


def test_another_sweep_is_refused(swept: Swept) -> None:
    before = tree(swept.out)
    other = windlull("sweep", EXPERIMENT, *GRID, "--reps", "3", "--out", swept.out)
    assert other.returncode == 2
    assert f"has another sweep: repetitions is {REPETITIONS} there, 3 here" in other.stderr
    assert tree(swept.out) == before


@pytest.mark.parametrize(
    ("number", "whole_group"),
    [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGKILL, False)],
    ids=["interrupt", "terminal", "terminate", "kill"],
)
def test_a_sweep_goes_on_where_it_was(
    swept: Swept,
    tmp_path: Path,
    number: signal.Signals,
    whole_group: bool,  # noqa: FBT001
) -> None:
    """A terminal signals every process of the foreground, `kill` just the one that it names."""
    out = tmp_path / "out"
    with started(out, "--jobs", "1") as process:
        if whole_group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == (130 if number != signal.SIGKILL else -number)
    assert "Traceback" not in said
    finished = {part.name: part.stat().st_mtime_ns for part in (out / "parts").glob("[0-9]*.parquet")}
    assert 0 < len(finished) < PARTS
    if number != signal.SIGKILL:
        assert re.search(rf"interrupted; [\d,]+ of {RUNS:,} runs are in .*; the same command goes on", said)
    again = sweep(out, "--jobs", "2")
    assert "of them finished before" in again.process.stderr
    assert again.octets == swept.octets


def test_a_cluster_that_loses_a_worker_gives_the_same_octets(swept: Swept, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with cluster(tmp_path) as (address, workers), started(out, "--insecure-cluster", "--cluster", address) as process:
        workers[0].kill()
        _, said = process.communicate()
    assert process.returncode == 0, said
    assert (out / "results.parquet").read_bytes() == swept.octets


def test_a_cluster_speaks_tls_with_certificates_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Security.temporary()  # type: ignore[no-untyped-call]
    files = {"cert": made.tls_client_cert, "key": made.tls_client_key}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    command = ("sweep", EXPERIMENT, "--reps", "3", "--out")
    with monkeypatch.context() as ours:
        ours.setenv(f"{tls}CA_FILE", str(tmp_path / "cert"))
        for role in ("SCHEDULER", "WORKER", "CLIENT"):
            for name in files:
                ours.setenv(f"{tls}{role}__{name.upper()}", str(tmp_path / name))
        with cluster(tmp_path, "--protocol", "tls") as (address, _workers):
            assert address.startswith("tls://")
            done = windlull(*command, tmp_path / "there", "--cluster", address)
            assert done.returncode == 0, done.stderr
            ours.delenv(f"{tls}CLIENT__KEY")
            ours.delenv(f"{tls}CLIENT__CERT")
            without = windlull(*command, tmp_path / "nowhere", "--cluster", address)
            for name in files:
                ours.setenv(f"{tls}CLIENT__{name.upper()}", str(tmp_path / "scheduler.json"))
            broken = windlull(*command, tmp_path / "nowhere", "--cluster", address)
            other = Security.temporary()  # type: ignore[no-untyped-call]
            for name, text in {"cert": other.tls_client_cert, "key": other.tls_client_key}.items():
                (tmp_path / f"other-{name}").write_text(text, encoding="ascii")
                ours.setenv(f"{tls}CLIENT__{name.upper()}", str(tmp_path / f"other-{name}"))
            strange = windlull(*command, tmp_path / "nowhere", "--cluster", address)
    for refused, why in (
        (without, "TLS needs certificates, and Dask's configuration names none"),
        (broken, "the certificates that Dask's configuration names cannot be used"),
        (strange, "cannot reach the Dask scheduler at tls://"),
    ):
        assert refused.returncode == 1
        assert why in refused.stderr
        assert "Traceback" not in refused.stderr
    done = windlull(*command, tmp_path / "here", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    results = [(tmp_path / place / "results.parquet").read_bytes() for place in ("there", "here")]
    assert results[0] == results[1]


def test_a_sweeps_own_file(swept: Swept, tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    file.write_text(
        f'experiment = "{EXPERIMENT}"\nrepetitions = {REPETITIONS}\n[grid]\n'
        'link.both.rate = ["28.8 kbit/s", "64 kbit/s"]\n"tcp.initial_window" = "1,3"\n',
        encoding="utf-8",
    )
    out = tmp_path / "out"
    done = windlull("sweep", file, "--out", out)
    assert done.returncode == 0, done.stderr
    assert (out / "results.parquet").read_bytes() == swept.octets
    file.write_text('experiment = "first-look"\ngird = 3\n', encoding="utf-8")
    done = windlull("sweep", file, "--out", out)
    assert done.returncode == 2
    assert 'gird: unknown key; did you mean "grid"?' in done.stderr


def test_bad_input_writes_nothing(tmp_path: Path) -> None:
    for arguments, message in (
        (["--grid", "tcp.initial_windw=1,3"], 'tcp.initial_windw=1: unknown key; did you mean "initial_window"?'),
        (["--grid", "link.both.rate"], "write KEY=VALUES"),
        (["--jobs", "1", "--cluster", "tcp://127.0.0.1:1"], "--jobs counts workers on this machine"),
    ):
        done = windlull("sweep", EXPERIMENT, *arguments, "--out", tmp_path / "out")
        assert done.returncode == 2
        assert message in done.stderr
        assert list(tmp_path.iterdir()) == []


def test_it_has_a_directory_of_its_own_without_out(tmp_path: Path) -> None:
    done = windlull("sweep", "first-look", "--grid", "tcp.initial_window=1,10", "--reps", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "first-look-sweep" / "results.parquet").exists()


def test_no_cluster_at_the_address(tmp_path: Path) -> None:
    address = "tcp://127.0.0.1:1"
    command = ("sweep", "first-look", "--out", tmp_path / "out", "--cluster", address)
    done = windlull(*command)
    assert done.returncode == 2
    assert "or --insecure-cluster where only machines that you trust reach it" in done.stderr
    done = windlull(*command, "--insecure-cluster")
    assert done.returncode == 1
    assert f"cannot reach the Dask scheduler at {address}" in done.stderr
    assert "Traceback" not in done.stderr


def test_runs_that_do_not_end_are_counted_apart(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = windlull("sweep", "first-look", "--grid", "time_limit=2 s,1 h", "--out", out, "--json", tmp_path / "s.json")
    assert done.returncode == 0, done.stderr
    table = pq.read_table(out / "results.parquet")
    unfinished = {row["unfinished"] for row in table.to_pylist() if row["point"] == 0}
    assert unfinished == {"still under way at the time limit"}
    assert {row["unfinished"] for row in table.to_pylist() if row["point"] == 1} == {None}
    cells = json.loads((tmp_path / "s.json").read_bytes())["cells"]
    assert [(cell["runs"], cell["unfinished"], bool(cell["metrics"])) for cell in cells] == [
        (0, 5, False), (0, 5, False), (5, 0, True), (5, 0, True),
    ]  # fmt: skip
    assert "unfinished: did not end in order" in done.stdout
