from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from windlull.commands.run_options import run_options
from windlull.errors import BadInputError
from windlull.runner.options import OPTIONS, GivenToRun, RunOptions, for_pages

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


def test_functions_take_the_same_options() -> None:
    assert set(GivenToRun.__optional_keys__) == set(OPTIONS)
    given: GivenToRun = {"repetitions": 2, "seed": None, "testbed": "netns", "variants": ["sack", "mine.toml"]}
    assert RunOptions.of(given) == RunOptions(
        repetitions=2, testbed="netns", variants=("sack", str(Path("mine.toml").absolute()))
    )
    assert RunOptions.of({}) == RunOptions()


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"repetitions": 0}, "repetitions=0: is not a whole number from 1 to 100000"),
        ({"repetitions": True}, "repetitions=True: is not a whole number from 1"),
        ({"repetitions": "3"}, "repetitions='3': is not a whole number from 1 to 100000"),
        ({"jobs": 0}, "jobs=0: is not a whole number from 1 on"),
        ({"jobs": 1.5}, "jobs=1.5: is not a whole number"),
        ({"seed": "7"}, "seed='7': is not a whole number from 0"),
        ({"testbed": "moon"}, "testbed='moon': is none of sim, netns, kernel, compose"),
        ({"testbed": None}, "testbed=None: is none of"),
        ({"captures": "no"}, "captures='no': is neither True nor False"),
        ({"variants": "sack"}, "variants='sack': is no list of names"),
        ({"repetition": 2}, "repetition: there is no such option; there are testbed, "),
    ],
)
def test_what_a_function_cannot_take_is_named(given: dict[str, Any], what: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(what)):
        RunOptions.of(given)


def test_what_a_simulated_run_does_not_have_is_refused_in_words() -> None:
    with pytest.raises(
        BadInputError, match=r"--plane netem: a simulated run has no link plane; it goes with --testbed"
    ):
        RunOptions(plane="netem").refuse_misfit()
    RunOptions(testbed="netns", plane="netem").refuse_misfit()
