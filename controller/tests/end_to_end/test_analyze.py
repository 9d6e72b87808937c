"""windlull analyze, on captures of our own and on what is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("captures") / "out"
    done = windlull("run", "papers/sarolahti2003/figure-1", "--reps", "1", "--out", out)
    assert done.returncode == 0, done.stderr
    return min((out / "runs").glob("*/001"))


def test_both_ends_give_the_verdicts_of_the_run(run_directory: Path) -> None:
    server, client = run_directory / "server.pcapng", run_directory / "client.pcapng"
    of_run = json.loads((run_directory / "run.json").read_bytes())["metrics"]
    # What limited the sender is in neither captures nor events.jsonl (docs/verdicts.md).
    limits = {name for name in of_run if name.startswith("limited_by_")}
    assert len(limits) == 5
    told = {name: value for name, value in of_run.items() if name not in limits}
    for ends in ((server, client), (client, server)):
        done = windlull("analyze", *ends, "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)["metrics"]
        assert found == told


def test_a_capture_may_come_through_a_pipe(run_directory: Path, tmp_path: Path) -> None:
    capture, pipe = run_directory / "server.pcapng", tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", capture, pipe]) as writer:
        through = windlull("analyze", pipe, "--connections")
        writer.kill()
    assert through.returncode == 0, through.stderr
    assert through.stdout == windlull("analyze", capture, "--connections").stdout


def test_the_summary_for_a_person(run_directory: Path) -> None:
    done = windlull("analyze", run_directory / "server.pcapng", run_directory / "client.pcapng")
    assert done.returncode == 0, done.stderr
    assert "retransmissions" in done.stdout
    assert "spurious timeouts" in done.stdout


def test_captures_alone_give_what_the_packets_tell(run_directory: Path, tmp_path: Path) -> None:
    """Away from the run's directory nothing tells what the link and the sender did, as with captures of tcpdump."""
    of_run = json.loads((run_directory / "run.json").read_bytes())["metrics"]
    for end in ("server", "client"):
        shutil.copy(run_directory / f"{end}.pcapng", tmp_path)
    done = windlull("analyze", tmp_path / "server.pcapng", tmp_path / "client.pcapng", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name in ("elapsed_s", "segments_sent", "packets_lost", "retransmissions", "unnecessary_retransmissions"):
        assert found["metrics"][name] == of_run[name], name
    assert found["notes"]


def test_an_end_that_the_file_contradicts_is_refused(run_directory: Path) -> None:
    capture = run_directory / "client.pcapng"
    assert windlull("analyze", capture, "--end", "client").returncode == 0
    refused = windlull("analyze", capture, "--end", "server")
    assert refused.returncode == 2
    assert "captured at the client, and not at the server, as the file itself says" in refused.stderr
    assert windlull("analyze", capture, "--end", "client", "--connections").returncode == 2


def test_a_connection_is_chosen_by_its_addresses(run_directory: Path) -> None:
    capture = run_directory / "server.pcapng"
    ours = windlull("analyze", capture, "--between", "198.18.0.1:49152", "198.18.0.2:49153")
    assert ours.returncode == 0, ours.stderr
    none = windlull("analyze", capture, "--between", "198.18.0.1:1", "198.18.0.2:2")
    assert none.returncode == 2
    assert "198.18.0.1:1" in none.stderr
    wrong = windlull("analyze", capture, "--between", "here", "there")
    assert wrong.returncode == 2


def test_one_end_says_what_it_cannot_know(run_directory: Path) -> None:
    done = windlull("analyze", run_directory / "server.pcapng")
    assert done.returncode == 0, done.stderr
    assert "note: " in done.stdout


@pytest.mark.parametrize("content", [b"", b"not a capture", b"\x0a\x0d\x0d\x0a\x1c\x00"])
def test_what_is_no_capture_is_bad_input(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "foreign.pcapng"
    file.write_bytes(content)
    done = windlull("analyze", file)
    assert done.returncode == 2, done.stderr
    assert str(file) in done.stderr
    assert done.stdout == ""


def test_of_a_capture_cut_short_what_is_whole_is_analysed(run_directory: Path, tmp_path: Path) -> None:
    whole = (run_directory / "server.pcapng").read_bytes()
    file = tmp_path / "short.pcapng"
    file.write_bytes(whole[: len(whole) // 2 + 3])
    done = windlull("analyze", file)
    assert done.returncode == 0, done.stderr
    assert "The first capture ends in the middle of a block at byte" in done.stdout


def test_a_missing_capture_is_bad_input(tmp_path: Path) -> None:
    done = windlull("analyze", tmp_path / "none.pcapng")
    assert done.returncode == 2
    assert "none.pcapng" in done.stderr


def test_one_capture_for_both_ends_is_bad_input(run_directory: Path) -> None:
    capture = run_directory / "server.pcapng"
    done = windlull("analyze", capture, capture)
    assert (done.returncode, done.stdout) == (2, "")
    assert "given for both ends" in done.stderr


def test_a_directory_is_bad_input(tmp_path: Path) -> None:
    done = windlull("analyze", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "a directory" in done.stderr


def test_a_detector_that_nobody_heard_is_not_scored(run_directory: Path, tmp_path: Path) -> None:
    for end in ("server", "client"):
        shutil.copy(run_directory / f"{end}.pcapng", tmp_path)
    done = windlull("analyze", tmp_path / "server.pcapng", tmp_path / "client.pcapng", "--json")
    assert not [name for name in json.loads(done.stdout)["metrics"] if name.startswith("detector")]


def test_connections_are_listed_and_chosen_by_number(run_directory: Path) -> None:
    capture = run_directory / "server.pcapng"
    listed = windlull("analyze", capture, "--connections")
    assert listed.stdout.startswith("1: 198.18.0."), listed
    assert listed.stdout.count("\n") == 1
    answer = json.loads(windlull("analyze", capture, run_directory / "client.pcapng", "--connections", "--json").stdout)
    assert (answer["total"], answer["connections"][0]["in_second"]) == (1, True)
    chosen = windlull("analyze", capture, "--connection", "1", "--json")
    assert json.loads(chosen.stdout)["connection"]["data_sender"] == answer["connections"][0]["data_sender"]
    for wrong, words in (
        (["--connection", "2"], "no connection 2"),
        (["--connection", "1", "--between", "198.18.0.1:1", "198.18.0.2:2"], "give one of them"),
        (["--connections", "--connection", "1"], "lists all"),
    ):
        done = windlull("analyze", capture, *wrong)
        assert (done.returncode, words in done.stderr) == (2, True), done
