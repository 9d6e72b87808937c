from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from windlull.commands.run_options import run_options
from windlull.runner.options import OPTIONS, RunOptions, for_pages

DOCS = Path(__file__).resolve().parents[3] / "docs"


@click.command()
@run_options(*OPTIONS)
def command(options: RunOptions) -> None:
    click.echo(json.dumps(options.arguments(plan="plan" in (options.variants or ()))))


def arguments(*given: str) -> list[str]:
    done = CliRunner().invoke(command, given)
    assert done.exit_code == 0, done.output
    said: list[str] = json.loads(done.output)
    return said


def test_what_a_person_does_not_say_is_left_to_the_engine() -> None:
    assert arguments() == []


@pytest.mark.parametrize(
    "given",
    [
        ["--testbed", "netns", "--plane", "netem", "--attempts", "3"],
        ["--reps", "2", "--seed", "18446744073709551615", "--jobs", "1"],
        ["--variants", "sack,frto+sack", "--no-pcap", "--no-series"],
    ],
)
def test_the_engine_is_told_what_a_person_says(given: list[str]) -> None:
    assert arguments(*given) == given


def test_a_plan_is_told_what_it_depends_on() -> None:
    options = RunOptions(testbed="netns", attempts=3, repetitions=2, jobs=4, captures=False)
    assert options.arguments(plan=True) == ["--testbed", "netns", "--reps", "2"]


@pytest.mark.parametrize("given", [["--reps", "0"], ["--attempts", "101"], ["--plane", "glider"], ["--seed", "-1"]])
def test_what_is_out_of_range_is_refused(given: list[str]) -> None:
    assert CliRunner().invoke(command, given).exit_code == 2


def test_a_simulated_run_has_no_plane_and_no_second_attempt() -> None:
    for options, name in ((RunOptions(plane="model"), "plane"), (RunOptions(attempts=2), "attempts")):
        misfit = options.misfit()
        assert misfit is not None
        assert misfit[1] == name
    assert RunOptions(testbed="netns", plane="model", attempts=2).misfit() is None


def test_pages_have_the_same_options() -> None:
    kept = json.loads((DOCS / "run-options.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(for_pages())), "`make generate` writes it anew"
