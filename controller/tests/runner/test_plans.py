"""The engine's plans, and what it finds wrong, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull import locate
from windlull.contract.engine import Problem
from windlull.errors import BadInputError
from windlull.runner import engine, limits, needs, plans
from windlull.runner.options import RunOptions
from windlull.runner.plans import InvalidFilesError

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = 'title = "x"\nlink = "{link}"\nvariants = ["sack"]\nworkload = "bulk-20-kib-down"\n'


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A profiles directory of somebody's own."""
    for kind in ("links", "experiments"):
        (tmp_path / kind).mkdir()
    return tmp_path


def test_a_plan_has_every_run_and_every_file() -> None:
    planned = plans.plan("first-look", RunOptions(repetitions=2, seed=7), profiles=[locate.profiles()])
    assert (planned.count, planned.testbeds, planned.experiment["seed"]) == (4, ("sim",), "7")
    assert [run.place for run in planned.runs] == [0, 1, 2, 3]
    assert len({run.key for run in planned.runs}) == 4
    assert planned.experiment_file in planned.files
    assert plans.plan("first-look", RunOptions(repetitions=2, seed=7), profiles=[locate.profiles()]) == planned


def test_a_brief_plan_has_no_runs() -> None:
    planned = plans.plan("first-look", profiles=[locate.profiles()], brief=True)
    assert (planned.count, planned.runs) == (10, ())


def test_a_plan_estimates_what_it_needs() -> None:
    few = plans.plan("first-look", RunOptions(repetitions=2), profiles=[locate.profiles()], brief=True).estimate
    many = plans.plan("first-look", RunOptions(repetitions=20), profiles=[locate.profiles()], brief=True).estimate
    assert few is not None
    assert many is not None
    assert many.packets == pytest.approx(10 * few.packets, rel=0.01)
    assert many.disk_bytes == pytest.approx(10 * few.disk_bytes, rel=0.01)
    assert many.largest == few.largest
    assert few.exceeded() == []
    # In real time each run takes as long as its link does.
    live = plans.plan("first-look-live", RunOptions(testbed="netns"), profiles=[locate.profiles()], brief=True).estimate
    assert live is not None
    assert live.seconds > live.largest.virtual_s > 1


def test_an_estimate_says_which_limits_it_exceeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.EVENTS, "1000")
    monkeypatch.setenv(limits.VIRTUAL, "2")
    monkeypatch.setenv(limits.DISK, "200000")
    estimate = plans.plan("first-look", profiles=[locate.profiles()], brief=True).estimate
    assert estimate is not None
    assert estimate.limits == needs.AllLimits(events=1000, virtual_s=2, disk_bytes=200_000)
    assert estimate.exceeded() == ["1,000 events", "2 s of virtual time", "0 MB of disk"]


def test_a_live_plan() -> None:
    planned = plans.plan("first-look-live", RunOptions(testbed="netns", plane="model"), profiles=[locate.profiles()])
    assert planned.testbeds == ("netns", "sim")
    assert [(run.testbed, run.key is None) for run in planned.runs] == [("sim", False), *[("netns", True)] * 3]


def test_several_directories(own: Path) -> None:
    (own / "experiments" / "mine.toml").write_text(EXPERIMENT.format(link="gprs"), encoding="utf-8")
    planned = plans.plan("mine", profiles=[locate.profiles(), own], confined=True)
    assert set(planned.files) >= {"experiments/mine.toml", "links/gprs.toml"}
    names = {listed["name"] for listed in engine.ask(["list", "experiments"], profiles=[locate.profiles(), own])}
    assert {"mine", "first-look"} <= names


def test_what_is_wrong_has_its_place(own: Path) -> None:
    file = own / "experiments" / "mine.toml"
    file.write_text(EXPERIMENT.format(link="gprs").replace("workload", "worklaod"), encoding="utf-8")
    with pytest.raises(InvalidFilesError) as error:
        plans.plan("mine", profiles=[locate.profiles(), own])
    [unknown] = error.value.problems
    assert unknown == Problem(
        message='unknown key; did you mean "workload"?',
        file=str(file),
        line=4,
        column=1,
        key="worklaod",
        suggestion="workload",
    )
    assert str(error.value).endswith(f'{file}:4: worklaod: unknown key; did you mean "workload"?')
    with pytest.raises(InvalidFilesError) as checked:
        plans.check("mine", profiles=[locate.profiles(), own])
    assert checked.value.problems == error.value.problems


@pytest.mark.parametrize(
    "name",
    ["--help", "-x", "nothing", "", "../../etc/passwd.toml", "/etc/passwd.toml", "a\0b", "\udc80\ud800", "x" * 200_000],
)
def test_a_name_is_never_more_than_a_name(name: str) -> None:
    with pytest.raises(BadInputError):
        plans.plan(name, profiles=[locate.profiles()], confined=True)


def test_a_file_by_a_stranger_names_no_file_of_ours(own: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("secret") / "secret.toml"
    secret.write_text((locate.profiles() / "links" / "gprs.toml").read_text(encoding="utf-8"), encoding="utf-8")
    file = own / "experiments" / "mine.toml"
    file.write_text(EXPERIMENT.format(link=secret), encoding="utf-8")
    with pytest.raises(InvalidFilesError, match="is outside the profiles directories"):
        plans.plan("mine", profiles=[locate.profiles(), own], confined=True)


def test_too_many_runs_are_refused(own: Path) -> None:
    text = EXPERIMENT.format(link="gprs").replace('"sack"', '"sack", "newreno", "frto+sack", "frto+newreno"')
    text = text.replace('link = "gprs"', 'links = ["gprs", "edge", "gsm-csd"]')
    (own / "experiments" / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidFilesError, match=f"the most are {plans.MOST_RUNS}"):
        plans.plan("mine", RunOptions(repetitions=100_000), profiles=[locate.profiles(), own])
