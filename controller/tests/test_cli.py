"""What the command refuses before it asks the engine, and how little it loads for it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from windlull import cli
from windlull.errors import ExitCode

if TYPE_CHECKING:
    from pathlib import Path


SEARCH = ["search", "x", "--worst", "elapsed", "--out", "found"]


@pytest.fixture
def _nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that would leave a trace."""
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n", encoding="utf-8")
    engine.chmod(0o755)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("WINDLULL_ENGINE", str(engine))
    monkeypatch.setenv("WINDLULL_PROFILES", str(tmp_path))


def code_of(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int | str | None:
    monkeypatch.setattr("sys.argv", ["windlull", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code


@pytest.mark.usefixtures("_nothing_is_started")
@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["fly"], "No such command 'fly'"),
        (["run"], "Missing argument 'EXPERIMENT'"),
        (["run", "x", "--reps", "0"], "0 is not in the range"),
        (["run", "x", "--reps", "many"], "'many' is not a valid integer"),
        (["run", "x", "--seed", "-1"], "-1 is not in the range"),
        (["run", "x", "--seed", "18446744073709551616"], "is not in the range"),
        (["run", "x", "--jobs", "0"], "0 is not in the range"),
        (["run", "x", "--testbed", "moon"], "'moon' is not one of 'sim', 'netns', 'kernel', 'compose'"),
        (["run", "x", "--plane", "netem"], "--plane netem: a simulated run has no link plane"),
        (["run", "x", "--testbed", "netns", "--plane", "glider"], "'glider' is not one of 'model', 'netem'"),
        (["run", "x", "--attempts", "2"], "--attempts 2: a simulated run has no second attempt"),
        (["run", "x", "--testbed", "netns", "--attempts", "0"], "0 is not in the range"),
        (["run", "bad.csv"], "bad.csv: is not a .toml file"),
        (["run", "x", "y"], "y: one experiment is run at a time"),
        (
            ["run", "x", "--variant", "sack"],
            "--variant goes with scripts of packetdrill (.pkt); an experiment takes --variants",
        ),
        (["run", "x.pkt", "y.toml"], "y.toml: is not a script of packetdrill"),
        (["run", "x.pkt", "--reps", "2"], "--reps is of experiments"),
        (["run", "x.pkt", "--out", "here"], "--out is of experiments"),
        (["run", "x.pkt", "--kernel", "mine"], "--packetdrill and --kernel go with --testbed kernel"),
        (["run", "x.pkt", "--testbed", "kernel"], "give its path with --packetdrill PATH"),
        (
            ["run", "x.pkt", "--testbed", "kernel", "--packetdrill", "p", "--variant", "sack"],
            "--variant is a TCP of ours",
        ),
        (["run", "x.pkt", "--testbed", "netns"], "run on sim and on kernel"),
        (["export", "none", "--format", "packetdrill"], "none: is no directory"),
        (["check", "bad.csv"], "bad.csv: is not a .toml file"),
        (["check"], "Missing argument 'FILE...'"),
        (["show", "some/bad.json"], "some/bad.json: is not a .toml file"),
        (["export", "gprs"], "Missing option '--format'"),
        (["export", "gprs", "--format", "dot"], "'dot' is not one of 'tc', 'packetdrill'"),
        (["export", "trace.csv", "--format", "tc"], "trace.csv: is not a .toml file"),
        (["calibrate", "--pace", "brisk"], "'brisk' is not one of 'precise', 'frugal'"),
        (["calibrate", "--plane", "paper"], "'paper' is not one of 'model', 'netem'"),
        (["run", "x", "--json", "none/results.json"], "there is no directory none"),
        (["run", "x", "--json", "."], "is a directory"),
        (["list", "cows"], "'cows' is not one of"),
        ([*SEARCH, "--budget", "0"], "0 is not in the range"),
        (SEARCH, "Missing option '--budget'"),
        ([*SEARCH, "--budget", "9", "--by", "half"], "'half' is not one of 'difference', 'ratio'"),
        ([*SEARCH, "--budget", "9", "--jobs", "2", "--cluster", "tls://h:1"], "--jobs counts workers on this machine"),
        ([*SEARCH, "--budget", "9", "--fail-if", "elapsed > 3 s"], "--fail-if: the rule 'elapsed > 3 s'"),
        ([*SEARCH, "--budget", "9", "--json", "none/s.json"], "--json none/s.json: there is no directory none"),
        (
            [*SEARCH, "--budget", "9", "--worst", "elapst"],
            "--worst elapst: there is no such metric; do you mean elapsed_s",
        ),
    ],
)
def test_bad_options_are_bad_input(
    arguments: list[str],
    what: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert code_of(arguments, monkeypatch) == ExitCode.BAD_INPUT
    assert what in capsys.readouterr().err
    assert not (tmp_path / "started").exists()
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (["calibrate", "--json"], "calibrate"),
        (["calibrate", "--plane", "netem", "--pace", "frugal", "--thorough"],
         "calibrate --plane netem --pace frugal --thorough"),
        (["doctor", "--clean"], "doctor --kernels /kernels --clean"),
        (["export", "a.toml", "--format", "tc", "--seed", "0", "--for", "60 s"],
         "export a.toml --format tc --seed 0 --for 60 s"),
        (["export", "a.toml", "--format", "tc", "--packet-size", "576 B", "--exact"],
         "export a.toml --format tc --packet-size 576 B --exact"),
        (["run", "x.pkt", "y.pkt", "--variant", "sack"], "packetdrill x.pkt y.pkt --variant sack --profiles /profiles"),
        (["run", "x.pkt", "--testbed", "kernel", "--packetdrill", "p", "--kernel", "mine"],
         "packetdrill x.pkt --program p --kernels /kernels --kernel mine --profiles /profiles"),
    ],
)  # fmt: skip
def test_options_reach_the_engine(
    arguments: list[str], asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f'#!/bin/sh\necho "$*" > {tmp_path}/asked\necho no >&2\nexit 1\n', encoding="utf-8")
    engine.chmod(0o755)
    monkeypatch.setenv("WINDLULL_ENGINE", str(engine))
    monkeypatch.setenv("WINDLULL_PROFILES", str(tmp_path))
    monkeypatch.setenv("WINDLULL_KERNELS", "/kernels")
    assert code_of(arguments, monkeypatch) == ExitCode.FAILURE
    said = (tmp_path / "asked").read_text(encoding="utf-8").strip().removeprefix(f"--profiles {tmp_path} ")
    assert said.replace(str(tmp_path), "/profiles") == asked


def test_a_check_that_cannot_be_made_is_a_failure_and_the_others_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = tmp_path / "engine"
    wrong = '*a.toml) echo "error: a.toml:1: no" >&2; exit 2 ;; *b.toml) echo "error: full disk" >&2; exit 1 ;;'
    engine.write_text(f'#!/bin/sh\ncase "$*" in {wrong} esac\n', encoding="utf-8")
    engine.chmod(0o755)
    monkeypatch.setenv("WINDLULL_ENGINE", str(engine))
    monkeypatch.setenv("WINDLULL_PROFILES", str(tmp_path))
    assert code_of(["check", "a.toml", "b.toml", "c.toml"], monkeypatch) == ExitCode.FAILURE
    said = capsys.readouterr()
    assert said.out == "c.toml: ok\n"
    assert said.err == "error: a.toml:1: no\nerror: full disk\n"
    assert code_of(["check", "a.toml", "c.toml"], monkeypatch) == ExitCode.BAD_INPUT


def test_help_is_a_success(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(["--help"], monkeypatch) == ExitCode.OK
    assert "Exit codes: 0 done, 1 failure, 2 bad input, 130 interrupted." in capsys.readouterr().out


def test_without_an_engine_it_says_how_to_build_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WINDLULL_ENGINE", raising=False)
    monkeypatch.setattr("windlull.locate._REPOSITORY", tmp_path)
    assert code_of(["--version"], monkeypatch) == ExitCode.FAILURE
    captured = capsys.readouterr()
    assert captured.out.startswith("windlull ")
    assert "cargo build --release -p windlull-engine" in captured.err


def test_a_command_loads_what_it_needs_and_no_more() -> None:
    program = (
        "import sys; from windlull import cli\n"
        "sys.argv = ['windlull', 'list', 'links']\n"
        "try: cli.main()\n"
        "finally: print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "gprs" in done.stdout
    loaded = set(done.stderr.split())
    assert {"click", "msgspec"} <= loaded
    assert not loaded & {"distributed", "flask", "numpy", "pyarrow", "pydantic", "scipy", "sqlalchemy"}


def test_the_run_to_export_is_the_one_under_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = tmp_path / "engine"
    engine.write_text('#!/bin/sh\necho "$*"\n', encoding="utf-8")
    engine.chmod(0o755)
    monkeypatch.setenv("WINDLULL_ENGINE", str(engine))
    out = tmp_path / "out"
    first = out / "runs" / "sack" / "001"
    first.mkdir(parents=True)
    export = ["export", str(out), "--format", "packetdrill", "--episode", "2", "--side", "receiver"]
    assert code_of(export, monkeypatch) == ExitCode.BAD_INPUT
    assert "no run.json in it" in capsys.readouterr().err
    (first / "run.json").touch()
    assert code_of(export, monkeypatch) == ExitCode.OK
    asked = f"export {first} --format packetdrill --episode 2 --side receiver"
    assert capsys.readouterr().out.strip().endswith(asked)
    second = first.parent / "002"
    second.mkdir()
    (second / "run.json").touch()
    assert code_of(export, monkeypatch) == ExitCode.BAD_INPUT
    error = capsys.readouterr().err
    assert "2 runs; give the directory of one" in error
    assert str(second) in error
