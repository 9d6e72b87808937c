"""A run taken away in a capsule and made again elsewhere: the same octets."""

from __future__ import annotations

import io
import subprocess
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from tests.api import finished
from tests.capsule import made
from windlull import locate
from windlull.capsule import again, capsule
from windlull.capsule.archive import Archive
from windlull.capsule.capsule import Content, Packing
from windlull.capsule.manifest import Ending, Engine, Plan, RunOfPlan
from windlull.commands.capsule import command
from windlull.errors import BadInputError
from windlull.runner.bundle import Bundle

if TYPE_CHECKING:
    from pathlib import Path


def packed(place: int = 1, **changes: bytes) -> bytes:
    """The capsule of a run that the engine made; `changes` are other contents of its files."""
    look = finished.first_look()
    run, experiment = look.planned.runs[place], look.planned.experiment
    files = look.files[run.directory] | {name.replace("__", "."): content for name, content in changes.items()}
    target = io.BytesIO()
    Packing.of(
        Engine(experiment["version"], experiment["commit"]),
        Plan("sim", experiment["seed"], experiment["repetitions"]),
        RunOfPlan(run.place, "sim", run.variant, run.link, run.repetition, run.seed, run.directory),
        Ending("done"),
        Content.of(Bundle.of(look.planned).json()),
        Content.of(msgspec.json.encode(experiment)),
        {name: Content.of(content) for name, content in files.items()},
    ).write(target)
    return target.getvalue()


def test_a_simulated_run_made_again_has_the_same_octets() -> None:
    one = capsule.read(io.BytesIO(packed()))
    result = again.make(one)
    assert result.same_engine
    # Only runs of commands are captured at the emulator, and only stacks from elsewhere have qlogs.
    assert set(result.files) == capsule.RUN_FILES - {"emulator.pcapng", "server.sqlog", "client.sqlog"}
    assert result.same


def test_a_run_that_was_touched_up_is_found_out() -> None:
    look = finished.first_look()
    fates = look.files[look.planned.runs[1].directory]["fates.csv"].replace(b"delivered", b"deliverd", 1)
    one = capsule.read(io.BytesIO(packed(fates__csv=fates)))
    result = again.make(one)
    assert [name for name, same in result.files.items() if not same] == ["fates.csv"]


def test_a_bundle_that_is_not_what_it_says_is_refused() -> None:
    one = capsule.read(io.BytesIO(packed()))
    bundle = Bundle(one.bundle.experiment, {name: f"{text}\nx = 1" for name, text in one.bundle.files.items()})
    with pytest.raises(BadInputError):
        again.find(bundle, one.manifest.plan, one.manifest.run)
    place = msgspec.structs.replace(one.manifest.run, variant="another")
    with pytest.raises(BadInputError, match="no such run"):
        again.find(one.bundle, one.manifest.plan, place)


def test_the_command_shows_verifies_and_runs(tmp_path: Path) -> None:
    file = tmp_path / "run.capsule.zip"
    file.write_bytes(packed())
    shown = CliRunner().invoke(command, ["show", str(file)])
    assert shown.exit_code == 0
    assert "first-look" in shown.output
    assert "elapsed_s" in shown.output
    verified = CliRunner().invoke(command, ["verify", str(file)])
    assert (verified.exit_code, "whole; 8 files" in verified.output) == (0, True)
    ran = CliRunner().invoke(command, ["run", str(file)])
    assert (ran.exit_code, ran.output.splitlines()[-1]) == (0, "the same to the byte")


def test_a_strangers_words_do_nothing_to_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "run.capsule.zip"
    file.write_bytes(made.packed(experiment=made.experiment(title="a\x1b[2Jb\nc\x9bd")))
    shown = CliRunner().invoke(command, ["show", str(file)])
    assert shown.exit_code == 0
    assert shown.output.splitlines()[0] == "tiny: a\ufffd[2Jb\ufffdc\ufffdd"


def test_the_command_says_what_differs(tmp_path: Path) -> None:
    file = tmp_path / "run.capsule.zip"
    file.write_bytes(packed(events__jsonl=b"{}\n"))
    ran = CliRunner().invoke(command, ["run", str(file)])
    assert ran.exit_code == 1
    assert "events.jsonl        differs" in ran.output
    file.write_bytes(b"x" * 100)
    refused = CliRunner().invoke(command, ["verify", str(file)])
    assert isinstance(refused.exception, BadInputError)


def test_a_capsule_has_what_the_engine_left() -> None:
    look = finished.first_look()
    whole = Archive(io.BytesIO(packed()))
    for name, content in look.files[look.planned.runs[1].directory].items():
        assert whole.read(f"run/{name}") == content


@pytest.mark.parametrize("by", ["packet", "octets"])
def test_what_the_packets_of_a_capsule_met_is_played_to_others(tmp_path: Path, by: str) -> None:
    look = finished.first_look()
    run, experiment = look.planned.runs[0], look.planned.experiment
    (tmp_path / "run.capsule.zip").write_bytes(packed(0))
    file = tmp_path / "again.toml"
    file.write_text(
        f'title = "Again"\nlink = {{ fates = "run.capsule.zip", by = "{by}" }}\nvariants = ["{run.variant}"]\n'
        f'workload = "{experiment["workload"]["name"]}"\nseed = {experiment["seed"]}\n'
    )
    engine = [str(locate.engine()), "--profiles", str(locate.profiles())]
    subprocess.run([*engine, "run", str(file), "--out", str(tmp_path / "out")], check=True, capture_output=True)
    (fates,) = (tmp_path / "out" / "runs").rglob("fates.csv")
    assert fates.read_bytes() == look.files[run.directory]["fates.csv"]
    # Another zip file, and a capsule that is cut, are no recordings.
    (tmp_path / "run.capsule.zip").write_bytes(packed(0)[:5_000])
    said = subprocess.run([*engine, "check", str(file)], check=False, capture_output=True, text=True)
    assert said.returncode == 2
    assert "no capsule as Windlull writes it" in said.stderr
